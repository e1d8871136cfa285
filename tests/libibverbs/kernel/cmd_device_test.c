/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of a device. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define EX_QUERY \
	(IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED)

/* All fields have different values. */
static const struct ib_uverbs_ex_query_device_resp full_resp = {
	.base = {
		.fw_ver = UINT64_C(0x0102030405060708),
		.node_guid = 0x1112131415161718,
		.sys_image_guid = 0x2122232425262728,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000,
		.vendor_id = 101,
		.vendor_part_id = 102,
		.hw_ver = 103,
		.max_qp = 104,
		.max_qp_wr = 105,
		.device_cap_flags = 106,
		.max_sge = 107,
		.max_sge_rd = 108,
		.max_cq = 109,
		.max_cqe = 110,
		.max_mr = 111,
		.max_pd = 112,
		.max_qp_rd_atom = 113,
		.max_ee_rd_atom = 114,
		.max_res_rd_atom = 115,
		.max_qp_init_rd_atom = 116,
		.max_ee_init_rd_atom = 117,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_ee = 118,
		.max_rdd = 119,
		.max_mw = 120,
		.max_raw_ipv6_qp = 121,
		.max_raw_ethy_qp = 122,
		.max_mcast_grp = 123,
		.max_mcast_qp_attach = 124,
		.max_total_mcast_qp_attach = 125,
		.max_ah = 126,
		.max_fmr = 127,
		.max_map_per_fmr = 128,
		.max_srq = 129,
		.max_srq_wr = 130,
		.max_srq_sge = 131,
		.max_pkeys = 132,
		.local_ca_ack_delay = 133,
		.phys_port_cnt = 134,
	},
	.response_length = sizeof(struct ib_uverbs_ex_query_device_resp),
	.odp_caps = {
		.general_caps = 201,
		.per_transport_caps = { 202, 203, 204 },
	},
	.timestamp_mask = 205,
	.hca_core_clock = 206,
	.device_cap_flags_ex = UINT64_C(0x20700000000),
	.rss_caps = { 208, 209, 210, 0 },
	.max_wq_type_rq = 211,
	.raw_packet_caps = 212,
	.tm_caps = { 213, 214, 215, 216, 217, 0 },
	.cq_moderation_caps = { 218, 219, 0 },
	.max_dm_size = 220,
	.xrc_odp_caps = 221,
};

static const struct ibv_device_attr base = {
	.node_guid = 0x1112131415161718,
	.sys_image_guid = 0x2122232425262728,
	.max_mr_size = UINT64_MAX,
	.page_size_cap = 0xfffff000,
	.vendor_id = 101,
	.vendor_part_id = 102,
	.hw_ver = 103,
	.max_qp = 104,
	.max_qp_wr = 105,
	.device_cap_flags = 106,
	.max_sge = 107,
	.max_sge_rd = 108,
	.max_cq = 109,
	.max_cqe = 110,
	.max_mr = 111,
	.max_pd = 112,
	.max_qp_rd_atom = 113,
	.max_ee_rd_atom = 114,
	.max_res_rd_atom = 115,
	.max_qp_init_rd_atom = 116,
	.max_ee_init_rd_atom = 117,
	.atomic_cap = IBV_ATOMIC_HCA,
	.max_ee = 118,
	.max_rdd = 119,
	.max_mw = 120,
	.max_raw_ipv6_qp = 121,
	.max_raw_ethy_qp = 122,
	.max_mcast_grp = 123,
	.max_mcast_qp_attach = 124,
	.max_total_mcast_qp_attach = 125,
	.max_ah = 126,
	.max_fmr = 127,
	.max_map_per_fmr = 128,
	.max_srq = 129,
	.max_srq_wr = 130,
	.max_srq_sge = 131,
	.max_pkeys = 132,
	.local_ca_ack_delay = 133,
	.phys_port_cnt = 134,
};

static const struct ibv_device_attr_ex ex_attr = {
	.odp_caps = {
		.general_caps = 201,
		.per_transport_caps = { 202, 203, 204 },
	},
	.completion_timestamp_mask = 205,
	.hca_core_clock = 206,
	.device_cap_flags_ex = UINT64_C(0x20700000000),
	.rss_caps = {
		.supported_qpts = 208,
		.max_rwq_indirection_tables = 209,
		.max_rwq_indirection_table_size = 210,
	},
	.max_wq_type_rq = 211,
	.raw_packet_caps = 212,
	.tm_caps = { 213, 214, 215, 216, 217 },
	.cq_mod_caps = { 218, 219 },
	.max_dm_size = 220,
	.xrc_odp_caps = 221,
	.phys_port_cnt_ex = 134,
};

