/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring of elements that the kernel makes and we map: send, receive, shared
 * receive and completion queues. There are no shared indices. Each element says
 * in its flags whose it is: 0 is free for the producer, SIW_WQE_VALID is full.
 * The side that takes an element sets its flags to 0 when it has read it.
 * Source: <rdma/siw-abi.h> and the driver's queue handling.
 */
#ifndef SIW_RING_H
#define SIW_RING_H

#include <infiniband/verbs.h>
#include <rdma/siw-abi.h>
#include <stddef.h>
#include <stdint.h>

struct siw_ring {
	void *map; /* NULL: no ring */
	size_t map_len;
	uint32_t mask;	/* elements, a power of two, minus 1 */
	uint32_t index; /* ours, free running: next to fill or to take */
};

/**
 * siw_ring_map() - map a ring that the kernel has made
 * @key: its offset
 * @nr: elements as the kernel says; checked to be a power of two
 * @elem_size: bytes
 * @tail_size: bytes behind the last element
 *
 * Return: 0; -EIO for a geometry that cannot be; or the error of mmap().
 */
int siw_ring_map(struct ibv_context *ctx, uint64_t key, uint32_t nr,
		 size_t elem_size, size_t tail_size, struct siw_ring *ret_ring);

/** siw_ring_unmap() - undo it; nothing happens to a ring without memory */
void siw_ring_unmap(struct siw_ring *ring);

static inline struct siw_sqe *siw_sqe_at(const struct siw_ring *ring,
					 uint32_t index)
{
	return (struct siw_sqe *)ring->map + (index & ring->mask);
}

static inline struct siw_rqe *siw_rqe_at(const struct siw_ring *ring,
					 uint32_t index)
{
	return (struct siw_rqe *)ring->map + (index & ring->mask);
}

static inline struct siw_cqe *siw_cqe_at(const struct siw_ring *ring,
					 uint32_t index)
{
	return (struct siw_cqe *)ring->map + (index & ring->mask);
}

/*
 * Whether the producer may fill slot @index, whose flags are at @flags. Slots
 * that are filled but not yet published count as well. The acquire keeps our
 * stores behind the kernel's last look at the old content.
 */
static inline int siw_slot_is_free(const struct siw_ring *ring, uint32_t index,
				   const uint16_t *flags)
{
	return index - ring->index <= ring->mask &&
	       __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0;
}

/* Hands a filled slot to the kernel: its content is visible before the flag. */
static inline void siw_slot_publish(uint16_t *flags, uint16_t value)
{
	__atomic_store_n(flags, (uint16_t)(value | SIW_WQE_VALID),
			 __ATOMIC_RELEASE);
}

#endif
