/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream protocol between two sides, whose RDMA writes are copies in
 * memory. Addresses are offsets in the memory of a side: the receive buffer is
 * at DATA_AT, the entries at SGL_AT.
 */
#include "rsocket/stream_flow.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HALF_LEN   8192u
#define SEND_LEN   4096u
#define NR_RECVS   16u
#define NR_SENDS   12u
#define DATA_AT	   0u
#define SGL_AT	   (2 * HALF_LEN)
#define NR_IOMAPS  2u
#define MEMORY_LEN (SGL_AT + STREAM_NR_SGES * STREAM_SGE_LEN + NR_IOMAPS * 24)
#define RKEY	   77u

struct side {
	struct stream_flow flow;
	uint32_t messages[NR_RECVS];
	uint8_t memory[MEMORY_LEN];
	uint8_t send_buffer[SEND_LEN];
	uint32_t sent, received; /* bytes of the pattern */
};

static struct side left, right;
static bool is_iwarp; /* messages have words, and no lengths */

static void side_setup(const struct side *side, struct stream_setup *ret_setup)
{
	*ret_setup = (struct stream_setup){
		.is_big_endian = stream_host_is_big_endian(),
		.credits = NR_RECVS,
		.nr_iomaps = NR_IOMAPS,
		.sgl_address = SGL_AT,
		.sgl_rkey = RKEY,
		.data_address = DATA_AT,
		.data_rkey = RKEY,
		.data_len = HALF_LEN,
	};
}

static int sides_connect(void **state)
{
	const struct stream_sizes sizes = { .half_len = HALF_LEN,
					    .send_len = SEND_LEN,
					    .nr_recvs = NR_RECVS,
					    .nr_sends = NR_SENDS };
	struct stream_setup left_setup, right_setup;

	memset(&left, 0, sizeof(left));
	memset(&right, 0, sizeof(right));
	stream_flow_init(&left.flow, &sizes, left.messages);
	stream_flow_init(&right.flow, &sizes, right.messages);
	side_setup(&left, &left_setup);
	side_setup(&right, &right_setup);
	stream_flow_start(&left.flow, &left_setup, &right_setup);
	stream_flow_start(&right.flow, &right_setup, &left_setup);
	is_iwarp = false;
	return 0;
}

static int sides_connect_iwarp(void **state)
{
	int ret = sides_connect(state);

	is_iwarp = true;
	return ret;
}

/* Returns the result of the receiver. */
static int message_deliver(struct side *to,
			   const struct stream_message *message,
			   const uint8_t *bytes)
{
	if (message->len) {
		assert_int_equal(message->rkey, RKEY);
		assert_true(message->remote_address + message->len <=
			    MEMORY_LEN);
		memcpy(&to->memory[message->remote_address], bytes,
		       message->len);
	}
	if (is_iwarp)
		return stream_flow_receive_word(&to->flow, message->imm,
						&to->memory[SGL_AT]);
	return stream_flow_receive(&to->flow, message->imm, message->len,
				   &to->memory[SGL_AT]);
}

/* Delivers all control messages of a side, and returns their number. */
static unsigned int controls_deliver(struct side *from, struct side *to)
{
	struct stream_message message;
	unsigned int nr = 0;

	while (stream_flow_take_control(&from->flow, &message)) {
		assert_int_equal(message_deliver(to, &message, message.payload),
				 0);
		stream_flow_control_done(&from->flow);
		nr++;
	}
	return nr;
}

static uint8_t pattern_byte(uint32_t index)
{
	return (uint8_t)(index * 7 + index / 256);
}

