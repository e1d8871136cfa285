// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: work requests in each state of a QP, and SQD.
 */
#include "conform_state.h"

#include <errno.h>
#include <string.h>

struct state_rig state_rig_new(const struct connect_args *args)
{
	struct state_rig rig = { .pair = pair_new(NULL, args) };

	rig.mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS);
	return rig;
}

void state_post_send(struct state_rig *rig, uint32_t length, uint64_t wr_id)
{
	struct work work = work_send(rig->mem, 0, length);

	work.wr_id = wr_id;
	post(rig->pair.client, &work);
}

void state_use(struct state_rig *rig, uint32_t length, uint32_t seed)
{
	struct pair pair = rig->pair;
	struct work work = work_send(rig->mem, 0, length);

	memset(rig->mem->view, 0, STATE_MEM);
	memset(rig->target->view, 0, STATE_MEM);
	mem_fill(rig->mem, 0, length, seed);
	post_recv(pair.server, rig->target, 0, length, seed);
	work.wr_id = seed + 1;
	post(pair.client, &work);
	REQUIRE_EQUAL(poll_success(pair.server->recv_cq, seed).byte_len,
		      length);
	poll_success(pair.client->send_cq, seed + 1);
	mem_require(rig->target, 0, length, seed);

	post_recv(pair.client, rig->mem, 20000, length, seed + 2);
	work = work_send(rig->target, 0, length);
	work.wr_id = seed + 3;
	post(pair.server, &work);
	REQUIRE_EQUAL(poll_success(pair.client->recv_cq, seed + 2).byte_len,
		      length);
	poll_success(pair.server->send_cq, seed + 3);
	mem_require(rig->mem, 20000, length, seed);

	work = work_rdma(IBV_WR_RDMA_WRITE, rig->mem, 0, length, rig->target,
			 20000);
	work.wr_id = seed + 4;
	post(pair.client, &work);
	poll_success(pair.client->send_cq, seed + 4);
	mem_require(rig->target, 20000, length, seed);
	work = work_rdma(IBV_WR_RDMA_READ, rig->mem, 40000, length, rig->target,
			 20000);
	work.wr_id = seed + 5;
	post(pair.client, &work);
	poll_success(pair.client->send_cq, seed + 5);
	mem_require(rig->mem, 40000, length, seed);
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
}

/* -- posts in each state -- */

static void state_send_before_rts_is_refused(void)
{
	struct qp *qp = qp_new(CLIENT, NULL), *peer = qp_new(SERVER, NULL);
	struct state_rig rig = {
		.pair = { qp, peer },
		.mem = mem_new(CLIENT, STATE_MEM, CONFORM_ALL_ACCESS),
		.target = mem_new(SERVER, STATE_MEM, CONFORM_ALL_ACCESS),
	};
	struct work work = work_send(rig.mem, 0, 10);

	REQUIRE_EQUAL(post_try(qp, &work, 1, NULL), EINVAL);
	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_init(peer, NULL), 0);
	REQUIRE_EQUAL(post_try(qp, &work, 1, NULL), EINVAL);
	REQUIRE_EQUAL(qp_to_rtr(qp, peer, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(peer, qp, NULL), 0);
	REQUIRE_EQUAL(post_try(qp, &work, 1, NULL), EINVAL);
	REQUIRE_EQUAL(qp_to_rts(qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_rts(peer, NULL), 0);
	poll_nothing(qp->send_cq, 0);
	/* Nothing of the refused requests is left. */
	state_use(&rig, 100, 1000);
}

static void state_receive_in_reset_is_refused(void)
{
	struct qp *qp = qp_new(CLIENT, NULL);
	struct mem *mem = mem_new(CLIENT, 64, CONFORM_ALL_ACCESS);
	struct ibv_sge list = sge(mem, 0, 64);

	REQUIRE_EQUAL(post_recv_try(qp, 1, &list, 1), EINVAL);
	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(post_recv_try(qp, 1, &list, 1), 0);
	REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_ERR), 0);
	REQUIRE_EQUAL(poll_status(qp->recv_cq, IBV_WC_WR_FLUSH_ERR).wr_id, 1);
	poll_nothing(qp->recv_cq, 0);
}

