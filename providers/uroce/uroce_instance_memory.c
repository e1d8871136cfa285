/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of a device that peers may access: regions that are withdrawn before
 * they change, and the memory files that contain them.
 */
#include <errno.h>
#include <unistd.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce/roce/uroce_rndv.h"
#include "uroce/shm/uroce_memfd.h"
#include "util/clock.h"
#include "util/nocancel.h"

/* A copy takes a millisecond; after this time its process was stopped. */
#define COPIES_MS 2000

int uroce_instance_await_copies(struct uroce_instance *instance)
{
	const struct uroce_process *process = instance->process;
	uint64_t until_ms = verbs_now_ns() / VERBS_NS_PER_MS + COPIES_MS;
	int ret = 0;

	for (uint32_t i = 0; i < uroce_process_nr(process); i++) {
		struct uroce_worker *worker = process->workers[i];

		if (worker->shm && !worker->dead &&
		    uroce_shm_quiesce(worker->shm, until_ms))
			ret = -EBUSY;
	}
	return ret;
}

int uroce_instance_withdraw_region(struct uroce_instance *instance,
				   uint32_t key)
{
	struct uroce_process *process = instance->process;
	const struct uroce_published_region none = { .key = key };

	if (!process->workers[0]->shm || process->workers[0]->dead)
		return 0;
	uroce_process_lock(process);
	uroce_memory_withdraw(&process->memory, key);
	for (uint32_t i = 0; i < process->nr_workers; i++) {
		uroce_shm_publish_region(process->workers[i]->shm, &none);
		uroce_rndv_withdraw_all(&process->workers[i]->engine);
	}
	uroce_process_unlock(process);
	return uroce_instance_await_copies(instance);
}

int uroce_instance_new_file(size_t bytes)
{
	int fd = uroce_memfd_create(bytes);
	int ret;

	if (fd < 0 || fcntl(fd, F_ADD_SEALS, UROCE_MEMFD_SEALS) == 0)
		return fd;
	ret = -errno;
	(void)close(fd);
	return ret;
}

void uroce_instance_get_share(struct uroce_instance *instance,
			      const void *memory, uint64_t bytes,
			      uint64_t *ret_share, uint64_t *ret_offset)
{
	struct uroce_process *process = instance->process;

	if (process->workers[0]->shm && !process->workers[0]->dead)
		uroce_shares_get(&process->shares, memory, bytes, ret_share,
				 ret_offset);
}

void uroce_instance_put_share(struct uroce_instance *instance, uint64_t share)
{
	struct uroce_process *process = instance->process;

	if (process->workers[0]->dead ||
	    !uroce_shares_put(&process->shares, share))
		return;
	for (uint32_t i = 0; i < uroce_process_nr(process); i++)
		uroce_shm_share_gone(process->workers[i]->shm, share);
}
