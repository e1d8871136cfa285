// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: QPs that are reset and used again, and QPs that
 * are connected to the wrong QP.
 */
#include "conform_state.h"

#include <string.h>

#define STATE_ROUNDS 6

static void state_reset(struct pair pair)
{
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RESET), 0);
	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_RESET), 0);
}

/* -- reset -- */

/* A SEND that waited for a receive is gone after both ends were reset. */
static void state_reset_discards_old_traffic(void)
{
	struct state_rig rig = state_rig_new(NULL);

	for (uint32_t i = 0; i < 3; i++) {
		const struct connect_args again = {
			.sq_psn = 0x100000 * (i + 1),
			.rq_psn = 0xffffff - i,
		};

		mem_fill(rig.mem, 0, 30000, 99);
		state_post_send(&rig, 30000, 1);
		state_post_send(&rig, 100, 2);
		poll_nothing(rig.pair.client->send_cq, 2);
		state_reset(rig.pair);
		qp_connect(rig.pair.client, rig.pair.server, &again);
		state_use(&rig, 9000, 100 + 10 * i);
		poll_nothing(rig.pair.client->send_cq, 1);
	}
}

static void state_reset_discards_receives(void)
{
	struct state_rig rig = state_rig_new(NULL);

	for (uint64_t i = 0; i < 5; i++)
		post_recv(rig.pair.server, rig.target, 0, 1000, 70 + i);
	state_reset(rig.pair);
	poll_nothing(rig.pair.server->recv_cq, 1);
	qp_connect(rig.pair.client, rig.pair.server, NULL);
	state_post_send(&rig, 100, 1);
	poll_nothing(rig.pair.client->send_cq, 2);
	post_recv(rig.pair.server, rig.target, 0, 1000, 80);
	poll_success(rig.pair.server->recv_cq, 80);
	poll_success(rig.pair.client->send_cq, 1);
}

/* Completions from before the reset are not polled. */
static void state_reset_discards_completions(void)
{
	struct cq *cq = cq_new(CLIENT, 64, NULL);
	const struct qp_args args = { .send_cq = cq, .recv_cq = cq };
	struct state_rig rig = { .pair = pair_new(&args, NULL) };
	struct pair other = pair_new(&args, NULL);
	struct work work;

	rig.mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS);
	for (uint64_t i = 0; i < 8; i++) {
		struct pair pair = i & 1 ? other : rig.pair;

		post_recv(pair.client, rig.mem, 0, 100, 200 + i);
		work = work_send(rig.target, 0, 100);
		post(pair.server, &work);
		poll_success(pair.server->send_cq, 0);
	}
	state_reset(rig.pair);
	for (uint64_t i = 1; i < 8; i += 2)
		REQUIRE_EQUAL(poll_success(cq, 200 + i).qp_num,
			      other.client->num);
	poll_nothing(cq, 0);
	qp_connect(rig.pair.client, rig.pair.server, NULL);
	state_use(&rig, 100, 50);
}

/* The whole queue can be used again, also after requests were flushed. */
static void state_reset_frees_queues(void)
{
	const struct qp_args args = { .max_send_wr = 16, .max_recv_wr = 16 };
	struct state_rig rig = { .pair = pair_new(&args, NULL) };

	rig.mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS);
	for (uint32_t round = 0; round < 3; round++) {
		const struct connect_args again = {
			.sq_psn = 0x10000 * (round + 1),
		};

		for (uint64_t i = 0; i < 16; i++) {
			state_post_send(&rig, 10, i);
			post_recv(rig.pair.client, rig.mem, 0, 10, i);
		}
		if (round == 1) {
			REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_ERR),
				      0);
			for (int i = 0; i < 32; i++)
				poll_status(rig.pair.client->send_cq,
					    IBV_WC_WR_FLUSH_ERR);
		}
		state_reset(rig.pair);
		qp_connect(rig.pair.client, rig.pair.server, &again);
	}
	state_use(&rig, 4000, 10);
}

