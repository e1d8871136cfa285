/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of a queue pair: modify and query. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

/* All fields have different values. */
static const struct ibv_qp_attr full = {
	.qp_state = IBV_QPS_RTS,
	.cur_qp_state = IBV_QPS_RTR,
	.path_mtu = IBV_MTU_1024,
	.path_mig_state = IBV_MIG_REARM,
	.qkey = 0x11111111,
	.rq_psn = 0x22222222,
	.sq_psn = 0x33333333,
	.dest_qp_num = 0x44444444,
	.qp_access_flags = 0x55,
	.cap = { 100, 101, 2, 3, 64 },
	.ah_attr = {
		.grh = {
			.dgid.raw = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
				      14, 15, 16 },
			.flow_label = 0x66666,
			.sgid_index = 21,
			.hop_limit = 22,
			.traffic_class = 23,
		},
		.dlid = 0x2424,
		.sl = 25,
		.src_path_bits = 26,
		.static_rate = 27,
		.is_global = 1,
		.port_num = 28,
	},
	.alt_ah_attr = {
		.grh = {
			.dgid.raw = { 31, 32, 33 },
			.flow_label = 0x77777,
			.sgid_index = 34,
			.hop_limit = 35,
			.traffic_class = 36,
		},
		.dlid = 0x3737,
		.sl = 38,
		.src_path_bits = 39,
		.static_rate = 40,
		.is_global = 1,
		.port_num = 41,
	},
	.pkey_index = 0x4242,
	.alt_pkey_index = 0x4343,
	.en_sqd_async_notify = 44,
	.sq_draining = 45,
	.max_rd_atomic = 46,
	.max_dest_rd_atomic = 47,
	.min_rnr_timer = 48,
	.port_num = 49,
	.timeout = 50,
	.retry_cnt = 51,
	.rnr_retry = 52,
	.alt_port_num = 53,
	.alt_timeout = 54,
	.rate_limit = 0x55555555,
};

static const struct ib_uverbs_qp_dest dest = {
	.dgid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.flow_label = 0x66666,
	.dlid = 0x2424,
	.sgid_index = 21,
	.hop_limit = 22,
	.traffic_class = 23,
	.sl = 25,
	.src_path_bits = 26,
	.static_rate = 27,
	.is_global = 1,
	.port_num = 28,
};

static const struct ib_uverbs_qp_dest alt_dest = {
	.dgid = { 31, 32, 33 },
	.flow_label = 0x77777,
	.dlid = 0x3737,
	.sgid_index = 34,
	.hop_limit = 35,
	.traffic_class = 36,
	.sl = 38,
	.src_path_bits = 39,
	.static_rate = 40,
	.is_global = 1,
	.port_num = 41,
};

/* ------------------------------------------------------------------------ */
/* Modify                                                                    */
/* ------------------------------------------------------------------------ */

#define M struct ib_uverbs_modify_qp

/* The request fields that each mask bit selects. */
static const struct {
	int bit;
	M request;
} bits[] = {
	{ 0, {} },
	{ IBV_QP_STATE, { .qp_state = IBV_QPS_RTS } },
	{ IBV_QP_CUR_STATE, { .cur_qp_state = IBV_QPS_RTR } },
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY, { .en_sqd_async_notify = 44 } },
	{ IBV_QP_ACCESS_FLAGS, { .qp_access_flags = 0x55 } },
	{ IBV_QP_PKEY_INDEX, { .pkey_index = 0x4242 } },
	{ IBV_QP_PORT, { .port_num = 49 } },
	{ IBV_QP_QKEY, { .qkey = 0x11111111 } },
	{ IBV_QP_PATH_MTU, { .path_mtu = IBV_MTU_1024 } },
	{ IBV_QP_TIMEOUT, { .timeout = 50 } },
	{ IBV_QP_RETRY_CNT, { .retry_cnt = 51 } },
	{ IBV_QP_RNR_RETRY, { .rnr_retry = 52 } },
	{ IBV_QP_RQ_PSN, { .rq_psn = 0x22222222 } },
	{ IBV_QP_MAX_QP_RD_ATOMIC, { .max_rd_atomic = 46 } },
	{ IBV_QP_MIN_RNR_TIMER, { .min_rnr_timer = 48 } },
	{ IBV_QP_SQ_PSN, { .sq_psn = 0x33333333 } },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, { .max_dest_rd_atomic = 47 } },
	{ IBV_QP_PATH_MIG_STATE, { .path_mig_state = IBV_MIG_REARM } },
	{ IBV_QP_CAP, {} }, /* not part of any command */
	{ IBV_QP_DEST_QPN, { .dest_qp_num = 0x44444444 } },
};

static void expect_modify(struct kernel_test *t, enum test_form form,
			  const M *in, int err)
{
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_QP,
		.in = in,
		.in_len = sizeof(*in),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.err = err,
	};

	kernel_test_force(t, form);
	t->udata.out_len = 0;
	kernel_test_expect(form, &cmd);
}

