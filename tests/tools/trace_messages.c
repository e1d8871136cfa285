/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_messages: messages between queue pairs of one process, for
 * trace_match_test.py. The pairs, in this order: one with messages of all
 * kinds, one whose messages are built with ibv_wr_*(), one that is reset, and a
 * UD queue pair. "trace_messages N": N messages between one pair.
 */
#include <stdlib.h>

#include "providers/uroce/program/verbs_fixture.h"

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 64,
			       fixture.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static void poll_both(void)
{
	for (int i = 0; i < 2; i++)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
}

/* A message of @length bytes; all sizes are different. */
static void send_message(struct ibv_qp *from, struct ibv_qp *to,
			 enum ibv_wr_opcode opcode, uint32_t length)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	post_receive(to);
	assert_int_equal(fixture_post(from, wr, fixture.memory, length), 0);
	poll_both();
}

static void send_all_kinds(struct ibv_qp *left, struct ibv_qp *right)
{
	struct ibv_sge sges[256] = {};
	struct ibv_send_wr wr = { .sg_list = sges,
				  .num_sge = 256,
				  .opcode = IBV_WR_SEND },
			   *bad;

	send_message(left, right, IBV_WR_SEND, 1);
	send_message(left, right, IBV_WR_SEND_WITH_IMM, 2);
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory,
				       fixture.mr->rkey),
			 IBV_WC_SUCCESS);
	send_message(left, right, IBV_WR_RDMA_WRITE_WITH_IMM, 3);
	assert_int_not_equal(ibv_post_send(left, &wr, &bad), 0);
	send_message(left, right, IBV_WR_SEND, 4);
	send_message(right, left, IBV_WR_SEND, 5);
}

static void build_send(struct ibv_qp_ex *qp, uint32_t length)
{
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, fixture.mr->lkey, (uintptr_t)fixture.memory, length);
}

static void send_built(struct ibv_qp *left, struct ibv_qp *right)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(left);

	assert_non_null(qp);
	post_receive(right);
	ibv_wr_start(qp);
	build_send(qp, 6);
	assert_int_equal(ibv_wr_complete(qp), 0);
	poll_both();
	ibv_wr_start(qp);
	build_send(qp, 60);
	build_send(qp, 61);
	ibv_wr_abort(qp);
	post_receive(right);
	ibv_wr_start(qp);
	build_send(qp, 7);
	assert_int_equal(ibv_wr_complete(qp), 0);
	poll_both();
}

static void send_and_reset(struct ibv_qp *left, struct ibv_qp *right)
{
	fixture_connect(left, right);
	send_message(left, right, IBV_WR_SEND, 8);
	fixture_connect(left, right);
	send_message(left, right, IBV_WR_SEND, 9);
}

static void send_to_all(void)
{
	struct ibv_qp *qps[5];

	send_all_kinds(fixture.left, fixture.right);
	qps[0] = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	for (int i = 1; i < 4; i++)
		qps[i] = fixture_new_qp(IBV_QPT_RC);
	qps[4] = fixture_new_qp(IBV_QPT_UD);
	fixture_connect(qps[0], qps[1]);
	send_built(qps[0], qps[1]);
	send_and_reset(qps[2], qps[3]);
	for (int i = 0; i < 5; i++)
		assert_int_equal(ibv_destroy_qp(qps[i]), 0);
}

int main(int argc, char **argv)
{
	(void)fixture_setup(NULL);
	if (argc < 2)
		send_to_all();
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		send_message(fixture.left, fixture.right, IBV_WR_SEND,
			     1 + (uint32_t)i % 50);
	return fixture_teardown(NULL);
}