/* Sends up to @len bytes of the pattern, in messages of at most @max. */
static uint32_t pattern_send(struct side *from, struct side *to, uint32_t len,
			     uint32_t max)
{
	uint8_t bytes[STREAM_MAX_MESSAGE];
	struct stream_message message;
	uint32_t sent = 0;

	while (sent < len && stream_flow_take_data(&from->flow, len - sent, max,
						   false, &message)) {
		assert_true(message.len && message.len <= max);
		for (uint32_t i = 0; i < message.len; i++)
			from->send_buffer[(message.send_at + i) % SEND_LEN] =
				pattern_byte(from->sent + i);
		for (uint32_t i = 0; i < message.len; i++)
			bytes[i] = from->send_buffer[(message.send_at + i) %
						     SEND_LEN];
		assert_int_equal(message_deliver(to, &message, bytes), 0);
		stream_flow_data_done(&from->flow, message.len);
		from->sent += message.len;
		sent += message.len;
	}
	return sent;
}

static uint32_t pattern_receive(struct side *side, uint32_t len)
{
	uint32_t received = 0;

	while (received < len) {
		struct stream_span span = stream_flow_readable(&side->flow, 0);

		if (!span.len)
			break;
		if (span.len > len - received)
			span.len = len - received;
		for (uint32_t i = 0; i < span.len; i++)
			assert_int_equal(side->memory[DATA_AT + span.at + i],
					 pattern_byte(side->received + i));
		stream_flow_consume(&side->flow, span.len);
		side->received += span.len;
		received += span.len;
	}
	return received;
}

static void flow_started_grants_second_half(void **state)
{
	struct stream_message message;
	struct stream_sge sge;

	assert_true(stream_flow_take_control(&left.flow, &message));
	assert_int_equal(message.imm, 0x80000000 + NR_RECVS);
	assert_true(message.remote_address == SGL_AT + STREAM_SGE_LEN);
	assert_int_equal(message.len, STREAM_SGE_LEN);
	stream_sge_decode(message.payload, &sge);
	assert_true(sge.address == DATA_AT + HALF_LEN);
	assert_int_equal(sge.len, HALF_LEN);
	assert_false(stream_flow_take_control(&left.flow, &message));
}

static void flow_without_credits_sends_nothing(void **state)
{
	uint32_t nr = 0;

	while (pattern_send(&left, &right, 1, 1))
		nr++;
	assert_int_equal(nr, NR_RECVS);
	assert_false(stream_flow_can_send(&left.flow));
	/* The grant of the second half renews no credit. */
	assert_int_equal(controls_deliver(&right, &left), 1);
	assert_int_equal(pattern_send(&left, &right, 1, 1), 0);
	/* Half of the messages consumed: a grant without space */
	assert_int_equal(pattern_receive(&right, NR_RECVS / 2), NR_RECVS / 2);
	assert_int_equal(controls_deliver(&right, &left), 1);
	assert_true(stream_flow_can_send(&left.flow));
}

static void flow_without_grant_stops_at_end_of_half(void **state)
{
	struct stream_message message;

	assert_int_equal(pattern_send(&left, &right, HALF_LEN - 1, 2048),
			 HALF_LEN - 1);
	/* A message does not cross the end. */
	assert_int_equal(pattern_send(&left, &right, 100, 2048), 1);
	assert_false(stream_flow_can_send(&left.flow));
	assert_int_equal(controls_deliver(&right, &left), 1);
	assert_true(stream_flow_take_data(&left.flow, 10, 10, true, &message));
	assert_true(message.remote_address == DATA_AT + HALF_LEN);
}

static void flow_of_messages_of_any_size_keeps_bytes(void **state)
{
	uint32_t random = 12345;

	for (unsigned int i = 0; i < 20000; i++) {
		struct side *from = i % 2 ? &left : &right;
		struct side *to = i % 2 ? &right : &left;

		random = random * 1103515245 + 12345;
		(void)pattern_send(from, to, 1 + (random >> 16) % 6000,
				   1 + (random >> 8) % 4000);
		random = random * 1103515245 + 12345;
		(void)pattern_receive(to, (random >> 16) % 7000);
		(void)controls_deliver(to, from);
	}
	(void)pattern_receive(&left, UINT32_MAX);
	(void)pattern_receive(&right, UINT32_MAX);
	assert_int_equal(left.sent, right.received);
	assert_int_equal(right.sent, left.received);
	assert_true(left.sent > 70000 * NR_RECVS);
}

