/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failing requests: the status on each side, the event, and the flushed
 * requests. uroce_retry_test.c covers retried requests.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_expect.h"

/* Request 1 succeeds, 2 fails at the peer with @status, 3 is flushed. */
static void check_refused(struct pair *pair, enum ibv_wc_status status,
			  uint32_t event)
{
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, status);
	expect(&pair->side[0].send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	expect_none(&pair->side[0].send_cq);
	expect_state(pair, 0, IBV_QPS_ERR);
	expect_state(pair, 1, IBV_QPS_ERR);
	expect_events(pair, 0, 0);
	expect_events(pair, 1, event);
	assert_int_equal(pair_count(pair, 0, UROCE_C_NAKS_FATAL), 1);
	pair_free(pair);
}

static struct pair *new_pair(void)
{
	struct pair_options o = pair_defaults();

	return pair_new(&o);
}

static void error_bad_remote_memory_returns_rem_access_err(void **state)
{
	static const uint8_t opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD,
					   IBV_WR_ATOMIC_WRITE };

	/* key 0, unknown key, behind the end, before the start */
	for (size_t i = 0; i < sizeof(opcodes); i++) {
		for (int how = 0; how < 4; how++) {
			struct pair *pair = new_pair();
			struct ibv_sge sge = pair_sge(pair, 0, 0, 8);
			struct uroce_send_wqe wqe = request(
				pair, 2, (enum ibv_wr_opcode)opcodes[i]);

			if (how == 0)
				wqe.remote.rkey = 0;
			else if (how == 1)
				wqe.remote.rkey ^= 1;
			else if (how == 2)
				wqe.remote.va = PAIR_IOVA + PAIR_MEMORY;
			else
				wqe.remote.va = PAIR_IOVA - 8;
			post_recv(pair, 7, 10);
			post(pair, 1, IBV_WR_RDMA_WRITE, 5000);
			pair_post(pair, 0, &wqe, &sge);
			post(pair, 3, IBV_WR_RDMA_WRITE, 10);
			pair_run_until(pair, pair->now + 100000);
			expect(&pair->side[1].recv_cq, 7, IBV_WC_WR_FLUSH_ERR);
			check_refused(pair, IBV_WC_REM_ACCESS_ERR,
				      1u << IBV_EVENT_QP_ACCESS_ERR);
		}
	}
}

static void error_operation_without_qp_access_is_rejected(void **state)
{
	static const uint8_t opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD,
					   IBV_WR_ATOMIC_WRITE };

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct pair *pair = new_pair();

		post_recv(pair, 7, 10);
		post(pair, 1, IBV_WR_SEND, 5);
		pair->side[1].qp->access = 0;
		post(pair, 2, (enum ibv_wr_opcode)opcodes[i], 8);
		post(pair, 3, IBV_WR_SEND, 8);
		check_refused(pair, IBV_WC_REM_INV_REQ_ERR,
			      1u << IBV_EVENT_QP_REQ_ERR);
	}
}

static void error_misaligned_atomic_returns_rem_inv_req_err(void **state)
{
	struct pair *pair = new_pair();
	struct ibv_sge sge = pair_sge(pair, 0, 0, 8);
	struct uroce_send_wqe wqe = request(pair, 2, IBV_WR_ATOMIC_CMP_AND_SWP);

	wqe.remote.va += 4;
	post(pair, 1, IBV_WR_RDMA_WRITE, 100);
	pair_post(pair, 0, &wqe, &sge);
	post(pair, 3, IBV_WR_RDMA_WRITE, 100);
	check_refused(pair, IBV_WC_REM_INV_REQ_ERR, 1u << IBV_EVENT_QP_REQ_ERR);
}

