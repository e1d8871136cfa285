/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One ring that is shared with the kernel: a header with two indices and an
 * array of elements, both sizes powers of two. A send, receive or shared
 * receive queue is written here and read by the kernel; a completion queue the
 * other way round. Used by the data path (rxe_post.c, rxe_wr.c, rxe_cq.c,
 * rxe_cq_ex.c); mapping and checking is in rxe_queue.c.
 *
 * Invariants:
 *  1. Each side owns one index and only reads the other one. Ours is kept in
 *     struct rxe_ring and merely copied to the shared header, so what the
 *     kernel (or a stray store) leaves there cannot move it.
 *  2. Both indices are below the number of slots. An index that is read from
 *     the header is masked, never trusted.
 *  3. Equal indices mean empty. A full ring has one free slot, so the capacity
 *     is the mask, not the number of slots.
 *  4. The peer's index is cached: it only ever moves towards ours, so an old
 *     value shows too few free or filled slots, never too many. It is read
 *     again when the cached one leaves none.
 *
 * Memory order: the owner of an element gives it away by a release store of
 * its own index, after the last access to the element; the other side takes it
 * by an acquire load of that index, before its first access. The kernel does
 * the same with smp_store_release() and smp_load_acquire().
 *
 * Locking: none in here. The caller holds the lock of the queue.
 */
#ifndef RXE_QUEUE_H
#define RXE_QUEUE_H

#include <infiniband/verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

struct rxe_ring {
	struct rxe_queue_buf *buf; /* shared; NULL: no ring */
	uint8_t *data;		   /* first element, in buf */
	uint32_t mask;		   /* slots - 1, checked copy */
	size_t elem_size;	   /* bytes; a power of two, checked */
	uint32_t index;		   /* our own: producer, or consumer of a CQ */
	uint32_t kernel_index;	   /* the kernel's, as last seen */
	size_t map_len;		   /* bytes */
};

/* Which index is ours. */
enum rxe_ring_side {
	RXE_RING_PRODUCER,
	RXE_RING_CONSUMER,
};

/**
 * rxe_ring_map() - map a ring that the kernel has made
 * @ctx: context the ring was made in
 * @info: where it is, as the kernel's answer says
 * @min_elem_size: bytes that an element must have
 * @side: our side of it
 * @ret_ring: untouched on failure
 *
 * The geometry is compared with the size of the mapping before anything else
 * is believed.
 *
 * Return: 0; -EIO when the geometry makes no sense; -errno of mmap().
 */
int rxe_ring_map(struct ibv_context *ctx, const struct mminfo *info,
		 uint64_t min_elem_size, enum rxe_ring_side side,
		 struct rxe_ring *ret_ring);

/** rxe_ring_unmap() - undo rxe_ring_map(); nothing to do for an empty struct */
static inline void rxe_ring_unmap(const struct rxe_ring *ring)
{
	if (ring->buf)
		(void)munmap(ring->buf, ring->map_len); /* our own mapping */
}

/* @index must be below the number of slots. */
static inline void *rxe_ring_elem(const struct rxe_ring *ring, uint32_t index)
{
	return ring->data + index * ring->elem_size;
}

static inline uint32_t rxe_ring_next(const struct rxe_ring *ring,
				     uint32_t index)
{
	return (index + 1) & ring->mask;
}

/* -- producer side -- */

/* Whether slot @index cannot be filled; @index is at or ahead of ring->index */
static inline bool rxe_ring_full(struct rxe_ring *ring, uint32_t index)
{
	uint32_t next = rxe_ring_next(ring, index);

	if (next != ring->kernel_index)
		return false;
	/* Pairs with the kernel's release after it has read an element. */
	ring->kernel_index =
		__atomic_load_n(&ring->buf->consumer_index, __ATOMIC_ACQUIRE) &
		ring->mask;
	return next == ring->kernel_index;
}

/* Gives all elements before @index to the kernel. */
static inline void rxe_ring_publish(struct rxe_ring *ring, uint32_t index)
{
	ring->index = index;
	/* Pairs with the kernel's acquire before it reads an element. */
	__atomic_store_n(&ring->buf->producer_index, index, __ATOMIC_RELEASE);
}

/* -- consumer side -- */

/* Index behind the last element that the kernel has written by now. */
static inline uint32_t rxe_ring_load_producer(const struct rxe_ring *ring)
{
	/* Pairs with the kernel's release after it has written an element. */
	return __atomic_load_n(&ring->buf->producer_index, __ATOMIC_ACQUIRE) &
	       ring->mask;
}

/* Whether there is nothing at @index; @index is at or ahead of ring->index. */
static inline bool rxe_ring_empty(struct rxe_ring *ring, uint32_t index)
{
	if (index != ring->kernel_index)
		return false;
	ring->kernel_index = rxe_ring_load_producer(ring);
	return index == ring->kernel_index;
}

/* Hands all elements before @index back to the kernel. */
static inline void rxe_ring_release(const struct rxe_ring *ring, uint32_t index)
{
	/* Pairs with the kernel's acquire before it overwrites an element. */
	__atomic_store_n(&ring->buf->consumer_index, index, __ATOMIC_RELEASE);
}

/* The same for elements that are done with at once. */
static inline void rxe_ring_consume(struct rxe_ring *ring, uint32_t index)
{
	ring->index = index;
	rxe_ring_release(ring, index);
}

#endif
