/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Import of objects: ibv_import_device(3), ibv_import_pd(3). The cmd_fd of a
 * context is a memory file. Contexts whose descriptors are of the same file
 * share their PDs, MRs and device memory, within the process: PD numbers and
 * keys have the same meaning in all contexts of a process.
 *
 * An imported PD, and imported device memory, is a further object that counts
 * as a user of the original. Applications unimport a PD before they destroy its
 * QPs, so the object exists until its last user is destroyed. An imported MR
 * has a copy of the keys and no pointer to the original, which can be
 * deregistered at any time: the keys are invalid then.
 */
#include "uroce/verbs/uroce_import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uroce/verbs/uroce_verbs.h"
#include "util/nocancel.h"

#define CMD_FILE_MAGIC "uroce cmd_fd 1"

/* Content of the file, which is sealed: no process can change it. */
struct cmd_file {
	char magic[16];
	char device[IBV_SYSFS_NAME_MAX];
};

static struct cmd_file cmd_file_of(const struct ibv_device *device)
{
	struct cmd_file file = { .magic = CMD_FILE_MAGIC };

	memcpy(file.device, device->name,
	       strnlen(device->name, sizeof(file.device)));
	return file;
}

int uroce_cmd_file_new(const struct ibv_device *device)
{
	const struct cmd_file file = cmd_file_of(device);
	int fd = uroce_instance_new_file(sizeof(file));

	if (fd < 0)
		return fd;
	if (write(fd, &file, sizeof(file)) == sizeof(file) &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0)
		return fd;
	(void)close(fd);
	return -EIO;
}

/* Without the seal on writes, another program has made the file. */
bool uroce_is_cmd_file(const struct ibv_device *device, int fd)
{
	const struct cmd_file expected = cmd_file_of(device);
	int seals = fcntl(fd, F_GET_SEALS);
	struct cmd_file file;

	return seals >= 0 && (seals & F_SEAL_WRITE) &&
	       pread(fd, &file, sizeof(file), 0) == sizeof(file) &&
	       memcmp(&file, &expected, sizeof(file)) == 0;
}

void uroce_context_set_cmd_file(struct uroce_context *ctx)
{
	struct stat stat;

	/* all eventfds have one inode */
	if (fstat(ctx->vctx.context.cmd_fd, &stat) != 0 ||
	    !S_ISREG(stat.st_mode))
		return;
	ctx->cmd_device = stat.st_dev;
	ctx->cmd_inode = stat.st_ino;
}

/* The object to import: the arguments and the result of a search. */
struct import_search {
	const struct uroce_context *ctx;
	uint32_t handle;
	struct uroce_pd *pd;
	struct uroce_dm *dm;
};

static bool shares_objects(const struct uroce_context *ctx,
			   const struct uroce_context *other)
{
	if (ctx == other)
		return true;
	return ctx->cmd_inode && ctx->cmd_inode == other->cmd_inode &&
	       ctx->cmd_device == other->cmd_device;
}

static bool context_is_origin(void *owner, void *arg)
{
	const struct import_search *search = arg;

	return owner != search->ctx && shares_objects(search->ctx, owner);
}

bool uroce_context_has_origin(const struct uroce_context *ctx)
{
	struct import_search search = { .ctx = ctx };
	bool found;

	uroce_instance_lock(ctx->instance);
	found = uroce_instance_find_owner(ctx->instance, context_is_origin,
					  &search);
	uroce_instance_unlock(ctx->instance);
	return found;
}

static bool context_has_pd(void *owner, void *arg)
{
	const struct uroce_context *ctx = owner;
	struct import_search *search = arg;
	const struct list_node *pos;

	if (!shares_objects(search->ctx, ctx))
		return false;
	list_for_each (pos, &ctx->pds) {
		struct uroce_pd *pd = list_entry(pos, struct uroce_pd, entry);

		if (pd->number != search->handle)
			continue;
		uroce_use(&pd->users);
		search->pd = pd;
		return true;
	}
	return false;
}

static bool context_has_dm(void *owner, void *arg)
{
	const struct uroce_context *ctx = owner;
	struct import_search *search = arg;
	const struct list_node *pos;

	if (!shares_objects(search->ctx, ctx))
		return false;
	list_for_each (pos, &ctx->dms) {
		struct uroce_dm *dm = list_entry(pos, struct uroce_dm, entry);

		if (dm->identity.handle != search->handle)
			continue;
		uroce_use(&dm->users);
		search->dm = dm;
		return true;
	}
	return false;
}

