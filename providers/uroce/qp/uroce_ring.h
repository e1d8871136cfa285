/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A lock-free ring of slots with one producer and one consumer. Send, receive
 * and completion queues are such rings; the comment of each queue names its
 * producer and its consumer. Indices count up and wrap at 2^32.
 */
#ifndef UROCE_RING_H
#define UROCE_RING_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define UROCE_RING_MAX	 (1u << 24)
#define UROCE_CACHE_LINE 64

struct uroce_ring {
	uint8_t *slots;
	uint32_t mask;
	uint32_t stride; /* bytes of a slot */
	uint32_t size;	 /* capacity in slots; up to mask + 1 */
	/* one cache line each: the producer writes head, the consumer tail */
	_Alignas(UROCE_CACHE_LINE) uint32_t head; /* next slot to fill */
	_Alignas(UROCE_CACHE_LINE) uint32_t tail; /* oldest filled slot */
};

/**
 * uroce_ring_init() - allocate an empty ring
 * @ring: memory of the caller
 * @size: slots; 0 to UROCE_RING_MAX
 * @stride: bytes of a slot, > 0
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
static inline int uroce_ring_init(struct uroce_ring *ring, uint32_t size,
				  uint32_t stride)
{
	uint32_t nr = 1;
	uint8_t *slots;

	if (size > UROCE_RING_MAX)
		return -EINVAL;
	while (nr < size)
		nr *= 2;
	stride = (stride + 15u) & ~15u;
	slots = calloc(nr, stride);
	if (!slots)
		return -ENOMEM;
	memset(ring, 0, sizeof(*ring));
	ring->slots = slots;
	ring->mask = nr - 1;
	ring->stride = stride;
	ring->size = size;
	return 0;
}

static inline void uroce_ring_fini(struct uroce_ring *ring)
{
	free(ring->slots);
	ring->slots = NULL;
}

/** uroce_ring_at() - address of the slot of @index, which must be valid */
static inline void *uroce_ring_at(const struct uroce_ring *ring, uint32_t index)
{
	return ring->slots + (size_t)(index & ring->mask) * ring->stride;
}

/** uroce_ring_used() - count filled slots; for the producer or the consumer */
static inline uint32_t uroce_ring_used(const struct uroce_ring *ring)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
}

/** uroce_ring_vacant() - slot to fill, NULL if the ring is full; producer */
static inline void *uroce_ring_vacant(const struct uroce_ring *ring)
{
	/* pairs with the release in uroce_ring_take() */
	uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	if (ring->head - tail >= ring->size)
		return NULL;
	return uroce_ring_at(ring, ring->head);
}

/** uroce_ring_put() - publish the slot of uroce_ring_vacant(); producer */
static inline void uroce_ring_put(struct uroce_ring *ring)
{
	/* pairs with the acquire in uroce_ring_front() */
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

/** uroce_ring_has() - whether the slot of @index is filled; consumer */
static inline int uroce_ring_has(const struct uroce_ring *ring, uint32_t index)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) != index;
}

/** uroce_ring_front() - oldest filled slot, or NULL; consumer */
static inline void *uroce_ring_front(const struct uroce_ring *ring)
{
	if (!uroce_ring_has(ring, ring->tail))
		return NULL;
	return uroce_ring_at(ring, ring->tail);
}

/** uroce_ring_take_to() - free the slots in front of @index; consumer */
static inline void uroce_ring_take_to(struct uroce_ring *ring, uint32_t index)
{
	/* pairs with the acquire in uroce_ring_vacant() */
	__atomic_store_n(&ring->tail, index, __ATOMIC_RELEASE);
}

/** uroce_ring_take() - free the slot of uroce_ring_front(); consumer */
static inline void uroce_ring_take(struct uroce_ring *ring)
{
	uroce_ring_take_to(ring, ring->tail + 1);
}

#endif
