/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delayed ACKs: in an exchange of short messages one ACK covers several, as
 * long as the peer does not wait for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/wire/uroce_wire.h"
#include "uroce_pair.h"

#define BYTES 8
#define MANY  64

/* Packets that a side has sent in its turn. */
struct turn {
	uint32_t nr;
	uint8_t op[MANY];
};

static void deliver_packets(struct pair *pair, unsigned int from,
			    const struct uroce_out *out)
{
	struct uroce_packet packet = out->packet;

	packet.path = &pair->side[from].path;
	packet.traits = uroce_wire_traits(packet.opcode);
	if (out->iovecs.nr)
		packet.payload = out->iovecs.iov[0].iov_base;
	uroce_engine_receive(&pair->side[!from].engine, &packet, pair->now);
}

/* Delivers packets of @from to the other side, @max at most. */
static struct turn send_some(struct pair *pair, unsigned int from, uint32_t max)
{
	struct uroce_engine *engine = &pair->side[from].engine;
	struct uroce_out out[MANY];
	struct turn turn = {};

	while (turn.nr < max &&
	       uroce_engine_next(engine, pair->now, &out[turn.nr])) {
		turn.op[turn.nr] = out[turn.nr].packet.opcode & UROCE_OP_MASK;
		assert_true(++turn.nr < MANY);
	}
	uroce_engine_sent(engine, pair->now);
	pair->now += 1000;
	for (uint32_t i = 0; i < turn.nr; i++)
		deliver_packets(pair, from, &out[i]);
	return turn;
}

static struct turn send_all(struct pair *pair, unsigned int from)
{
	return send_some(pair, from, MANY);
}

static void post_send_bytes(struct pair *pair, unsigned int side,
			    uint32_t bytes)
{
	struct ibv_sge sge = pair_sge(pair, side, 0, bytes);
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_SEND,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
	};

	pair_post(pair, side, &wqe, &sge);
}

static void post_send(struct pair *pair, unsigned int side)
{
	post_send_bytes(pair, side, BYTES);
}

static unsigned int count_completions(struct uroce_cq *cq)
{
	struct uroce_cqe cqe;
	unsigned int nr = 0;

	for (; pair_poll(cq, &cqe); nr++)
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	return nr;
}

/* @side has received a message and replies at once, like an echo server. */
static struct turn echo_message(struct pair *pair, unsigned int side)
{
	struct ibv_sge sge = pair_sge(pair, side, 4096, BYTES);

	assert_true(uroce_engine_defer_acks(&pair->side[side].engine, true));
	assert_int_equal(count_completions(&pair->side[side].recv_cq), 1);
	pair_post_recv(pair, side, 1, &sge, 1);
	post_send(pair, side);
	return send_all(pair, side);
}

static bool has_ack(const struct turn *turn)
{
	assert_in_range(turn->nr, 1, 2);
	assert_int_equal(turn->op[0], UROCE_SEND_ONLY);
	if (turn->nr == 2)
		assert_int_equal(turn->op[1], UROCE_ACKNOWLEDGE);
	return turn->nr == 2;
}

static void post_receives(struct pair *pair)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct ibv_sge sge = pair_sge(pair, side, 4096, BYTES);

		pair_post_recv(pair, side, 1, &sge, 1);
		pair_post_recv(pair, side, 1, &sge, 1);
	}
}

static struct pair *delack_pair_new(void)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);

	post_receives(pair);
	post_send(pair, 0);
	assert_int_equal(send_all(pair, 0).nr, 1);
	return pair;
}

static void delayed_ack_covers_four_messages(void **state)
{
	struct pair *pair = delack_pair_new();
	struct turn turn;

	for (unsigned int i = 0; i < 400; i++) {
		/* every fourth turn of each side */
		turn = echo_message(pair, 1);
		assert_int_equal(has_ack(&turn), i % 4 == 3);
		assert_int_equal(count_completions(&pair->side[0].send_cq),
				 i % 4 == 3 ? 4 : 0);
		turn = echo_message(pair, 0);
		assert_int_equal(has_ack(&turn), i % 4 == 3);
		(void)count_completions(&pair->side[1].send_cq);
	}
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
	pair_free(pair);
}

/* All QPs of @side have received a message, and each replies in turn. */
static unsigned int echo_on_each_qp(struct pair *pair, unsigned int side)
{
	struct ibv_sge sge = pair_sge(pair, side, 4096, BYTES);
	unsigned int nr_acks = 0;
	struct turn turn;

	assert_true(uroce_engine_defer_acks(&pair->side[side].engine, true));
	assert_int_equal(count_completions(&pair->side[side].recv_cq),
			 PAIR_QPS);
	for (unsigned int n = 0; n < PAIR_QPS; n++) {
		pair_use_qp(pair, n);
		pair_post_recv(pair, side, 1, &sge, 1);
		post_send(pair, side);
		turn = send_all(pair, side);
		nr_acks += has_ack(&turn);
	}
	return nr_acks;
}

static void delayed_ack_of_each_qp_covers_four_messages(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.nr_qps = PAIR_QPS;
	pair = pair_new(&o);
	for (unsigned int n = 0; n < PAIR_QPS; n++) {
		pair_use_qp(pair, n);
		post_receives(pair);
		post_send(pair, 0);
		assert_int_equal(send_all(pair, 0).nr, 1);
	}
	for (unsigned int i = 0; i < 40; i++)
		for (unsigned int side = 0; side < 2; side++) {
			assert_int_equal(echo_on_each_qp(pair, !side),
					 i % 4 == 3 ? PAIR_QPS : 0);
			(void)count_completions(&pair->side[side].send_cq);
		}
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
	pair_free(pair);
}

