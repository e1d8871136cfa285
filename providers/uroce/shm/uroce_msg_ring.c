/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entries in and out of a message ring.
 *
 * Pairs of accesses: the sequence number of an entry (release in
 * uroce_msg_ring_commit() and uroce_msg_ring_publish(), acquire in
 * uroce_msg_ring_has_any()) covers the entry and its payload; status.consumed
 * (release in ring_publish_consumed(), acquire in ring_read_consumed()) means
 * that both were read and may be overwritten; both sides exchange status.awake.
 */
#include "uroce/shm/uroce_msg_ring.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/shm/uroce_memfd.h"
#include "util/nocancel.h"

#define RING_BYTES sizeof(struct uroce_msg_ring_memory)

/* Consumed entries are published when they reach one of these limits. */
#define PUBLISH_ENTRIES (UROCE_MSG_ENTRIES / 8)
#define PUBLISH_BYTES	(UROCE_MSG_AREA_BYTES / 8)

/* Entries of a batch; limits how long the publication of one is delayed. */
#define MAX_HELD_ENTRIES 16

/*
 * Unpublished entries alone must never block the sender. The area is full for
 * the sender when a payload of maximal length may not fit.
 */
_Static_assert(PUBLISH_BYTES <= UROCE_MSG_AREA_BYTES - 3 * UROCE_MSG_FRAGMENT,
	       "the sender would wait for ever");

