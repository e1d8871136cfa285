/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets in and out of a ring: the data path between two processes. Called by
 * uroce_shm_path.c, with the engine lock. It uses wire/, since an entry has
 * the headers of the network protocol: one decoder checks all packets of other
 * processes and hosts.
 *
 * Pairs of accesses: the sequence number of an entry (release in finish_entry()
 * and uroce_shm_ring_publish(), acquire in is_next()) covers the entry and its
 * payload; status.consumed (release in publish(), acquire in see_consumed())
 * means that both were read and may be overwritten; both sides exchange
 * status.awake, and the second exchange sees all stores before the first one.
 */
#include "uroce/shm/uroce_shm_ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "uroce/shm/uroce_shm_copy.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/wire/uroce_wire.h"
#include "util/prefetch.h"

/* Consumed entries are published when they reach one of these limits. */
#define PUBLISH_ENTRIES (UROCE_SHM_RING_ENTRIES / 8)
#define PUBLISH_BYTES	(UROCE_SHM_RING_AREA / 8)

/*
 * Distance in entries of the prefetch while many are put or taken; large enough
 * not to take away the line that the other side uses.
 */
#define STREAM_AHEAD 8

/* Packets of a batch; limits how long the publication of one is delayed. */
#define MAX_HELD 16

/* Byte 1 of the headers (IBTA 9.2): the pad count. A ring has no padding. */
#define BTH_PAD_BITS 0x30

/*
 * Unpublished entries alone must never block the sender. The area is full for
 * the sender when a packet of maximal length may not fit.
 */
_Static_assert(sizeof(((struct uroce_shm_ring_entry *)0)->bytes) >=
			       UROCE_EAGER_HEADER &&
		       UROCE_EAGER_HEADER >= UROCE_MAX_HEADER,
	       "all headers fit");
_Static_assert(PUBLISH_BYTES <= UROCE_SHM_RING_AREA - 3 * UROCE_CHANNEL_MTU,
	       "the sender would wait for ever");

static struct uroce_shm_ring_entry *entry_at(void *memory, uint64_t number)
{
	struct uroce_shm_ring_memory *ring = memory;

	return &ring->entries[number % UROCE_SHM_RING_ENTRIES];
}

/*
 * Freed entries free their payloads. A count above the number of entries that
 * were put is a protocol error. A decrease is one too: as a difference modulo
 * 2^32 it is a large number.
 */
static void see_consumed(struct uroce_shm_ring_sender *end)
{
	const struct uroce_shm_ring_memory *ring = end->memory;
	uint32_t seen =
		__atomic_load_n(&ring->status.consumed, __ATOMIC_ACQUIRE);
	uint32_t more = seen - (uint32_t)end->consumed;

	if (more > end->head - end->consumed) {
		end->broken = true;
		return;
	}
	if (!more)
		return;
	end->consumed += more;
	end->area_tail =
		end->area_end[(end->consumed - 1) % UROCE_SHM_RING_ENTRIES];
}

/* Start of the next payload of @len bytes, behind bytes that are skipped. */
static uint64_t area_begin(const struct uroce_shm_ring_sender *end,
			   uint64_t len)
{
	uint64_t left =
		UROCE_SHM_RING_AREA - end->area_head % UROCE_SHM_RING_AREA;

	return left < len ? end->area_head + left : end->area_head;
}

static bool area_has_room(const struct uroce_shm_ring_sender *end)
{
	uint64_t area_head = area_begin(end, UROCE_CHANNEL_MTU);

	return area_head + UROCE_CHANNEL_MTU - end->area_tail <=
	       UROCE_SHM_RING_AREA;
}

static bool seems_to_have_room(const struct uroce_shm_ring_sender *end)
{
	return end->head - end->consumed < UROCE_SHM_RING_ENTRIES &&
	       (end->area_head == end->area_tail || area_has_room(end));
}

bool uroce_shm_ring_has_room(struct uroce_shm_ring_sender *end)
{
	if (seems_to_have_room(end))
		return true;
	if (!end->memory || end->broken)
		return false;
	see_consumed(end);
	return seems_to_have_room(end);
}

static void shm_ring_gather(const struct uroce_shm_ring_sender *end,
			    uint8_t *dst, const struct iovec *iov,
			    uint32_t nr_iov)
{
	for (uint32_t i = 0; i < nr_iov; i++) {
		uroce_shm_copy(dst, iov[i].iov_base, iov[i].iov_len,
			       end->has_erms);
		dst += iov[i].iov_len;
	}
}