static void expect_ex(struct kernel_test *t, enum test_form form,
		      uint32_t response_length, int err)
{
	static const struct ib_uverbs_ex_query_device in;
	struct ib_uverbs_ex_query_device_resp out = full_resp;
	const struct fake_write cmd = {
		.command = EX_QUERY,
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

	out.response_length = response_length;
	kernel_test_expect(form, &cmd);
}

static void expect_basic(enum test_form form, int err)
{
	static const struct ib_uverbs_query_device in;
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_DEVICE,
		.in = &in,
		.in_len = sizeof(in),
		.out = &full_resp.base,
		.out_len = sizeof(full_resp.base),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static int run_query(struct kernel_test *t, struct ibv_device_attr_ex *attr,
		     size_t size, uint64_t *ret_fw_ver)
{
	const struct ibv_query_device_ex_input input = {};

	return verbs_cmd_query_device(t->ctx, &input, attr, size, ret_fw_ver,
				      &t->udata);
}

/* Checks that the fields up to @end are filled and the rest is 0. */
static void check_until(const struct ibv_device_attr_ex *attr, size_t end)
{
	struct ibv_device_attr_ex expected = ex_attr;

	expected.orig_attr = base;
	if (end < offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex))
		memset((char *)&expected + end, 0,
		       offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex) -
			       end);
	assert_memory_equal(attr, &expected, sizeof(expected));
}

static void query_device_sends_ex_command_and_fills_all(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct ibv_device_attr_ex attr = {};
		uint64_t fw_ver = 0;

		kernel_test_force(t, form);
		expect_ex(t, form, sizeof(full_resp), 0);
		assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
		check_until(&attr, sizeof(attr));
		assert_int_equal(fw_ver, full_resp.base.fw_ver);
		assert_memory_equal(t->driver_out, kernel_test_driver_resp, 16);
	}
}

static void check_falls_back_to_basic(struct kernel_test *t, int err)
{
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), err);
	expect_basic(FORM_INVOKE_WRITE, 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	check_until(&attr, sizeof(struct ibv_device_attr));

	/* The extended command is not tried again. */
	expect_basic(FORM_INVOKE_WRITE, 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
}

static void query_device_ex_refused_falls_back_to_basic(void **state)
{
	check_falls_back_to_basic(*state, EOPNOTSUPP);
}

static void query_device_ex_enosys_falls_back_to_basic(void **state)
{
	check_falls_back_to_basic(*state, ENOSYS);
}

static void query_device_basic_size_sends_basic_command(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct {
			struct ibv_device_attr attr;
			uint8_t behind[16];
		} buf = {};
		const uint8_t untouched[16] = {};
		uint64_t fw_ver;

		kernel_test_force(t, form);
		expect_basic(form, 0);
		assert_int_equal(
			run_query(t, (void *)&buf, sizeof(buf.attr), &fw_ver),
			0);
		assert_memory_equal(&buf.attr, &base, sizeof(base));
		assert_memory_equal(buf.behind, untouched, sizeof(untouched));
	}
}

static void query_device_writes_only_attr_size_bytes(void **state)
{
	struct kernel_test *t = *state;

	for (size_t size = sizeof(struct ibv_device_attr) + 1;
	     size < sizeof(struct ibv_device_attr_ex); size++) {
		struct ibv_device_attr_ex attr;
		uint64_t fw_ver;

		memset(&attr, 0, size);
		memset((char *)&attr + size, 0x5a, sizeof(attr) - size);
		fake_kernel_start();
		fake_kernel_driver_id(TEST_DRIVER_ID);
		expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), 0);
		assert_int_equal(run_query(t, &attr, size, &fw_ver), 0);
		for (size_t i = size; i < sizeof(attr); i++)
			assert_int_equal(((uint8_t *)&attr)[i], 0x5a);
	}
}

static void query_device_short_response_leaves_rest_0(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	/* ends before the RSS limits, as in kernel 4.6 */
	expect_ex(t, FORM_INVOKE_WRITE,
		  offsetof(struct ib_uverbs_ex_query_device_resp, rss_caps), 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	check_until(&attr, offsetof(struct ibv_device_attr_ex, rss_caps));
}

static void query_device_partial_field_in_response_is_ignored(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	expect_ex(t, FORM_INVOKE_WRITE,
		  offsetof(struct ib_uverbs_ex_query_device_resp, rss_caps) + 4,
		  0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	check_until(&attr, offsetof(struct ibv_device_attr_ex, rss_caps));
}

static void query_device_invalid_response_length_is_ignored(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	expect_ex(t, FORM_INVOKE_WRITE, UINT32_MAX, 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	check_until(&attr, sizeof(attr));

	memset(&attr, 0, sizeof(attr));
	expect_ex(t, FORM_INVOKE_WRITE, 0, 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	check_until(&attr, sizeof(struct ibv_device_attr));
}

static void query_device_port_count_of_netlink_has_priority(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	t->state.nr_ports = 1000;
	expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), 0);
	assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver), 0);
	assert_int_equal(attr.phys_port_cnt_ex, 1000);
	assert_int_equal(attr.orig_attr.phys_port_cnt, 134);
}

