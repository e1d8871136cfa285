/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps the rings of siw_ring.h. Called when a queue is created. The number of
 * elements that the kernel reports is checked here once, so that the data path
 * can rely on it.
 */
#include "siw/siw_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>

int siw_ring_map(struct ibv_context *ctx, uint64_t key, uint32_t nr,
		 size_t elem_size, size_t tail_size, struct siw_ring *ret_ring)
{
	struct siw_ring ring = { .mask = nr - 1 };
	off_t offset = (off_t)key;

	if (nr == 0 || (nr & ring.mask) != 0 || offset < 0 ||
	    (uint64_t)offset != key)
		return -EIO;
	if (__builtin_mul_overflow((size_t)nr, elem_size, &ring.map_len) ||
	    __builtin_add_overflow(ring.map_len, tail_size, &ring.map_len))
		return -EIO;

	ring.map = mmap(NULL, ring.map_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			ctx->cmd_fd, offset);
	if (ring.map == MAP_FAILED)
		return -errno;
	*ret_ring = ring;
	return 0;
}

void siw_ring_unmap(struct siw_ring *ring)
{
	if (!ring->map)
		return;
	(void)munmap(ring->map, ring->map_len); /* cannot fail */
	ring->map = NULL;
}
