/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long messages end: the sink is withdrawn before the completion, and after
 * a failure the side quiesces with its peer. Unexpected packets without payload
 * are covered as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_expect.h"
#include "uroce_long_message.h"

/* Starts a message; each side has copied some of it. */
static struct fake *begin_message(struct message *m, enum ibv_wr_opcode opcode)
{
	struct fake *fake = fake_new();

	fake->side[0].room = 1;
	fake->side[1].room = 1;
	*m = message_new(fake, opcode, 2 * MB);
	message_post(fake, m, 1);
	fake_run_until_pushed(fake, message_sender(m), 1);
	assert_true(fake->side[message_receiver(m)].pulled);
	return fake;
}

/* -- normal end -- */

static void rndv_sink_is_withdrawn_before_completion(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);
		bool read = m.opcode == IBV_WR_RDMA_READ;

		message_post(fake, &m, 1);
		fake_run(fake);
		assert_string_equal(fake_log(fake, 0), read ? "LX|" : "|");
		if (message_is_send(&m))
			assert_string_equal(fake_log(fake, 1), "lx|");
		else
			assert_string_equal(fake_log(fake, 1),
					    message_takes_receive(&m) ? "|"
								      : "");
		message_check(fake, &m, 1);
		assert_true(list_empty(&fake->pair->side[0].engine.publishing));
		assert_true(list_empty(&fake->pair->side[1].engine.publishing));
		fake_free(fake);
	}
}

/* -- a QP that leaves RTS in the middle of a message -- */

struct end {
	enum ibv_wr_opcode opcode;
	unsigned int side;
	const char *log;
};

/*
 * The receiver or requester withdraws its sink; the side that is pulled from
 * quiesces.
 */
static const struct end ends[] = {
	{ IBV_WR_SEND, 0, "es|" },
	{ IBV_WR_SEND, 1, "lexs|" },
	{ IBV_WR_SEND_WITH_IMM, 0, "es|" },
	{ IBV_WR_SEND_WITH_IMM, 1, "lexs|" },
	{ IBV_WR_RDMA_WRITE, 0, "es|" },
	{ IBV_WR_RDMA_WRITE, 1, "es" },
	{ IBV_WR_RDMA_READ, 0, "LeXs|" },
	{ IBV_WR_RDMA_READ, 1, "es" },
};
#define NR_ENDS (sizeof(ends) / sizeof(ends[0]))

static void rndv_error_quiesces_before_completion(void **state)
{
	for (size_t i = 0; i < NR_ENDS; i++) {
		struct message m;
		struct fake *fake = begin_message(&m, ends[i].opcode);

		fake_modify(fake, ends[i].side, IBV_QPS_ERR);
		assert_string_equal(fake_log(fake, ends[i].side), ends[i].log);
		fake_free(fake);
	}
}

/* Fails the QP of side 1 while its peer accesses memory of the QP. */
static struct fake *fail_during_access(struct message *m)
{
	struct fake *fake = begin_message(m, IBV_WR_SEND);

	fake->side[1].accesses = 3;
	fake_modify(fake, 1, IBV_QPS_ERR);
	assert_int_equal(fake->pair->side[1].qp->state, IBV_QPS_ERR);
	return fake;
}

/* Returns whether the receive WQE has been flushed @ns after the failure. */
static bool is_flushed_after(struct fake *fake, uint64_t ns)
{
	struct pair_side *side = &fake->pair->side[1];
	struct uroce_cqe cqe;

	(void)uroce_engine_expire(&side->engine, fake->pair->now + ns);
	if (!pair_poll(&side->recv_cq, &cqe))
		return false;
	assert_int_equal(cqe.status, IBV_WC_WR_FLUSH_ERR);
	return true;
}

