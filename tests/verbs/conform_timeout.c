// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: a responder that does not respond.
 */
#include "conform.h"

#define PERIOD_10_NS UINT64_C(4194304) /* IBTA: 4.096 us << 10 */

static const struct connect_args timeout_args = { .timeout = 10,
						  .retry_cnt = 2 };

/* Two SENDs: the first ends with RETRY_EXC, the second is flushed. */
static void timeout_require_retry_exc(struct pair pair, struct mem *mem,
				      uint64_t least_ns)
{
	struct work work[2] = { work_send(mem, 0, 100),
				work_send(mem, 0, 100) };
	const uint64_t start = conform_now_ns();

	work[0].wr_id = 1;
	work[1].wr_id = 2;
	post_list(pair.client, work, 2);
	REQUIRE_EQUAL(
		poll_status(pair.client->send_cq, IBV_WC_RETRY_EXC_ERR).wr_id,
		1);
	REQUIRE(conform_now_ns() - start >= least_ns);
	REQUIRE_EQUAL(
		poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR).wr_id,
		2);
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_ERR);
}

static void timeout_killed_peer_not_early(void)
{
	struct pair pair = pair_new(NULL, &timeout_args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	server_kill();
	timeout_require_retry_exc(pair, mem, PERIOD_10_NS);
}

static void timeout_stopped_peer_is_retry_exc(void)
{
	struct pair pair = pair_new(NULL, &timeout_args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	server_stop();
	timeout_require_retry_exc(pair, mem, 3 * PERIOD_10_NS);
	server_continue();
}

static void timeout_peer_in_reset_is_retry_exc(void)
{
	struct pair pair = pair_new(NULL, &timeout_args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_RESET), 0);
	timeout_require_retry_exc(pair, mem, 3 * PERIOD_10_NS);
}

static void timeout_destroyed_peer_is_retry_exc(void)
{
	struct pair pair = pair_new(NULL, &timeout_args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	REQUIRE_EQUAL(qp_destroy(pair.server), 0);
	timeout_require_retry_exc(pair, mem, 3 * PERIOD_10_NS);
}

static void timeout_send_succeeds_after_stop(const struct connect_args *args)
{
	struct pair pair = pair_new(NULL, args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 1000);

	mem_fill(mem, 0, 1000, 3);
	work.wr_id = 4;
	post_recv(pair.server, target, 0, 1000, 5);
	server_stop();
	post(pair.client, &work);
	poll_nothing(pair.client->send_cq, 50);
	server_continue();
	poll_success(pair.client->send_cq, 4);
	REQUIRE_EQUAL(poll_success(pair.server->recv_cq, 5).byte_len, 1000);
	mem_require(target, 0, 1000, 3);
	poll_nothing(pair.server->recv_cq, 1);
}

static void timeout_peer_continues_in_time_succeeds(void)
{
	const struct connect_args args = { .timeout = 16, .retry_cnt = 7 };

	timeout_send_succeeds_after_stop(&args);
}

static void timeout_zero_waits_for_stopped_peer(void)
{
	const struct connect_args args = { .timeout = CONFORM_ZERO,
					   .retry_cnt = CONFORM_ZERO };

	timeout_send_succeeds_after_stop(&args);
}

const struct conform_test conform_timeout[] = {
	{ "timeout.killed_peer_not_early", timeout_killed_peer_not_early,
	  NEED_TWO_PROCESSES },
	{ "timeout.stopped_peer_is_retry_exc",
	  timeout_stopped_peer_is_retry_exc, NEED_STOPPED_RESPONDER },
	{ "timeout.peer_in_reset_is_retry_exc",
	  timeout_peer_in_reset_is_retry_exc, NEED_RC },
	{ "timeout.destroyed_peer_is_retry_exc",
	  timeout_destroyed_peer_is_retry_exc, NEED_RC },
	{ "timeout.peer_continues_in_time_succeeds",
	  timeout_peer_continues_in_time_succeeds, NEED_STOPPED_RESPONDER },
	{ "timeout.zero_waits_for_stopped_peer",
	  timeout_zero_waits_for_stopped_peer, NEED_STOPPED_RESPONDER },
	{},
};
