/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Polling CQs through the kernel. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define BATCH 32 /* of cmd_poll.c */

/* Response with the maximum number of completions. */
struct poll_resp {
	uint32_t count, reserved;
	struct ib_uverbs_wc wc[BATCH];
};

/* Completion number @nr; all fields have different values. */
static struct ib_uverbs_wc kernel_wc(uint32_t nr)
{
	return (struct ib_uverbs_wc){
		.wr_id = UINT64_C(0x1122334400000000) + nr,
		.status = IBV_WC_RNR_RETRY_EXC_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.vendor_err = 0x30 + nr,
		.byte_len = 0x40 + nr,
		.ex.imm_data = 0x50 + nr,
		.qp_num = 0x60 + nr,
		.src_qp = 0x70 + nr,
		.wc_flags = IBV_WC_GRH | IBV_WC_WITH_IMM,
		.pkey_index = 0x81,
		.slid = 0x82,
		.sl = 0x83,
		.dlid_path_bits = 0x84,
		.port_num = 0x85, /* struct ibv_wc has no such field */
	};
}

static void check_wc(const struct ibv_wc *wc, uint32_t nr)
{
	const struct ibv_wc expected = {
		.wr_id = UINT64_C(0x1122334400000000) + nr,
		.status = IBV_WC_RNR_RETRY_EXC_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.vendor_err = 0x30 + nr,
		.byte_len = 0x40 + nr,
		.imm_data = 0x50 + nr,
		.qp_num = 0x60 + nr,
		.src_qp = 0x70 + nr,
		.wc_flags = IBV_WC_GRH | IBV_WC_WITH_IMM,
		.pkey_index = 0x81,
		.slid = 0x82,
		.sl = 0x83,
		.dlid_path_bits = 0x84,
	};

	assert_int_equal(wc->wr_id, expected.wr_id);
	assert_int_equal(wc->status, expected.status);
	assert_int_equal(wc->opcode, expected.opcode);
	assert_int_equal(wc->vendor_err, expected.vendor_err);
	assert_int_equal(wc->byte_len, expected.byte_len);
	assert_int_equal(wc->imm_data, expected.imm_data);
	assert_int_equal(wc->qp_num, expected.qp_num);
	assert_int_equal(wc->src_qp, expected.src_qp);
	assert_int_equal(wc->wc_flags, expected.wc_flags);
	assert_int_equal(wc->pkey_index, expected.pkey_index);
	assert_int_equal(wc->slid, expected.slid);
	assert_int_equal(wc->sl, expected.sl);
	assert_int_equal(wc->dlid_path_bits, expected.dlid_path_bits);
}

/* @max completions are requested, @count returned, starting at @first. */
static void expect_poll(enum test_form form, uint32_t max, uint32_t first,
			uint32_t count, int err)
{
	const struct ib_uverbs_poll_cq in = { .cq_handle = 81, .ne = max };
	struct poll_resp out = { .count = count };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_POLL_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = 8 + max * 48,
		.err = err,
	};

	for (uint32_t i = 0; i < count && i < BATCH; i++)
		out.wc[i] = kernel_wc(first + i);
	kernel_test_expect(form, &cmd);
}

static struct ibv_cq cq_of(struct kernel_test *t)
{
	return (struct ibv_cq){ .context = t->ctx, .handle = 81 };
}

static void poll_cq_fills_all_fields_in_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct ibv_wc wc[3] = { [2] = { .wr_id = 77 } };

		kernel_test_force(t, form);
		expect_poll(form, 3, 0, 2, 0);
		assert_int_equal(verbs_cmd_poll_cq(&cq, 3, wc), 2);
		check_wc(&wc[0], 0);
		check_wc(&wc[1], 1);
		assert_int_equal(wc[2].wr_id, 77);
	}
}

static void poll_cq_empty_queue_returns_0(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);
	struct ibv_wc wc = { .wr_id = 77 };

	expect_poll(FORM_INVOKE_WRITE, 1, 0, 0, 0);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 1, &wc), 0);
	assert_int_equal(wc.wr_id, 77);
}

static void poll_cq_many_completions_are_read_in_batches(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);
	struct ibv_wc wc[70];

	expect_poll(FORM_INVOKE_WRITE, 32, 0, 32, 0);
	expect_poll(FORM_INVOKE_WRITE, 32, 32, 32, 0);
	expect_poll(FORM_INVOKE_WRITE, 6, 64, 6, 0);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 70, wc), 70);
	for (uint32_t i = 0; i < 70; i++)
		check_wc(&wc[i], i);

	/* A batch that is not full is the last one. */
	expect_poll(FORM_INVOKE_WRITE, 32, 0, 32, 0);
	expect_poll(FORM_INVOKE_WRITE, 32, 32, 31, 0);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 70, wc), 63);
}

static void poll_cq_returns_kernel_error(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);
	struct ibv_wc wc = { .wr_id = 77 };

	expect_poll(FORM_INVOKE_WRITE, 1, 0, 1, EINVAL);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 1, &wc), -EINVAL);
	assert_int_equal(verbs_cmd_poll_cq(&cq, -1, &wc), -EINVAL);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 0, &wc), 0);
	assert_int_equal(wc.wr_id, 77);
}

static void poll_cq_completions_before_error_are_returned(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);
	struct ibv_wc wc[64];

	expect_poll(FORM_INVOKE_WRITE, 32, 0, 32, 0);
	expect_poll(FORM_INVOKE_WRITE, 32, 0, 0, EIO);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 64, wc), 32);
	check_wc(&wc[31], 31);
}

static void poll_cq_more_than_requested_returns_eproto(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = cq_of(t);
	struct ibv_wc wc[2] = { [0] = { .wr_id = 77 } };

	expect_poll(FORM_INVOKE_WRITE, 1, 0, 2, 0);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 1, wc), -EPROTO);
	expect_poll(FORM_INVOKE_WRITE, 1, 0, UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_poll_cq(&cq, 1, wc), -EPROTO);
	assert_int_equal(wc[0].wr_id, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(poll_cq_fills_all_fields_in_both_write_forms),
		KERNEL_TEST(poll_cq_empty_queue_returns_0),
		KERNEL_TEST(poll_cq_many_completions_are_read_in_batches),
		KERNEL_TEST(poll_cq_returns_kernel_error),
		KERNEL_TEST(poll_cq_completions_before_error_are_returned),
		KERNEL_TEST(poll_cq_more_than_requested_returns_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
