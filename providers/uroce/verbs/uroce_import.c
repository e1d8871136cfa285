/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Import of objects: ibv_import_device(3), ibv_import_pd(3). The cmd_fd of a
 * context is a memory file. Contexts whose descriptors are of the same file
 * share their PDs, MRs and device memory.
 *
 * Within the process: PD numbers and keys have the same meaning in all contexts
 * of a process. An imported PD, and imported device memory, is a further object
 * that counts as a user of the original. Applications unimport a PD before they
 * destroy its QPs, so the object exists until its last user is destroyed. An
 * imported MR has a copy of the keys and no pointer to the original, which can
 * be deregistered at any time: the keys are invalid then.
 *
 * Between processes: the file names the process that made it, the exporter. The
 * importer is connected to it through shared memory, and reads its PDs and MRs
 * from its MR directory. An imported PD has a number of this process, which is
 * the same in all contexts with the file. An imported MR is a region of this
 * process with keys of its own; its bytes are in the exporter, and each access
 * finds out whether the exporter still has the MR (shm/uroce_shm_import.c).
 * Nothing in the exporter depends on the imports.
 */
#include "uroce/verbs/uroce_import.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uroce/qp/uroce_odp.h"
#include "uroce/verbs/uroce_verbs.h"
#include "util/nocancel.h"

#define CMD_FILE_MAGIC "uroce cmd_fd 2"

/* Content of the file, which is sealed: no process can change it. */
struct cmd_file {
	char magic[16];
	char device[IBV_SYSFS_NAME_MAX];
	struct uroce_origin origin;
};

/* Another process, and its PDs that were ever imported. */
struct uroce_exporter {
	struct uroce_channel *channel;
	uint32_t uses; /* contexts; with uroce_instance_lock() */
	uint32_t nr_pds;
	struct {
		uint32_t number; /* in the exporter */
		uint32_t here;
	} * pds;
};

static struct cmd_file cmd_file_of(const struct ibv_device *device)
{
	struct cmd_file file = { .magic = CMD_FILE_MAGIC };

	memcpy(file.device, device->name,
	       strnlen(device->name, sizeof(file.device)));
	return file;
}

int uroce_cmd_file_new(const struct ibv_device *device,
		       const struct uroce_origin *origin)
{
	struct cmd_file file = cmd_file_of(device);
	int fd = uroce_instance_new_file(sizeof(file));

	if (fd < 0)
		return fd;
	file.origin = *origin;
	if (write(fd, &file, sizeof(file)) == sizeof(file) &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0)
		return fd;
	(void)close(fd);
	return -EIO;
}

/* Without the seal on writes, another program has made the file. */
static bool cmd_file_read(const struct ibv_device *device, int fd,
			  struct cmd_file *ret_file)
{
	const struct cmd_file expected = cmd_file_of(device);
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_WRITE) &&
	       pread(fd, ret_file, sizeof(*ret_file), 0) == sizeof(*ret_file) &&
	       memcmp(ret_file, &expected, offsetof(struct cmd_file, origin)) ==
		       0;
}

bool uroce_is_cmd_file(const struct ibv_device *device, int fd)
{
	struct cmd_file file;

	return cmd_file_read(device, fd, &file);
}

void uroce_context_set_cmd_file(struct uroce_context *ctx)
{
	const struct ibv_context *ibctx = &ctx->vctx.context;
	struct cmd_file file;
	struct stat stat;

	/* all eventfds have one inode */
	if (fstat(ibctx->cmd_fd, &stat) != 0 || !S_ISREG(stat.st_mode) ||
	    !cmd_file_read(ibctx->device, ibctx->cmd_fd, &file))
		return;
	uroce_instance_lock(ctx->instance);
	ctx->cmd = (struct uroce_cmd){
		.device = stat.st_dev,
		.inode = stat.st_ino,
		.origin = file.origin,
	};
	uroce_instance_unlock(ctx->instance);
}

/* The object to import: the arguments and the result of a search. */
struct import_search {
	const struct uroce_context *ctx;
	uint32_t handle;
	struct uroce_pd *pd;
	struct uroce_dm *dm;
	struct uroce_exporter *exporter;
};

