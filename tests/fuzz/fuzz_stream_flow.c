/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: the peer of a stream rsocket. An input is the setup data of the
 * peer, then steps: a message of the peer with the entries that it has written,
 * or a call of the application. The peer must never get the application to read
 * bytes that were not granted, or to post more messages than the queues hold.
 */
#include "fuzz/fuzz_target.h"
#include "rsocket/stream_flow.h"

#define HALF_LEN 4096u
#define SEND_LEN 4096u
#define NR_RECVS 16u
#define NR_SENDS 8u

enum fuzz_step {
	STEP_RECEIVE, /* u8 op, u16 value, u16 length */
	STEP_ENTRIES, /* 32 bytes */
	STEP_SEND,    /* u16 length */
	STEP_DONE,    /* all outstanding messages complete */
	STEP_CONSUME, /* u16 length */
	STEP_SHUTDOWN,
	NR_STEPS,
};

struct fuzz_side {
	struct stream_flow flow;
	uint32_t messages[NR_RECVS];
	uint8_t entries[STREAM_NR_SGES * STREAM_SGE_LEN];
	uint32_t sent[NR_SENDS]; /* bytes in the send buffer */
	unsigned int nr_sent, nr_controls;
};

static void side_check(const struct fuzz_side *side)
{
	const struct stream_flow *flow = &side->flow;
	struct stream_span span = stream_flow_readable(flow, 0);

	fuzz_assert((uint64_t)flow->nr_readable + flow->nr_granted +
			    flow->nr_free ==
		    2 * HALF_LEN);
	fuzz_assert(span.len <= flow->nr_readable);
	fuzz_assert(span.at + span.len <= 2 * HALF_LEN);
	fuzz_assert(flow->nr_messages <= NR_RECVS);
	fuzz_assert(flow->send_used <= SEND_LEN && flow->send_at < SEND_LEN);
	fuzz_assert(flow->nr_outstanding == side->nr_sent);
	fuzz_assert(flow->nr_controls == side->nr_controls);
}

static void side_receive(struct fuzz_side *side, struct fuzz_reader *reader)
{
	uint32_t op = fuzz_take_u8(reader) % 8;
	uint32_t value = fuzz_take_u16(reader);
	uint32_t len = fuzz_take_u16(reader);

	/* A message that is refused must change nothing. */
	(void)stream_flow_receive(&side->flow, op << 29 | value, len,
				  side->entries);
}

static void side_send(struct fuzz_side *side, uint32_t len)
{
	struct stream_message message;

	while (len &&
	       stream_flow_take_data(&side->flow, len, 2048, false, &message)) {
		fuzz_assert(message.len && message.len <= len);
		fuzz_assert(side->nr_sent < NR_SENDS);
		side->sent[side->nr_sent++] = message.len;
		len -= message.len;
	}
	while (stream_flow_take_control(&side->flow, &message)) {
		fuzz_assert(side->nr_controls < STREAM_MAX_CONTROLS);
		side->nr_controls++;
	}
}

static void side_complete(struct fuzz_side *side)
{
	for (unsigned int i = 0; i < side->nr_sent; i++)
		stream_flow_data_done(&side->flow, side->sent[i]);
	for (unsigned int i = 0; i < side->nr_controls; i++)
		stream_flow_control_done(&side->flow);
	side->nr_sent = 0;
	side->nr_controls = 0;
}

static void side_consume(struct fuzz_side *side, uint32_t len)
{
	if (len > side->flow.nr_readable)
		len = side->flow.nr_readable;
	stream_flow_consume(&side->flow, len);
}

static void side_step(struct fuzz_side *side, struct fuzz_reader *reader)
{
	uint8_t ends;

	switch (fuzz_take_u8(reader) % NR_STEPS) {
	case STEP_RECEIVE:
		side_receive(side, reader);
		break;
	case STEP_ENTRIES:
		for (size_t i = 0; i < sizeof(side->entries); i++)
			side->entries[i] = fuzz_take_u8(reader);
		break;
	case STEP_SEND:
		side_send(side, fuzz_take_u16(reader));
		break;
	case STEP_DONE:
		side_complete(side);
		break;
	case STEP_CONSUME:
		side_consume(side, fuzz_take_u16(reader));
		break;
	default:
		ends = fuzz_take_u8(reader);
		stream_flow_shutdown(&side->flow, ends & 1, ends & 2);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct stream_sizes sizes = { .half_len = HALF_LEN,
					    .send_len = SEND_LEN,
					    .nr_recvs = NR_RECVS,
					    .nr_sends = NR_SENDS };
	const struct stream_setup local = { .nr_iomaps = 2 };
	struct fuzz_reader reader = { .data = data, .len = len };
	struct fuzz_side side = { .nr_sent = 0 };
	uint8_t bytes[STREAM_SETUP_LEN];
	struct stream_setup peer;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = fuzz_take_u8(&reader);
	if (stream_setup_decode(bytes, sizeof(bytes), &peer) != 0)
		return 0;
	stream_flow_init(&side.flow, &sizes, side.messages);
	stream_flow_start(&side.flow, &local, &peer);
	while (reader.len) {
		side_step(&side, &reader);
		side_check(&side);
	}
	return 0;
}
