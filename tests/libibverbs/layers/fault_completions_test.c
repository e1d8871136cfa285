/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion errors of rules with wc=: each request has exactly one completion,
 * requests before the chosen one are executed, and no later ones are.
 */
#include <errno.h>
#include <string.h>

#include "libibverbs/layers/fault_fixture.h"

#define SIGNALED IBV_SEND_SIGNALED

/*
 * Posts a WRITE of 8 bytes, number @wr_id of the memory, from its second half
 * to its first half.
 */
static int post_write(struct ibv_qp *qp, uint64_t wr_id, unsigned int flags)
{
	uint8_t *to = fixture.memory + 8 * wr_id;
	struct ibv_sge sge = { (uintptr_t)to + FIXTURE_BYTES / 2, 8,
			       fixture.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = flags };
	struct ibv_send_wr *bad = NULL;
	int ret;

	memset(to + FIXTURE_BYTES / 2, 0xaa, 8);
	wr.wr.rdma.remote_addr = (uintptr_t)to;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	ret = ibv_post_send(qp, &wr, &bad);
	if (ret)
		assert_ptr_equal(bad, &wr);
	return ret;
}

static bool was_written(uint64_t wr_id)
{
	return fixture.memory[8 * wr_id] == 0xaa;
}

static void assert_completion(struct ibv_cq *cq, uint64_t wr_id,
			      enum ibv_wc_status status)
{
	struct ibv_wc wc = fixture_poll(cq);

	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, status);
}

static void assert_no_completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(cq, 1, &wc), 0);
}

static void assert_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, state);
}