static int run_modify(struct kernel_test *t, const struct ibv_qp_attr *attr,
		      int mask)
{
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	return verbs_cmd_modify_qp(&qp, attr, mask, &t->udata);
}

static void modify_qp_mask_bit_sends_only_selected_field(void **state)
{
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		M in = bits[i].request;

		in.qp_handle = 61;
		in.attr_mask = (uint32_t)bits[i].bit;
		expect_modify(*state, FORM_INVOKE_WRITE, &in, 0);
		assert_int_equal(run_modify(*state, &full, bits[i].bit), 0);
	}
}

static void modify_qp_sends_all_path_fields(void **state)
{
	M in = { .qp_handle = 61, .attr_mask = IBV_QP_AV };

	in.dest = dest;
	expect_modify(*state, FORM_INVOKE_WRITE, &in, 0);
	assert_int_equal(run_modify(*state, &full, IBV_QP_AV), 0);

	in = (M){ .qp_handle = 61, .attr_mask = IBV_QP_ALT_PATH };
	in.alt_dest = alt_dest;
	in.alt_pkey_index = 0x4343;
	in.alt_port_num = 53;
	in.alt_timeout = 54;
	expect_modify(*state, FORM_INVOKE_WRITE, &in, 0);
	assert_int_equal(run_modify(*state, &full, IBV_QP_ALT_PATH), 0);
}

static void modify_qp_sends_both_write_forms(void **state)
{
	const M in = {
		.qp_handle = 61,
		.attr_mask = IBV_QP_STATE | IBV_QP_PORT,
		.qp_state = IBV_QPS_RTS,
		.port_num = 49,
	};

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		expect_modify(*state, form, &in, 0);
		assert_int_equal(
			run_modify(*state, &full, IBV_QP_STATE | IBV_QP_PORT),
			0);
		expect_modify(*state, form, &in, EINVAL);
		assert_int_equal(
			run_modify(*state, &full, IBV_QP_STATE | IBV_QP_PORT),
			-EINVAL);
	}
}

