// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: a responder that does not respond.
 */
#include "conform.h"

#include <string.h>

#define PERIOD_10_NS  UINT64_C(4194304) /* IBTA: 4.096 us << 10 */
#define TIMEOUT_BYTES (4u << 20)
#define TIMEOUT_NR    5 /* requests of TIMEOUT_BYTES */

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
	qp_wait_state(pair.client, IBV_QPS_ERR);
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

/* -- the server is killed during long transfers -- */

struct timeout_rig {
	struct pair pair;
	struct mem *client, *server; /* TIMEOUT_NR parts */
	const struct mem *from;	     /* a part with the data */
};

/*
 * QPs are made last: a kernel driver ends them before the regions. Before the
 * kill all requests must succeed, so the peer has 268 ms to respond: on a busy
 * machine it may not run for 67 ms, a quarter of that.
 */
static struct timeout_rig timeout_rig_new(bool reads)
{
	const struct connect_args args = { .timeout = 14, .retry_cnt = 3 };
	const size_t all = (size_t)TIMEOUT_NR * TIMEOUT_BYTES;
	struct timeout_rig rig = {
		.client = mem_new(CLIENT, reads ? all : TIMEOUT_BYTES,
				  CONFORM_ALL_ACCESS),
		.server = mem_new(SERVER, reads ? TIMEOUT_BYTES : all,
				  CONFORM_ALL_ACCESS),
	};
	struct mem *from = reads ? rig.server : rig.client;

	mem_fill(from, 0, TIMEOUT_BYTES, 3);
	rig.from = from;
	rig.pair = pair_new(NULL, &args);
	return rig;
}

static void timeout_post_parts(struct timeout_rig *rig,
			       enum ibv_wr_opcode opcode)
{
	const bool reads = opcode == IBV_WR_RDMA_READ;
	struct work work[TIMEOUT_NR];

	for (uint64_t i = 0; i < TIMEOUT_NR; i++) {
		size_t offset = (size_t)i * TIMEOUT_BYTES;

		work[i] = work_rdma(opcode, rig->client, reads ? offset : 0,
				    TIMEOUT_BYTES, rig->server,
				    reads ? 0 : offset);
		work[i].wr_id = i;
		if (opcode == IBV_WR_SEND)
			post_recv(rig->pair.server, rig->server, offset,
				  TIMEOUT_BYTES, i);
	}
	post_list(rig->pair.client, work, TIMEOUT_NR);
}

/* A part of a failed request has bytes of the data, or was not written. */
static void timeout_require_part(const struct timeout_rig *rig,
				 const struct mem *to, int part,
				 bool is_complete)
{
	const uint8_t *want = rig->from->view;
	const uint8_t *got = to->view + (size_t)part * TIMEOUT_BYTES;

	conform_context("part %d", part);
	if (is_complete) {
		REQUIRE(!memcmp(got, want, TIMEOUT_BYTES));
		return;
	}
	for (size_t i = 0; i < TIMEOUT_BYTES; i++) {
		if (got[i] && got[i] != want[i])
			REQUIRE_EQUAL(got[i], want[i]);
	}
}

/*
 * Requests before the kill succeed, one ends with RETRY_EXC, the rest is
 * flushed; a request after the kill may be the one that ends with RETRY_EXC.
 */
static void timeout_kill_during(enum ibv_wr_opcode opcode)
{
	const bool reads = opcode == IBV_WR_RDMA_READ;
	struct timeout_rig rig = timeout_rig_new(reads);
	const struct mem *to = reads ? rig.client : rig.server;
	struct cq *cq = rig.pair.client->send_cq;
	struct work last = work_send(rig.client, 0, 100);
	bool failed = false;
	uint64_t killed_ns;

	timeout_post_parts(&rig, opcode);
	poll_success(cq, 0);
	killed_ns = conform_now_ns();
	server_kill();
	last.wr_id = TIMEOUT_NR;
	post(rig.pair.client, &last);
	timeout_require_part(
		&rig, opcode == IBV_WR_RDMA_READ ? rig.client : rig.server, 0,
		true);
	for (int i = 1; i <= TIMEOUT_NR; i++) {
		struct ibv_wc wc = poll_one(cq);

		conform_context("completion %d", i);
		REQUIRE_EQUAL(wc.wr_id, i);
		if (failed) {
			REQUIRE_EQUAL(wc.status, IBV_WC_WR_FLUSH_ERR);
		} else if (wc.status != IBV_WC_SUCCESS) {
			REQUIRE_EQUAL(wc.status, IBV_WC_RETRY_EXC_ERR);
			REQUIRE(conform_now_ns() - killed_ns >=
				4 * PERIOD_10_NS);
			failed = true;
		}
		if (i < TIMEOUT_NR)
			timeout_require_part(&rig, to, i, !failed);
	}
	REQUIRE(failed);
	poll_nothing(cq, 0);
	qp_wait_state(rig.pair.client, IBV_QPS_ERR);
}

static void timeout_kill_during_writes_is_retry_exc(void)
{
	timeout_kill_during(IBV_WR_RDMA_WRITE);
}

static void timeout_kill_during_reads_is_retry_exc(void)
{
	timeout_kill_during(IBV_WR_RDMA_READ);
}

static void timeout_kill_during_sends_is_retry_exc(void)
{
	timeout_kill_during(IBV_WR_SEND);
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
	{ "timeout.kill_during_writes_is_retry_exc",
	  timeout_kill_during_writes_is_retry_exc, NEED_TWO_PROCESSES },
	{ "timeout.kill_during_reads_is_retry_exc",
	  timeout_kill_during_reads_is_retry_exc, NEED_TWO_PROCESSES },
	{ "timeout.kill_during_sends_is_retry_exc",
	  timeout_kill_during_sends_is_retry_exc, NEED_TWO_PROCESSES },
	{},
};