static uint8_t *take_area(struct uroce_shm_ring_sender *end, uint32_t len,
			  uint16_t *ret_place)
{
	struct uroce_shm_ring_memory *ring = end->memory;
	uint64_t begin = area_begin(end, len);
	uint64_t offset = begin % UROCE_SHM_RING_AREA;

	end->area_head = begin + (((uint64_t)len + UROCE_SHM_RING_LINE - 1) &
				  ~(uint64_t)(UROCE_SHM_RING_LINE - 1));
	*ret_place = (uint16_t)(offset / UROCE_SHM_RING_LINE);
	return ring->area + offset;
}

static bool is_in_area(uint32_t header_len, uint32_t len)
{
	return header_len + len >
	       sizeof(((struct uroce_shm_ring_entry *)0)->bytes);
}

static void shm_ring_fill(struct uroce_shm_ring_entry *entry,
			  uint32_t header_len, uint32_t len, uint16_t place)
{
	entry->payload_len = (uint16_t)len;
	entry->place = place;
	entry->header_len = (uint8_t)header_len;
	entry->absent = 0;
}

/* A rendezvous chunk, which has no payload in the ring. */
static void put_absent(struct uroce_shm_ring_entry *entry,
		       const struct uroce_packet *packet)
{
	const struct uroce_shm_ring_source source = {
		.address = packet->source,
		.bytes = packet->payload_len,
		.nr_packets = packet->nr_absent,
	};
	const uint32_t header_len =
		(uint32_t)uroce_wire_encode(packet, entry->bytes);

	assert(header_len <= sizeof(entry->bytes) - sizeof(source));
	memcpy(entry->bytes + header_len, &source, sizeof(source));
	shm_ring_fill(entry, header_len, 0, 0);
	entry->absent = 1;
}

void uroce_shm_ring_publish(struct uroce_shm_ring_sender *end)
{
	if (!end->held)
		return;
	__atomic_store_n(&end->held->sequence, end->held_sequence,
			 __ATOMIC_RELEASE);
	end->held = NULL;
}

/*
 * The receiver polls one entry and so takes its cache line away from the
 * sender. Of several packets in a row the first one is therefore published
 * last: until then the receiver does not access the others.
 */
static void finish_entry(struct uroce_shm_ring_sender *end,
			 struct uroce_shm_ring_entry *entry, bool more)
{
	end->area_end[end->head % UROCE_SHM_RING_ENTRIES] = end->area_head;
	end->head++;
	if (more && !end->held) {
		end->held = entry;
		end->held_sequence = (uint32_t)end->head;
		end->nr_held = 1;
		return;
	}
	__atomic_store_n(&entry->sequence, (uint32_t)end->head,
			 __ATOMIC_RELEASE);
	if (!more || ++end->nr_held >= MAX_HELD)
		uroce_shm_ring_publish(end);
}

/*
 * The payload of the area is stored before the entry. The receiver polls the
 * line of the entry, so the sender takes it away from the receiver only once.
 */
static void put_payload(struct uroce_shm_ring_sender *end,
			struct uroce_shm_ring_entry *entry,
			const struct uroce_packet *packet,
			const struct iovec *iov, uint32_t nr_iov)
{
	uint8_t header[UROCE_MAX_HEADER];
	const uint32_t header_len = (uint32_t)uroce_wire_encode(packet, header);
	uint8_t *payload = entry->bytes + header_len;
	uint16_t place = 0;

	assert(header_len <= sizeof(header));
	assert(packet->payload_len <= UROCE_CHANNEL_MTU);
	if (is_in_area(header_len, packet->payload_len))
		payload = take_area(end, packet->payload_len, &place);
	shm_ring_gather(end, payload, iov, nr_iov);
	memcpy(entry->bytes, header, header_len);
	shm_ring_fill(entry, header_len, packet->payload_len, place);
}

void uroce_shm_ring_put(struct uroce_shm_ring_sender *end,
			const struct uroce_packet *packet,
			const struct iovec *iov, uint32_t nr_iov)
{
	struct uroce_shm_ring_entry *entry = entry_at(end->memory, end->head);

	if (packet->nr_absent)
		put_absent(entry, packet);
	else
		put_payload(end, entry, packet, iov, nr_iov);
	entry->ack = packet->carries_ack ? UROCE_EAGER_ACK | packet->carried_psn
					 : 0;
	finish_entry(end, entry, false);
}

/*
 * Copies words, since the same bytes are stored before and loaded after as
 * words: a load whose width differs from that of the store has to wait until
 * the store has reached the cache.
 */
static inline void copy_words(void *to, const void *from, size_t bytes)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < bytes / sizeof(unsigned long); i++)
		__atomic_store_n(
			(unsigned long *)to + i,
			__atomic_load_n((const unsigned long *)from + i,
					__ATOMIC_RELAXED),
			__ATOMIC_RELAXED);
}

