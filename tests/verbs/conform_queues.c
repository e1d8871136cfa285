// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: several groups of queues in a process. A device
 * may process queues in parallel, but a QP connects the queues that it uses,
 * and memory and windows belong to all of them.
 */
#include "conform.h"

#define QUEUES_NR 6

/* Pairs whose QPs have CQs of their own, and a region at each end. */
struct queues {
	struct pair pair[QUEUES_NR];
	struct mem *mem, *target; /* of the client, of the server */
};

static struct queues queues_new(void)
{
	struct queues queues;

	for (int i = 0; i < QUEUES_NR; i++)
		queues.pair[i] = pair_new(NULL, NULL);
	queues.mem = mem_new(CLIENT, 1 << 16, CONFORM_ALL_ACCESS);
	queues.target = mem_new(SERVER, 1 << 16, CONFORM_ALL_ACCESS);
	mem_fill(queues.mem, 0, 1 << 16, 7);
	return queues;
}

/* Sends a message, and returns its receive completion. */
static struct ibv_wc queues_send(struct pair pair, const struct mem *mem,
				 const struct mem *target, uint64_t wr_id)
{
	struct work work = work_send(mem, 0, 1000);
	struct ibv_wc wc;

	work.wr_id = wr_id;
	post_recv(pair.server, target, 0, 1000, 1000 + wr_id);
	post(pair.client, &work);
	wc = poll_success(pair.server->recv_cq, 1000 + wr_id);
	poll_success(pair.client->send_cq, wr_id);
	REQUIRE_EQUAL(wc.qp_num, pair.server->num);
	return wc;
}

static void queues_completions_are_in_own_cq(void)
{
	struct queues queues = queues_new();

	for (uint64_t id = 0; id < 5; id++) {
		for (int i = 0; i < QUEUES_NR; i++) {
			post_recv(queues.pair[i].server, queues.target, 0, 1000,
				  100 * (uint64_t)i + id);
		}
		for (int i = QUEUES_NR; i-- > 0;) {
			struct work work = work_send(queues.mem, 0, 1000);

			work.wr_id = 100 * (uint64_t)i + id;
			post(queues.pair[i].client, &work);
		}
		for (int i = 0; i < QUEUES_NR; i++) {
			poll_success(queues.pair[i].client->send_cq,
				     100 * (uint64_t)i + id);
			poll_success(queues.pair[i].server->recv_cq,
				     100 * (uint64_t)i + id);
		}
	}
	for (int i = 0; i < QUEUES_NR; i++) {
		poll_nothing(queues.pair[i].client->send_cq, 0);
		poll_nothing(queues.pair[i].server->recv_cq, 0);
	}
}

/* A pair whose server receives into the CQ of one pair and sends from another.
 */
static struct pair queues_connect_cqs(struct cq *send_cq, struct cq *recv_cq)
{
	const struct qp_args args = { .send_cq = send_cq, .recv_cq = recv_cq };
	struct pair pair = { qp_new(CLIENT, NULL), qp_new(SERVER, &args) };

	qp_connect(pair.client, pair.server, NULL);
	return pair;
}

static void queues_qp_connects_cqs_of_other_qps(void)
{
	struct queues queues = queues_new();
	struct pair a = queues.pair[0], b = queues.pair[1];
	struct pair both =
		queues_connect_cqs(a.server->send_cq, b.server->recv_cq);
	struct pair back = { both.server, both.client };

	for (uint64_t id = 0; id < 10; id++) {
		queues_send(a, queues.mem, queues.target, 10 * id);
		queues_send(both, queues.mem, queues.target, 10 * id + 1);
		queues_send(b, queues.mem, queues.target, 10 * id + 2);
		queues_send(back, queues.target, queues.mem, 10 * id + 3);
	}
	poll_nothing(a.server->send_cq, 0);
	poll_nothing(b.server->recv_cq, 0);
}

static void queues_connected_cq_raises_events(void)
{
	struct channel *channel = channel_new(SERVER);
	struct cq *cq = cq_new(SERVER, 64, channel);
	struct queues queues = queues_new();
	struct pair pair[3];

	/* the second and the third QP bring the CQs of two others together */
	pair[0] = queues_connect_cqs(cq, cq);
	pair[1] = queues_connect_cqs(queues.pair[0].server->send_cq, cq);
	pair[2] = queues_connect_cqs(queues.pair[1].server->send_cq, cq);
	for (uint64_t id = 0; id < 9; id++) {
		struct pair one = pair[id % 3];
		struct work work = work_send(queues.mem, 0, 1000);

		work.wr_id = id;
		REQUIRE_EQUAL(cq_req_notify(cq, false), 0);
		post_recv(one.server, queues.target, 0, 1000, 100 + id);
		REQUIRE(!cq_event_wait(channel, cq, 0));
		post(one.client, &work);
		REQUIRE(cq_event_wait(channel, cq, CONFORM_WAIT_MS));
		poll_success(cq, 100 + id);
		poll_success(one.client->send_cq, id);
	}
	REQUIRE(!cq_event_wait(channel, cq, 0));
}