static void error_message_longer_than_receive_fails_both_sides(void **state)
{
	struct pair *pair = new_pair();

	post_recv(pair, 11, 3000);
	post_recv(pair, 12, 2999);
	post_recv(pair, 13, 3000);
	for (uint64_t i = 1; i <= 3; i++)
		post(pair, i, IBV_WR_SEND, 3000);
	pair_run_until(pair, pair->now + 1000000);
	expect(&pair->side[1].recv_cq, 11, IBV_WC_SUCCESS);
	expect(&pair->side[1].recv_cq, 12, IBV_WC_LOC_LEN_ERR);
	expect(&pair->side[1].recv_cq, 13, IBV_WC_WR_FLUSH_ERR);
	check_refused(pair, IBV_WC_REM_INV_REQ_ERR, 1u << IBV_EVENT_QP_REQ_ERR);
}

static void error_receive_with_bad_lkey_fails_both_sides(void **state)
{
	struct pair *pair = new_pair();
	struct ibv_sge sge = pair_sge(pair, 1, 0, 3000);

	post_recv(pair, 11, 3000);
	sge.lkey++;
	pair_post_recv(pair, 1, 12, &sge, 1);
	for (uint64_t i = 1; i <= 3; i++)
		post(pair, i, IBV_WR_SEND, 3000);
	pair_run_until(pair, pair->now + 1000000);
	expect(&pair->side[1].recv_cq, 11, IBV_WC_SUCCESS);
	expect(&pair->side[1].recv_cq, 12, IBV_WC_LOC_PROT_ERR);
	check_refused(pair, IBV_WC_REM_OP_ERR, 0);
}

/* The requester itself detects the error in request 2. */
static void check_local(struct pair *pair, struct uroce_send_wqe wqe,
			struct ibv_sge sge, enum ibv_wc_status status)
{
	post(pair, 1, IBV_WR_RDMA_WRITE, 5000);
	pair_post(pair, 0, &wqe, &sge);
	post(pair, 3, IBV_WR_RDMA_WRITE, 10);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, status);
	expect(&pair->side[0].send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	expect_state(pair, 1, IBV_QPS_RTS);
	pair_free(pair);
}

static void error_request_with_bad_lkey_returns_loc_prot_err(void **state)
{
	static const uint8_t opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD,
					   IBV_WR_ATOMIC_WRITE };

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct pair *pair = new_pair();
		struct ibv_sge sge = pair_sge(pair, 0, 0, 8);

		sge.lkey += 256;
		check_local(pair,
			    request(pair, 2, (enum ibv_wr_opcode)opcodes[i]),
			    sge, IBV_WC_LOC_PROT_ERR);
	}
}

static void error_invalid_request_fails_locally(void **state)
{
	struct pair *pair = new_pair();

	check_local(pair, request(pair, 2, IBV_WR_ATOMIC_FETCH_AND_ADD),
		    pair_sge(pair, 0, 0, 16), IBV_WC_LOC_LEN_ERR);
	pair = new_pair();
	check_local(pair, request(pair, 2, IBV_WR_TSO), pair_sge(pair, 0, 0, 1),
		    IBV_WC_LOC_QP_OP_ERR);
	pair = new_pair();
	pair->side[0].qp->max_rd_atomic = 0;
	check_local(pair, request(pair, 2, IBV_WR_RDMA_READ),
		    pair_sge(pair, 0, 0, 1), IBV_WC_LOC_QP_OP_ERR);
	pair = new_pair();
	check_local(pair, request(pair, 2, IBV_WR_RDMA_WRITE),
		    pair_sge(pair, 0, 0, UROCE_MAX_MESSAGE + 1),
		    IBV_WC_LOC_LEN_ERR);
}

/* The first packets are in flight when the second SGE turns out invalid. */
static void error_bad_second_sge_fails_message_in_flight(void **state)
{
	struct pair *pair = new_pair();
	struct ibv_sge sge[2] = { pair_sge(pair, 0, 0, 5000),
				  pair_sge(pair, 0, PAIR_MEMORY, 5000) };
	struct uroce_send_wqe wqe = request(pair, 1, IBV_WR_RDMA_WRITE);

	wqe.nr_sge = 2;
	pair_post(pair, 0, &wqe, sge);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_LOC_PROT_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TX_PACKETS), 4);
	pair_free(pair);
}

