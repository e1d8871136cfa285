/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A connection whose peer writes any entries, any area and any read position.
 * Received as the progress loop does, the fast path first; sent as
 * uroce_worker_send_eager() does.
 *
 * For long messages the first byte selects the first operation and the length
 * of its sink.
 *
 * A step of the input: the header fields that are corrected (uroce_flow.h), and
 * a distance; other events; then the content of the entry, in the order of its
 * members, with as many header bytes as its length says.
 */
#include <errno.h>
#include <unistd.h>

#include "fuzz/hostile.h"
#include "fuzz/uroce_flow.h"
#include "uroce/roce/uroce_fast.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/shm/uroce_shm_ring_layout.h"

#define MAX_STEPS 100
#define STEP_NS	  200000
#define SHORT_NS  20000 /* for long messages, which have many steps each */

/* Other events of a step. */
#define POST	   0x01 /* post receives and work requests */
#define LATE	   0x02 /* process piggybacked ACKs later */
#define CHANGE	   0x04 /* change entry and area after they were read */
#define CLAIM	   0x08 /* claim to have read more packets, or fewer */
#define RAW_LENGTH 0x10 /* a header length that no opcode has */
#define ABSENT	   0x20 /* the payload is elsewhere: how many KB to copy */
#define TURN	   0x40 /* the other side's action (hostile_rndv.c) */

static struct uroce_shm_ring_memory *theirs,
	*ours; /* rings: the peer writes theirs, this process writes ours */

static struct uroce_shm_ring_memory *new_ring(void)
{
	struct uroce_shm_ring_receiver end;
	int fd = uroce_shm_ring_create();

	fuzz_assert(fd >= 0);
	fuzz_assert(uroce_shm_ring_open_receiver(fd, &end) == 0);
	(void)close(fd);
	return end.memory;
}

static void clear(void)
{
	if (!theirs) {
		theirs = new_ring();
		ours = new_ring();
	}
	memset(theirs, 0,
	       sizeof(theirs->status) + sizeof(theirs->pad) +
		       sizeof(theirs->entries));
	memset(ours, 0, sizeof(ours->status));
}

/*
 * Writes the source after the headers, if there is room. Most sources have the
 * length of a number of packets; the upper bits select other lengths, and
 * pushed ones.
 */
static void fill_source(struct fuzz_reader *reader,
			struct uroce_shm_ring_entry *entry)
{
	uint8_t nr = fuzz_take_u8(reader), how = fuzz_take_u8(reader);
	const struct uroce_shm_ring_source source = {
		.address = how & 1,
		.bytes = nr * (uint32_t)UROCE_CHANNEL_MTU + (how >> 1),
		.nr_packets = nr,
	};

	entry->absent = 1;
	if (entry->header_len + sizeof(source) <= sizeof(entry->bytes))
		memcpy(entry->bytes + entry->header_len, &source,
		       sizeof(source));
}

/* Writes the entry of the other side. */
static void fill_entry(struct fuzz_reader *reader, const struct flow *flow,
		       struct uroce_shm_ring_entry *entry, uint8_t what)
{
	uint8_t kind = fuzz_take_u8(reader);
	int8_t distance = (int8_t)fuzz_take_u8(reader);
	struct uroce_eager_entry eager = { .payload_len =
						   fuzz_take_u16(reader) };
	uint16_t place = fuzz_take_u16(reader);
	const uint8_t *bytes;
	size_t len;

	eager.header_len = fuzz_take_u8(reader);
	bytes = fuzz_take(reader, sizeof(eager.header), &len);
	memcpy(eager.header, bytes, len);
	if (what & RAW_LENGTH)
		kind &= (uint8_t)~FLOW_RIGHT_HEADER;
	flow_correct_headers(flow, kind, distance, &eager);
	entry->payload_len = (uint16_t)eager.payload_len;
	entry->place = place;
	entry->ack = eager.ack;
	entry->header_len = (uint8_t)eager.header_len;
	entry->absent = 0;
	memcpy(entry->bytes, eager.header, sizeof(eager.header));
	if (what & ABSENT)
		fill_source(reader, entry);
}

/*
 * The packet lies within the ring, whatever the other side has changed
 * meanwhile.
 */
static void check(const struct uroce_eager_entry *eager)
{
	const uint8_t *begin = (const uint8_t *)theirs->entries;
	const uint8_t *end = theirs->area + UROCE_SHM_RING_AREA;

	fuzz_assert(eager->header_len <= UROCE_MAX_HEADER);
	fuzz_assert(eager->payload >= begin && eager->payload <= end);
	if (eager->nr_absent) {
		fuzz_assert(eager->payload_len <= UROCE_CHANNEL_CHUNK);
		return;
	}
	fuzz_assert(eager->payload_len <= UROCE_CHANNEL_MTU);
	fuzz_assert(eager->payload_len <= (size_t)(end - eager->payload));
}

