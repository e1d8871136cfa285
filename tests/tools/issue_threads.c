/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * issue_threads CASE: fails as a program in a public issue thread did, and
 * prints what that program printed: a status, without its cause. The cases are
 * in issue_threads_test.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/uroce/program/verbs_fixture.h"

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 64,
			       fixture.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static void print_failure(void)
{
	struct ibv_wc wc;

	do
		wc = fixture_poll(fixture.cq);
	while (wc.status == IBV_WC_SUCCESS);
	printf("WC status %d (%s), vendor_err %u\n", (int)wc.status,
	       ibv_wc_status_str(wc.status), wc.vendor_err);
}

/* The buffer was registered again, and an old lkey is in the request. */
static void use_old_lkey(void)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 4096,
				       IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 64, 0 };
	struct ibv_send_wr wr = { .wr_id = 7,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND },
			   *bad;

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	post_receive(fixture.right);
	assert_int_equal(ibv_post_send(fixture.left, &wr, &bad), 0);
	print_failure();
}

/* The peer has ended, or has another QP number than it announced. */
static void lose_peer(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(fixture.right, &attr, IBV_QP_STATE), 0);
	assert_int_equal(
		fixture_post(fixture.left,
			     (struct ibv_send_wr){ .opcode = IBV_WR_SEND },
			     fixture.memory, 8),
		0);
	print_failure();
}

/* The peer sent the lkey of its region instead of the rkey. */
static void use_lkey_as_rkey(void)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 4096,
				       IBV_ACCESS_LOCAL_WRITE);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	assert_non_null(mr);
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = mr->lkey;
	assert_int_equal(
		fixture_post(fixture.left, wr, fixture.memory + 4096, 8), 0);
	print_failure();
}

/* The first error is in the CQ of the sends, which the program does not poll.
 */
static void poll_flushed_only(void)
{
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = cq ? ibv_create_qp(fixture.pd, &attr) : NULL;
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };

	assert_non_null(qp);
	fixture_connect(qp, fixture.right);
	post_receive(qp);
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey + 1000;
	assert_int_equal(fixture_post(qp, wr, fixture.memory + 4096, 8), 0);
	print_failure();
}

/*
 * More requests than max_send_wr. None completes: the peer posted no receive,
 * and rnr_retry 7 has no end.
 */
static void post_too_many(void)
{
	int err = 0;

	for (int i = 0; i < 100 && !err; i++)
		err = fixture_post(
			fixture.left,
			(struct ibv_send_wr){ .opcode = IBV_WR_SEND },
			fixture.memory, 8);
	printf("ibv_post_send: %s\n", strerror(err));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "old_lkey", use_old_lkey },
	{ "lost_peer", lose_peer },
	{ "lkey_as_rkey", use_lkey_as_rkey },
	{ "flushed_only", poll_flushed_only },
	{ "too_many", post_too_many },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]);
	     i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			(void)fixture_setup(NULL);
			cases[i].run();
			(void)fflush(stdout);
			/* The programs of the threads end at once. */
			_Exit(1);
		}
	return 2;
}