static void queues_cq_armed_before_first_qp_raises_event(void)
{
	struct channel *channel = channel_new(SERVER);
	struct queues queues = queues_new();
	struct cq *cq = cq_new(SERVER, 64, channel);
	struct work work = work_send(queues.mem, 0, 1000);
	struct pair pair;

	REQUIRE_EQUAL(cq_req_notify(cq, false), 0);
	poll_nothing(cq, 0);
	pair = queues_connect_cqs(cq, cq);
	post_recv(pair.server, queues.target, 0, 1000, 1);
	post(pair.client, &work);
	REQUIRE(cq_event_wait(channel, cq, CONFORM_WAIT_MS));
	poll_success(cq, 1);
	poll_status(pair.client->send_cq, IBV_WC_SUCCESS);
}

static void queues_srq_serves_qps_with_own_cqs(void)
{
	struct srq *srq = srq_new(SERVER, 64, 1);
	const struct qp_args args = { .srq = srq };
	struct queues queues = queues_new();
	struct qp_args args_with_cq = args;
	struct pair pair[3];

	/* the CQ of the third QP belongs to another QP as well */
	args_with_cq.recv_cq = queues.pair[2].server->recv_cq;
	for (int i = 0; i < 3; i++) {
		pair[i].client = qp_new(CLIENT, NULL);
		pair[i].server = qp_new(SERVER, i < 2 ? &args : &args_with_cq);
		qp_connect(pair[i].client, pair[i].server, NULL);
	}
	for (uint64_t id = 0; id < 12; id++)
		queues_send(pair[id % 3], queues.mem, queues.target, id);
	queues_send(queues.pair[2], queues.mem, queues.target, 50);
	poll_nothing(queues.pair[2].server->recv_cq, 0);
}

static void queues_region_is_valid_for_all_qps_until_dereg(void)
{
	struct queues queues = queues_new();

	for (int i = 0; i < QUEUES_NR; i++) {
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, queues.mem, 0,
					     5000, queues.target,
					     (size_t)i * 8192);

		post(queues.pair[i].client, &work);
		poll_status(queues.pair[i].client->send_cq, IBV_WC_SUCCESS);
		mem_require(queues.target, (size_t)i * 8192, 5000, 7);
	}
	REQUIRE_EQUAL(mem_dereg(queues.target), 0);
	for (int i = 0; i < QUEUES_NR; i++) {
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, queues.mem, 0,
					     8, queues.target, 0);

		post(queues.pair[i].client, &work);
		poll_status(queues.pair[i].client->send_cq,
			    IBV_WC_REM_ACCESS_ERR);
	}
}

static void queues_window_bound_by_one_qp_is_valid_for_others(void)
{
	const unsigned int access = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ;
	struct queues queues = queues_new();
	struct mw *mw = mw_new(SERVER, IBV_MW_TYPE_1);

	for (int i = 0; i < QUEUES_NR; i++) {
		struct pair binder = queues.pair[i];
		struct pair user = queues.pair[(i + 1) % QUEUES_NR];
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, queues.mem, 0,
					     100, queues.target,
					     (size_t)i * 1000);

		REQUIRE_EQUAL(mw_bind_1(binder.server, mw, queues.target,
					(size_t)i * 1000, 100, access,
					(uint64_t)i),
			      0);
		poll_success(binder.server->send_cq, (uint64_t)i);
		work.rkey = mw->rkey;
		post(user.client, &work);
		poll_status(user.client->send_cq, IBV_WC_SUCCESS);
		mem_require(queues.target, (size_t)i * 1000, 100, 7);
	}
}

const struct conform_test conform_queues[] = {
	{ "queues.completions_are_in_own_cq", queues_completions_are_in_own_cq,
	  NEED_RC },
	{ "queues.qp_connects_cqs_of_other_qps",
	  queues_qp_connects_cqs_of_other_qps, NEED_RC },
	{ "queues.connected_cq_raises_events",
	  queues_connected_cq_raises_events, NEED_RC },
	{ "queues.cq_armed_before_first_qp_raises_event",
	  queues_cq_armed_before_first_qp_raises_event, NEED_RC },
	{ "queues.srq_serves_qps_with_own_cqs",
	  queues_srq_serves_qps_with_own_cqs, NEED_SRQ },
	{ "queues.region_is_valid_for_all_qps_until_dereg",
	  queues_region_is_valid_for_all_qps_until_dereg, NEED_RC },
	{ "queues.window_bound_by_one_qp_is_valid_for_others",
	  queues_window_bound_by_one_qp_is_valid_for_others, NEED_MW_1 },
	{},
};
