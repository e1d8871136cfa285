/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XRC domains: ibv_open_xrcd(3). Opens with descriptors of one file share a
 * domain, if the process is the same. qp/uroce_xrc.h describes XRC.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "uroce/qp/uroce_xrc.h"
#include "uroce/verbs/uroce_verbs.h"

/* The domain of a descriptor. */
struct xrc_file {
	const char *device_name; /* of the RDMA device; NULL: no descriptor */
	struct stat stat;
};

static struct list_node *xrc_domains(const struct uroce_context *ctx)
{
	struct uroce_worker *worker =
		uroce_instance_first_worker(ctx->instance);

	return &uroce_worker_engine(worker)->core.xrc.domains;
}

static struct uroce_xrc_domain *
xrc_find_domain_locked(const struct uroce_context *ctx,
		       const struct xrc_file *file)
{
	const struct list_node *domains = xrc_domains(ctx);
	struct list_node *pos;

	list_for_each (pos, domains) {
		struct uroce_xrc_domain *domain =
			list_entry(pos, struct uroce_xrc_domain, entry);

		if (domain->device_name &&
		    domain->file_device == file->stat.st_dev &&
		    domain->file_inode == file->stat.st_ino &&
		    !strcmp(domain->device_name, file->device_name))
			return domain;
	}
	return NULL;
}

static int xrc_new_domain_locked(const struct uroce_context *ctx,
				 const struct xrc_file *file,
				 struct uroce_xrc_domain **ret_domain)
{
	size_t name_bytes = file->device_name ? strlen(file->device_name) + 1
					      : 0;
	struct uroce_xrc_domain *domain =
		calloc(1, sizeof(*domain) + name_bytes);

	if (!domain)
		return -ENOMEM;
	if (file->device_name) {
		domain->device_name =
			memcpy(domain + 1, file->device_name, name_bytes);
		domain->file_device = file->stat.st_dev;
		domain->file_inode = file->stat.st_ino;
	}
	list_add_tail(xrc_domains(ctx), &domain->entry);
	*ret_domain = domain;
	return 0;
}

/* The errors are those of the kernel. */
static int xrc_get_domain_locked(const struct uroce_context *ctx,
				 const struct xrc_file *file, int oflags,
				 struct uroce_xrc_domain **ret_domain)
{
	struct uroce_xrc_domain *domain = NULL;
	int ret = 0;

	if (file->device_name) {
		domain = xrc_find_domain_locked(ctx, file);
		if (domain && (oflags & O_EXCL))
			return -EINVAL;
		if (!domain && !(oflags & O_CREAT))
			return -EAGAIN;
	}
	if (!domain)
		ret = xrc_new_domain_locked(ctx, file, &domain);
	if (ret)
		return ret;
	domain->nr_opens++;
	*ret_domain = domain;
	return 0;
}

int uroce_open_xrcd(struct ibv_context *ibctx,
		    const struct ibv_xrcd_init_attr *attr,
		    struct ibv_xrcd **ret_xrcd)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct xrc_file file = {};
	struct uroce_xrcd *xrcd;
	int ret;

	if (attr->fd != -1) {
		file.device_name = ibctx->device->name;
		if (fstat(attr->fd, &file.stat))
			return -errno;
	}
	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return -ENOMEM;
	uroce_instance_lock(ctx->instance);
	ret = xrc_get_domain_locked(ctx, &file, attr->oflags, &xrcd->domain);
	if (ret == 0)
		list_add_tail(&ctx->xrcds, &xrcd->entry);
	uroce_instance_unlock(ctx->instance);
	if (ret) {
		free(xrcd);
		return ret;
	}
	xrcd->vxrcd.xrcd.context = ibctx;
	xrcd->vxrcd.handle = uroce_handle_new();
	xrcd->vxrcd.comp_mask = VERBS_XRCD_MASK_HANDLE;
	xrcd->identity = (struct uroce_identity){ ibctx, xrcd->vxrcd.handle };
	*ret_xrcd = &xrcd->vxrcd.xrcd;
	return 0;
}

void uroce_xrcd_close_locked(struct uroce_xrcd *xrcd)
{
	struct uroce_xrc_domain *domain = xrcd->domain;

	list_del(&xrcd->entry);
	if (--domain->nr_opens)
		return;
	list_del(&domain->entry);
	free(domain);
}

int uroce_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct uroce_xrcd *xrcd = to_uroce_xrcd(ibxrcd);
	struct uroce_context *ctx;
	int ret = uroce_check_xrcd(ibxrcd);

	if (ret)
		return ret;
	if (uroce_in_use(&xrcd->users))
		return -EBUSY;
	ctx = to_uroce_context(ibxrcd->context);
	uroce_instance_lock(ctx->instance);
	uroce_xrcd_close_locked(xrcd);
	uroce_instance_unlock(ctx->instance);
	free(xrcd);
	return 0;
}