/* Receives that were posted in INIT and in RTR are used in order. */
static void state_receives_before_rts_are_used(void)
{
	struct qp *qp = qp_new(CLIENT, NULL), *peer = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_init(peer, NULL), 0);
	post_recv(peer, target, 0, 100, 1);
	REQUIRE_EQUAL(qp_to_rtr(qp, peer, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(peer, qp, NULL), 0);
	post_recv(peer, target, 200, 100, 2);
	REQUIRE_EQUAL(qp_to_rts(qp, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct work work = work_send(mem, 0, 100);

		mem_fill(mem, 0, 100, i);
		if (i == 2) {
			REQUIRE_EQUAL(qp_to_rts(peer, NULL), 0);
			post_recv(peer, target, 400, 100, 3);
		}
		post(qp, &work);
		poll_success(peer->recv_cq, i + 1);
		poll_success(qp->send_cq, 0);
		mem_require(target, (size_t)i * 200, 100, i);
	}
}

/* In RTR, the responder executes WRITEs and READs, too. */
static void state_rtr_executes_requests(void)
{
	struct qp *qp = qp_new(CLIENT, NULL), *peer = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work[2] = {
		work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 500, target, 100),
		work_rdma(IBV_WR_RDMA_READ, mem, 1000, 500, target, 100),
	};

	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_init(peer, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(qp, peer, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(peer, qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_rts(qp, NULL), 0);
	mem_fill(mem, 0, 500, 1);
	work[1].wr_id = 1;
	post_list(qp, work, 2);
	poll_success(qp->send_cq, 0);
	poll_success(qp->send_cq, 1);
	mem_require(target, 100, 500, 1);
	mem_require(mem, 1000, 500, 1);
	REQUIRE_EQUAL(qp_query(peer).qp_state, IBV_QPS_RTR);
}

/* A QP in INIT ignores requests; the requester retransmits until RTR. */
static void state_init_ignores_requests(void)
{
	const struct connect_args args = { .timeout = 12, .retry_cnt = 7 };
	struct qp *qp = qp_new(CLIENT, NULL), *peer = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 50, target, 10);

	REQUIRE_EQUAL(qp_to_init(qp, &args), 0);
	REQUIRE_EQUAL(qp_to_init(peer, &args), 0);
	REQUIRE_EQUAL(qp_to_rtr(qp, peer, &args), 0);
	REQUIRE_EQUAL(qp_to_rts(qp, &args), 0);
	mem_fill(mem, 0, 50, 1);
	post(qp, &work);
	poll_nothing(qp->send_cq, 2);
	mem_require_value(target, 0, 4096, 0);
	REQUIRE_EQUAL(qp_to_rtr(peer, qp, &args), 0);
	poll_success(qp->send_cq, 0);
	mem_require(target, 10, 50, 1);
}

/* -- SQD -- */

static void state_to_sqd_with_event(struct qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD,
				    .en_sqd_async_notify = 1 };

	REQUIRE_EQUAL(
		qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY),
		0);
}

static void state_sqd_of_idle_qp_is_drained(void)
{
	struct state_rig rig = state_rig_new(NULL);

	for (int i = 0; i < 2; i++) {
		state_to_sqd_with_event(rig.pair.client);
		event_require(CLIENT, IBV_EVENT_SQ_DRAINED,
			      rig.pair.client->id);
		REQUIRE_EQUAL(qp_query(rig.pair.client).qp_state, IBV_QPS_SQD);
		REQUIRE_EQUAL(qp_query(rig.pair.client).sq_draining, 0);
		REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_RTS), 0);
		state_use(&rig, 1000, 500 + 100 * (uint32_t)i);
	}
}

/* A device that gives it may do so from another thread. */
static void state_sqd_without_notify_gives_no_event(void)
{
	struct state_rig rig = state_rig_new(NULL);
	struct conform_event event;

	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_SQD), 0);
	REQUIRE(!event_wait(CLIENT, &event, 100));
}

/*
 * A SEND whose receive is missing has begun: it is drained. Requests that are
 * posted in SQD wait for RTS.
 */
static void state_sqd_drains_and_resumes(void)
{
	struct state_rig rig = state_rig_new(NULL);
	struct pair pair = rig.pair;
	struct conform_event event;

	state_post_send(&rig, 100, 0);
	poll_nothing(pair.client->send_cq, 2); /* it has begun */
	state_to_sqd_with_event(pair.client);
	for (uint64_t i = 1; i < 4; i++)
		state_post_send(&rig, 100, i);
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_SQD);
	REQUIRE_EQUAL(qp_query(pair.client).sq_draining, 1);
	REQUIRE(!event_wait(CLIENT, &event, 2));

	for (uint64_t i = 0; i < 4; i++)
		post_recv(pair.server, rig.target, 0, 100, 10 + i);
	event_require(CLIENT, IBV_EVENT_SQ_DRAINED, pair.client->id);
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_SQD);
	REQUIRE_EQUAL(qp_query(pair.client).sq_draining, 0);
	poll_success(pair.client->send_cq, 0);
	poll_success(pair.server->recv_cq, 10);
	poll_nothing(pair.server->recv_cq, 2);
	poll_nothing(pair.client->send_cq, 0);

	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RTS), 0);
	for (uint64_t i = 1; i < 4; i++) {
		poll_success(pair.client->send_cq, i);
		poll_success(pair.server->recv_cq, 10 + i);
	}
	REQUIRE(!event_wait(CLIENT, &event, 0));
	state_use(&rig, 5000, 600);
}

