// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: extended reliable connections (XRC, IBTA annex
 * A14). The server has a domain with a target and two SRQs, each with a PD, a
 * CQ and memory of its own; the client has the initiator.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define BYTES	  20000
#define SRQ_BYTES 65536

struct xrc_queue {
	struct srq *srq;
	struct cq *cq;
	struct mem *mem;
};

struct xrc_world {
	struct xrcd *xrcd;
	struct qp *initiator, *target;
	struct xrc_queue queue[2];
	struct mem *mem; /* of the client */
};

static struct xrc_queue xrc_queue_new(struct xrcd *xrcd)
{
	int pd = pd_new(SERVER);
	struct cq *cq = cq_new(SERVER, 128, NULL);

	return (struct xrc_queue){
		.srq = srq_new_xrc(xrcd, cq, pd, 64),
		.cq = cq,
		.mem = mem_new_in_pd(SERVER, pd, SRQ_BYTES, CONFORM_ALL_ACCESS),
	};
}

static struct qp *xrc_target_new(struct xrcd *xrcd)
{
	const struct qp_args args = { .type = IBV_QPT_XRC_RECV, .xrcd = xrcd };

	return qp_new(SERVER, &args);
}

static struct xrc_world xrc_world_new(const struct connect_args *connect)
{
	const struct qp_args args = { .type = IBV_QPT_XRC_SEND };
	struct xrc_world w = {
		.xrcd = xrcd_new(SERVER),
		.initiator = qp_new(CLIENT, &args),
		.mem = mem_new(CLIENT, SRQ_BYTES, CONFORM_ALL_ACCESS),
	};

	w.queue[0] = xrc_queue_new(w.xrcd);
	w.queue[1] = xrc_queue_new(w.xrcd);
	w.target = xrc_target_new(w.xrcd);
	qp_connect(w.initiator, w.target, connect);
	return w;
}

static void xrc_post(const struct xrc_world *w, struct work work,
		     const struct xrc_queue *to, uint64_t wr_id)
{
	work.remote_srqn = to->srq->num;
	work.wr_id = wr_id;
	post(w->initiator, &work);
}

static void xrc_send(const struct xrc_world *w, uint32_t length,
		     const struct xrc_queue *to, uint64_t wr_id)
{
	xrc_post(w, work_send(w->mem, 0, length), to, wr_id);
}

static void xrc_require_received(const struct xrc_world *w,
				 const struct xrc_queue *queue, uint64_t wr_id,
				 uint32_t length)
{
	struct ibv_wc wc = poll_success(queue->cq, wr_id);

	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV);
	REQUIRE_EQUAL(wc.byte_len, length);
	REQUIRE_EQUAL(wc.qp_num, w->target->num);
}

static void xrc_send_goes_to_named_srq(void)
{
	static const uint32_t lengths[] = { 0, 1, 8, 1024, 1025, 4096, BYTES };
	struct xrc_world w = xrc_world_new(NULL);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (int k = 0; k < 2; k++) {
			struct xrc_queue *to = &w.queue[k];

			conform_context("SEND of %u bytes to SRQ %d",
					(unsigned int)lengths[i], k);
			mem_fill(w.mem, 0, BYTES, (uint32_t)(2 * i) + k);
			post_srq_recv(to->srq, to->mem, 0, SRQ_BYTES, i);
			xrc_send(&w, lengths[i], to, 100 + i);
			xrc_require_received(&w, to, i, lengths[i]);
			poll_success(w.initiator->send_cq, 100 + i);
			mem_require(to->mem, 0, lengths[i],
				    (uint32_t)(2 * i) + k);
		}
	}
}

static void xrc_sends_to_two_srqs_stay_in_order(void)
{
	struct xrc_world w = xrc_world_new(NULL);

	for (int i = 0; i < 20; i++)
		post_srq_recv(w.queue[i % 2].srq, w.queue[i % 2].mem, 0,
			      SRQ_BYTES, i);
	for (int i = 0; i < 20; i++)
		xrc_send(&w, 3000, &w.queue[i % 2], 100 + i);
	for (int i = 0; i < 20; i++) {
		xrc_require_received(&w, &w.queue[i % 2], i, 3000);
		poll_success(w.initiator->send_cq, 100 + i);
	}
}

