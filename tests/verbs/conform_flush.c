// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: which work requests a QP in error flushes, and in
 * which order.
 */
#include "conform.h"

#include <string.h>

#define FLUSH_LENGTH 4096
#define FLUSH_NR     10

struct flush_rig {
	struct pair pair;
	struct mem *client, *server;
};

static struct flush_rig flush_rig_new(const struct connect_args *args)
{
	struct flush_rig rig = { .pair = pair_new(NULL, args) };

	rig.client = mem_new(CLIENT, FLUSH_LENGTH, CONFORM_ALL_ACCESS);
	rig.server = mem_new(SERVER, FLUSH_LENGTH, CONFORM_ALL_ACCESS);
	return rig;
}

/* WRITEs of 8 bytes to consecutive places, with the wr_ids 1 to @nr. */
static void flush_fill_writes(const struct flush_rig *rig, struct work *work,
			      int nr)
{
	for (int i = 0; i < nr; i++) {
		work[i] = work_rdma(IBV_WR_RDMA_WRITE, rig->client, 0, 8,
				    rig->server, 8 * (size_t)i);
		work[i].wr_id = 1 + (uint64_t)i;
	}
}

/* The next completions of @cq are flushed requests @from to @until. */
static void flush_require(struct cq *cq, const struct qp *qp, uint64_t from,
			  uint64_t until)
{
	for (uint64_t id = from; id <= until; id++) {
		struct ibv_wc wc = poll_status(cq, IBV_WC_WR_FLUSH_ERR);

		REQUIRE_EQUAL(wc.wr_id, id);
		REQUIRE_EQUAL(wc.qp_num, qp->num);
	}
	poll_nothing(cq, 0);
}

/* Request @bad of ten fails; older ones succeed, younger ones are flushed. */
static void flush_after_failure(int bad, bool unsignaled)
{
	struct flush_rig rig = flush_rig_new(NULL);
	struct work work[FLUSH_NR];
	struct cq *cq = rig.pair.client->send_cq;

	conform_context("request %d fails", bad);
	memset(rig.client->view, 0x61, 8);
	flush_fill_writes(&rig, work, FLUSH_NR);
	work[bad].rkey ^= 0x100;
	for (int i = 0; i < FLUSH_NR; i++)
		work[i].unsignaled = unsignaled;
	post_list(rig.pair.client, work, FLUSH_NR);
	for (int i = 0; i < bad && !unsignaled; i++)
		poll_success(cq, 1 + (uint64_t)i);
	REQUIRE_EQUAL(poll_status(cq, IBV_WC_REM_ACCESS_ERR).wr_id,
		      1 + (uint64_t)bad);
	flush_require(cq, rig.pair.client, 2 + (uint64_t)bad, FLUSH_NR);
	mem_require_value(rig.server, 0, 8 * (size_t)bad, 0x61);
	mem_require_value(rig.server, 8 * (size_t)bad,
			  FLUSH_LENGTH - 8 * (size_t)bad, 0);
}

static void flush_order_and_status(void)
{
	for (int bad = 0; bad < FLUSH_NR; bad += 3)
		flush_after_failure(bad, false);
}

/* Errors complete also unsignaled requests. */
static void flush_completes_unsignaled(void)
{
	flush_after_failure(0, true);
	flush_after_failure(4, true);
}

static void flush_post_in_err_is_flushed(void)
{
	struct flush_rig rig = flush_rig_new(NULL);
	struct work work[3];

	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_ERR), 0);
	flush_fill_writes(&rig, work, 3);
	work[1].unsignaled = true;
	work[2].opcode = IBV_WR_SEND;
	post_list(rig.pair.client, work, 3);
	flush_require(rig.pair.client->send_cq, rig.pair.client, 1, 3);
	for (uint64_t id = 11; id <= 13; id++)
		post_recv(rig.pair.client, rig.client, 0, 8, id);
	flush_require(rig.pair.client->recv_cq, rig.pair.client, 11, 13);
	mem_require_value(rig.server, 0, FLUSH_LENGTH, 0);
	REQUIRE_EQUAL(qp_query(rig.pair.server).qp_state, IBV_QPS_RTS);
}

/* The SENDs wait for a receive of the server, which has none. */
static void flush_modify_flushes_both_queues(void)
{
	struct cq *send_cq = cq_new(CLIENT, 64, NULL);
	struct cq *recv_cq = cq_new(CLIENT, 64, NULL);
	const struct qp_args args = { .send_cq = send_cq, .recv_cq = recv_cq };
	struct qp *client = qp_new(CLIENT, &args);
	struct qp *server = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 100);

	qp_connect(client, server, NULL);
	for (uint64_t id = 1; id <= 4; id++)
		post_recv(client, mem, 0, 100, id);
	for (work.wr_id = 21; work.wr_id <= 23; work.wr_id++)
		post(client, &work);
	poll_nothing(send_cq, 1);
	REQUIRE_EQUAL(qp_to_state(client, IBV_QPS_ERR), 0);
	flush_require(send_cq, client, 21, 23);
	flush_require(recv_cq, client, 1, 4);
}

/* An error that the peer caused flushes the responder as well. */
static void flush_refused_request_flushes_responder(void)
{
	struct flush_rig rig = flush_rig_new(NULL);
	struct work work;

	for (uint64_t id = 1; id <= 5; id++)
		post_recv(rig.pair.server, rig.server, 0, 100, id);
	flush_fill_writes(&rig, &work, 1);
	work.rkey ^= 0x100;
	post(rig.pair.client, &work);
	poll_status(rig.pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	flush_require(rig.pair.server->recv_cq, rig.pair.server, 1, 5);
}

/* Receives of an SRQ stay for its other QPs. */
static void flush_leaves_receives_of_srq(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	const struct qp_args args = { .srq = srq };
	struct mem *client = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *server = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct qp *first = qp_new(SERVER, &args), *second;
	struct qp *clients[2] = { qp_new(CLIENT, NULL), qp_new(CLIENT, NULL) };
	struct work work = work_send(client, 0, 100);

	second = qp_new(SERVER, &args);
	qp_connect(clients[0], first, NULL);
	qp_connect(clients[1], second, NULL);
	for (uint64_t id = 1; id <= 3; id++)
		post_srq_recv(srq, server, 0, 100, id);
	REQUIRE_EQUAL(qp_to_state(first, IBV_QPS_ERR), 0);
	poll_nothing(first->recv_cq, 1);
	for (uint64_t id = 1; id <= 3; id++) {
		post(clients[1], &work);
		poll_success(second->recv_cq, id);
		poll_success(clients[1]->send_cq, 0);
	}
	poll_nothing(first->recv_cq, 0);
}

const struct conform_test conform_flush[] = {
	{ "flush.order_and_status", flush_order_and_status, NEED_RC },
	{ "flush.completes_unsignaled", flush_completes_unsignaled, NEED_RC },
	{ "flush.post_in_err_is_flushed", flush_post_in_err_is_flushed,
	  NEED_RC },
	{ "flush.modify_flushes_both_queues", flush_modify_flushes_both_queues,
	  NEED_RC },
	{ "flush.refused_request_flushes_responder",
	  flush_refused_request_flushes_responder, NEED_RC },
	{ "flush.leaves_receives_of_srq", flush_leaves_receives_of_srq,
	  NEED_SRQ },
	{},
};