static void rndv_failed_qp_is_flushed_when_peer_is_quiet(void **state)
{
	struct message m;
	struct fake *fake = fail_during_access(&m);
	struct uroce_engine *engine = &fake->pair->side[1].engine;

	assert_false(is_flushed_after(fake, 0));
	/* the engine asks for another pass soon, without a packet */
	assert_true(uroce_engine_deadline(engine) > fake->pair->now);
	assert_true(uroce_engine_deadline(engine) <= fake->pair->now + 1000000);
	assert_false(is_flushed_after(fake, 1000000));
	fake->side[1].accesses = 5;
	assert_true(is_flushed_after(fake, 2000000));
	assert_int_equal(fake->side[1].given_up, 0);
	assert_int_equal(uroce_engine_deadline(engine), UROCE_NEVER);
	fake_free(fake);
}

static void rndv_failed_qp_is_flushed_after_2_s(void **state)
{
	struct message m;
	struct fake *fake = fail_during_access(&m);

	assert_false(is_flushed_after(fake, 1999999999));
	assert_true(is_flushed_after(fake, 2000000000));
	assert_int_equal(fake->side[1].given_up, 3);
	fake_free(fake);
}

static void rndv_reset_ends_wait_for_peer(void **state)
{
	struct message m;
	struct fake *fake = fail_during_access(&m);
	struct uroce_engine *engine = &fake->pair->side[1].engine;

	fake_modify(fake, 1, IBV_QPS_RESET);
	assert_false(is_flushed_after(fake, 3000000000));
	assert_int_equal(uroce_engine_deadline(engine), UROCE_NEVER);
	fake_free(fake);
}

/* No further completion is raised, so the log is complete. */
static void check_gone(struct fake *fake, const struct end *end)
{
	size_t length = strcspn(end->log, "|");

	assert_int_equal(strlen(fake_log(fake, end->side)), length);
	assert_memory_equal(fake_log(fake, end->side), end->log, length);
	assert_true(list_empty(&fake->pair->side[end->side].engine.publishing));
}

static void rndv_reset_qp_quiesces_with_peer(void **state)
{
	for (size_t i = 0; i < NR_ENDS; i++) {
		struct message m;
		struct fake *fake = begin_message(&m, ends[i].opcode);

		fake_modify(fake, ends[i].side, IBV_QPS_RESET);
		check_gone(fake, &ends[i]);
		fake_free(fake);
	}
}

static void rndv_destroyed_qp_quiesces_with_peer(void **state)
{
	for (size_t i = 0; i < NR_ENDS; i++) {
		struct message m;
		struct fake *fake = begin_message(&m, ends[i].opcode);
		struct pair_side *side = &fake->pair->side[ends[i].side];

		uroce_engine_free_qp(&side->engine, side->qp, fake->pair->now,
				     0);
		check_gone(fake, &ends[i]);
		side->qps[0] = NULL; /* pair_free() frees the others */
		fake_free(fake);
	}
}

/* -- requests that fail -- */

static bool lose_all(struct fake *fake, unsigned int from,
		     const struct uroce_packet *packet)
{
	return true;
}

static void rndv_retry_exceeded_quiesces_with_peer(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct message m;
		struct fake *fake = begin_message(&m, opcodes[i]);
		bool read = m.opcode == IBV_WR_RDMA_READ;

		fake->loses = lose_all;
		fake_run(fake);
		assert_string_equal(fake_log(fake, 0), read ? "LeXs|" : "es|");
		expect(&fake->pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
		/* the duration of a failed message is ignored */
		assert_int_equal(fake->side[0].nr_chosen, 1);
		assert_int_equal(fake->side[0].nr_learned, 0);
		fake_free(fake);
	}
}

