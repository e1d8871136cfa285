/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about posts that fail, on the user-space device with
 * VERBS_EXPLAIN=1. The QPs of the fixture have 8 WQEs with 2 SGEs.
 */
#include <errno.h>

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

static struct ibv_sge sge_of_memory(void)
{
	return (struct ibv_sge){ (uintptr_t)fixture.memory, 8,
				 fixture.mr->lkey };
}

static int post_sends(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, wr, &bad);
}

static int post_receives(struct ibv_qp *qp, struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *bad;

	return ibv_post_recv(qp, wr, &bad);
}

static void post_send_second_wr_bad_is_named(void **state)
{
	struct ibv_sge sges[3] = { sge_of_memory(), sge_of_memory(),
				   sge_of_memory() };
	struct ibv_send_wr second = { .wr_id = 0x77,
				      .sg_list = sges,
				      .num_sge = 3,
				      .opcode = IBV_WR_SEND };
	struct ibv_send_wr first = { .next = &second,
				     .sg_list = sges,
				     .num_sge = 1,
				     .opcode = IBV_WR_SEND };

	assert_int_not_equal(post_sends(fixture.left, &first), 0);
	assert_explained("ibv_post_send(QP 0x", "WR 1: wr_id 0x77, SEND",
			 "num_sge is 3, but max_send_sge of the QP is 2",
			 "sg_list[2]", NULL);
}

/* The provider reads neither the SGEs nor the rest of the list. */
static void post_send_sges_unreadable_are_not_read(void **state)
{
	struct ibv_send_wr wr = { .sg_list = (void *)(uintptr_t)64,
				  .num_sge = 1 << 30,
				  .opcode = IBV_WR_SEND };
	struct ibv_recv_wr recv = { .sg_list = (void *)(uintptr_t)64,
				    .num_sge = 1 << 30 };

	wr.next = (void *)(uintptr_t)64;
	assert_int_not_equal(post_sends(fixture.left, &wr), 0);
	assert_explained("num_sge is 1073741824", NULL);
	recv.next = (void *)(uintptr_t)64;
	assert_int_not_equal(post_receives(fixture.left, &recv), 0);
	assert_explained("num_sge is 1073741824", NULL);
}

static void post_send_list_cyclic_ends_at_full_queue(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	wr.next = &wr;
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	assert_int_equal(post_sends(fixture.left, &wr), ENOMEM);
	assert_explained("the send queue is full", NULL);
}

static void post_send_inline_too_long_is_named(void **state)
{
	struct ibv_sge sge = sge_of_memory();
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_INLINE };

	sge.length = 1000;
	assert_int_not_equal(post_sends(fixture.left, &wr), 0);
	assert_explained("WR 0",
			 "IBV_SEND_INLINE with 1000 bytes, but "
			 "max_inline_data of the QP is ",
			 NULL);
}