static void expect_modify_ex(struct kernel_test *t, enum test_form form,
			     uint32_t mask, int err)
{
	const struct ib_uverbs_ex_modify_qp in = {
		.base = {
			.qp_handle = 61,
			.attr_mask = mask,
			.qp_state = IBV_QPS_RTS,
		},
		.rate_limit = mask & IBV_QP_RATE_LIMIT ? 0x55555555 : 0,
	};
	static const struct ib_uverbs_ex_modify_qp_resp out = {
		.response_length = UINT32_MAX, /* ignored */
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_QP | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static void modify_qp_rate_limit_sends_ex_command(void **state)
{
	const uint32_t mask = IBV_QP_STATE | IBV_QP_RATE_LIMIT;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		expect_modify_ex(*state, form, mask, 0);
		assert_int_equal(run_modify(*state, &full, (int)mask), 0);
		expect_modify_ex(*state, form, mask, EINVAL);
		assert_int_equal(run_modify(*state, &full, (int)mask), -EINVAL);
		expect_modify_ex(*state, form, mask, ENOSYS);
		assert_int_equal(run_modify(*state, &full, (int)mask),
				 -EOPNOTSUPP);
	}
}

/* The extended command has driver output. */
static void modify_qp_ex_without_rate_limit_sends_ex_command(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		memset(t->driver_out, 0, sizeof(t->driver_out));
		expect_modify_ex(t, form, IBV_QP_STATE, 0);
		assert_int_equal(verbs_cmd_modify_qp_ex(
					 &qp, &full, IBV_QP_STATE, &t->udata),
				 0);
		assert_memory_equal(t->driver_out, kernel_test_driver_resp,
				    sizeof(kernel_test_driver_resp));
		expect_modify_ex(t, form, IBV_QP_STATE, ENOSYS);
		assert_int_equal(verbs_cmd_modify_qp_ex(
					 &qp, &full, IBV_QP_STATE, &t->udata),
				 -EOPNOTSUPP);
	}
	assert_int_equal(verbs_cmd_modify_qp_ex(&qp, &full,
						IBV_QP_RATE_LIMIT << 1, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(verbs_cmd_modify_qp_ex(&qp, &full, -1, NULL),
			 -EOPNOTSUPP);
}

static void modify_qp_unknown_mask_bits_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(run_modify(t, &full, IBV_QP_RATE_LIMIT << 1),
			 -EOPNOTSUPP);
	assert_int_equal(run_modify(t, &full, -1), -EOPNOTSUPP);
	assert_int_equal(
		verbs_cmd_query_qp(&qp, &attr, IBV_QP_RATE_LIMIT, &init),
		-EOPNOTSUPP);
	assert_int_equal(verbs_cmd_query_qp(&qp, &attr, -1, &init),
			 -EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Query                                                                     */
/* ------------------------------------------------------------------------ */

static struct ib_uverbs_query_qp_resp query_resp(void)
{
	return (struct ib_uverbs_query_qp_resp){
		.dest = dest,
		.alt_dest = alt_dest,
		.max_send_wr = 100,
		.max_recv_wr = 101,
		.max_send_sge = 2,
		.max_recv_sge = 3,
		.max_inline_data = 64,
		.qkey = 0x11111111,
		.rq_psn = 0x22222222,
		.sq_psn = 0x33333333,
		.dest_qp_num = 0x44444444,
		.qp_access_flags = 0x55,
		.pkey_index = 0x4242,
		.alt_pkey_index = 0x4343,
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.path_mig_state = IBV_MIG_REARM,
		.sq_draining = 45,
		.max_rd_atomic = 46,
		.max_dest_rd_atomic = 47,
		.min_rnr_timer = 48,
		.port_num = 49,
		.timeout = 50,
		.retry_cnt = 51,
		.rnr_retry = 52,
		.alt_port_num = 53,
		.alt_timeout = 54,
		.sq_sig_all = 1,
	};
}

static void expect_query(struct kernel_test *t, enum test_form form,
			 const struct ib_uverbs_query_qp_resp *out, int err)
{
	static const struct ib_uverbs_query_qp in = {
		.qp_handle = 61,
		.attr_mask = IBV_QP_STATE | IBV_QP_CAP,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_QP,
		.in = &in,
		.in_len = sizeof(in),
		.out = out,
		.out_len = sizeof(*out),
		.err = err,
	};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static struct ibv_qp *init_qp(struct kernel_test *t)
{
	static struct ibv_cq send_cq, recv_cq;
	static struct ibv_srq srq;
	static struct ibv_qp qp;

	qp = (struct ibv_qp){
		.context = t->ctx,
		.qp_context = t,
		.send_cq = &send_cq,
		.recv_cq = &recv_cq,
		.srq = &srq,
		.handle = 61,
		.qp_type = IBV_QPT_UC,
	};
	return &qp;
}

static void query_qp_fills_all_fields(void **state)
{
	const struct ib_uverbs_query_qp_resp out = query_resp();
	struct kernel_test *t = *state;
	struct ibv_qp *qp = init_qp(t);

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr, expected = full;

		memset(&attr, 0, sizeof(attr));
		memset(&init, 0x5a, sizeof(init));
		expected.rate_limit = attr.rate_limit = 7;
		expected.en_sqd_async_notify = attr.en_sqd_async_notify = 8;
		expect_query(t, form, &out, 0);
		assert_int_equal(verbs_cmd_query_qp(qp, &attr,
						    IBV_QP_STATE | IBV_QP_CAP,
						    &init),
				 0);
		assert_memory_equal(&attr, &expected, sizeof(attr));
		assert_ptr_equal(init.qp_context, t);
		assert_ptr_equal(init.send_cq, qp->send_cq);
		assert_ptr_equal(init.recv_cq, qp->recv_cq);
		assert_ptr_equal(init.srq, qp->srq);
		assert_memory_equal(&init.cap, &full.cap, sizeof(init.cap));
		assert_int_equal(init.qp_type, IBV_QPT_UC);
		assert_int_equal(init.sq_sig_all, 1);
	}
}

static void query_qp_out_of_range_values_are_copied(void **state)
{
	struct kernel_test *t = *state;
	struct ib_uverbs_query_qp_resp out;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	memset(&out, 0xff, sizeof(out));
	expect_query(t, FORM_INVOKE_WRITE, &out, 0);
	assert_int_equal(verbs_cmd_query_qp(init_qp(t), &attr,
					    IBV_QP_STATE | IBV_QP_CAP, &init),
			 0);
	assert_int_equal(attr.port_num, 255);
	assert_int_equal(attr.qp_state, 255);
}

static void query_qp_error_leaves_outputs_unchanged(void **state)
{
	const struct ib_uverbs_query_qp_resp out = query_resp();
	struct kernel_test *t = *state;
	struct ibv_qp_init_attr init = { .sq_sig_all = 55 };
	struct ibv_qp_attr attr = { .port_num = 56 };

	expect_query(t, FORM_INVOKE_WRITE, &out, EINVAL);
	assert_int_equal(verbs_cmd_query_qp(init_qp(t), &attr,
					    IBV_QP_STATE | IBV_QP_CAP, &init),
			 -EINVAL);
	assert_int_equal(init.sq_sig_all, 55);
	assert_int_equal(attr.port_num, 56);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(modify_qp_mask_bit_sends_only_selected_field),
		KERNEL_TEST(modify_qp_sends_all_path_fields),
		KERNEL_TEST(modify_qp_sends_both_write_forms),
		KERNEL_TEST(modify_qp_rate_limit_sends_ex_command),
		KERNEL_TEST(modify_qp_ex_without_rate_limit_sends_ex_command),
		KERNEL_TEST(modify_qp_unknown_mask_bits_are_refused),
		KERNEL_TEST(query_qp_fills_all_fields),
		KERNEL_TEST(query_qp_out_of_range_values_are_copied),
		KERNEL_TEST(query_qp_error_leaves_outputs_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