static bool shares_objects(const struct uroce_context *ctx,
			   const struct uroce_context *other)
{
	if (ctx == other)
		return true;
	return ctx->cmd.inode && ctx->cmd.inode == other->cmd.inode &&
	       ctx->cmd.device == other->cmd.device;
}

static bool context_is_origin(void *owner, void *arg)
{
	const struct import_search *search = arg;

	return owner != search->ctx && shares_objects(search->ctx, owner);
}

static bool context_has_exporter(void *owner, void *arg)
{
	const struct uroce_context *ctx = owner;
	struct import_search *search = arg;

	search->exporter = ctx->exporter;
	return ctx->exporter && shares_objects(search->ctx, ctx);
}

static void exporter_put_locked(const struct uroce_context *ctx,
				struct uroce_exporter *exporter)
{
	if (--exporter->uses)
		return;
	uroce_instance_put_exporter(ctx->instance, exporter->channel);
	free(exporter->pds);
	free(exporter);
}

/* Contexts with the same file share the exporter, and so the PD numbers. */
static int import_from_process(struct uroce_context *ctx)
{
	struct uroce_exporter *exporter = calloc(1, sizeof(*exporter));
	struct import_search search = { .ctx = ctx };
	int ret;

	if (!exporter)
		return -ENOMEM;
	ret = uroce_instance_connect_exporter(ctx->instance, &ctx->cmd.origin,
					      &exporter->channel);
	if (ret) {
		free(exporter);
		return ret;
	}
	exporter->uses = 1;
	uroce_instance_lock(ctx->instance);
	if (uroce_instance_find_owner(ctx->instance, context_has_exporter,
				      &search)) {
		exporter_put_locked(ctx, exporter);
		exporter = search.exporter;
		exporter->uses++;
	}
	ctx->exporter = exporter;
	uroce_instance_unlock(ctx->instance);
	return 0;
}

int uroce_context_import(struct uroce_context *ctx)
{
	struct import_search search = { .ctx = ctx };
	bool found;

	if (!uroce_instance_is_origin(ctx->instance, &ctx->cmd.origin))
		return import_from_process(ctx);
	uroce_instance_lock(ctx->instance);
	found = uroce_instance_find_owner(ctx->instance, context_is_origin,
					  &search);
	uroce_instance_unlock(ctx->instance);
	return found ? 0 : -EOPNOTSUPP;
}

static void import_remove_locked(struct uroce_context *ctx, struct uroce_mr *mr)
{
	list_del(&mr->entry);
	(void)uroce_memory_remove(ctx->memory, mr->import->key);
	uroce_odp_remove_range(&mr->import->range);
	uroce_instance_unimport_region(mr->import);
	mr->import = NULL;
}

void uroce_import_end_locked(struct uroce_context *ctx)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &ctx->imports)
		import_remove_locked(ctx,
				     list_entry(pos, struct uroce_mr, entry));
	if (ctx->exporter)
		exporter_put_locked(ctx, ctx->exporter);
	ctx->exporter = NULL;
}