/* The peer is gone, and no timer runs. */
static void rndv_lost_channel_quiesces_with_peer(void **state)
{
	struct pair_options o = fake_defaults();
	struct message m;
	struct fake *fake;

	o.timeout = 0;
	fake = fake_new_with(&o);
	m = message_new(fake, IBV_WR_RDMA_READ, 2 * MB);
	message_post(fake, &m, 1);
	fake_run_until_pushed(fake, 1, 1);
	uroce_channel_fail(&fake->pair->side[0].engine,
			   &fake->pair->side[0].channel);
	uroce_engine_sent(&fake->pair->side[0].engine, fake->pair->now);
	assert_string_equal(fake_log(fake, 0), "LeXs|");
	expect(&fake->pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	fake_free(fake);
}

/* The receive work request is too short for the data behind its sink. */
static void rndv_message_longer_than_receive_is_refused(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	message_post_receive(
		fake,
		&(struct message){ .opcode = m.opcode,
				   .to = place_with_sge(fake, 1, TO, MB - 10) },
		1);
	message_post_request(fake, &m, 1);
	fake_run(fake);
	assert_true(fake->side[0].pushed && fake->side[1].pulled);
	/* closes the QP and withdraws the sink before the completion */
	assert_string_equal(fake_log(fake, 1), "lexs|");
	expect(&fake->pair->side[1].recv_cq, 101, IBV_WC_LOC_LEN_ERR);
	assert_string_equal(fake_log(fake, 0), "es|");
	expect(&fake->pair->side[0].send_cq, 1, IBV_WC_REM_INV_REQ_ERR);
	m.to.sge[0].length -= 10;
	fake_clear(fake, 1, &m.to.sge[0]);
	fake_check_rest(fake, 1);
	fake_free(fake);
}

/* Neither side copies without the access rights of the other. */
static void rndv_without_remote_right_copies_nothing(void **state)
{
	static const enum ibv_wr_opcode needed[] = { IBV_WR_RDMA_WRITE,
						     IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2; i++) {
		struct fake *fake = fake_new();
		struct pair_side *side = &fake->pair->side[1];
		struct message m = message_new(fake, needed[i], MB);

		uroce_memory_find(side->engine.core.memory, side->key)->access =
			IBV_ACCESS_LOCAL_WRITE;
		message_post(fake, &m, 1);
		fake_run(fake);
		expect(&fake->pair->side[0].send_cq, 1, IBV_WC_REM_ACCESS_ERR);
		assert_int_equal(message_bytes_by_sender(fake, &m), 0);
		assert_int_equal(message_bytes_by_receiver(fake, &m), 0);
		fake_check_rest(fake, message_receiver(&m));
		fake_free(fake);
	}
}

/* The sink of the previous request is not published again. */
static void rndv_empty_receive_publishes_no_sink(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	message_transfer(fake, &m, 1);
	fake_forget_log(fake, 1);
	pair_post_recv(fake->pair, 1, 102, NULL, 0);
	message_post_request(fake, &m, 2);
	fake_run(fake);
	assert_string_equal(fake_log(fake, 1), "es|");
	expect(&fake->pair->side[1].recv_cq, 102, IBV_WC_LOC_LEN_ERR);
	fake_check_rest(fake, 1);
	fake_free(fake);
}

static void rndv_receive_with_bad_lkey_fails(void **state)
{
	static const uint32_t two[] = { PART, 0 };
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	m.to = place_with_sges(fake, 1, TO, MB, two);
	m.to.sge[1].lkey ^= 1;
	message_post(fake, &m, 1);
	fake_run(fake);
	assert_true(fake->side[1].pulled);
	assert_string_equal(fake_log(fake, 1), "lexs|");
	expect(&fake->pair->side[1].recv_cq, 101, IBV_WC_LOC_PROT_ERR);
	assert_string_equal(fake_log(fake, 0), "es|");
	expect(&fake->pair->side[0].send_cq, 1, IBV_WC_REM_OP_ERR);
	fake_free(fake);
}

/* In the middle of the message; the peer keeps waiting. */
static void rndv_send_with_bad_lkey_fails_in_flight(void **state)
{
	static const uint32_t two[] = { PART, 0 };
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	m.from = place_with_sges(fake, 0, FROM, MB, two);
	fake->side[0].room = 1;
	message_post(fake, &m, 1);
	fake_run_until_pushed(fake, 0, 1);
	((struct uroce_send_wqe *)uroce_ring_front(&fake->pair->side[0].qp->sq))
		->sge[1]
		.lkey ^= 1;
	fake_run(fake);
	assert_string_equal(fake_log(fake, 0), "es|");
	expect(&fake->pair->side[0].send_cq, 1, IBV_WC_LOC_PROT_ERR);
	assert_string_equal(fake_log(fake, 1), "l");
	fake_free(fake);
}

static void remove_memory(struct fake *fake, unsigned int side)
{
	struct pair_side *real = &fake->pair->side[side];

	uroce_rndv_withdraw_all(&real->engine);
	assert_int_equal(
		uroce_memory_remove(real->engine.core.memory, real->key), 0);
}

/* The region is removed while a message to it, or from it, is in flight. */
static void rndv_region_removed_in_flight_fails_request(void **state)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		unsigned int side;
		enum ibv_wc_status status; /* of the request */
	} cases[] = {
		{ IBV_WR_SEND, 1, IBV_WC_REM_OP_ERR },
		{ IBV_WR_SEND, 0, IBV_WC_LOC_PROT_ERR },
		{ IBV_WR_RDMA_WRITE, 1, IBV_WC_REM_ACCESS_ERR },
		{ IBV_WR_RDMA_WRITE, 0, IBV_WC_LOC_PROT_ERR },
		{ IBV_WR_RDMA_READ, 1, IBV_WC_REM_ACCESS_ERR },
		{ IBV_WR_RDMA_READ, 0, IBV_WC_LOC_PROT_ERR },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct message m;
		struct fake *fake = begin_message(&m, cases[i].opcode);
		uint32_t pushed = message_bytes_by_sender(fake, &m);
		uint32_t pulled = message_bytes_by_receiver(fake, &m);

		remove_memory(fake, cases[i].side);
		fake_run(fake);
		assert_int_equal(message_bytes_by_sender(fake, &m), pushed);
		/* SEND, WRITE from removed memory whose source was announced */
		assert_in_range(message_bytes_by_receiver(fake, &m), pulled,
				pulled + PART);
		expect(&fake->pair->side[0].send_cq, 1, cases[i].status);
		assert_int_equal(uroce_qp_state(fake->pair->side[0].qp),
				 IBV_QPS_ERR);
		fake_free(fake);
	}
}