static void xrc_immediate_arrives(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct xrc_queue *to = &w.queue[1];
	struct work work = work_send(w.mem, 0, 100);
	struct ibv_wc wc;

	work.opcode = IBV_WR_SEND_WITH_IMM;
	work.imm = 0x12345678;
	post_srq_recv(to->srq, to->mem, 0, SRQ_BYTES, 1);
	xrc_post(&w, work, to, 11);
	wc = poll_success(to->cq, 1);
	REQUIRE(wc.wc_flags & IBV_WC_WITH_IMM);
	REQUIRE_EQUAL(be32toh(wc.imm_data), 0x12345678);
	poll_success(w.initiator->send_cq, 11);

	mem_fill(w.mem, 0, BYTES, 4);
	work = work_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, w.mem, 0, BYTES, to->mem,
			 50);
	work.imm = 0x87654321;
	post_srq_recv(to->srq, to->mem, 0, 0, 2);
	xrc_post(&w, work, to, 12);
	wc = poll_success(to->cq, 2);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	REQUIRE_EQUAL(wc.byte_len, BYTES);
	REQUIRE_EQUAL(be32toh(wc.imm_data), 0x87654321);
	poll_success(w.initiator->send_cq, 12);
	mem_require(to->mem, 50, BYTES, 4);
}

static void xrc_write_and_read_use_pd_of_srq(void)
{
	struct xrc_world w = xrc_world_new(NULL);

	for (int k = 0; k < 2; k++) {
		struct xrc_queue *to = &w.queue[k];

		mem_fill(w.mem, 0, BYTES, 7 + k);
		xrc_post(&w,
			 work_rdma(IBV_WR_RDMA_WRITE, w.mem, 0, BYTES, to->mem,
				   3),
			 to, 1);
		xrc_post(&w,
			 work_rdma(IBV_WR_RDMA_READ, w.mem, BYTES, BYTES,
				   to->mem, 3),
			 to, 2);
		poll_success(w.initiator->send_cq, 1);
		poll_success(w.initiator->send_cq, 2);
		mem_require(to->mem, 3, BYTES, 7 + k);
		mem_require(w.mem, BYTES, BYTES, 7 + k);
	}
}

static void xrc_reads_of_two_pds_are_outstanding(void)
{
	struct xrc_world w = xrc_world_new(NULL);

	for (uint32_t k = 0; k < 2; k++)
		mem_fill(w.queue[k].mem, 0, BYTES, 20 + k);
	for (size_t k = 0; k < 2; k++)
		xrc_post(&w,
			 work_rdma(IBV_WR_RDMA_READ, w.mem, k * BYTES, BYTES,
				   w.queue[k].mem, 0),
			 &w.queue[k], k);
	for (uint32_t k = 0; k < 2; k++)
		poll_success(w.initiator->send_cq, k);
	for (uint32_t k = 0; k < 2; k++)
		mem_require(w.mem, (size_t)k * BYTES, BYTES, 20 + k);
}

static void xrc_atomics_return_original(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct xrc_queue *to = &w.queue[1];
	uint64_t value;

	xrc_post(&w,
		 work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, w.mem, 0, to->mem, 8,
			     5, 0),
		 to, 1);
	xrc_post(&w,
		 work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, w.mem, 8, to->mem, 8, 5,
			     77),
		 to, 2);
	poll_success(w.initiator->send_cq, 1);
	poll_success(w.initiator->send_cq, 2);
	memcpy(&value, w.mem->view + 8, sizeof(value));
	REQUIRE_EQUAL(value, 5);
	memcpy(&value, to->mem->view + 8, sizeof(value));
	REQUIRE_EQUAL(value, 77);
}

