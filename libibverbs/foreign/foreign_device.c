/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Life of a device of a foreign provider. The provider allocates the device
 * from the discovery result (struct foreign_sysfs_dev) and opens it;
 * core/device_object.c fills in the names in the public part, as for all
 * devices. The functions here are the hooks that core/ calls.
 */
#include "foreign/foreign_device.h"

#include <errno.h>
#include <stdlib.h>

#include "api/abi_tables.h"
#include "core/core_context.h"
#include "core/device_object.h"
#include "core/log.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_match.h"
#include "foreign/foreign_provider.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_state.h"
#include "util/lock.h"

bool foreign_allow_disassociate_destroy;
FOREIGN_EXPORT_ALL(foreign_allow_disassociate_destroy,
		   verbs_allow_disassociate_destroy)

static struct foreign_device *foreign_device_of(const struct verbs_device *dev)
{
	return verbs_container_of(dev->pub, struct foreign_device, device);
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

static const void *foreign_device_origin(const struct verbs_device_ops *ops)
{
	return foreign_provider_of(ops)->module_ops;
}

static int foreign_device_make(struct verbs_device *dev,
			       struct verbs_candidate *candidate)
{
	struct foreign_provider *provider = foreign_provider_of(dev->provider);
	struct foreign_sysfs_dev *sysfs = candidate->claim;
	struct foreign_device *device;

	foreign_allow_disassociate_destroy = verbs_allow_disassociate_destroy;
	device = provider->module_ops->alloc_device(sysfs);
	if (!device) {
		if (!atomic_flag_test_and_set(&provider->warned))
			verbs_warn("provider %s: matches %s, but "
				   "its alloc_device() fails",
				   dev->provider->name, sysfs->ibdev_name);
		free(sysfs);
		return -ENODEV;
	}
	device->ops = provider->module_ops;
	atomic_store(&device->refcount, 1);
	device->entry.next = device->entry.prev = &device->entry;
	device->sysfs = sysfs;
	verbs_device_link(dev, &device->device);
	return 0;
}

/* A device outside the kernel has no struct foreign_sysfs_dev. */
static void foreign_device_free(struct verbs_device *dev)
{
	struct foreign_device *device = foreign_device_of(dev);

	free(device->sysfs);
	device->sysfs = NULL;
	device->device._ops._dummy1 = NULL;
	if (device->ops->uninit_device)
		device->ops->uninit_device(device);
}

static struct verbs_device *foreign_device_adopt(struct ibv_device *pub)
{
	static struct verbs_mutex adopt_mutex = VERBS_MUTEX_INIT;
	struct foreign_device *device =
		verbs_container_of(pub, struct foreign_device, device);
	const struct foreign_provider *provider =
		foreign_provider_of_module(device->ops);
	struct verbs_device *dev;

	if (!provider)
		return NULL;
	verbs_mutex_lock(&adopt_mutex);
	if (pub->_ops._dummy1) { /* another thread has adopted it */
		dev = verbs_device_of(pub);
	} else {
		dev = verbs_device_new_bare(&provider->ops);
		if (dev)
			verbs_device_link(dev, pub);
	}
	verbs_mutex_unlock(&adopt_mutex);
	return dev;
}

/* ------------------------------------------------------------------------ */
/* Contexts                                                                  */
/* ------------------------------------------------------------------------ */

/* @provider_vctx: result of the provider; errno has the reason if it is NULL */
static int foreign_device_take_context(const struct verbs_device *dev,
				       struct foreign_verbs_context *module_ops,
				       struct verbs_context **ret_vctx)
{
	const struct foreign_variant *variant =
		foreign_provider_of(dev->provider)->variant;
	struct ibv_context *ctx;

	if (!module_ops)
		return errno > 0 ? -errno : -EIO;
	ctx = (void *)((char *)module_ops + variant->context_offset);
	foreign_device_of(dev)->core_support = verbs_core_support(ctx);
	*ret_vctx = verbs_container_of(ctx, struct verbs_context, context);
	return 0;
}

static int foreign_device_open_context(struct verbs_device *dev, int cmd_fd,
				       void *private_data,
				       struct verbs_context **ret_vctx)
{
	struct foreign_provider *provider = foreign_provider_of(dev->provider);

	errno = 0;
	return foreign_device_take_context(
		dev,
		provider->module_ops->alloc_context(dev->pub, cmd_fd,
						    private_data),
		ret_vctx);
}

static int foreign_device_import_context(struct verbs_device *dev, int cmd_fd,
					 struct verbs_context **ret_vctx)
{
	struct foreign_provider *provider = foreign_provider_of(dev->provider);

	if (!provider->module_ops->import_context)
		return -EOPNOTSUPP;
	errno = 0;
	return foreign_device_take_context(
		dev, provider->module_ops->import_context(dev->pub, cmd_fd),
		ret_vctx);
}

/* The provider calls verbs_uninit_context() and frees its memory. */
static void foreign_device_close_context(struct verbs_context *vctx)
{
	struct ibv_context *ctx = &vctx->context;

	if (foreign_ops(ctx)->free_context)
		foreign_ops(ctx)->free_context(ctx);
}

static const struct verbs_foreign_hooks foreign_hooks = {
	.origin = foreign_device_origin,
	.claims = foreign_match_device,
	.make_device = foreign_device_make,
	.free_device = foreign_device_free,
	.adopt_device = foreign_device_adopt,
	.open_context = foreign_device_open_context,
	.import_context = foreign_device_import_context,
};

const struct verbs_device_ops foreign_device_template = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.close_context = foreign_device_close_context,
	.foreign = &foreign_hooks,
};

struct ibv_context *foreign_open_device(struct ibv_device *device,
					void *private_data)
{
	struct verbs_device *dev = device ? verbs_device_of(device) : NULL;
	struct ibv_context *ctx;
	int ret;

	if (!dev)
		return foreign_null(-EINVAL);
	ret = verbs_core_open_private(dev, private_data, &ctx);
	if (ret)
		return foreign_null(ret);
	verbs_fill_abi_tables(ctx);
	return ctx;
}
FOREIGN_EXPORT_ALL(foreign_open_device, verbs_open_device)