/* SQD stops the send queue only. */
static void state_sqd_still_receives(void)
{
	struct state_rig rig = state_rig_new(NULL);
	struct pair pair = rig.pair;
	struct work work;

	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_SQD), 0);
	post_recv(pair.client, rig.mem, 100, 200, 1);
	mem_fill(rig.target, 0, 200, 9);
	work = work_send(rig.target, 0, 200);
	post(pair.server, &work);
	poll_success(pair.client->recv_cq, 1);
	poll_success(pair.server->send_cq, 0);
	mem_require(rig.mem, 100, 200, 9);
	work = work_rdma(IBV_WR_RDMA_WRITE, rig.target, 0, 200, rig.mem, 1000);
	post(pair.server, &work);
	poll_success(pair.server->send_cq, 0);
	mem_require(rig.mem, 1000, 200, 9);
}

static void state_sqd_to_err_flushes(void)
{
	struct state_rig rig = state_rig_new(NULL);
	struct pair pair = rig.pair;

	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_SQD), 0);
	state_post_send(&rig, 100, 1);
	state_post_send(&rig, 100, 2);
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_ERR), 0);
	for (uint64_t i = 1; i < 3; i++)
		REQUIRE_EQUAL(
			poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR)
				.wr_id,
			i);
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
}

/* -- SQE -- */

static void state_sqe_flushes_then_resumes(void)
{
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct pair pair = pair_new(&args, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work[3];

	for (int i = 0; i < 3; i++) {
		work[i] = work_send(mem, 0, 100);
		work[i].ah = ah_new(CLIENT);
		work[i].remote_qpn = pair.server->num;
		work[i].remote_qkey = CONFORM_QKEY;
		work[i].wr_id = (uint64_t)i;
	}
	post_recv(pair.client, mem, 200, 200, 50);
	post_recv(pair.server, target, 0, 200, 60);
	work[0].sge[0].lkey ^= 0x1100;
	post_list(pair.client, work, 3);
	REQUIRE_EQUAL(
		poll_status(pair.client->send_cq, IBV_WC_LOC_PROT_ERR).wr_id,
		0);
	for (uint64_t i = 1; i < 3; i++)
		REQUIRE_EQUAL(
			poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR)
				.wr_id,
			i);
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_SQE);
	/* The receive queue goes on. */
	work[0] = work_send(target, 200, 20);
	work[0].ah = ah_new(SERVER);
	work[0].remote_qpn = pair.client->num;
	work[0].remote_qkey = CONFORM_QKEY;
	post(pair.server, &work[0]);
	poll_success(pair.server->send_cq, 0);
	REQUIRE_EQUAL(poll_success(pair.client->recv_cq, 50).byte_len, 60);
	poll_nothing(pair.server->recv_cq, 0);
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RTS), 0);
	mem_fill(mem, 0, 100, 3);
	post(pair.client, &work[1]);
	poll_success(pair.client->send_cq, 1);
	poll_success(pair.server->recv_cq, 60);
	mem_require(target, 40, 100, 3);
}

const struct conform_test conform_state_posts[] = {
	{ "state.send_before_rts_is_refused", state_send_before_rts_is_refused,
	  NEED_IMM },
	{ "state.receive_in_reset_is_refused",
	  state_receive_in_reset_is_refused, NEED_IMM },
	{ "state.receives_before_rts_are_used",
	  state_receives_before_rts_are_used, NEED_IMM },
	{ "state.rtr_executes_requests", state_rtr_executes_requests,
	  NEED_IMM },
	{ "state.init_ignores_requests", state_init_ignores_requests,
	  NEED_IMM },
	{ "state.sqd_of_idle_qp_is_drained", state_sqd_of_idle_qp_is_drained,
	  NEED_IMM },
	{ "state.sqd_without_notify_gives_no_event",
	  state_sqd_without_notify_gives_no_event, NEED_IMM },
	{ "state.sqd_drains_and_resumes", state_sqd_drains_and_resumes,
	  NEED_IMM },
	{ "state.sqd_still_receives", state_sqd_still_receives, NEED_IMM },
	{ "state.sqd_to_err_flushes", state_sqd_to_err_flushes, NEED_IMM },
	{ "state.sqe_flushes_then_resumes", state_sqe_flushes_then_resumes,
	  NEED_UD },
	{},
};
