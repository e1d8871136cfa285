/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions of another process that this process uses as its own: import
 * of objects. The exporter is a peer with an MR directory and CMA. It publishes
 * its PDs and the regions that can be imported, and waits for accesses to a
 * region before it deregisters the region.
 */
#ifndef UROCE_SHM_IMPORT_H
#define UROCE_SHM_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/shm/uroce_shm.h"

/* Names a process with shared memory: another one never has this token. */
struct uroce_shm_name {
	uint64_t token; /* 0: no shared memory */
	uint32_t slot;
};

/** uroce_shm_name() - get the name of this process */
struct uroce_shm_name uroce_shm_name(const struct uroce_shm *shm);

/**
 * uroce_shm_import_await() - wait until a process can be an exporter
 * @channel: to the process with that slot, from uroce_shm_connect()
 * @token: of the exporter
 *
 * Waits up to patience_ms, without the engine lock, until the process waits for
 * accesses to its memory.
 *
 * Return: 0, or -EOPNOTSUPP if this is another process, or the system does not
 * permit CMA.
 */
int uroce_shm_import_await(struct uroce_channel *channel, uint64_t token);

/** uroce_shm_import_has_pd() - whether a context of the exporter has a PD */
bool uroce_shm_import_has_pd(struct uroce_channel *channel, uint32_t context,
			     uint32_t pd);

/**
 * uroce_shm_import_find() - look up a region that can be imported
 * @pd: of the exporter
 * @ret_region: receives its row; its values are unchecked
 *
 * Return: 0, or -ENOENT if the PD has no such region.
 */
int uroce_shm_import_find(struct uroce_channel *channel, uint32_t pd,
			  uint32_t key,
			  struct uroce_published_region *ret_region);

/**
 * uroce_shm_import_copy() - copy to or from an imported region
 * @region: from uroce_shm_import_find()
 * @offset: in the region, which contains all bytes
 * @here: memory of this process; less than 4 GB
 * @write: to the region
 *
 * Context: one thread at a time in the process. Needs no engine lock.
 * Return: 0; -EACCES if the region was deregistered or changed, or its owner
 * does not wait for accesses; or -errno of the system call.
 */
int uroce_shm_import_copy(struct uroce_channel *channel,
			  const struct uroce_published_region *region,
			  uint64_t offset, const struct iovec *here,
			  bool write);

#endif
