/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_post.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

static void foreign_cmd_poll_cq_returns_number_of_completions(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_poll_cq in = { .cq_handle = 31, .ne = 2 };
	const struct {
		uint32_t count, reserved;
		struct ib_uverbs_wc wc[2];
	} out = {
		.count = 1,
		.wc = { { .wr_id = 99, .qp_num = 777 } },
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_POLL_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_cq cq = { .context = t->ctx, .handle = 31 };
	struct ibv_wc wc[2] = {};

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		errno = TEST_ERRNO;
		assert_int_equal(foreign_cmd_poll_cq(&cq, 2, wc), 1);
		assert_int_equal(errno, TEST_ERRNO);
		assert_int_equal(wc[0].wr_id, 99);
		assert_int_equal(wc[0].qp_num, 777);
		cmd.err = EIO;
		foreign_cmd_test_expect(t, form, cmd);
		assert_int_equal(foreign_cmd_poll_cq(&cq, 2, wc), -1);
		assert_int_equal(errno, EIO);
	}
}

#define NR 2 /* work requests with one SGE each */

/*
 * Common header of the three commands; the struct of the kernel cannot be a
 * member.
 */
struct post_head {
	uint64_t response;
	uint32_t handle, wr_count, sge_count, wqe_size;
};

struct send_post {
	struct post_head head;
	struct ib_uverbs_send_wr wr[NR];
	struct ib_uverbs_sge sge[NR];
};

struct recv_post {
	struct post_head head;
	struct ib_uverbs_recv_wr wr[NR];
	struct ib_uverbs_sge sge[NR];
};

static struct ibv_sge sge[NR] = { { 0x1000, 10, 1 }, { 0x2000, 20, 2 } };

static void foreign_cmd_post_send_failure_sets_bad_wr(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct send_post in = {
		.head = { .handle = 31,
			  .wr_count = NR,
			  .sge_count = NR,
			  .wqe_size = sizeof(struct ib_uverbs_send_wr) },
		.wr = { { .wr_id = 1, .num_sge = 1, .opcode = IBV_WR_SEND },
			{ .wr_id = 2, .num_sge = 1, .opcode = IBV_WR_SEND } },
		.sge = { { 0x1000, 10, 1 }, { 0x2000, 20, 2 } },
	};
	struct ib_uverbs_post_send_resp out = {};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_POST_SEND,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_qp qp = {
		.context = t->ctx,
		.handle = 31,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_send_wr second = { .wr_id = 2,
				      .sg_list = &sge[1],
				      .num_sge = 1,
				      .opcode = IBV_WR_SEND };
	struct ibv_send_wr first = { .wr_id = 1,
				     .next = &second,
				     .sg_list = &sge[0],
				     .num_sge = 1,
				     .opcode = IBV_WR_SEND };

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_send_wr *bad = NULL;

		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		out.bad_wr = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_post_send(&qp, &first, &bad));
		cmd.err = ENOMEM;
		out.bad_wr = 2;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_post_send(&qp, &first, &bad), ENOMEM);
		assert_ptr_equal(bad, &second);
	}
}

static void check_recv(struct foreign_cmd_test *t, uint32_t command,
		       int (*post)(void *queue, struct ibv_recv_wr *wr,
				   struct ibv_recv_wr **bad),
		       void *queue)
{
	const struct recv_post in = {
		.head = { .handle = 31,
			  .wr_count = NR,
			  .sge_count = NR,
			  .wqe_size = sizeof(struct ib_uverbs_recv_wr) },
		.wr = { { .wr_id = 1, .num_sge = 1 },
			{ .wr_id = 2, .num_sge = 1 } },
		.sge = { { 0x1000, 10, 1 }, { 0x2000, 20, 2 } },
	};
	struct ib_uverbs_post_recv_resp out = {};
	struct fake_write cmd = {
		.command = command,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_recv_wr second = { .wr_id = 2,
				      .sg_list = &sge[1],
				      .num_sge = 1 };
	struct ibv_recv_wr first = {
		.wr_id = 1, .next = &second, .sg_list = &sge[0], .num_sge = 1
	};

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_recv_wr *bad = NULL;

		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		out.bad_wr = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(post(queue, &first, &bad));
		cmd.err = ENOMEM;
		out.bad_wr = 2;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(post(queue, &first, &bad), ENOMEM);
		assert_ptr_equal(bad, &second);
	}
}

static int call_post_recv(void *queue, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad)
{
	return foreign_cmd_post_recv(queue, wr, bad);
}

static int call_post_srq_recv(void *queue, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad)
{
	return foreign_cmd_post_srq_recv(queue, wr, bad);
}

static void
foreign_cmd_post_recv_sends_work_requests_to_qp_and_srq(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 31 };
	struct ibv_srq srq = { .context = t->ctx, .handle = 31 };

	check_recv(t, IB_USER_VERBS_CMD_POST_RECV, call_post_recv, &qp);
	check_recv(t, IB_USER_VERBS_CMD_POST_SRQ_RECV, call_post_srq_recv,
		   &srq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_poll_cq_returns_number_of_completions),
		FOREIGN_CMD_TEST(foreign_cmd_post_send_failure_sets_bad_wr),
		FOREIGN_CMD_TEST(
			foreign_cmd_post_recv_sends_work_requests_to_qp_and_srq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