/* -- use again -- */

/* Both ends are reset and connected again, with PSNs around the wrap. */
static void state_reuse_with_new_psns_works(void)
{
	static const uint32_t psns[STATE_ROUNDS][2] = {
		{ 0, 0 },
		{ 0xffffff, 0xfffffe },
		{ 0xfffffd, 0 },
		{ 0x7fffff, 0x800000 },
		{ 0x800000, 0xffffff },
		{ 1, 0xfffff0 },
	};
	struct pair pair = { qp_new(CLIENT, NULL), qp_new(SERVER, NULL) };
	struct state_rig rig = { .pair = pair };

	rig.mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS);
	for (uint32_t i = 0; i < STATE_ROUNDS; i++) {
		const struct connect_args args = { .sq_psn = psns[i][0],
						   .rq_psn = psns[i][1] };

		conform_context("PSNs %#x, %#x", psns[i][0], psns[i][1]);
		qp_connect(pair.client, pair.server, &args);
		REQUIRE_EQUAL(qp_query(pair.client).sq_psn, psns[i][0]);
		REQUIRE_EQUAL(qp_query(pair.server).sq_psn, psns[i][1]);
		for (uint32_t k = 0; k < 5; k++)
			state_use(&rig, 1 + k * conform_mtu(),
				  1000 * i + 100 * k);
		state_reset(pair);
	}
}

/* After a crossing of the wrap, the next PSN is the one of 24 bits. */
static void state_query_of_psn_wraps(void)
{
	const struct connect_args args = { .sq_psn = 0xfffffe };
	struct state_rig rig = state_rig_new(&args);

	for (uint64_t i = 0; i < 3; i++) {
		post_recv(rig.pair.server, rig.target, 0, 100, i);
		state_post_send(&rig, 100, i);
		poll_success(rig.pair.server->recv_cq, i);
		poll_success(rig.pair.client->send_cq, i);
	}
	REQUIRE_EQUAL(qp_query(rig.pair.client).sq_psn, 1);
	REQUIRE_EQUAL(qp_query(rig.pair.server).rq_psn, 1);
}

/* After an error at both ends, with requests flushed. */
static void state_reuse_after_error_works(void)
{
	struct state_rig rig = state_rig_new(NULL);

	for (uint32_t i = 0; i < 3; i++) {
		const struct connect_args args = { .sq_psn = 1000 * (i + 1) };
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig.mem, 0, 10,
					     rig.target, 0);

		work.rkey ^= 0x6600;
		post(rig.pair.client, &work);
		poll_status(rig.pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
		qp_wait_state(rig.pair.server, IBV_QPS_ERR);
		state_reset(rig.pair);
		qp_connect(rig.pair.client, rig.pair.server, &args);
		state_use(&rig, 10000, 100 * i);
	}
}

/* QPs come and go; a new one, whatever its number, gets nothing old. */
static void state_new_qp_gets_no_old_traffic(void)
{
	struct mem *mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS);

	for (uint32_t i = 0; i < 20; i++) {
		struct state_rig rig = { .mem = mem, .target = target };

		rig.pair = pair_new(NULL, NULL);
		state_use(&rig, 100 + i, 100 * i);
		memset(mem->view, 0xbb, 5000);
		state_post_send(&rig, 5000, 7); /* waits for a receive */
		if (i & 1)
			REQUIRE_EQUAL(qp_destroy(rig.pair.server), 0);
		REQUIRE_EQUAL(qp_destroy(rig.pair.client), 0);
		if (!(i & 1))
			REQUIRE_EQUAL(qp_destroy(rig.pair.server), 0);
	}
}

/* -- connected to the wrong QP -- */