static void flow_with_full_send_buffer_stops(void **state)
{
	struct stream_message message;

	assert_true(
		stream_flow_take_data(&left.flow, 3000, 3000, false, &message));
	assert_false(stream_flow_can_send(&left.flow));
	stream_flow_data_done(&left.flow, 3000);
	assert_true(
		stream_flow_take_data(&left.flow, 3000, 3000, false, &message));
	assert_int_equal(message.send_at, 3000); /* crosses the end */
	assert_int_equal(message.len, 3000);
	assert_true(stream_flow_take_write(&left.flow, 2000, 2000, false,
					   &message));
	assert_int_equal(message.len, SEND_LEN - 3000);
}

static void flow_with_all_slots_outstanding_stops(void **state)
{
	struct stream_message message;

	for (unsigned int i = 0; i < NR_SENDS; i++)
		assert_true(stream_flow_take_write(&left.flow, 1, 1, true,
						   &message));
	assert_false(stream_flow_take_write(&left.flow, 1, 1, true, &message));
	assert_false(stream_flow_can_send(&left.flow));
	stream_flow_data_done(&left.flow, 0);
	assert_true(stream_flow_can_send(&left.flow));
}

static void flow_with_outstanding_controls_waits(void **state)
{
	const struct stream_iomap iomap = { .offset = 5 };
	struct stream_message message;

	for (unsigned int i = 0; i < STREAM_MAX_CONTROLS; i++)
		assert_true(stream_flow_take_iomap(&left.flow, 1, &iomap,
						   &message));
	assert_int_equal(message.imm, 0xc0000001);
	assert_true(message.remote_address == SGL_AT + 32 + 24);
	assert_false(stream_flow_take_iomap(&left.flow, 1, &iomap, &message));
	assert_false(stream_flow_take_control(&left.flow, &message));
	stream_flow_control_done(&left.flow);
	assert_true(stream_flow_take_control(&left.flow, &message));
	assert_false(stream_flow_is_idle(&left.flow));
}

static void iomap_beyond_table_of_peer_is_refused(void **state)
{
	const struct stream_iomap iomap = { .offset = 5 };
	struct stream_message message;

	assert_false(stream_flow_take_iomap(&left.flow, NR_IOMAPS, &iomap,
					    &message));
}

static void shutdown_of_writing_leaves_peer_writing(void **state)
{
	(void)controls_deliver(&left, &right);
	(void)controls_deliver(&right, &left);
	assert_int_equal(pattern_send(&left, &right, 10, 10), 10);
	stream_flow_shutdown(&left.flow, false, true);
	assert_int_equal(controls_deliver(&left, &right), 1);
	assert_false(right.flow.can_read);
	assert_true(right.flow.can_write);
	assert_int_equal(pattern_receive(&right, 100), 10);
	assert_int_equal(pattern_send(&left, &right, 1, 1), 0);
	assert_int_equal(pattern_send(&right, &left, 9, 9), 9);
	/* The end of both directions is a disconnect. */
	stream_flow_shutdown(&right.flow, false, true);
	assert_int_equal(right.flow.ctrl, STREAM_CTRL_DISCONNECT);
	assert_int_equal(controls_deliver(&right, &left), 1);
	assert_false(left.flow.can_read);
	assert_int_equal(pattern_receive(&left, 100), 9);
}

static void shutdown_of_reading_sends_nothing(void **state)
{
	(void)controls_deliver(&left, &right);
	stream_flow_shutdown(&left.flow, true, false);
	assert_int_equal(controls_deliver(&left, &right), 0);
	stream_flow_shutdown(&left.flow, false, true);
	assert_int_equal(controls_deliver(&left, &right), 1);
	assert_false(right.flow.can_read || right.flow.can_write);
	/* There is one disconnect only. */
	stream_flow_shutdown(&left.flow, true, true);
	assert_int_equal(controls_deliver(&left, &right), 0);
}

