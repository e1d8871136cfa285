/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps the rings that the kernel allocates for completion, send, receive and
 * shared receive queues. Called when such an object is created or resized. The
 * geometry that the kernel reports is checked here once, so that the data path
 * can rely on it.
 */
#include "rxe/rxe_queue.h"

#include <errno.h>
#include <provider/log.h>
#include <sys/mman.h>
#include <sys/types.h>

/*
 * The kernel rounds the element size up to a power of two and to a cache line.
 * Its largest element (32 SGEs, or as much inline data) is below 1 KiB, so a
 * size above 64 KiB is invalid.
 */
#define RXE_RING_MAX_LOG2_ELEM_SIZE 16

/*
 * Initializes @ret_ring from the header of a mapping. The header is shared
 * memory and may change at any time, so each field is read once. The ring need
 * not be empty: a resize moves elements to the new ring.
 */
static inline int rxe_ring_parse_header(struct rxe_queue_buf *buf,
					size_t map_len, uint64_t min_elem_size,
					enum rxe_ring_side side,
					struct rxe_ring *ret_ring)
{
	uint32_t log2_elem_size =
		__atomic_load_n(&buf->log2_elem_size, __ATOMIC_RELAXED);
	uint32_t mask = __atomic_load_n(&buf->index_mask, __ATOMIC_RELAXED);
	uint32_t producer, consumer;
	uint64_t elem_size;

	if (log2_elem_size > RXE_RING_MAX_LOG2_ELEM_SIZE)
		return -EIO;
	elem_size = UINT64_C(1) << log2_elem_size;
	if (elem_size < min_elem_size)
		return -EIO;
	if (mask & (mask + 1)) /* number of slots: not a power of two */
		return -EIO;
	if (sizeof(*buf) + (((uint64_t)mask + 1) << log2_elem_size) > map_len)
		return -EIO;

	producer = __atomic_load_n(&buf->producer_index, __ATOMIC_ACQUIRE);
	consumer = __atomic_load_n(&buf->consumer_index, __ATOMIC_ACQUIRE);
	ret_ring->buf = buf;
	ret_ring->data = buf->data;
	ret_ring->mask = mask;
	ret_ring->elem_size = (size_t)elem_size;
	ret_ring->index = mask &
			  (side == RXE_RING_PRODUCER ? producer : consumer);
	ret_ring->kernel_index =
		mask & (side == RXE_RING_PRODUCER ? consumer : producer);
	ret_ring->map_len = map_len;
	return 0;
}

static __attribute__((cold, noinline)) int
rxe_ring_reject_geometry(struct ibv_context *ctx, struct rxe_queue_buf *buf,
			 size_t map_len)
{
	verbs_log(ctx, VERBS_LOG_ERR,
		  "rxe: ring of %zu bytes has %u slots of 2^%u bytes", map_len,
		  buf->index_mask + 1, buf->log2_elem_size);
	(void)munmap(buf, map_len); /* cannot fail */
	return -EIO;
}

int rxe_ring_map(struct ibv_context *ctx, const struct mminfo *info,
		 uint64_t min_elem_size, enum rxe_ring_side side,
		 struct rxe_ring *ret_ring)
{
	off_t offset = (off_t)info->offset;
	size_t map_len = info->size;
	void *buf;

	if (map_len < sizeof(struct rxe_queue_buf) || offset < 0 ||
	    (uint64_t)offset != info->offset)
		return -EIO;

	buf = mmap(NULL, map_len, PROT_READ | PROT_WRITE, MAP_SHARED,
		   ctx->cmd_fd, offset);
	if (buf == MAP_FAILED)
		return -errno;
	if (rxe_ring_parse_header(buf, map_len, min_elem_size, side, ret_ring))
		return rxe_ring_reject_geometry(ctx, buf, map_len);
	return 0;
}