static void state_require_no_response(struct qp *client, struct qp *dest)
{
	const struct connect_args args = { .timeout = 10, .retry_cnt = 1 };
	struct mem *mem = mem_new(CLIENT, 64, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 10);

	REQUIRE_EQUAL(qp_to_init(client, &args), 0);
	REQUIRE_EQUAL(qp_to_rtr(client, dest, &args), 0);
	REQUIRE_EQUAL(qp_to_rts(client, &args), 0);
	post(client, &work);
	poll_status(client->send_cq, IBV_WC_RETRY_EXC_ERR);
	qp_wait_state(client, IBV_QPS_ERR);
}

static void state_unknown_qpn_does_not_respond(void)
{
	struct qp *server = qp_new(SERVER, NULL);
	struct qp unknown = *server;

	REQUIRE_EQUAL(qp_destroy(server), 0);
	state_require_no_response(qp_new(CLIENT, NULL), &unknown);
	unknown.num = 0xfffff0;
	state_require_no_response(qp_new(CLIENT, NULL), &unknown);
}

static void state_qp_of_other_type_does_not_respond(void)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_UC, IBV_QPT_UD };
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	for (int i = 0; i < 2; i++) {
		const struct qp_args args = { .type = types[i] };
		struct pair pair = pair_new(&args, NULL);

		post_recv(pair.server, target, 0, 1000, 1);
		state_require_no_response(qp_new(CLIENT, NULL), pair.server);
		poll_nothing(pair.server->recv_cq, 0);
		REQUIRE_EQUAL(qp_query(pair.server).qp_state, IBV_QPS_RTS);
		mem_require_value(target, 0, 4096, 0);
	}
}

/* The responder expects a PSN far behind that of the request. */
static void state_wrong_psn_does_not_execute(void)
{
	const struct connect_args client_args = { .timeout = 10,
						  .retry_cnt = 1,
						  .sq_psn = 0x400000 };
	struct qp *client = qp_new(CLIENT, NULL),
		  *server = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 100);

	memset(mem->view, 0x77, 100);
	REQUIRE_EQUAL(qp_to_init(client, NULL), 0);
	REQUIRE_EQUAL(qp_to_init(server, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(client, server, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(server, client, NULL), 0);
	REQUIRE_EQUAL(qp_to_rts(client, &client_args), 0);
	REQUIRE_EQUAL(qp_to_rts(server, NULL), 0);
	post_recv(server, target, 0, 1000, 1);
	post(client, &work);
	poll_status(client->send_cq, IBV_WC_RETRY_EXC_ERR);
	poll_nothing(server->recv_cq, 0);
	mem_require_value(target, 0, 4096, 0);
	REQUIRE_EQUAL(qp_query(server).qp_state, IBV_QPS_RTS);
}

const struct conform_test conform_state_reset[] = {
	{ "state.reset_discards_old_traffic", state_reset_discards_old_traffic,
	  NEED_IMM },
	{ "state.reset_discards_receives", state_reset_discards_receives,
	  NEED_IMM },
	{ "state.reset_discards_completions", state_reset_discards_completions,
	  NEED_IMM },
	{ "state.reset_frees_queues", state_reset_frees_queues, NEED_IMM },
	{ "state.reuse_with_new_psns_works", state_reuse_with_new_psns_works,
	  NEED_IMM },
	{ "state.query_of_psn_wraps", state_query_of_psn_wraps, NEED_IMM },
	{ "state.reuse_after_error_works", state_reuse_after_error_works,
	  NEED_IMM },
	{ "state.new_qp_gets_no_old_traffic", state_new_qp_gets_no_old_traffic,
	  NEED_IMM },
	{ "state.unknown_qpn_does_not_respond",
	  state_unknown_qpn_does_not_respond, NEED_IMM },
	{ "state.qp_of_other_type_does_not_respond",
	  state_qp_of_other_type_does_not_respond, NEED_UC | NEED_UD },
	{ "state.wrong_psn_does_not_execute", state_wrong_psn_does_not_execute,
	  NEED_IMM },
	{},
};
