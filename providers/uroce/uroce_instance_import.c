/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Import of objects of another process. The first worker of each process
 * represents it: it publishes the PDs, and is connected to that of the other
 * process. An imported region gets an address range without pages, by which the
 * engine and qp/uroce_odp.c find it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce/shm/uroce_shm_import.h"

/* NULL: no shared memory, or a child of fork(). */
static struct uroce_shm *import_shm(const struct uroce_instance *instance)
{
	const struct uroce_worker *worker = instance->process->workers[0];

	return worker->dead ? NULL : worker->shm;
}

static struct uroce_shm_name own_name(const struct uroce_instance *instance)
{
	const struct uroce_shm *shm = import_shm(instance);

	return shm ? uroce_shm_name(shm) : (struct uroce_shm_name){};
}

struct uroce_origin uroce_instance_new_origin(struct uroce_instance *instance)
{
	const struct uroce_shm_name name = own_name(instance);

	return (struct uroce_origin){
		.token = name.token,
		.slot = name.slot,
		.context = __atomic_fetch_add(&instance->process->next_context,
					      1, __ATOMIC_RELAXED),
	};
}

bool uroce_instance_is_origin(const struct uroce_instance *instance,
			      const struct uroce_origin *origin)
{
	return own_name(instance).token == origin->token;
}

void uroce_instance_publish_pd(struct uroce_instance *instance,
			       const struct uroce_origin *origin, uint32_t pd,
			       bool exists)
{
	struct uroce_shm *shm = import_shm(instance);

	if (shm && origin->context &&
	    uroce_shm_name(shm).token == origin->token)
		uroce_shm_publish_pd(shm, origin->context, pd, exists);
}

/* A GID of the device, which the exporter has, too. */
static void import_gid(struct uroce_instance *instance, uint8_t *ret_gid)
{
	struct uroce_netdev dev;

	uroce_instance_netdev(instance, &dev);
	memset(ret_gid, 0, UROCE_GID_LEN);
	for (uint32_t i = 0; i < dev.nr_gids; i++)
		if (!uroce_gid_is_zero(dev.gids[i])) {
			memcpy(ret_gid, dev.gids[i], UROCE_GID_LEN);
			return;
		}
}

int uroce_instance_connect_exporter(struct uroce_instance *instance,
				    const struct uroce_origin *origin,
				    struct uroce_channel **ret_channel)
{
	struct uroce_shm *shm = import_shm(instance);
	uint8_t gid[UROCE_GID_LEN];
	int ret;

	if (!shm || !origin->token)
		return -EOPNOTSUPP;
	import_gid(instance, gid);
	ret = uroce_shm_connect(shm, origin->slot, gid, ret_channel);
	if (ret)
		return ret == -ENOENT ? -EOPNOTSUPP : ret;
	ret = uroce_shm_import_await(*ret_channel, origin->token);
	if (ret) {
		uroce_instance_lock(instance);
		uroce_instance_put_exporter(instance, *ret_channel);
		uroce_instance_unlock(instance);
	}
	return ret;
}

void uroce_instance_put_exporter(struct uroce_instance *instance,
				 struct uroce_channel *channel)
{
	uroce_shm_put_channel(instance->process->workers[0]->shm, channel);
}

bool uroce_instance_exports_pd(struct uroce_channel *channel,
			       const struct uroce_origin *origin, uint32_t pd)
{
	return uroce_shm_import_has_pd(channel, origin->context, pd);
}

static int import_copy(const struct uroce_odp_range *range, size_t offset,
		       const struct iovec *here, bool write)
{
	const struct uroce_import *import =
		list_entry(range, const struct uroce_import, range);

	return uroce_shm_import_copy(import->channel, &import->region, offset,
				     here, write);
}

/* Reserves addresses that no other memory of the process gets. */
static int import_reserve(struct uroce_import *import, uint64_t bytes)
{
	struct uroce_odp_range *range = &import->range;
	void *base;

	if (bytes > SIZE_MAX)
		return -ENOMEM;
	range->bytes = bytes ? (size_t)bytes : 1;
	base = mmap(NULL, range->bytes, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -errno;
	range->base = base;
	range->copy = import_copy;
	return 0;
}

int uroce_instance_import_region(struct uroce_channel *channel, uint32_t pd,
				 uint32_t key, struct uroce_import **ret_import,
				 struct uroce_region *ret_region)
{
	struct uroce_import *import = calloc(1, sizeof(*import));
	int ret;

	if (!import)
		return -ENOMEM;
	import->channel = channel;
	ret = uroce_shm_import_find(channel, pd, key, &import->region);
	if (!ret)
		ret = import_reserve(import, import->region.bytes);
	if (ret) {
		free(import);
		return ret;
	}
	*ret_region = (struct uroce_region){
		.base = import->range.base,
		.iova = import->region.iova,
		.bytes = import->region.bytes,
		.access = import->region.import & UROCE_IMPORT_RIGHTS,
		.kind = UROCE_REGION_IMPORTED,
	};
	*ret_import = import;
	return 0;
}

void uroce_instance_unimport_region(struct uroce_import *import)
{
	(void)munmap(import->range.base, import->range.bytes);
	free(import);
}