static void post_send_state_init_is_named(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	fixture_to_init(qp);
	assert_int_not_equal(post_sends(qp, &wr), 0);
	assert_explained("the QP is in the state INIT; send requests need RTS",
			 NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* No request completes: the peer has no receive, and rnr_retry 7 has no end. */
static void post_send_queue_full_names_size(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	int ret = 0;

	for (int i = 0; i < 1000 && ret == 0; i++)
		ret = post_sends(fixture.left, &wr);
	assert_int_equal(ret, ENOMEM);
	assert_explained("ENOMEM", "the send queue is full (max_send_wr is 8)",
			 "IBV_SEND_SIGNALED", NULL);
}

static void post_send_opcode_not_in_type_is_named(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };

	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	assert_int_not_equal(post_sends(qp, &wr), 0);
	assert_explained("(UD, uroce_lo)", "a QP of type UD has no RDMA_READ",
			 NULL);
	wr.opcode = IBV_WR_SEND;
	assert_int_not_equal(post_sends(qp, &wr), 0);
	assert_explained("wr.ud.ah is NULL", NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void post_send_atomic_length_wrong_is_named(void **state)
{
	struct ibv_sge sge = sge_of_memory();
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };

	sge.length = 4;
	if (post_sends(fixture.left, &wr) == 0)
		return; /* the completion has the error */
	assert_explained("the SGEs of an atomic have 4 bytes", NULL);
}

static void post_recv_sges_too_many_is_named(void **state)
{
	struct ibv_sge sges[3] = { sge_of_memory(), sge_of_memory(),
				   sge_of_memory() };
	struct ibv_recv_wr wr = { .wr_id = 9, .sg_list = sges, .num_sge = 3 };

	assert_int_not_equal(post_receives(fixture.left, &wr), 0);
	assert_explained("ibv_post_recv(QP 0x", "WR 0: wr_id 0x9",
			 "num_sge is 3", "max_recv_sge (max_sge) 2", NULL);
}

static void post_recv_queue_full_names_size(void **state)
{
	struct ibv_recv_wr wr = { .num_sge = 0 };
	int ret = 0;

	for (int i = 0; i < 1000 && ret == 0; i++)
		ret = post_receives(fixture.left, &wr);
	assert_int_equal(ret, ENOMEM);
	assert_explained("the receive queue is full (8 entries)", NULL);
}

static void post_recv_state_reset_is_named(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_recv_wr wr = { .num_sge = 0 };

	assert_int_not_equal(post_receives(qp, &wr), 0);
	assert_explained("the QP is in the state RESET", NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void post_srq_recv_sges_too_many_is_named(void **state)
{
	struct ibv_srq_init_attr attr = { .attr = { 4, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(fixture.pd, &attr);
	struct ibv_sge sges[2] = { sge_of_memory(), sge_of_memory() };
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 2 };
	struct ibv_recv_wr *bad;

	assert_non_null(srq);
	assert_int_not_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
	assert_explained("ibv_post_srq_recv(SRQ of uroce_lo, WR 0",
			 "num_sge is 2", NULL);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

static void wr_complete_sges_too_many_names_limits(void **state)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);
	struct ibv_sge sges[3] = { sge_of_memory(), sge_of_memory(),
				   sge_of_memory() };

	assert_non_null(qpx);
	fixture_connect(qp, fixture.right);
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, 3, sges);
	assert_int_not_equal(ibv_wr_complete(qpx), 0);
	assert_explained("ibv_wr_complete(QP 0x", "more than 2 SGEs",
			 "no request since ibv_wr_start() was posted", NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void wr_complete_state_init_is_named(void **state)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	assert_int_not_equal(ibv_wr_complete(qpx), 0);
	assert_explained("the QP is in the state RESET", NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static int wr_complete_without_room(struct ibv_qp_ex *qp)
{
	return ENOMEM;
}

/* mlx5 sets the pointer of a live QP in its modify_qp(). */
static void wr_complete_set_by_provider_is_observed_again(void **state)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	fixture_to_init(qp);
	qpx->wr_complete = wr_complete_without_room;
	fixture_to_init(qp);
	assert_ptr_not_equal(qpx->wr_complete, wr_complete_without_room);
	qp->state = IBV_QPS_RTS; /* no other reason */
	assert_int_equal(ibv_wr_complete(qpx), ENOMEM);
	assert_explained("ibv_wr_complete(", "the send queue is full", NULL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void posts_valid_are_silent(void **state)
{
	struct ibv_recv_wr recv = { .num_sge = 0 };
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND };

	assert_int_equal(post_receives(fixture.right, &recv), 0);
	assert_int_equal(fixture_post(fixture.left, send, NULL, 0), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_silent();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		explain_test(post_send_second_wr_bad_is_named),
		explain_test(post_send_sges_unreadable_are_not_read),
		explain_test(post_send_list_cyclic_ends_at_full_queue),
		explain_test(post_send_inline_too_long_is_named),
		explain_test(post_send_state_init_is_named),
		explain_test(post_send_queue_full_names_size),
		explain_test(post_send_opcode_not_in_type_is_named),
		explain_test(post_send_atomic_length_wrong_is_named),
		explain_test(post_recv_sges_too_many_is_named),
		explain_test(post_recv_queue_full_names_size),
		explain_test(post_recv_state_reset_is_named),
		explain_test(post_srq_recv_sges_too_many_is_named),
		explain_test(wr_complete_sges_too_many_names_limits),
		explain_test(wr_complete_state_init_is_named),
		explain_test(wr_complete_set_by_provider_is_observed_again),
		explain_test(posts_valid_are_silent),
	};

	return own_process_run_group_tests(tests);
}