static void end_with_error_sends_nothing(void **state)
{
	struct stream_message message;

	stream_flow_end(&left.flow, -EIO);
	stream_flow_end(&left.flow, 0);
	assert_int_equal(left.flow.error, -EIO);
	assert_false(stream_flow_take_control(&left.flow, &message));
	assert_false(stream_flow_take_data(&left.flow, 1, 1, true, &message));
}

static int receive_raw(uint32_t imm, uint32_t len)
{
	return stream_flow_receive(&right.flow, imm, len,
				   &right.memory[SGL_AT]);
}

static void receive_of_invalid_message_fails_with_eproto(void **state)
{
	/* Lengths that differ, or are 0 */
	assert_int_equal(receive_raw(10, 11), -EPROTO);
	assert_int_equal(receive_raw(0, 0), -EPROTO);
	/* Reserved operations */
	for (uint32_t op = 1; op < 6; op++)
		if (op != STREAM_SGL)
			assert_int_equal(receive_raw(op << 29, 0), -EPROTO);
	/* An entry of another length */
	assert_int_equal(receive_raw(0x80000010, 8), -EPROTO);
	/* An iomap that does not exist */
	assert_int_equal(receive_raw(0xc0000000 + NR_IOMAPS, 24), -EPROTO);
	assert_int_equal(receive_raw(0xc0000000 + NR_IOMAPS - 1, 24), 0);
}

static void receive_beyond_grant_fails_with_eproto(void **state)
{
	struct stream_message message;

	/* The first half is granted, the second one is not. */
	assert_int_equal(receive_raw(HALF_LEN + 1, HALF_LEN + 1), -EPROTO);
	assert_int_equal(receive_raw(HALF_LEN - 1, HALF_LEN - 1), 0);
	assert_int_equal(receive_raw(2, 2), -EPROTO);
	/* Both are granted, but a message does not cross the end. */
	assert_true(stream_flow_take_control(&right.flow, &message));
	assert_int_equal(receive_raw(2, 2), -EPROTO);
	assert_int_equal(receive_raw(1, 1), 0);
	assert_int_equal(receive_raw(HALF_LEN, HALF_LEN), 0);
	assert_int_equal(receive_raw(1, 1), -EPROTO);
}

static void receive_beyond_credits_fails_with_eproto(void **state)
{
	for (unsigned int i = 0; i < NR_RECVS; i++)
		assert_int_equal(receive_raw(1, 1), 0);
	assert_int_equal(receive_raw(1, 1), -EPROTO);
}

static void receive_of_entry_in_use_fails_with_eproto(void **state)
{
	struct stream_sge sge = { .address = 1, .len = 100 };

	stream_sge_encode(&sge, stream_host_is_big_endian(),
			  &right.memory[SGL_AT + STREAM_SGE_LEN]);
	assert_int_equal(receive_raw(0x80000010, 16), 0);
	/* The next one is the first entry, which has space. */
	assert_int_equal(receive_raw(0x80000010, 16), -EPROTO);
}

static void flow_held_sends_after_first_message(void **state)
{
	struct stream_message message;

	stream_flow_hold(&right.flow);
	assert_false(stream_flow_can_send(&right.flow));
	assert_false(stream_flow_take_control(&right.flow, &message));
	assert_true(stream_flow_take_control(&left.flow, &message));
	assert_int_equal(message_deliver(&right, &message, message.payload), 0);
	assert_true(stream_flow_can_send(&right.flow));
	assert_true(stream_flow_take_control(&right.flow, &message));
}

