/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring that is shared with the kernel: a header with a producer and a
 * consumer index, and an array of elements. The number of elements and their
 * size are powers of two. The provider writes a send, receive or shared
 * receive queue and the kernel reads it; for a completion queue it is the
 * other way round. The data path (rxe_post.c, rxe_wr.c, rxe_cq.c,
 * rxe_cq_ex.c) uses the inline functions; rxe_queue.c maps and checks a ring.
 *
 * Invariants:
 *  1. The provider and the kernel own one index each and only read the other.
 *     The provider keeps its own index in struct rxe_ring and copies it to the
 *     shared header, so a write of the kernel (or a stray store) cannot change
 *     it.
 *  2. Both indices are below the number of slots. An index that is read from
 *     the header is masked, never used as it is.
 *  3. Equal indices mean empty. A full ring has one free slot, so the capacity
 *     is the mask, not the number of slots.
 *  4. The kernel's index is cached. It only moves towards the own index, so a
 *     stale value shows too few free or filled slots, never too many. It is
 *     reloaded when the cached value leaves none.
 *
 * Memory order: the owner of an element hands it over by a release store of
 * its own index, after the last access to the element. The other side takes
 * the element by an acquire load of that index, before the first access. The
 * kernel does the same with smp_store_release() and smp_load_acquire().
 *
 * Locking: the caller holds the lock of the queue.
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
	uint32_t index;	       /* own index: producer, or consumer of a CQ */
	uint32_t kernel_index; /* the kernel's index, cached */
	size_t map_len;	       /* bytes */
};

/* Which index the provider owns. */
enum rxe_ring_side {
	RXE_RING_PRODUCER,
	RXE_RING_CONSUMER,
};

/**
 * rxe_ring_map() - map a ring that the kernel has allocated
 * @ctx: context in which the ring was created
 * @info: offset and size, from the kernel's response
 * @min_elem_size: bytes; minimum size of an element
 * @side: index that the provider owns
 * @ret_ring: untouched on failure
 *
 * Checks the geometry against the size of the mapping before using it.
 *
 * Return: 0; -EIO for an invalid geometry; or -errno of mmap().
 */
int rxe_ring_map(struct ibv_context *ctx, const struct mminfo *info,
		 uint64_t min_elem_size, enum rxe_ring_side side,
		 struct rxe_ring *ret_ring);

/** rxe_ring_unmap() - undo rxe_ring_map(); a zeroed struct is allowed */
static inline void rxe_ring_unmap(const struct rxe_ring *ring)
{
	if (ring->buf)
		(void)munmap(ring->buf, ring->map_len); /* cannot fail */
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

/* Whether slot @index is not free; @index is ring->index or ahead of it. */
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

/* Hands all elements before @index to the kernel. */
static inline void rxe_ring_publish(struct rxe_ring *ring, uint32_t index)
{
	ring->index = index;
	/* Pairs with the kernel's acquire before it reads an element. */
	__atomic_store_n(&ring->buf->producer_index, index, __ATOMIC_RELEASE);
}

/* -- consumer side -- */

/* The kernel's producer index: one behind the last element written. */
static inline uint32_t rxe_ring_load_producer(const struct rxe_ring *ring)
{
	/* Pairs with the kernel's release after it has written an element. */
	return __atomic_load_n(&ring->buf->producer_index, __ATOMIC_ACQUIRE) &
	       ring->mask;
}

/* Whether slot @index is empty; @index is ring->index or ahead of it. */
static inline bool rxe_ring_empty(struct rxe_ring *ring, uint32_t index)
{
	if (index != ring->kernel_index)
		return false;
	ring->kernel_index = rxe_ring_load_producer(ring);
	return index == ring->kernel_index;
}

/* Releases all elements before @index to the kernel. */
static inline void rxe_ring_release(const struct rxe_ring *ring, uint32_t index)
{
	/* Pairs with the kernel's acquire before it overwrites an element. */
	__atomic_store_n(&ring->buf->consumer_index, index, __ATOMIC_RELEASE);
}

/* Releases the elements and advances the own index in one step. */
static inline void rxe_ring_consume(struct rxe_ring *ring, uint32_t index)
{
	ring->index = index;
	rxe_ring_release(ring, index);
}

#endif