const void *uroce_shm_ring_next_put(const struct uroce_shm_ring_sender *end)
{
	return end->memory ? entry_at(end->memory, end->head) : NULL;
}

void uroce_shm_ring_put_eager(struct uroce_shm_ring_sender *end,
			      const struct uroce_eager_entry *eager)
{
	struct uroce_shm_ring_entry *entry = entry_at(end->memory, end->head);
	const bool in_area = is_in_area(eager->header_len, eager->payload_len);
	uint8_t *payload = entry->bytes + eager->header_len;
	uint16_t place = 0;

	assert(eager->payload_len <= UROCE_CHANNEL_MTU);
	if (in_area) /* before the entry: see put_payload() */
		uroce_shm_copy(take_area(end, eager->payload_len, &place),
			       eager->payload, eager->payload_len,
			       end->has_erms);
	entry->ack = eager->ack;
	assert(eager->header_len <= UROCE_EAGER_SHORT);
	copy_words(entry->bytes, eager->header, UROCE_EAGER_SHORT);
	shm_ring_fill(entry, eager->header_len, eager->payload_len, place);
	if (eager->payload_len == sizeof(uint64_t))
		memcpy(payload, eager->payload, sizeof(uint64_t));
	else if (eager->payload_len && !in_area)
		memcpy(payload, eager->payload, eager->payload_len);
	if (eager->in_stream)
		prefetch_for_write(
			entry_at(end->memory, end->head + STREAM_AHEAD));
	finish_entry(end, entry, eager->more);
}

bool uroce_shm_ring_is_watched(struct uroce_shm_ring_sender *end)
{
	struct uroce_shm_ring_memory *ring = end->memory;

	/*
	 * A load is not enough: the packet may still be in the store buffer. An
	 * exchange is ordered before or after the exchange of the receiver.
	 */
	return !__atomic_exchange_n(&ring->status.awake, 1, __ATOMIC_SEQ_CST);
}

bool uroce_shm_ring_seems_watched(struct uroce_shm_ring_sender *end)
{
	const struct uroce_shm_ring_memory *ring = end->memory;

	return !__atomic_load_n(&ring->status.awake, __ATOMIC_RELAXED) &&
	       uroce_shm_ring_is_watched(end);
}

void uroce_shm_ring_forget_sender(struct uroce_shm_ring_sender *end)
{
	end->memory = NULL;
	end->consumed = 0;
	end->head = UROCE_SHM_RING_ENTRIES;
}

static bool is_next(const struct uroce_shm_ring_receiver *end,
		    const struct uroce_shm_ring_entry *entry)
{
	return __atomic_load_n(&entry->sequence, __ATOMIC_ACQUIRE) ==
	       (uint32_t)(end->tail + 1);
}

/* The fields in front of the headers. */
union entry_front {
	struct uroce_shm_ring_entry entry;
	unsigned long words[1];
};

#define FRONT offsetof(struct uroce_shm_ring_entry, bytes)

#define WORD sizeof(unsigned long)

_Static_assert(FRONT % WORD == 0 && UROCE_EAGER_HEADER % WORD == 0 &&
		       offsetof(struct uroce_eager_entry, header) % WORD == 0,
	       "whole words");

/* Return: the payload, in the entry or in the area; NULL: out of bounds. */
static const uint8_t *
shm_ring_find_payload(const struct uroce_shm_ring_memory *ring,
		      const struct uroce_shm_ring_entry *entry,
		      const struct uroce_shm_ring_entry *copy)
{
	uint32_t offset = (uint32_t)copy->place * UROCE_SHM_RING_LINE;

	if ((uint32_t)copy->header_len + copy->payload_len <=
	    sizeof(copy->bytes))
		return entry->bytes + copy->header_len;
	if (copy->payload_len > UROCE_CHANNEL_MTU ||
	    offset + copy->payload_len > UROCE_SHM_RING_AREA)
		return NULL;
	return ring->area + offset;
}

/* Reads the location of a rendezvous chunk from the copy of the entry. */
static int find_source(struct uroce_eager_entry *eager)
{
	struct uroce_shm_ring_source source;

	if (eager->header_len + sizeof(source) > sizeof(eager->header))
		return -EBADMSG;
	memcpy(&source, eager->header + eager->header_len, sizeof(source));
	if (!source.nr_packets || !source.bytes ||
	    source.bytes > UROCE_CHANNEL_CHUNK)
		return -EBADMSG;
	eager->source = source.address;
	eager->payload_len = source.bytes;
	eager->nr_absent = source.nr_packets;
	return 0;
}

/*
 * Reads the next packet, but does not take it. Otherwise like
 * uroce_shm_ring_take_eager(). Each word is read once, since the sender can
 * write to the entry at any time.
 */