static void query_device_error_leaves_outputs_unchanged(void **state)
{
	static const int errors[] = { EINVAL, EIO, EPERM, ENOMEM };
	static const struct ibv_device_attr_ex zero;
	struct kernel_test *t = *state;

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		struct ibv_device_attr_ex attr = {};
		uint64_t fw_ver = 5;

		expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), errors[i]);
		assert_int_equal(run_query(t, &attr, sizeof(attr), &fw_ver),
				 -errors[i]);
		expect_basic(FORM_INVOKE_WRITE, errors[i]);
		assert_int_equal(
			run_query(t, &attr, sizeof(attr.orig_attr), &fw_ver),
			-errors[i]);
		assert_memory_equal(&attr, &zero, sizeof(attr));
		assert_int_equal(fw_ver, 5);
	}
}

static int run_query_resp(struct kernel_test *t, size_t size,
			  struct ib_uverbs_ex_query_device_resp *resp)
{
	struct ibv_device_attr_ex attr = {};

	return verbs_cmd_query_device_resp(t->ctx, NULL, &attr, size, resp,
					   &t->udata);
}

static void query_device_resp_returns_kernel_response(void **state)
{
	const size_t size = sizeof(struct ibv_device_attr_ex);
	struct ib_uverbs_ex_query_device_resp resp = {}, expected = full_resp;
	struct kernel_test *t = *state;

	/* A newer kernel reports the length of its longer response. */
	expected.response_length = sizeof(full_resp);
	expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), 0);
	assert_int_equal(run_query_resp(t, size, &resp), 0);
	assert_memory_equal(&resp, &expected, sizeof(resp));
	expect_ex(t, FORM_INVOKE_WRITE, UINT32_MAX, 0);
	assert_int_equal(run_query_resp(t, size, &resp), 0);
	assert_memory_equal(&resp, &expected, sizeof(resp));

	expected = (struct ib_uverbs_ex_query_device_resp){
		.base = full_resp.base,
		.response_length = sizeof(full_resp.base),
	};
	memset(t->driver_out, 0x5a, sizeof(t->driver_out));
	expect_basic(FORM_INVOKE_WRITE, 0);
	assert_int_equal(
		run_query_resp(t, sizeof(struct ibv_device_attr), &resp), 0);
	assert_memory_equal(&resp, &expected, sizeof(resp));
	for (size_t i = 0; i < sizeof(t->driver_out); i++)
		assert_int_equal(t->driver_out[i], 0x5a);
}

static void query_device_resp_error_leaves_response_unchanged(void **state)
{
	struct ib_uverbs_ex_query_device_resp resp, expected;
	struct kernel_test *t = *state;

	memset(&resp, 0x5a, sizeof(resp));
	memset(&expected, 0x5a, sizeof(expected));
	expect_ex(t, FORM_INVOKE_WRITE, sizeof(full_resp), EIO);
	assert_int_equal(
		run_query_resp(t, sizeof(struct ibv_device_attr_ex), &resp),
		-EIO);
	assert_int_equal(run_query_resp(t, 1, &resp), -EINVAL);
	assert_memory_equal(&resp, &expected, sizeof(resp));
}

static void query_device_unknown_input_is_refused(void **state)
{
	const struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct kernel_test *t = *state;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;

	assert_int_equal(verbs_cmd_query_device(t->ctx, &input, &attr,
						sizeof(attr), &fw_ver, NULL),
			 -EINVAL);
	assert_int_equal(
		run_query(t, &attr, sizeof(attr.orig_attr) - 1, &fw_ver),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(query_device_sends_ex_command_and_fills_all),
		KERNEL_TEST(query_device_ex_refused_falls_back_to_basic),
		KERNEL_TEST(query_device_ex_enosys_falls_back_to_basic),
		KERNEL_TEST(query_device_basic_size_sends_basic_command),
		KERNEL_TEST(query_device_writes_only_attr_size_bytes),
		KERNEL_TEST(query_device_short_response_leaves_rest_0),
		KERNEL_TEST(query_device_partial_field_in_response_is_ignored),
		KERNEL_TEST(query_device_invalid_response_length_is_ignored),
		KERNEL_TEST(query_device_port_count_of_netlink_has_priority),
		KERNEL_TEST(query_device_error_leaves_outputs_unchanged),
		KERNEL_TEST(query_device_resp_returns_kernel_response),
		KERNEL_TEST(query_device_resp_error_leaves_response_unchanged),
		KERNEL_TEST(query_device_unknown_input_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