/* Removes the region while the response to a READ is in flight. */
static enum pair_action remove_region(struct pair *pair, unsigned int from,
				      const struct uroce_packet *packet)
{
	if (packet->traits || from != 1)
		return PAIR_PASS;
	(void)uroce_memory_remove(pair->side[1].engine.core.memory,
				  pair->side[1].key);
	return PAIR_PASS;
}

static void
error_region_removed_during_read_returns_rem_access_err(void **state)
{
	struct pair *pair = new_pair();

	pair->filter = remove_region;
	post(pair, 1, IBV_WR_RDMA_READ, 50000);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_REM_ACCESS_ERR);
	expect_events(pair, 1, 1u << IBV_EVENT_QP_ACCESS_ERR);
	pair_free(pair);
}

static void error_state_flushes_posted_requests(void **state)
{
	struct pair *pair = new_pair();
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	post_recv(pair, 1, 10);
	post_recv(pair, 2, 10);
	assert_int_equal(uroce_qp_modify(pair->side[1].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, pair->now),
			 0);
	expect(&pair->side[1].recv_cq, 1, IBV_WC_WR_FLUSH_ERR);
	expect(&pair->side[1].recv_cq, 2, IBV_WC_WR_FLUSH_ERR);
	post_recv(pair, 3, 10);
	pair_run(pair);
	expect(&pair->side[1].recv_cq, 3, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(uroce_qp_modify(pair->side[0].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, pair->now),
			 0);
	post(pair, 9, IBV_WR_SEND, 10);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 9, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TX_PACKETS), 0);
	pair_free(pair);
}

static void modify_qp(struct pair *pair, unsigned int side,
		      enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = state,
				    .en_sqd_async_notify = 1 };

	assert_int_equal(uroce_qp_modify(pair->side[side].qp, &attr,
					 IBV_QP_STATE | mask, IBV_MTU_4096,
					 NULL, pair->now),
			 0);
}

static void sqd_send_queue_drains_and_resumes(void **state)
{
	struct pair *pair = new_pair();
	struct ibv_qp_attr attr;

	post(pair, 1, IBV_WR_RDMA_WRITE, 300000); /* more than a window */
	(void)pair_step(pair);
	modify_qp(pair, 0, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY);
	post(pair, 2, IBV_WR_RDMA_WRITE, 10);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_true(attr.sq_draining);
	expect_events(pair, 0, 0);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_none(&pair->side[0].send_cq);
	expect_events(pair, 0, 1u << IBV_EVENT_SQ_DRAINED);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_false(attr.sq_draining);
	modify_qp(pair, 0, IBV_QPS_RTS, 0);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	/* nothing is outstanding: drained at once */
	modify_qp(pair, 0, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY);
	expect_events(pair, 0, 1u << IBV_EVENT_SQ_DRAINED);
	pair_free(pair);
}

static void error_of_uc_and_ud_send_moves_to_sqe(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_UC, IBV_QPT_UD };

	for (size_t i = 0; i < 2; i++) {
		struct pair_options o = pair_defaults();
		struct uroce_send_wqe wqe;
		struct ibv_sge sge;
		struct pair *pair;

		o.type = types[i];
		pair = pair_new(&o);
		sge = pair_sge(pair, 0, 0, 100);
		wqe = request(pair, 2, IBV_WR_SEND);
		wqe.ud.path = pair->side[0].path;
		wqe.ud.qpn = pair->side[1].qp->qpn;
		wqe.ud.qkey = 0x1ee7;
		post_recv(pair, 5, 200);
		post_recv(pair, 6, 200);
		wqe.wr_id = 1;
		pair_post(pair, 0, &wqe, &sge);
		sge.lkey++;
		wqe.wr_id = 2;
		pair_post(pair, 0, &wqe, &sge);
		wqe.wr_id = 3;
		pair_post(pair, 0, &wqe, &sge);
		pair_run(pair);
		expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
		expect(&pair->side[0].send_cq, 2, IBV_WC_LOC_PROT_ERR);
		expect(&pair->side[0].send_cq, 3, IBV_WC_WR_FLUSH_ERR);
		expect_state(pair, 0, IBV_QPS_SQE);
		expect(&pair->side[1].recv_cq, 5, IBV_WC_SUCCESS);
		/* posted in SQE: flushed; after RTS: sent */
		pair_post(pair, 0, &wqe, &sge);
		pair_run(pair);
		expect(&pair->side[0].send_cq, 3, IBV_WC_WR_FLUSH_ERR);
		modify_qp(pair, 0, IBV_QPS_RTS, 0);
		sge.lkey--;
		pair_post(pair, 0, &wqe, &sge);
		pair_run(pair);
		expect(&pair->side[0].send_cq, 3, IBV_WC_SUCCESS);
		expect(&pair->side[1].recv_cq, 6, IBV_WC_SUCCESS);
		pair_free(pair);
	}
}