static void request_chosen_fails_and_later_ones_are_flushed(void **state)
{
	fault_start("wc=RETRY_EXC_ERR @ op=RDMA_WRITE,nth=3");
	for (uint64_t i = 1; i <= 6; i++)
		assert_int_equal(post_write(fixture.left, i, SIGNALED), 0);
	assert_log("verbs-fault: rule 1, ibv_post_send, QP 1, event 3: "
		   "wc=RETRY_EXC_ERR @ op=RDMA_WRITE,nth=3\n");
	assert_completion(fixture.cq, 1, IBV_WC_SUCCESS);
	assert_completion(fixture.cq, 2, IBV_WC_SUCCESS);
	assert_completion(fixture.cq, 3, IBV_WC_RETRY_EXC_ERR);
	for (uint64_t i = 4; i <= 6; i++)
		assert_completion(fixture.cq, i, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	assert_state(fixture.left, IBV_QPS_ERR);
	assert_int_equal(post_write(fixture.left, 7, SIGNALED), 0);
	assert_completion(fixture.cq, 7, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	for (uint64_t i = 1; i <= 7; i++)
		assert_int_equal(was_written(i), i <= 2);
	fault_stop();
}

static void request_list_is_split_at_chosen_request(void **state)
{
	struct ibv_send_wr wrs[3] = {
		{ .wr_id = 1, .next = &wrs[1], .opcode = IBV_WR_RDMA_READ },
		{ .wr_id = 2, .next = &wrs[2], .opcode = IBV_WR_RDMA_WRITE },
		{ .wr_id = 3, .opcode = IBV_WR_RDMA_READ },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	fault_start("wc=LOC_PROT_ERR @ op=RDMA_WRITE");
	for (int i = 0; i < 3; i++) {
		wrs[i].send_flags = SIGNALED;
		wrs[i].wr.rdma.remote_addr = (uintptr_t)fixture.memory;
		wrs[i].wr.rdma.rkey = fixture.mr->rkey;
	}
	assert_int_equal(ibv_post_send(fixture.left, wrs, &bad), 0);
	assert_completion(fixture.cq, 1, IBV_WC_SUCCESS);
	wc = fixture_poll(fixture.cq);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(wc.qp_num, fixture.left->qp_num);
	assert_int_equal(wc.opcode, IBV_WC_RDMA_WRITE);
	assert_completion(fixture.cq, 3, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

static void request_unsignaled_before_chosen_is_silent(void **state)
{
	fault_start("wc=REM_ACCESS_ERR @ nth=4");
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(post_write(fixture.left, i, 0), 0);
	assert_int_equal(post_write(fixture.left, 4, SIGNALED), 0);
	assert_completion(fixture.cq, 4, IBV_WC_REM_ACCESS_ERR);
	assert_no_completion(fixture.cq);
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(was_written(i), i <= 3);
	fault_stop();
}

static void request_unsignaled_chosen_has_completion(void **state)
{
	fault_start("wc=REM_OP_ERR @ nth=1");
	assert_int_equal(post_write(fixture.left, 1, 0), 0);
	assert_int_equal(post_write(fixture.left, 2, 0), 0);
	assert_completion(fixture.cq, 1, IBV_WC_REM_OP_ERR);
	assert_completion(fixture.cq, 2, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

static void request_of_qp_not_selected_has_no_fault(void **state)
{
	fault_start("wc=FATAL_ERR @ qp=2");
	assert_int_equal(post_write(fixture.left, 1, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(post_write(fixture.right, 2, SIGNALED), 0);
	assert_completion(fixture.cq, 2, IBV_WC_FATAL_ERR);
	fault_stop();
}

/* Held requests do not exceed the size of the queue. */
static void request_held_queue_full_is_refused(void **state)
{
	unsigned int nr = 0;

	fault_start("wc=FATAL_ERR @ nth=2");
	assert_int_equal(post_write(fixture.left, 0, SIGNALED), 0);
	while (nr < 1000 && post_write(fixture.left, 1 + nr, SIGNALED) == 0)
		nr++;
	assert_in_range(nr, 1, 999);
	assert_completion(fixture.cq, 0, IBV_WC_SUCCESS);
	assert_completion(fixture.cq, 1, IBV_WC_FATAL_ERR);
	for (unsigned int i = 1; i < nr; i++)
		assert_completion(fixture.cq, 1 + i, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Failures of the QP                                                        */
/* ------------------------------------------------------------------------ */

/* A QP with the CQs @send and @recv, connected with fixture.right. */
static struct ibv_qp *new_qp(struct ibv_cq *send, struct ibv_cq *recv)
{
	struct ibv_qp_init_attr attr = { .send_cq = send,
					 .recv_cq = recv,
					 .cap = { 8, 8, 1, 1, 0 },
					 .qp_type = IBV_QPT_RC };
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_non_null(qp);
	fixture_connect(qp, fixture.right);
	return qp;
}

/* The program does not poll the CQ of its send requests. */
static void receives_are_flushed_without_poll_of_sends(void **state)
{
	struct ibv_cq *send;
	struct ibv_qp *qp;

	fault_start("wc=RNR_RETRY_EXC_ERR @ nth=3");
	send = ibv_create_cq(fixture.ctx, 16, NULL, NULL, 0);
	assert_non_null(send);
	qp = new_qp(send, fixture.cq);
	assert_int_equal(fault_post_recv(qp, 100), 0);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(post_write(qp, i, SIGNALED), 0);
	assert_completion(fixture.cq, 100, IBV_WC_WR_FLUSH_ERR);
	assert_completion(send, 1, IBV_WC_SUCCESS);
	assert_completion(send, 2, IBV_WC_SUCCESS);
	assert_completion(send, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	assert_no_completion(send);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(send), 0);
	fault_stop();
}

static void chosen_request_has_completion_event(void **state)
{
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq, *event_cq;
	struct ibv_qp *qp;
	void *context;

	fault_start("wc=RETRY_EXC_ERR @ nth=2");
	channel = ibv_create_comp_channel(fixture.ctx);
	assert_non_null(channel);
	cq = ibv_create_cq(fixture.ctx, 16, NULL, channel, 0);
	assert_non_null(cq);
	qp = new_qp(cq, fixture.cq);
	assert_int_equal(post_write(qp, 1, SIGNALED), 0);
	assert_completion(cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(post_write(qp, 2, SIGNALED), 0);
	assert_int_equal(ibv_get_cq_event(channel, &event_cq, &context), 0);
	assert_completion(cq, 2, IBV_WC_RETRY_EXC_ERR);
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	fault_stop();
}

/* The provider refuses an earlier request, so the chosen one is flushed. */
static void failure_of_provider_comes_first(void **state)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE };

	fault_start("wc=RETRY_EXC_ERR @ nth=2");
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey + 1000;
	assert_int_equal(fixture_post(fixture.left, wr, fixture.memory, 8), 0);
	assert_int_equal(post_write(fixture.left, 2, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_REM_ACCESS_ERR);
	assert_completion(fixture.cq, 2, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

static void reset_ends_failure(void **state)
{
	fault_start("wc=RETRY_EXC_ERR @ nth=2");
	assert_int_equal(post_write(fixture.left, 1, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(post_write(fixture.left, 2, SIGNALED), 0);
	assert_completion(fixture.cq, 2, IBV_WC_RETRY_EXC_ERR);
	fixture_connect(fixture.left, fixture.right);
	for (uint64_t i = 3; i < 40; i++) {
		assert_int_equal(post_write(fixture.left, i, SIGNALED), 0);
		assert_completion(fixture.cq, i, IBV_WC_SUCCESS);
		assert_true(was_written(i));
	}
	assert_no_completion(fixture.cq);
	fault_stop();
}

/* Requests that are held when the program moves the QP to ERR. */
static void err_by_program_flushes_held_requests(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	fault_start("wc=RETRY_EXC_ERR @ nth=1");
	assert_int_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post_write(fixture.left, 1, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

static void destroy_drops_held_requests(void **state)
{
	struct ibv_qp *qp;

	fault_start("wc=RETRY_EXC_ERR @ qp=3,nth=2");
	qp = new_qp(fixture.cq, fixture.cq);
	assert_int_equal(post_write(qp, 1, SIGNALED), 0);
	assert_int_equal(post_write(qp, 2, SIGNALED), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	fixture_connect(fixture.left, fixture.right);
	assert_int_equal(post_write(fixture.left, 3, SIGNALED), 0);
	assert_completion(fixture.cq, 3, IBV_WC_SUCCESS);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Requests that are executed                                                */
/* ------------------------------------------------------------------------ */

static void request_late_is_executed_and_later_ones_are_flushed(void **state)
{
	fault_start("wc=RETRY_EXC_ERR,late @ op=RDMA_WRITE,qp=1,nth=2");
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(post_write(fixture.left, i, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_SUCCESS);
	assert_completion(fixture.cq, 2, IBV_WC_RETRY_EXC_ERR);
	assert_completion(fixture.cq, 3, IBV_WC_WR_FLUSH_ERR);
	assert_completion(fixture.cq, 4, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	assert_state(fixture.left, IBV_QPS_ERR);
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(was_written(i), i <= 2);
	fault_stop();
}

static void request_late_alone_moves_qp_to_err(void **state)
{
	fault_start("wc=REM_OP_ERR,late @ nth=1,qp=1");
	assert_int_equal(fault_post_recv(fixture.left, 100), 0);
	assert_int_equal(post_write(fixture.left, 1, 0), 0);
	assert_completion(fixture.cq, 1, IBV_WC_REM_OP_ERR);
	assert_completion(fixture.cq, 100, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	assert_true(was_written(1));
	assert_int_equal(post_write(fixture.left, 2, SIGNALED), 0);
	assert_completion(fixture.cq, 2, IBV_WC_WR_FLUSH_ERR);
	fault_stop();
}

/* An error of the provider stays. */
static void request_late_refused_by_peer_has_status_of_peer(void **state)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE };

	fault_start("wc=RETRY_EXC_ERR,late @ nth=1,qp=1");
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = ~fixture.mr->rkey;
	assert_int_equal(fixture_post(fixture.left, wr, fixture.memory, 8), 0);
	assert_int_equal(post_write(fixture.left, 2, SIGNALED), 0);
	assert_completion(fixture.cq, 1, IBV_WC_REM_ACCESS_ERR);
	assert_completion(fixture.cq, 2, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion(fixture.cq);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Order                                                                     */
/* ------------------------------------------------------------------------ */

/* Flushes 4 receive requests of each QP; those of right are from 100. */
static void flush_receives(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	for (uint64_t i = 0; i < 4; i++) {
		assert_int_equal(fault_post_recv(fixture.left, i), 0);
		assert_int_equal(fault_post_recv(fixture.right, 100 + i), 0);
	}
	assert_int_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(fixture.right, &attr, IBV_QP_STATE), 0);
}

/* Return: whether a completion of left is after one of right. */
static bool poll_receives(void)
{
	uint64_t nr_left = 0, nr_right = 0;
	bool is_mixed = false;

	while (nr_left + nr_right < 8) {
		struct ibv_wc wc = fixture_poll(fixture.cq);

		if (wc.qp_num == fixture.left->qp_num) {
			assert_int_equal(wc.wr_id, nr_left++);
			is_mixed |= nr_right > 0;
		} else {
			assert_int_equal(wc.wr_id, 100 + nr_right++);
		}
	}
	assert_no_completion(fixture.cq);
	return is_mixed;
}

static void shuffle_keeps_order_of_each_qp(void **state)
{
	bool is_mixed = false;

	fault_start("shuffle @ cq=any");
	for (int i = 0; i < 20; i++) {
		fixture_connect(fixture.left, fixture.right);
		flush_receives();
		is_mixed |= poll_receives();
	}
	assert_true(is_mixed);
	fault_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			request_chosen_fails_and_later_ones_are_flushed),
		cmocka_unit_test(request_list_is_split_at_chosen_request),
		cmocka_unit_test(request_unsignaled_before_chosen_is_silent),
		cmocka_unit_test(request_unsignaled_chosen_has_completion),
		cmocka_unit_test(request_of_qp_not_selected_has_no_fault),
		cmocka_unit_test(request_held_queue_full_is_refused),
		cmocka_unit_test(receives_are_flushed_without_poll_of_sends),
		cmocka_unit_test(chosen_request_has_completion_event),
		cmocka_unit_test(failure_of_provider_comes_first),
		cmocka_unit_test(reset_ends_failure),
		cmocka_unit_test(err_by_program_flushes_held_requests),
		cmocka_unit_test(destroy_drops_held_requests),
		cmocka_unit_test(
			request_late_is_executed_and_later_ones_are_flushed),
		cmocka_unit_test(request_late_alone_moves_qp_to_err),
		cmocka_unit_test(
			request_late_refused_by_peer_has_status_of_peer),
		cmocka_unit_test(shuffle_keeps_order_of_each_qp),
	};

	return own_process_run_group_tests(tests);
}