/* Where the READ may not write, the peer may not either. */
static void rndv_read_without_local_write_publishes_no_sink(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_READ, MB);
	struct pair_side *side = &fake->pair->side[0];

	uroce_memory_find(side->engine.core.memory, side->key)->access = 0;
	message_post(fake, &m, 1);
	fake_run(fake);
	assert_string_equal(fake_log(fake, 0), "es|");
	expect(&side->send_cq, 1, IBV_WC_LOC_PROT_ERR);
	message_check_not_rndv(fake);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/* -- hiding all sinks -- */

static void rndv_withdrawn_sink_is_sent_as_payload(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct message m;
		struct fake *fake = begin_message(&m, opcodes[i]);
		uint32_t pushed = message_bytes_by_sender(fake, &m);
		bool published = message_is_send(&m) ||
				 m.opcode == IBV_WR_RDMA_READ;

		uroce_rndv_withdraw_all(&fake->pair->side[0].engine);
		uroce_rndv_withdraw_all(&fake->pair->side[1].engine);
		for (unsigned int n = 0; n < 2; n++)
			assert_true(list_empty(
				&fake->pair->side[n].engine.publishing));
		if (published)
			assert_string_equal(
				fake_log(fake, message_receiver(&m)),
				message_is_send(&m) ? "lx" : "LX");
		fake_run(fake);
		message_check(fake, &m, 1);
		if (published)
			assert_int_equal(message_bytes_by_sender(fake, &m),
					 pushed);
		/* not attempted */
		assert_int_equal(fake->side[message_sender(&m)].nr_refused, 0);
		/* the next sink is published again */
		message_transfer(fake, &m, 2);
		assert_true(message_bytes_by_sender(fake, &m) > pushed);
		fake_free(fake);
	}
}