/* Finds an object and becomes its user. Return: 0, or -ENOENT. */
static int import_find(struct import_search *search,
		       bool (*has_object)(void *owner, void *arg))
{
	struct uroce_instance *instance = search->ctx->instance;
	bool found;

	uroce_instance_lock(instance);
	found = uroce_instance_find_owner(instance, has_object, search);
	uroce_instance_unlock(instance);
	return found ? 0 : -ENOENT;
}

int uroce_import_pd(struct ibv_context *ibctx, uint32_t handle,
		    struct ibv_pd **ret_pd)
{
	struct import_search search = {
		.ctx = to_uroce_context(ibctx),
		.handle = handle,
	};
	struct uroce_pd *pd = calloc(1, sizeof(*pd));
	int ret;

	if (!pd)
		return -ENOMEM;
	ret = import_find(&search, context_has_pd);
	if (ret) {
		free(pd);
		return ret;
	}
	pd->origin = search.pd;
	pd->number = handle;
	pd->users = 1; /* until it is unimported */
	pd->pd.context = ibctx;
	pd->pd.handle = handle;
	pd->identity = (struct uroce_identity){ ibctx, handle };
	*ret_pd = &pd->pd;
	return 0;
}

void uroce_unimport_pd(struct ibv_pd *ibpd)
{
	struct uroce_pd *pd = to_uroce_pd(ibpd);

	if (!pd->origin || uroce_check_pd(ibpd))
		return;
	pd->identity.context = NULL; /* no new users */
	uroce_pd_put(pd);
}

/* Return: 0; -ENOENT if the PD has no such region. A window is none. */
static int import_region(const struct ibv_pd *pd, uint32_t handle,
			 struct ibv_mr *mr)
{
	const struct uroce_context *ctx = to_uroce_context(pd->context);
	const struct uroce_region *region;
	int ret = -ENOENT;

	uroce_instance_lock(ctx->instance);
	region = uroce_memory_find(ctx->memory, handle);
	if (region && region->kind != UROCE_REGION_WINDOW_1 &&
	    region->kind != UROCE_REGION_WINDOW_2 &&
	    region->pd == verbs_container_of(pd, struct uroce_pd, pd)->number) {
		mr->length = (size_t)region->bytes;
		ret = 0;
	}
	uroce_instance_unlock(ctx->instance);
	return ret;
}

int uroce_import_mr(struct ibv_pd *pd, uint32_t handle, struct ibv_mr **ret_mr)
{
	struct uroce_mr *mr;
	int ret = uroce_check_pd(pd);

	if (ret)
		return ret;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	ret = import_region(pd, handle, &mr->vmr.ibv_mr);
	if (ret) {
		free(mr);
		return ret;
	}
	uroce_mr_set_key(mr, pd, handle);
	mr->vmr.mr_type = VERBS_MR_TYPE_IMPORTED_MR;
	*ret_mr = &mr->vmr.ibv_mr;
	return 0;
}

void uroce_unimport_mr(struct ibv_mr *ibmr)
{
	struct uroce_mr *mr = to_uroce_mr(ibmr);

	if (mr->vmr.mr_type != VERBS_MR_TYPE_IMPORTED_MR ||
	    uroce_check_mr(ibmr))
		return;
	uroce_pd_put(mr->pd);
	free(mr);
}

int uroce_import_dm(struct ibv_context *ibctx, uint32_t handle,
		    struct ibv_dm **ret_dm)
{
	struct import_search search = {
		.ctx = to_uroce_context(ibctx),
		.handle = handle,
	};
	struct uroce_dm *dm = calloc(1, sizeof(*dm));
	int ret;

	if (!dm)
		return -ENOMEM;
	ret = import_find(&search, context_has_dm);
	if (ret) {
		free(dm);
		return ret;
	}
	*dm = (struct uroce_dm){
		.dm = search.dm->dm,
		.identity = { ibctx, handle },
		.origin = search.dm,
		.users = 1, /* until it is unimported */
		.length = search.dm->length,
		.base = search.dm->base,
	};
	dm->dm.context = ibctx;
	*ret_dm = &dm->dm;
	return 0;
}

void uroce_unimport_dm(struct ibv_dm *ibdm)
{
	struct uroce_dm *dm = to_uroce_dm(ibdm);

	if (!dm->origin || uroce_check_dm(ibdm))
		return;
	dm->identity.context = NULL; /* no new users */
	uroce_dm_put(dm);
}