int uroce_msg_ring_create(void)
{
	int fd = uroce_memfd_create(RING_BYTES);
	int ret;

	if (fd >= 0 && fcntl(fd, F_ADD_SEALS, UROCE_MEMFD_SEALS)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_msg_ring_open_receiver(int fd, struct uroce_msg_receiver *ret_end)
{
	void *memory;
	int ret = uroce_memfd_map(fd, RING_BYTES, PROT_READ | PROT_WRITE,
				  &memory);

	if (!ret)
		*ret_end = (struct uroce_msg_receiver){ .memory = memory };
	return ret;
}

int uroce_msg_ring_open_sender(int fd, struct uroce_msg_sender *ret_end)
{
	void *memory;
	int ret = uroce_memfd_check(fd, RING_BYTES);

	if (!ret)
		ret = uroce_memfd_map(fd, RING_BYTES, PROT_READ | PROT_WRITE,
				      &memory);
	if (!ret)
		*ret_end = (struct uroce_msg_sender){ .memory = memory };
	return ret;
}

void uroce_msg_ring_close_receiver(struct uroce_msg_receiver *end)
{
	if (end->memory)
		(void)munmap(end->memory, RING_BYTES);
	end->memory = NULL;
}

void uroce_msg_ring_close_sender(struct uroce_msg_sender *end)
{
	if (end->memory)
		(void)munmap(end->memory, RING_BYTES);
	end->memory = NULL;
}

/*
 * A count above the number of entries that were put is a protocol error. A
 * decrease is a large number as a difference modulo 2^32.
 */
static void ring_read_consumed(struct uroce_msg_sender *end)
{
	uint32_t seen = __atomic_load_n(&end->memory->status.consumed,
					__ATOMIC_ACQUIRE);
	uint32_t more = seen - end->consumed;

	if (more > end->head - end->consumed) {
		end->broken = true;
		return;
	}
	if (!more)
		return;
	end->consumed = seen;
	end->area_tail = end->area_end[(seen - 1) % UROCE_MSG_ENTRIES];
}

/* Start of the next payload of @bytes, behind bytes that are skipped. */
static uint32_t ring_area_begin(const struct uroce_msg_sender *end,
				uint32_t bytes)
{
	uint32_t left =
		UROCE_MSG_AREA_BYTES - end->area_head % UROCE_MSG_AREA_BYTES;

	return left < bytes ? end->area_head + left : end->area_head;
}

static bool ring_seems_to_have_room(const struct uroce_msg_sender *end)
{
	uint32_t begin = ring_area_begin(end, UROCE_MSG_FRAGMENT);

	return end->head - end->consumed < UROCE_MSG_ENTRIES &&
	       begin + UROCE_MSG_FRAGMENT - end->area_tail <=
		       UROCE_MSG_AREA_BYTES;
}

bool uroce_msg_ring_has_room(struct uroce_msg_sender *end)
{
	if (!end->memory || end->broken)
		return false;
	if (ring_seems_to_have_room(end))
		return true;
	ring_read_consumed(end);
	return !end->broken && ring_seems_to_have_room(end);
}

uint8_t *uroce_msg_ring_begin_payload(struct uroce_msg_sender *end,
				      struct uroce_msg_entry *entry,
				      uint32_t bytes)
{
	uint32_t at = uroce_msg_payload_at(entry->type);
	uint32_t begin, offset, place;

	assert(bytes <= UROCE_MSG_FRAGMENT);
	entry->bytes = (uint16_t)bytes;
	if (at + bytes <= UROCE_MSG_BODY)
		return entry->body + at;
	begin = ring_area_begin(end, bytes);
	offset = begin % UROCE_MSG_AREA_BYTES;
	place = offset / UROCE_MSG_LINE;
	entry->flags |= UROCE_MSG_AREA;
	memcpy(entry->body + at, &place, sizeof(place));
	end->area_head = begin + ((bytes + UROCE_MSG_LINE - 1) &
				  ~(uint32_t)(UROCE_MSG_LINE - 1));
	return end->memory->area + offset;
}

void uroce_msg_ring_publish(struct uroce_msg_sender *end)
{
	if (!end->held)
		return;
	__atomic_store_n(&end->held->sequence, end->held_sequence,
			 __ATOMIC_RELEASE);
	end->held = NULL;
}

/*
 * The receiver polls one entry and so takes its cache line away from the
 * sender. Of several entries in a row the first one is therefore published
 * last: until then the receiver does not access the others.
 */
void uroce_msg_ring_commit(struct uroce_msg_sender *end,
			   struct uroce_msg_entry *entry, bool more)
{
	end->area_end[end->head % UROCE_MSG_ENTRIES] = end->area_head;
	end->head++;
	if (more && !end->held) {
		end->held = entry;
		end->held_sequence = end->head;
		end->nr_held = 1;
		return;
	}
	__atomic_store_n(&entry->sequence, end->head, __ATOMIC_RELEASE);
	if (!more || ++end->nr_held >= MAX_HELD_ENTRIES)
		uroce_msg_ring_publish(end);
}

bool uroce_msg_ring_needs_bell(struct uroce_msg_sender *end)
{
	uint32_t *awake = &end->memory->status.awake;

	if (end->announced == end->head)
		return false;
	end->announced = end->head;
	return !__atomic_load_n(awake, __ATOMIC_RELAXED) &&
	       !__atomic_exchange_n(awake, 1, __ATOMIC_SEQ_CST);
}

/* Copies an entry that the sender may be changing, each word once. */
static void ring_copy_entry(struct uroce_msg_entry *to,
			    const struct uroce_msg_entry *from)
{
	union {
		struct uroce_msg_entry entry;
		uint64_t words[UROCE_MSG_LINE / sizeof(uint64_t)];
	} copy;

#pragma GCC unroll 8
	for (size_t i = 0; i < UROCE_MSG_LINE / sizeof(uint64_t); i++)
		copy.words[i] = __atomic_load_n(
			(const uint64_t *)(const void *)from + i,
			__ATOMIC_RELAXED);
	*to = copy.entry;
}

static void ring_read_chunk(struct uroce_msg_received *in)
{
	struct uroce_msg_chunk chunk;

	memcpy(&chunk, in->entry.body + uroce_msg_payload_at(in->entry.type),
	       sizeof(chunk));
	in->bytes = chunk.bytes;
	in->source = chunk.source;
}

int uroce_msg_ring_take(struct uroce_msg_receiver *end,
			struct uroce_msg_received *ret)
{
	if (!uroce_msg_ring_has_any(end))
		return 0;
	ring_copy_entry(&ret->entry,
			&end->memory->entries[end->tail % UROCE_MSG_ENTRIES]);
	if (uroce_msg_entry_check(&ret->entry, end->memory->area,
				  &ret->payload))
		return -EBADMSG;
	ret->bytes = ret->entry.bytes;
	ret->source = 0;
	if (uroce_msg_is_chunk(&ret->entry))
		ring_read_chunk(ret);
	end->tail++;
	end->bytes += ret->entry.bytes;
	return 1;
}

void uroce_msg_ring_measured(struct uroce_msg_receiver *end, uint64_t ns)
{
	uint32_t old = end->fragment_ns;

	/* the processor may have done something else in between */
	if (old && ns > 4 * (uint64_t)old)
		ns = 4 * (uint64_t)old;
	if (ns > UINT32_MAX)
		ns = UINT32_MAX;
	if (old && ns > old)
		ns = old + (ns - old + 7) / 8;
	if (!ns)
		ns = 1;
	if (ns == old)
		return;
	end->fragment_ns = (uint32_t)ns;
	__atomic_store_n(&end->memory->status.fragment_ns, end->fragment_ns,
			 __ATOMIC_RELAXED);
}

/* All entries up to the tail were read, and the sender may overwrite them. */
static void ring_publish_consumed(struct uroce_msg_receiver *end)
{
	__atomic_store_n(&end->memory->status.consumed, end->tail,
			 __ATOMIC_RELEASE);
	end->published = end->tail;
	end->bytes = 0;
}

void uroce_msg_ring_done(struct uroce_msg_receiver *end)
{
	if (end->tail - end->published >= PUBLISH_ENTRIES ||
	    end->bytes >= PUBLISH_BYTES)
		ring_publish_consumed(end);
}

bool uroce_msg_ring_arm(struct uroce_msg_receiver *end, bool on)
{
	/* the sender must not wait for entries of a receiver that sleeps */
	if (on && end->published != end->tail)
		ring_publish_consumed(end);
	(void)__atomic_exchange_n(&end->memory->status.awake, !on,
				  __ATOMIC_SEQ_CST);
	return uroce_msg_ring_has_any(end);
}