void uroce_pd_publish_locked(const struct uroce_pd *pd, bool exists)
{
	const struct uroce_context *ctx = to_uroce_context(pd->pd.context);

	uroce_instance_publish_pd(ctx->instance, &ctx->cmd.origin, pd->number,
				  exists);
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

/* Finds the number of a PD of the exporter in this process, or gives it one. */
static int exporter_number_pd_locked(struct uroce_context *ctx,
				     uint32_t exported, uint32_t *ret_number)
{
	struct uroce_exporter *exporter = ctx->exporter;
	void *grown;

	for (uint32_t i = 0; i < exporter->nr_pds; i++)
		if (exporter->pds[i].number == exported) {
			*ret_number = exporter->pds[i].here;
			return 0;
		}
	grown = reallocarray(exporter->pds, exporter->nr_pds + 1,
			     sizeof(*exporter->pds));
	if (!grown)
		return -ENOMEM;
	exporter->pds = grown;
	*ret_number = uroce_instance_new_pd(ctx->instance);
	exporter->pds[exporter->nr_pds].number = exported;
	exporter->pds[exporter->nr_pds++].here = *ret_number;
	return 0;
}

static int import_pd_of_process(struct uroce_context *ctx, uint32_t handle,
				struct uroce_pd *pd)
{
	int ret;

	if (!uroce_instance_exports_pd(ctx->exporter->channel, &ctx->cmd.origin,
				       handle))
		return -ENOENT;
	pd->exported = handle;
	uroce_instance_lock(ctx->instance);
	ret = exporter_number_pd_locked(ctx, handle, &pd->number);
	uroce_instance_unlock(ctx->instance);
	return ret;
}

static int import_own_pd(const struct uroce_context *ctx, uint32_t handle,
			 struct uroce_pd *pd)
{
	struct import_search search = { .ctx = ctx, .handle = handle };
	int ret = import_find(&search, context_has_pd);

	pd->origin = search.pd;
	pd->number = handle;
	return ret;
}

int uroce_import_pd(struct ibv_context *ibctx, uint32_t handle,
		    struct ibv_pd **ret_pd)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct uroce_pd *pd = calloc(1, sizeof(*pd));
	int ret;

	if (!pd)
		return -ENOMEM;
	ret = ctx->exporter ? import_pd_of_process(ctx, handle, pd)
			    : import_own_pd(ctx, handle, pd);
	if (ret) {
		free(pd);
		return ret;
	}
	pd->imported = true;
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

	if (!pd->imported || uroce_check_pd(ibpd))
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

/* Adds the region of the exporter to the MR table of this process. */
static int import_add(struct uroce_context *ctx, struct uroce_mr *mr,
		      const struct uroce_region *region)
{
	struct uroce_import *import = mr->import;
	int ret;

	uroce_instance_lock(ctx->instance);
	ret = uroce_odp_add_range(&import->range);
	if (ret == 0) {
		ret = uroce_memory_add(ctx->memory, region, &import->key);
		if (ret)
			uroce_odp_remove_range(&import->range);
		else
			list_add_tail(&ctx->imports, &mr->entry);
	}
	uroce_instance_unlock(ctx->instance);
	return ret;
}

static int import_region_of_process(struct ibv_pd *ibpd, uint32_t handle,
				    struct uroce_mr *mr)
{
	struct uroce_context *ctx = to_uroce_context(ibpd->context);
	const struct uroce_pd *pd = to_uroce_pd(ibpd);
	const uint32_t exported = pd->parent ? pd->parent->exported
					     : pd->exported;
	struct uroce_region region;
	int ret;

	if (!exported)
		return -ENOENT;
	ret = uroce_instance_import_region(ctx->exporter->channel, exported,
					   handle, &mr->import, &region);
	if (ret)
		return ret;
	region.pd = pd->number;
	ret = import_add(ctx, mr, &region);
	if (ret) {
		uroce_instance_unimport_region(mr->import);
		return ret;
	}
	mr->vmr.ibv_mr.length = (size_t)region.bytes;
	return 0;
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
	if (to_uroce_context(pd->context)->exporter)
		ret = import_region_of_process(pd, handle, mr);
	else
		ret = import_region(pd, handle, &mr->vmr.ibv_mr);
	if (ret) {
		free(mr);
		return ret;
	}
	uroce_mr_set_key(mr, pd, mr->import ? mr->import->key : handle);
	mr->vmr.ibv_mr.handle = handle;
	mr->identity.handle = handle;
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
	if (mr->import) {
		struct uroce_context *ctx = to_uroce_context(ibmr->context);

		uroce_instance_lock(ctx->instance);
		import_remove_locked(ctx, mr);
		uroce_instance_unlock(ctx->instance);
	}
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
	struct uroce_dm *dm;
	int ret;

	/* copies would need memory that both processes map */
	if (search.ctx->exporter)
		return -EOPNOTSUPP;
	dm = calloc(1, sizeof(*dm));
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