static int shm_ring_look(const struct uroce_shm_ring_receiver *end,
			 struct uroce_eager_entry *ret_eager)
{
	const struct uroce_shm_ring_entry *entry =
		entry_at(end->memory, end->tail);
	union entry_front copy;

	if (!is_next(end, entry))
		return 0;
	copy_words(copy.words, entry, FRONT);
	ret_eager->payload =
		shm_ring_find_payload(end->memory, entry, &copy.entry);
	if (!ret_eager->payload || copy.entry.header_len > UROCE_MAX_HEADER)
		return -EBADMSG;
	ret_eager->ack = copy.entry.ack;
	ret_eager->header_len = copy.entry.header_len;
	ret_eager->payload_len = copy.entry.payload_len;
	ret_eager->nr_absent = 0;
	copy_words(ret_eager->header, entry->bytes, UROCE_EAGER_HEADER);
	if (copy.entry.absent && find_source(ret_eager))
		return -EBADMSG;
	return 1;
}

static void shm_ring_advance(struct uroce_shm_ring_receiver *end,
			     const struct uroce_eager_entry *eager)
{
	end->tail++;
	if (!eager->nr_absent)
		end->bytes += eager->payload_len;
}

bool uroce_shm_ring_has_any(const struct uroce_shm_ring_receiver *end)
{
	return is_next(end, entry_at(end->memory, end->tail));
}

int uroce_shm_ring_take_eager(struct uroce_shm_ring_receiver *end,
			      struct uroce_eager_entry *ret_eager)
{
	int ret = shm_ring_look(end, ret_eager);

	if (ret > 0)
		shm_ring_advance(end, ret_eager);
	return ret;
}

int uroce_shm_ring_decode(const struct uroce_eager_entry *eager,
			  struct uroce_packet *ret_packet)
{
	uint8_t header[UROCE_EAGER_HEADER];

	memcpy(header, eager->header, sizeof(header));
	header[1] &= (uint8_t)~BTH_PAD_BITS;
	if (uroce_wire_decode(header, eager->header_len, ret_packet))
		return -EBADMSG;
	/* the decoder had header_len bytes: no payload may be left over */
	if (ret_packet->payload_len)
		return -EBADMSG;
	/* nothing is lost in a ring, so no ACK lists what has arrived */
	if (eager->payload_len &&
	    (!(ret_packet->traits & UROCE_T_PAYLOAD) ||
	     (ret_packet->opcode & UROCE_OP_MASK) == UROCE_ACKNOWLEDGE))
		return -EBADMSG;
	ret_packet->payload = eager->payload;
	ret_packet->payload_len = eager->payload_len;
	ret_packet->carries_ack = eager->ack & UROCE_EAGER_ACK;
	ret_packet->carried_psn = eager->ack & UROCE_PSN_MASK;
	if (!eager->nr_absent)
		return 0;
	if ((ret_packet->opcode & UROCE_TRANSPORT_MASK) != UROCE_RC)
		return -EBADMSG;
	ret_packet->nr_absent = eager->nr_absent;
	ret_packet->source = eager->source;
	return 0;
}

int uroce_shm_ring_take(struct uroce_shm_ring_receiver *end,
			struct uroce_packet *ret_packet)
{
	struct uroce_eager_entry eager;
	int ret = shm_ring_look(end, &eager);

	if (ret <= 0)
		return ret;
	if (uroce_shm_ring_decode(&eager, ret_packet))
		return -EBADMSG;
	shm_ring_advance(end, &eager);
	return 1;
}

/* All entries up to the tail were read, and the sender may overwrite them. */
static void publish(struct uroce_shm_ring_receiver *end)
{
	struct uroce_shm_ring_memory *ring = end->memory;

	__atomic_store_n(&ring->status.consumed, (uint32_t)end->tail,
			 __ATOMIC_RELEASE);
	end->published = end->tail;
	end->bytes = 0;
}

void uroce_shm_ring_expect_more(const struct uroce_shm_ring_receiver *end)
{
	__builtin_prefetch(entry_at(end->memory, end->tail + STREAM_AHEAD / 2));
}

void uroce_shm_ring_done(struct uroce_shm_ring_receiver *end)
{
	if (end->tail - end->published >= PUBLISH_ENTRIES ||
	    end->bytes >= PUBLISH_BYTES)
		publish(end);
}

bool uroce_shm_ring_watch(struct uroce_shm_ring_receiver *end, bool watched)
{
	struct uroce_shm_ring_memory *ring = end->memory;

	/* the sender must not wait for entries of a receiver that sleeps */
	if (watched && end->published != end->tail)
		publish(end);
	(void)__atomic_exchange_n(&ring->status.awake, !watched,
				  __ATOMIC_SEQ_CST);
	return is_next(end, entry_at(end->memory, end->tail));
}