static void error_datagram_above_mtu_fails(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_send_wqe wqe;
	struct ibv_sge sge;
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = pair_new(&o);
	sge = pair_sge(pair, 0, 0, 4097);
	wqe = request(pair, 1, IBV_WR_SEND);
	pair_post(pair, 0, &wqe, &sge);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_LOC_LEN_ERR);
	pair_free(pair);
}

static void error_cq_overrun_is_fatal(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_cq *cq;
	struct pair *pair;

	o.depth = 4; /* CQs have 8 slots */
	pair = pair_new(&o);
	cq = &pair->side[0].send_cq;
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 4; i++)
			post(pair, i, IBV_WR_RDMA_WRITE, 10);
		pair_run(pair);
	}
	assert_true(cq->overrun);
	assert_ptr_equal(uroce_core_take_cq(&pair->side[0].engine.core), cq);
	assert_true(cq->report_overrun);
	assert_null(uroce_core_take_cq(&pair->side[0].engine.core));
	assert_int_equal(pair_count(pair, 0, UROCE_C_CQ_OVERRUN), 4);
	/* a QP with lost completions is unusable */
	expect_state(pair, 0, IBV_QPS_ERR);
	/* reported once */
	cq->report_overrun = false;
	post(pair, 9, IBV_WR_RDMA_WRITE, 10);
	pair_run(pair);
	assert_int_equal(pair_count(pair, 0, UROCE_C_CQ_OVERRUN), 5);
	assert_null(uroce_core_take_cq(&pair->side[0].engine.core));
	pair_free(pair);
}

static void srq_limit_event_is_raised_once(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_engine *engine;
	struct uroce_rq *rq;
	struct pair *pair;

	o.shared = true;
	pair = pair_new(&o);
	engine = &pair->side[1].engine;
	rq = &pair->side[1].rq;
	for (uint64_t i = 0; i < 5; i++)
		post_recv(pair, i, 100);
	rq->limit = 3;
	post(pair, 1, IBV_WR_SEND, 10);
	post(pair, 2, IBV_WR_SEND, 10);
	pair_run(pair);
	assert_null(uroce_core_take_rq(&engine->core));
	post(pair, 3, IBV_WR_SEND, 10);
	pair_run(pair);
	assert_ptr_equal(uroce_core_take_rq(&engine->core), rq);
	assert_true(rq->limit_event);
	assert_int_equal(rq->limit, 0);
	post(pair, 4, IBV_WR_SEND, 10);
	pair_run(pair);
	assert_null(uroce_core_take_rq(&engine->core));
	/* the remaining WQEs stay when a QP fails, and the event reports it */
	modify_qp(pair, 1, IBV_QPS_ERR, 0);
	expect_events(pair, 1, 1u << IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_int_equal(uroce_ring_used(&rq->ring), 1);
	pair_free(pair);
}

static void rtr_first_packet_raises_comm_est(void **state)
{
	struct pair *pair = new_pair();
	struct uroce_qp *qp = pair->side[1].qp;

	qp->state = IBV_QPS_RTR;
	post(pair, 1, IBV_WR_RDMA_WRITE, 3000);
	post(pair, 2, IBV_WR_RDMA_WRITE, 3000);
	pair_run(pair);
	expect_events(pair, 1, 1u << IBV_EVENT_COMM_EST);
	expect_events(pair, 1, 0);
	pair_free(pair);
}

/* The network rejects packets of the MTU after @nr packets have been sent. */
static void refuse_path(struct pair *pair, uint32_t nr)
{
	struct uroce_engine *engine = &pair->side[0].engine;
	struct uroce_out out;

	for (uint32_t i = 0; i < nr; i++) {
		assert_true(uroce_engine_next(engine, pair->now, &out));
		assert_ptr_equal(out.qp, pair->side[0].qp);
	}
	uroce_qp_path_error(out.qp);
	uroce_engine_sent(engine, pair->now);
}

static void error_path_below_mtu_fails_qp(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC };

	for (size_t i = 0; i < 2; i++) {
		struct pair_options o = pair_defaults();
		struct pair *pair;

		o.type = types[i];
		pair = pair_new(&o);
		post(pair, 1, IBV_WR_RDMA_WRITE, 3000);
		post(pair, 2, IBV_WR_RDMA_WRITE, 100);
		refuse_path(pair, 2);
		expect(&pair->side[0].send_cq, 1, IBV_WC_LOC_QP_OP_ERR);
		expect(&pair->side[0].send_cq, 2, IBV_WC_WR_FLUSH_ERR);
		expect_none(&pair->side[0].send_cq);
		expect_state(pair, 0, IBV_QPS_ERR);
		expect_events(pair, 0, 1u << IBV_EVENT_QP_FATAL);
		pair_free(pair);
	}
}

