/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The providers that modules of rdma-core releases have registered. Filled by
 * foreign_register.c, read by foreign_device.c.
 */
#include "foreign/foreign_provider.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/provider_registry.h"
#include "util/lock.h"

/* Taken before registry_mutex; held only for look-ups and registration. */
static struct verbs_mutex providers_mutex = VERBS_MUTEX_INIT;
/*
 * Allocated one by one and never freed: static memory for all of them would
 * cost each program a mapping at its start, and most programs register none.
 */
static struct foreign_provider *
	providers[VERBS_MAX_PROVIDERS] GUARDED_BY(providers_mutex);
static size_t nr_providers GUARDED_BY(providers_mutex);

static struct foreign_provider *
foreign_provider_find_locked(const struct foreign_device_ops *module_ops)
	REQUIRES(providers_mutex)
{
	for (size_t i = 0; i < nr_providers; i++) {
		if (providers[i]->module_ops == module_ops)
			return providers[i];
	}
	return NULL;
}

/*
 * Initialise the next free entry; NULL if there is none or memory is short. The
 * caller increments nr_providers to keep it.
 */
static struct foreign_provider *
foreign_provider_prepare_locked(const struct foreign_device_ops *module_ops,
				const struct verbs_device_ops *ops,
				const struct foreign_variant *variant,
				unsigned int release) REQUIRES(providers_mutex)
{
	struct foreign_provider *provider;

	if (nr_providers == VERBS_MAX_PROVIDERS)
		return NULL;
	if (!providers[nr_providers])
		providers[nr_providers] = malloc(sizeof(*provider));
	provider = providers[nr_providers];
	if (!provider)
		return NULL;
	*provider = (struct foreign_provider){
		.ops = *ops,
		.module_ops = module_ops,
		.variant = variant,
		.release = release,
		.warned = ATOMIC_FLAG_INIT,
	};
	provider->ops.name = module_ops->name;
	return provider;
}

int foreign_provider_add(const struct foreign_device_ops *module_ops,
			 const struct verbs_device_ops *ops,
			 const struct foreign_variant *variant,
			 unsigned int release)
{
	struct foreign_provider *provider;
	int ret = -EALREADY;

	verbs_mutex_lock(&providers_mutex);
	if (!foreign_provider_find_locked(module_ops)) {
		provider = foreign_provider_prepare_locked(module_ops, ops,
							   variant, release);
		ret = provider ? verbs_provider_register(&provider->ops)
			       : -ENOSPC;
		if (ret == 0)
			nr_providers++;
	}
	verbs_mutex_unlock(&providers_mutex);
	return ret;
}

static const struct link_map *foreign_provider_module_of(const void *address)
{
	struct link_map *map;
	Dl_info info;

	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
		return NULL;
	return map;
}

/*
 * Copies pointers to all entries. Entries never change, so the pointers stay
 * valid without the mutex.
 */
static size_t foreign_provider_list(const struct foreign_provider **ret_all)
{
	size_t count;

	verbs_mutex_lock(&providers_mutex);
	count = nr_providers;
	for (size_t i = 0; i < count; i++)
		ret_all[i] = providers[i];
	verbs_mutex_unlock(&providers_mutex);
	return count;
}

/*
 * Returns the entry of another thread if that has added @module_ops meanwhile.
 */
static const struct foreign_provider *
foreign_provider_add_sibling(const struct foreign_device_ops *module_ops,
			     const struct foreign_provider *sibling)
{
	struct foreign_provider *provider;

	verbs_mutex_lock(&providers_mutex);
	provider = foreign_provider_find_locked(module_ops);
	if (!provider) {
		provider = foreign_provider_prepare_locked(
			module_ops, &sibling->ops, sibling->variant,
			sibling->release);
		if (provider)
			nr_providers++;
	}
	verbs_mutex_unlock(&providers_mutex);
	return provider;
}

/*
 * dladdr1() takes the lock of the dynamic linker, and a constructor takes
 * providers_mutex with that lock held. So the mutex must not be held here.
 */
const struct foreign_provider *
foreign_provider_of_module(const struct foreign_device_ops *module_ops)
{
	const struct foreign_provider *all[VERBS_MAX_PROVIDERS];
	const struct link_map *module = foreign_provider_module_of(module_ops);
	size_t count = foreign_provider_list(all);

	if (!module)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (all[i]->module_ops == module_ops)
			return all[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (foreign_provider_module_of(all[i]->module_ops) == module)
			return foreign_provider_add_sibling(module_ops, all[i]);
	}
	return NULL;
}