static void xrc_empty_srq_is_rnr(void)
{
	const struct connect_args connect = { .rnr_retry = 1 };
	struct xrc_world w = xrc_world_new(&connect);

	/* a receive of the other SRQ does not help */
	post_srq_recv(w.queue[0].srq, w.queue[0].mem, 0, SRQ_BYTES, 1);
	xrc_send(&w, 100, &w.queue[1], 2);
	poll_status(w.initiator->send_cq, IBV_WC_RNR_RETRY_EXC_ERR);
	poll_nothing(w.queue[0].cq, 1);
}

static void xrc_srq_filled_late_receives(void)
{
	struct xrc_world w = xrc_world_new(NULL);

	xrc_send(&w, BYTES, &w.queue[1], 2);
	poll_nothing(w.initiator->send_cq, 5);
	post_srq_recv(w.queue[1].srq, w.queue[1].mem, 0, SRQ_BYTES, 1);
	xrc_require_received(&w, &w.queue[1], 1, BYTES);
	poll_success(w.initiator->send_cq, 2);
}

static void xrc_require_refused(struct xrc_world *w, enum ibv_wc_status status,
				enum ibv_event_type type)
{
	struct conform_event event;

	poll_status(w->initiator->send_cq, status);
	qp_wait_state(w->initiator, IBV_QPS_ERR);
	qp_wait_state(w->target, IBV_QPS_ERR);
	do
		REQUIRE(event_wait(SERVER, &event, CONFORM_WAIT_MS));
	while (event.type == IBV_EVENT_COMM_EST);
	REQUIRE_EQUAL(event.type, type);
	REQUIRE_EQUAL(event.id, w->target->id);
}