/* The response may exceed the path MTU; then no own request is at fault. */
static void error_path_below_mtu_for_responses_fails_qp(void **state)
{
	struct pair *pair = new_pair();
	struct uroce_engine *engine = &pair->side[1].engine;
	struct uroce_out out;

	post(pair, 1, IBV_WR_RDMA_READ, 3000);
	while (pair_count(pair, 1, UROCE_C_RX_PACKETS) == 0)
		assert_true(pair_step(pair));
	uroce_qp_path_error(pair->side[1].qp);
	uroce_engine_sent(engine, pair->now);
	assert_false(uroce_engine_next(engine, pair->now, &out));
	expect_none(&pair->side[1].send_cq);
	expect_state(pair, 1, IBV_QPS_ERR);
	expect_events(pair, 1, 1u << IBV_EVENT_QP_FATAL);
	pair_free(pair);
}

static void error_path_below_mtu_loses_datagram_only(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = pair_new(&o);
	uroce_qp_path_error(pair->side[0].qp);
	uroce_engine_sent(&pair->side[0].engine, pair->now);
	expect_state(pair, 0, IBV_QPS_RTS);
	expect_events(pair, 0, 0);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			error_bad_remote_memory_returns_rem_access_err),
		cmocka_unit_test(error_operation_without_qp_access_is_rejected),
		cmocka_unit_test(
			error_misaligned_atomic_returns_rem_inv_req_err),
		cmocka_unit_test(
			error_message_longer_than_receive_fails_both_sides),
		cmocka_unit_test(error_receive_with_bad_lkey_fails_both_sides),
		cmocka_unit_test(
			error_request_with_bad_lkey_returns_loc_prot_err),
		cmocka_unit_test(error_invalid_request_fails_locally),
		cmocka_unit_test(error_bad_second_sge_fails_message_in_flight),
		cmocka_unit_test(
			error_region_removed_during_read_returns_rem_access_err),
		cmocka_unit_test(error_state_flushes_posted_requests),
		cmocka_unit_test(sqd_send_queue_drains_and_resumes),
		cmocka_unit_test(error_of_uc_and_ud_send_moves_to_sqe),
		cmocka_unit_test(error_datagram_above_mtu_fails),
		cmocka_unit_test(error_cq_overrun_is_fatal),
		cmocka_unit_test(srq_limit_event_is_raised_once),
		cmocka_unit_test(rtr_first_packet_raises_comm_est),
		cmocka_unit_test(error_path_below_mtu_fails_qp),
		cmocka_unit_test(error_path_below_mtu_for_responses_fails_qp),
		cmocka_unit_test(error_path_below_mtu_loses_datagram_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
