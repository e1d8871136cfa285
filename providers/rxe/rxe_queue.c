/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps the rings that the kernel makes for completion, send, receive and shared
 * receive queues. Called when such an object is created or resized; calls
 * mmap() only. What the kernel says about the geometry of a ring is checked
 * here, once, so that the data path can rely on it.
 */
#include "rxe/rxe_queue.h"

#include <errno.h>
#include <provider/log.h>
#include <sys/mman.h>
#include <sys/types.h>

/*
 * The kernel rounds an element up to a power of two and to a cache line, and
 * its largest one (inline data of 32 SGEs, or 32 SGEs) is below 1 KiB. Anything
 * beyond 64 KiB is not an element size.
 */
#define MAX_LOG2_ELEM_SIZE 16

/* Takes the geometry out of the shared header, which may change under us. */
static int ring_check(struct rxe_ring *ring, uint64_t min_elem_size)
{
	const struct rxe_queue_buf *buf = ring->buf;
	uint32_t log2_elem_size, mask;
	uint64_t need;

	log2_elem_size =
		__atomic_load_n(&buf->log2_elem_size, __ATOMIC_RELAXED);
	mask = __atomic_load_n(&buf->index_mask, __ATOMIC_RELAXED);

	if (log2_elem_size > MAX_LOG2_ELEM_SIZE)
		return -EIO;
	if ((UINT64_C(1) << log2_elem_size) < min_elem_size)
		return -EIO;
	if (mask & (mask + 1)) /* not one below a power of two */
		return -EIO;
	need = sizeof(*buf) + (((uint64_t)mask + 1) << log2_elem_size);
	if (need > ring->map_len)
		return -EIO;

	ring->log2_elem_size = log2_elem_size;
	ring->mask = mask;
	ring->data = ring->buf->data;
	return 0;
}

/* A ring need not be empty: the kernel moves its elements to a resized one. */
static void ring_take_indices(struct rxe_ring *ring, enum rxe_ring_side side)
{
	uint32_t producer, consumer;

	producer =
		__atomic_load_n(&ring->buf->producer_index, __ATOMIC_ACQUIRE) &
		ring->mask;
	consumer =
		__atomic_load_n(&ring->buf->consumer_index, __ATOMIC_ACQUIRE) &
		ring->mask;
	if (side == RXE_RING_PRODUCER) {
		ring->index = producer;
		ring->peer_index = consumer;
	} else {
		ring->index = consumer;
		ring->peer_index = producer;
	}
}

int rxe_ring_map(struct ibv_context *ctx, const struct mminfo *info,
		 uint64_t min_elem_size, enum rxe_ring_side side,
		 struct rxe_ring *ret_ring)
{
	struct rxe_ring ring = { .map_len = info->size };
	off_t offset = (off_t)info->offset;
	int err;

	if (info->size < sizeof(struct rxe_queue_buf) || offset < 0 ||
	    (uint64_t)offset != info->offset)
		return -EIO;

	ring.buf = mmap(NULL, ring.map_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			ctx->cmd_fd, offset);
	if (ring.buf == MAP_FAILED)
		return -errno;

	err = ring_check(&ring, min_elem_size);
	if (err)
		goto err_unmap;

	ring_take_indices(&ring, side);
	*ret_ring = ring;
	return 0;

err_unmap:
	verbs_log(ctx, VERBS_LOG_ERR,
		  "rxe: ring of %zu bytes has %u slots of 2^%u bytes",
		  ring.map_len, ring.buf->index_mask + 1,
		  ring.buf->log2_elem_size);
	(void)munmap(ring.buf, ring.map_len); /* our own mapping */
	return err;
}

void rxe_ring_unmap(struct rxe_ring *ring)
{
	if (!ring->buf)
		return;
	(void)munmap(ring->buf, ring->map_len); /* our own mapping */
	ring->buf = NULL;
}