static void word_of_grant_without_entry_keeps_entries(void **state)
{
	struct stream_sge sge = { .address = 1, .len = 100 };
	uint8_t *entry = &right.memory[SGL_AT + STREAM_SGE_LEN];

	assert_int_equal(stream_flow_receive_word(&right.flow, 0x80000011,
						  &right.memory[SGL_AT]),
			 0);
	assert_int_equal(right.flow.next_index, 1);
	stream_sge_encode(&sge, stream_host_is_big_endian(), entry);
	assert_int_equal(stream_flow_receive_word(&right.flow, 0x80000012,
						  &right.memory[SGL_AT]),
			 0);
	assert_int_equal(right.flow.next_index, 0);
	/* The peer writes the first entry before it is used up. */
	stream_sge_encode(&sge, stream_host_is_big_endian(),
			  &right.memory[SGL_AT]);
	assert_int_equal(stream_flow_receive_word(&right.flow, 0x80000013,
						  &right.memory[SGL_AT]),
			 -EPROTO);
}

static void word_beyond_grant_fails_with_eproto(void **state)
{
	assert_int_equal(stream_flow_receive_word(&right.flow, HALF_LEN + 1,
						  &right.memory[SGL_AT]),
			 -EPROTO);
	/* No operation */
	assert_int_equal(stream_flow_receive_word(&right.flow, 0x20000001,
						  &right.memory[SGL_AT]),
			 -EPROTO);
}

static void keepalive_takes_slot_of_control_message(void **state)
{
	struct stream_flow flow;
	unsigned int nr = 0;

	memset(&flow, 0, sizeof(flow));
	assert_false(stream_flow_take_keepalive(&flow));
	flow.is_started = true;
	flow.can_read = true;
	while (stream_flow_take_keepalive(&flow))
		nr++;
	assert_int_equal(nr, STREAM_MAX_CONTROLS);
	assert_false(stream_flow_is_idle(&flow));
	stream_flow_control_done(&flow);
	assert_true(stream_flow_take_keepalive(&flow));
	stream_flow_control_done(&flow);
	stream_flow_end(&flow, 0);
	assert_false(stream_flow_take_keepalive(&flow));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			word_of_grant_without_entry_keeps_entries,
			sides_connect_iwarp),
		cmocka_unit_test_setup(flow_held_sends_after_first_message,
				       sides_connect_iwarp),
		cmocka_unit_test_setup(word_beyond_grant_fails_with_eproto,
				       sides_connect_iwarp),
		{ "flow_of_words_of_any_size_keeps_bytes",
		  flow_of_messages_of_any_size_keeps_bytes, sides_connect_iwarp,
		  NULL, NULL },
		cmocka_unit_test_setup(flow_started_grants_second_half,
				       sides_connect),
		cmocka_unit_test_setup(flow_without_credits_sends_nothing,
				       sides_connect),
		cmocka_unit_test_setup(flow_without_grant_stops_at_end_of_half,
				       sides_connect),
		cmocka_unit_test_setup(flow_of_messages_of_any_size_keeps_bytes,
				       sides_connect),
		cmocka_unit_test_setup(flow_with_full_send_buffer_stops,
				       sides_connect),
		cmocka_unit_test_setup(flow_with_all_slots_outstanding_stops,
				       sides_connect),
		cmocka_unit_test_setup(flow_with_outstanding_controls_waits,
				       sides_connect),
		cmocka_unit_test_setup(iomap_beyond_table_of_peer_is_refused,
				       sides_connect),
		cmocka_unit_test_setup(shutdown_of_writing_leaves_peer_writing,
				       sides_connect),
		cmocka_unit_test_setup(shutdown_of_reading_sends_nothing,
				       sides_connect),
		cmocka_unit_test_setup(end_with_error_sends_nothing,
				       sides_connect),
		cmocka_unit_test_setup(
			receive_of_invalid_message_fails_with_eproto,
			sides_connect),
		cmocka_unit_test_setup(receive_beyond_grant_fails_with_eproto,
				       sides_connect),
		cmocka_unit_test_setup(receive_beyond_credits_fails_with_eproto,
				       sides_connect),
		cmocka_unit_test_setup(
			receive_of_entry_in_use_fails_with_eproto,
			sides_connect),
		cmocka_unit_test(keepalive_takes_slot_of_control_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