static bool is_delayed(const struct pair *pair, unsigned int side)
{
	return uroce_engine_delayed_deadline(&pair->side[side].engine) !=
	       UROCE_NEVER;
}

/* Side 0 waits for the ACK before it sends again. */
static void make_wait(struct pair *pair)
{
	struct uroce_engine *engine = &pair->side[1].engine;
	struct turn turn = echo_message(pair, 1);
	uint64_t deadline;

	assert_false(has_ack(&turn));
	deadline = uroce_engine_delayed_deadline(engine);
	/* side 1 sends nothing until its timer expires, which is soon */
	assert_int_equal(send_all(pair, 1).nr, 0);
	assert_true(deadline <= pair->now + 30000);
	uroce_engine_flush_delayed(engine, deadline - 1);
	assert_int_equal(send_all(pair, 1).nr, 0);
	pair->now = deadline;
	uroce_engine_flush_delayed(engine, deadline);
	assert_false(is_delayed(pair, 1));
	turn = send_all(pair, 1);
	assert_int_equal(turn.nr, 1);
	assert_int_equal(turn.op[0], UROCE_ACKNOWLEDGE);
	(void)echo_message(pair, 0);
}

static void delayed_ack_pauses_longer_after_each_stall(void **state)
{
	struct pair *pair = delack_pair_new();
	struct turn turn;

	for (unsigned int pause = 32; pause <= 4096; pause *= 2) {
		make_wait(pair);
		for (unsigned int i = 0; i < pause; i++) {
			turn = echo_message(pair, 1);
			assert_true(has_ack(&turn));
			(void)count_completions(&pair->side[0].send_cq);
			(void)count_completions(&pair->side[1].send_cq);
			(void)echo_message(pair, 0);
		}
	}
	pair_free(pair);
}

/* The ACK leaves at once with a READ response or a NAK. */
static void delayed_ack_leaves_with_read_response(void **state)
{
	struct pair *pair = delack_pair_new();
	struct ibv_sge sge = pair_sge(pair, 0, 8192, BYTES);
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_RDMA_READ,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};
	struct turn turn = echo_message(pair, 1);

	assert_false(has_ack(&turn));
	pair_post(pair, 0, &wqe, &sge);
	(void)send_all(pair, 0);
	turn = send_all(pair, 1);
	assert_int_equal(turn.nr, 1);
	assert_int_equal(turn.op[0], UROCE_READ_RESP_ONLY);
	assert_false(is_delayed(pair, 1));
	pair_free(pair);
}

static void delayed_ack_list_forgets_reset_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = delack_pair_new();
	struct turn turn = echo_message(pair, 1);

	assert_false(has_ack(&turn));
	assert_true(is_delayed(pair, 1));
	pair_reconnect(pair, &o);
	assert_false(is_delayed(pair, 1));
	pair_free(pair);
}

/* A message of 20 packets, of which 17 have arrived: the 16th wants an ACK. */
static struct pair *long_message_pair_new(void)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct ibv_sge sge = pair_sge(pair, 1, 32768, 20 * 1024);

	pair_post_recv(pair, 1, 1, &sge, 1);
	post_send_bytes(pair, 0, 20 * 1024);
	assert_int_equal(send_some(pair, 0, 17).nr, 17);
	return pair;
}

static void delayed_ack_of_message_part_leaves_with_reply(void **state)
{
	struct pair *pair = long_message_pair_new();
	struct uroce_engine *engine = &pair->side[1].engine;
	struct ibv_sge sge = pair_sge(pair, 0, 4096, BYTES);
	struct turn turn;

	pair_post_recv(pair, 0, 1, &sge, 1);
	assert_true(uroce_engine_defer_acks(engine, true));
	assert_int_equal(send_all(pair, 0).nr, 3);
	assert_true(uroce_engine_defer_acks(engine, true));
	post_send(pair, 1);
	turn = send_all(pair, 1);
	assert_int_equal(turn.op[0], UROCE_SEND_ONLY);
	pair_free(pair);
}

static void delayed_ack_of_stream_leaves_in_second_pass(void **state)
{
	struct pair *pair = long_message_pair_new();
	struct uroce_engine *engine = &pair->side[1].engine;
	struct turn turn;

	assert_true(uroce_engine_defer_acks(engine, false));
	uroce_engine_flush_deferred(engine);
	assert_int_equal(send_some(pair, 0, 1).nr, 1);
	assert_false(uroce_engine_defer_acks(engine, false));
	turn = send_all(pair, 1);
	assert_int_equal(turn.nr, 1);
	assert_int_equal(turn.op[0], UROCE_ACKNOWLEDGE);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delayed_ack_covers_four_messages),
		cmocka_unit_test(delayed_ack_of_each_qp_covers_four_messages),
		cmocka_unit_test(delayed_ack_pauses_longer_after_each_stall),
		cmocka_unit_test(delayed_ack_leaves_with_read_response),
		cmocka_unit_test(delayed_ack_list_forgets_reset_qp),
		cmocka_unit_test(delayed_ack_of_message_part_leaves_with_reply),
		cmocka_unit_test(delayed_ack_of_stream_leaves_in_second_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