/*
 * Return: whether the entry is a packet; otherwise the receiver ignores the
 * other side from then on.
 */
static bool hand_over(struct flow *flow, const struct uroce_eager_entry *eager,
		      uint64_t now)
{
	struct uroce_packet packet;

	check(eager);
	if (uroce_fast_receive(&flow->engine, flow->channel, eager, now))
		return true;
	if (uroce_shm_ring_decode(eager, &packet))
		return false;
	packet.channel = flow->channel;
	uroce_engine_receive(&flow->engine, &packet, now);
	return true;
}

static void send(struct flow *flow, struct uroce_shm_ring_sender *end,
		 uint64_t now)
{
	struct uroce_eager_entry eager;
	struct uroce_out out;

	uroce_fast_catch_up(&flow->engine, now);
	while (uroce_shm_ring_has_room(end) &&
	       uroce_fast_next(flow->qp, now, &eager))
		uroce_shm_ring_put_eager(end, &eager);
	while (uroce_shm_ring_has_room(end) &&
	       uroce_engine_next(&flow->engine, now, &out))
		uroce_shm_ring_put(end, &out.packet, out.iovecs.iov,
				   out.iovecs.nr);
	uroce_shm_ring_publish(end);
	flow_quiesce(flow, now);
}

static void poll_all(struct flow *flow)
{
	while (uroce_ring_front(&flow->cq.ring))
		uroce_ring_take(&flow->cq.ring);
}

/* Return: whether another step is possible. */
static bool step(struct fuzz_reader *reader, struct flow *flow,
		 struct uroce_shm_ring_receiver *in,
		 struct uroce_shm_ring_sender *out, bool scribbles,
		 uint64_t now)
{
	uint8_t what = fuzz_take_u8(reader);
	struct uroce_shm_ring_entry *entry =
		&theirs->entries[in->tail % UROCE_SHM_RING_ENTRIES];
	struct uroce_eager_entry eager;
	bool good = true;
	int ret;

	flow->engine.may_postpone_ack = what & LATE;
	if (what & TURN && flow->is_long)
		hostile_rndv_change(reader);
	fill_entry(reader, flow, entry, what);
	__atomic_store_n(&entry->sequence, (uint32_t)in->tail + 1,
			 __ATOMIC_RELEASE);
	if (scribbles)
		scribbler_start(theirs->entries, sizeof(theirs->entries),
				(uint32_t)(reader->len + in->tail));
	ret = uroce_shm_ring_take_eager(in, &eager);
	fuzz_assert(ret == 0 || ret == 1 || ret == -EBADMSG);
	if (what & CHANGE) {
		memset((uint8_t *)entry + 4, what, sizeof(*entry) - 4);
		memset(theirs->area, what, UROCE_CHANNEL_MTU);
	}
	if (ret > 0)
		good = hand_over(flow, &eager, now);
	scribbler_stop();
	uroce_shm_ring_done(in);
	if (what & POST) {
		flow_post_receives(flow);
		flow_post_sends(flow);
	}
	send(flow, out, now);
	ours->status.consumed = (uint32_t)out->head;
	if (what & CLAIM)
		ours->status.consumed += fuzz_take_u16(reader);
	poll_all(flow);
	return good && ret >= 0;
}

void hostile_flow(struct fuzz_reader *reader, bool scribbles, bool rndv)
{
	static struct uroce_shm_ring_sender out;
	struct uroce_shm_ring_receiver in = {};
	uint64_t now = 0;
	struct flow *flow;
	uint8_t first = 0;

	clear();
	in.memory = theirs;
	out = (struct uroce_shm_ring_sender){ .memory = ours };
	if (rndv)
		first = fuzz_take_u8(reader);
	flow = rndv ? flow_new_long(hostile_rndv_channel(first >> 3), first & 7,
				    now)
		    : flow_new(NULL, now);
	if (rndv)
		hostile_rndv_begin(flow);
	send(flow, &out, now);
	for (int i = 0; i < MAX_STEPS && reader->len; i++) {
		if (!step(reader, flow, &in, &out, scribbles, now))
			break;
		if (rndv)
			hostile_rndv_check();
		now += rndv ? SHORT_NS : STEP_NS;
		(void)uroce_engine_expire(&flow->engine, now);
		send(flow, &out, now);
	}
	flow_free(flow, now);
	if (rndv)
		hostile_rndv_end();
}