static void xrc_unknown_srq_is_rem_inv_req(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct work work = work_send(w.mem, 0, 100);

	post_srq_recv(w.queue[0].srq, w.queue[0].mem, 0, SRQ_BYTES, 1);
	work.remote_srqn = 0xfffff0;
	post(w.initiator, &work);
	xrc_require_refused(&w, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	poll_nothing(w.queue[0].cq, 1);
}

static void xrc_srq_of_foreign_domain_is_rem_inv_req(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct xrc_queue foreign = xrc_queue_new(xrcd_new(SERVER));

	post_srq_recv(foreign.srq, foreign.mem, 0, SRQ_BYTES, 1);
	xrc_send(&w, 100, &foreign, 2);
	xrc_require_refused(&w, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	poll_nothing(foreign.cq, 1);
}

static void xrc_key_of_foreign_pd_is_rem_access(void)
{
	struct xrc_world w = xrc_world_new(NULL);

	xrc_post(&w,
		 work_rdma(IBV_WR_RDMA_WRITE, w.mem, 0, 100, w.queue[1].mem, 0),
		 &w.queue[0], 1);
	xrc_require_refused(&w, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
	mem_require_value(w.queue[1].mem, 0, 100, 0);
}

/* The receive completes with an error in the CQ of the SRQ. */
static void xrc_short_receive_fails_both_ends(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct xrc_queue *to = &w.queue[1];

	post_srq_recv(to->srq, to->mem, 0, 99, 1);
	xrc_send(&w, 100, to, 2);
	poll_status(w.initiator->send_cq, IBV_WC_REM_INV_REQ_ERR);
	poll_status(to->cq, IBV_WC_LOC_LEN_ERR);
}

static void xrc_limit_of_srq_fires(void)
{
	struct xrc_world w = xrc_world_new(NULL);
	struct xrc_queue *to = &w.queue[1];
	struct conform_event event;

	for (int i = 0; i < 3; i++)
		post_srq_recv(to->srq, to->mem, 0, SRQ_BYTES, i);
	REQUIRE_EQUAL(srq_modify(to->srq, 2), 0);
	for (int i = 0; i < 2; i++) {
		xrc_send(&w, 100, to, i);
		xrc_require_received(&w, to, i, 100);
		poll_success(w.initiator->send_cq, i);
	}
	do
		REQUIRE(event_wait(SERVER, &event, CONFORM_WAIT_MS));
	while (event.type == IBV_EVENT_COMM_EST);
	REQUIRE_EQUAL(event.type, IBV_EVENT_SRQ_LIMIT_REACHED);
	REQUIRE_EQUAL(event.id, to->srq->id);
}

/* Two initiators, each with its target, and one SRQ. */
static void xrc_connections_share_srq(void)
{
	struct xrc_world w = xrc_world_new(NULL), second = w;
	const struct qp_args args = { .type = IBV_QPT_XRC_SEND };
	struct xrc_queue *to = &w.queue[0];

	second.initiator = qp_new(CLIENT, &args);
	second.target = xrc_target_new(w.xrcd);
	qp_connect(second.initiator, second.target, NULL);
	for (int i = 0; i < 20; i++) {
		struct xrc_world *from = i % 3 ? &w : &second;

		post_srq_recv(to->srq, to->mem, 0, SRQ_BYTES, i);
		xrc_send(from, 3000, to, 100 + i);
		xrc_require_received(from, to, i, 3000);
		poll_success(from->initiator->send_cq, 100 + i);
	}
	/* the failure of one connection does not end the SRQ */
	REQUIRE_EQUAL(qp_to_state(w.target, IBV_QPS_ERR), 0);
	post_srq_recv(to->srq, to->mem, 0, SRQ_BYTES, 50);
	xrc_send(&second, 3000, to, 150);
	xrc_require_received(&second, to, 50, 3000);
	poll_success(second.initiator->send_cq, 150);
}

static void xrc_objects_in_use_cannot_be_destroyed(void)
{
	struct xrcd *xrcd = xrcd_new(SERVER);
	struct xrc_queue queue = xrc_queue_new(xrcd);
	struct qp *target = xrc_target_new(xrcd);

	REQUIRE_EQUAL(xrcd_close(xrcd), EBUSY);
	REQUIRE_EQUAL(cq_destroy(queue.cq), EBUSY);
	REQUIRE_EQUAL(srq_destroy(queue.srq), 0);
	REQUIRE_EQUAL(xrcd_close(xrcd), EBUSY);
	REQUIRE_EQUAL(qp_destroy(target), 0);
	REQUIRE_EQUAL(xrcd_close(xrcd), 0);
	REQUIRE_EQUAL(cq_destroy(queue.cq), 0);
}

const struct conform_test conform_xrc[] = {
	{ "xrc.send_goes_to_named_srq", xrc_send_goes_to_named_srq, NEED_XRC },
	{ "xrc.sends_to_two_srqs_stay_in_order",
	  xrc_sends_to_two_srqs_stay_in_order, NEED_XRC },
	{ "xrc.immediate_arrives", xrc_immediate_arrives, NEED_XRC },
	{ "xrc.write_and_read_use_pd_of_srq", xrc_write_and_read_use_pd_of_srq,
	  NEED_XRC },
	{ "xrc.reads_of_two_pds_are_outstanding",
	  xrc_reads_of_two_pds_are_outstanding, NEED_XRC },
	{ "xrc.atomics_return_original", xrc_atomics_return_original,
	  NEED_XRC | NEED_ATOMIC },
	{ "xrc.empty_srq_is_rnr", xrc_empty_srq_is_rnr, NEED_XRC },
	{ "xrc.srq_filled_late_receives", xrc_srq_filled_late_receives,
	  NEED_XRC },
	{ "xrc.unknown_srq_is_rem_inv_req", xrc_unknown_srq_is_rem_inv_req,
	  NEED_XRC },
	{ "xrc.srq_of_foreign_domain_is_rem_inv_req",
	  xrc_srq_of_foreign_domain_is_rem_inv_req, NEED_XRC },
	{ "xrc.key_of_foreign_pd_is_rem_access",
	  xrc_key_of_foreign_pd_is_rem_access, NEED_XRC },
	{ "xrc.short_receive_fails_both_ends",
	  xrc_short_receive_fails_both_ends, NEED_XRC },
	{ "xrc.limit_of_srq_fires", xrc_limit_of_srq_fires, NEED_XRC },
	{ "xrc.connections_share_srq", xrc_connections_share_srq, NEED_XRC },
	{ "xrc.objects_in_use_cannot_be_destroyed",
	  xrc_objects_in_use_cannot_be_destroyed, NEED_XRC },
	{},
};
