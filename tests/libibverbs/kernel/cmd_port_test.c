/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of a port. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/uapi_newer.h"

/* All fields have different values. */
static const struct ib_uverbs_query_port_resp_ex full_resp = {
	.legacy_resp = {
		.port_cap_flags = 0x10001,
		.max_msg_sz = 0x10002,
		.bad_pkey_cntr = 0x10003,
		.qkey_viol_cntr = 0x10004,
		.gid_tbl_len = 0x10005,
		.pkey_tbl_len = 0x106,
		.lid = 0x107,
		.sm_lid = 0x108,
		.state = 4,
		.max_mtu = 5,
		.active_mtu = 3,
		.lmc = 12,
		.max_vl_num = 13,
		.sm_sl = 14,
		.subnet_timeout = 15,
		.init_type_reply = 16,
		.active_width = 17,
		.active_speed = 18,
		.phys_state = 19,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = 20,
	},
	.port_cap_flags2 = 0x2122,
	.active_speed_ex = 0x232425,
};

static const struct ibv_port_attr legacy = {
	.port_cap_flags = 0x10001,
	.max_msg_sz = 0x10002,
	.bad_pkey_cntr = 0x10003,
	.qkey_viol_cntr = 0x10004,
	.gid_tbl_len = 0x10005,
	.pkey_tbl_len = 0x106,
	.lid = 0x107,
	.sm_lid = 0x108,
	.state = 4,
	.max_mtu = 5,
	.active_mtu = 3,
	.lmc = 12,
	.max_vl_num = 13,
	.sm_sl = 14,
	.subnet_timeout = 15,
	.init_type_reply = 16,
	.active_width = 17,
	.active_speed = 18,
	.phys_state = 19,
	.link_layer = IBV_LINK_LAYER_ETHERNET,
	.flags = 20,
};

/*
 * @len: bytes of the response. Older kernels also report 48 bytes but leave the
 * last ones 0.
 */
static void expect_ioctl(size_t len, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_PORT,
		FAKE_ATTRS(FAKE_U64_IN(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 2),
			   {
				   .id = UVERBS_ATTR_QUERY_PORT_RESP,
				   .kind = FAKE_OUT_BYTES,
				   .len = 48,
				   .response_len = len,
				   .bytes = &full_resp,
			   }),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_write(enum test_form form, int err)
{
	static const struct ib_uverbs_query_port in = { .port_num = 2 };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_PORT,
		.in = &in,
		.in_len = sizeof(in),
		.out = &full_resp.legacy_resp,
		.out_len = sizeof(full_resp.legacy_resp),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static void query_port_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_port_attr attr = {}, expected = legacy;

	expected.port_cap_flags2 = 0x2122;
	expected.active_speed_ex = 0x232425;
	expect_ioctl(sizeof(full_resp), 0);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), 0);
	assert_memory_equal(&attr, &expected, sizeof(attr));
}

static void query_port_short_response_leaves_rest_0(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_port_attr attr = {}, expected = legacy;

	expect_ioctl(sizeof(full_resp.legacy_resp), 0);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), 0);
	assert_memory_equal(&attr, &expected, sizeof(attr));
	expect_ioctl(0, 0);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), 0);
	assert_int_equal(attr.gid_tbl_len, 0);
}

static void check_fallback(struct kernel_test *t, enum test_form form)
{
	struct ibv_port_attr attr = {};

	expect_ioctl(0, form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
	expect_write(form, 0);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), 0);
	assert_memory_equal(&attr, &legacy, sizeof(attr));
}

static void query_port_ioctl_refused_falls_back_to_invoke_write(void **state)
{
	check_fallback(*state, FORM_INVOKE_WRITE);
}

static void query_port_without_ioctl_falls_back_to_write(void **state)
{
	check_fallback(*state, FORM_WRITE);
}

static void query_port_error_leaves_outputs_unchanged(void **state)
{
	static const struct ibv_port_attr zero;
	struct kernel_test *t = *state;
	struct ibv_port_attr attr = {};

	expect_ioctl(sizeof(full_resp), EINVAL);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), -EINVAL);
	kernel_test_force(t, FORM_WRITE);
	expect_write(FORM_WRITE, EINVAL);
	assert_int_equal(verbs_cmd_query_port(t->ctx, 2, &attr), -EINVAL);
	assert_memory_equal(&attr, &zero, sizeof(attr));
}

static void expect_speed(uint64_t speed, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = VERBS_UAPI_UVERBS_METHOD_QUERY_PORT_SPEED,
		FAKE_ATTRS(
			FAKE_U64_IN(
				VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM,
				1000),
			FAKE_U64_OUT(
				VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_RESP,
				speed)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void query_port_speed_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	uint64_t speed = 0;

	expect_speed(UINT64_C(0x100000004), 0);
	assert_int_equal(verbs_cmd_query_port_speed(t->ctx, 1000, &speed), 0);
	assert_int_equal(speed, UINT64_C(0x100000004));
}

static void query_port_speed_error_leaves_outputs_unchanged(void **state)
{
	struct kernel_test *t = *state;
	uint64_t speed = 77;

	expect_speed(5, EINVAL);
	assert_int_equal(verbs_cmd_query_port_speed(t->ctx, 1000, &speed),
			 -EINVAL);
	expect_speed(5, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			verbs_cmd_query_port_speed(t->ctx, 1000, &speed),
			-EOPNOTSUPP);
	assert_int_equal(speed, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(query_port_sends_ioctl),
		KERNEL_TEST(query_port_short_response_leaves_rest_0),
		KERNEL_TEST(
			query_port_ioctl_refused_falls_back_to_invoke_write),
		KERNEL_TEST(query_port_without_ioctl_falls_back_to_write),
		KERNEL_TEST(query_port_error_leaves_outputs_unchanged),
		KERNEL_TEST(query_port_speed_sends_ioctl),
		KERNEL_TEST(query_port_speed_error_leaves_outputs_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
