/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring of elements that the kernel allocates and the provider maps: send,
 * receive, shared receive and completion queues. There are no shared indices.
 * The flags of an element say which side owns it: 0 is free for the producer,
 * SIW_WQE_VALID is filled. The consumer sets the flags to 0 when it has read
 * the element. Source: <rdma/siw-abi.h> and the driver's queue handling.
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
	uint32_t index; /* free running; next to fill or to read */
};

/**
 * siw_ring_map() - map a ring that the kernel has allocated
 * @key: offset for mmap()
 * @nr: number of elements, from the kernel's response; must be a power of two
 * @elem_size: bytes
 * @tail_size: bytes behind the last element
 *
 * Return: 0; -EIO for an invalid geometry; or -errno of mmap().
 */
int siw_ring_map(struct ibv_context *ctx, uint64_t key, uint32_t nr,
		 size_t elem_size, size_t tail_size, struct siw_ring *ret_ring);

/** siw_ring_unmap() - undo siw_ring_map(); a zeroed struct is allowed */
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
 * Whether the producer may fill slot @index, whose flags are at @flags. A slot
 * that is filled but not yet published is not free. The acquire load orders the
 * new stores after the kernel's last read of the old content.
 */
static inline int siw_slot_is_free(const struct siw_ring *ring, uint32_t index,
				   const uint16_t *flags)
{
	return index - ring->index <= ring->mask &&
	       __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0;
}

/* Hands a filled slot to the kernel: the content is visible before VALID. */
static inline void siw_slot_publish(uint16_t *flags, uint16_t value)
{
	__atomic_store_n(flags, (uint16_t)(value | SIW_WQE_VALID),
			 __ATOMIC_RELEASE);
}

#endif