static bool publishes_sink(const struct fake *fake, enum uroce_sink_kind kind)
{
	return fake->side[0].sink[kind].bytes;
}

/* A message and a READ response land at side 0 at the same time. */
static void publish_both(struct fake *fake, const struct message *read,
			 const struct message *send)
{
	fake->side[1].unwilling = 1;
	message_post(fake, send, 2);
	while (fake->side[1].nr_packets + fake->side[1].room < LONG / MTU)
		assert_true(fake_step(fake));
	assert_true(publishes_sink(fake, UROCE_SINK_RECEIVE));
	message_post(fake, read, 1);
	while (!publishes_sink(fake, UROCE_SINK_READ))
		assert_true(fake_step(fake));
}

/* Both are still in progress, or one has ended. */
static void rndv_withdraw_all_withdraws_each_sink(void **state)
{
	static const struct {
		uint32_t read, send; /* bytes */
		bool ends;	     /* one has ended */
		enum uroce_sink_kind kind;
	} cases[] = {
		{ MB, MB, false, UROCE_SINK_READ },
		{ LONG, MB, true, UROCE_SINK_READ },
		{ MB, LONG, true, UROCE_SINK_RECEIVE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake *fake = fake_new();
		struct uroce_engine *engine = &fake->pair->side[0].engine;
		struct message read =
			message_new(fake, IBV_WR_RDMA_READ, cases[i].read);
		struct message send = message_new_at(fake, 1, IBV_WR_SEND,
						     cases[i].send, MB + 5000);

		publish_both(fake, &read, &send);
		while (cases[i].ends && publishes_sink(fake, cases[i].kind))
			assert_true(fake_step(fake));
		assert_true(publishes_sink(fake, !cases[i].kind));
		assert_false(list_empty(&engine->publishing));
		uroce_rndv_withdraw_all(engine);
		assert_true(list_empty(&engine->publishing));
		assert_false(publishes_sink(fake, UROCE_SINK_READ) ||
			     publishes_sink(fake, UROCE_SINK_RECEIVE));
		fake_run(fake);
		message_expect_completions(fake, &read, 1);
		message_expect_completions(fake, &send, 2);
		message_expect_no_completion(fake);
		fake_take(fake, 0, read.to.sge, 1, 1);
		fake_take(fake, 0, send.to.sge, 1, 2);
		fake_check_rest(fake, 0);
		fake_free(fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rndv_sink_is_withdrawn_before_completion),
		cmocka_unit_test(rndv_error_quiesces_before_completion),
		cmocka_unit_test(rndv_failed_qp_is_flushed_when_peer_is_quiet),
		cmocka_unit_test(rndv_failed_qp_is_flushed_after_2_s),
		cmocka_unit_test(rndv_reset_ends_wait_for_peer),
		cmocka_unit_test(rndv_reset_qp_quiesces_with_peer),
		cmocka_unit_test(rndv_destroyed_qp_quiesces_with_peer),
		cmocka_unit_test(rndv_retry_exceeded_quiesces_with_peer),
		cmocka_unit_test(rndv_lost_channel_quiesces_with_peer),
		cmocka_unit_test(rndv_message_longer_than_receive_is_refused),
		cmocka_unit_test(rndv_without_remote_right_copies_nothing),
		cmocka_unit_test(rndv_empty_receive_publishes_no_sink),
		cmocka_unit_test(rndv_receive_with_bad_lkey_fails),
		cmocka_unit_test(rndv_send_with_bad_lkey_fails_in_flight),
		cmocka_unit_test(rndv_region_removed_in_flight_fails_request),
		cmocka_unit_test(
			rndv_read_without_local_write_publishes_no_sink),
		cmocka_unit_test(rndv_withdrawn_sink_is_sent_as_payload),
		cmocka_unit_test(rndv_withdraw_all_withdraws_each_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
