/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of address handles. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static const struct ibv_ah_attr ah_attr = {
	.grh = {
		.dgid.raw = { 0xfe, 0x80, 2, 3, 4, 5, 6, 7,
			      8, 9, 10, 11, 12, 13, 14, 15 },
		.flow_label = 0xabcde,
		.sgid_index = 17,
		.hop_limit = 64,
		.traffic_class = 18,
	},
	.dlid = 0x1234,
	.sl = 3,
	.src_path_bits = 4,
	.static_rate = 5,
	.is_global = 1,
	.port_num = 2,
};

static const struct ib_uverbs_ah_attr kernel_ah_attr = {
	.grh = {
		.dgid = { 0xfe, 0x80, 2, 3, 4, 5, 6, 7,
			  8, 9, 10, 11, 12, 13, 14, 15 },
		.flow_label = 0xabcde,
		.sgid_index = 17,
		.hop_limit = 64,
		.traffic_class = 18,
	},
	.dlid = 0x1234,
	.sl = 3,
	.src_path_bits = 4,
	.static_rate = 5,
	.is_global = 1,
	.port_num = 2,
};

static void expect_create(struct kernel_test *t, enum test_form form,
			  const struct ibv_ah *ah, int err)
{
	static const struct ib_uverbs_create_ah_resp out = { .ah_handle = 51 };
	const struct ib_uverbs_create_ah in = {
		.user_handle = (uintptr_t)ah,
		.pd_handle = 7,
		.attr = kernel_ah_attr,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_AH,
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

static void check_create(struct kernel_test *t, enum test_form form)
{
	struct ibv_ah ah = {};

	expect_create(t, form, &ah, 0);
	assert_int_equal(verbs_cmd_create_ah(&t->pd, &ah_attr, &ah, &t->udata),
			 0);
	assert_ptr_equal(ah.context, t->ctx);
	assert_ptr_equal(ah.pd, &t->pd);
	assert_int_equal(ah.handle, 51);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void create_ah_sends_invoke_write(void **state)
{
	check_create(*state, FORM_INVOKE_WRITE);
}

static void create_ah_sends_write(void **state)
{
	check_create(*state, FORM_WRITE);
}

static void create_ah_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;
	const struct ibv_ah before = { .handle = 99 };
	struct ibv_ah ah = before;

	expect_create(t, FORM_INVOKE_WRITE, &ah, EINVAL);
	assert_int_equal(verbs_cmd_create_ah(&t->pd, &ah_attr, &ah, &t->udata),
			 -EINVAL);
	assert_memory_equal(&ah, &before, sizeof(ah));
}

static int run_destroy(struct kernel_test *t)
{
	struct ibv_ah ah = { .context = t->ctx, .handle = 51 };

	return verbs_cmd_destroy_ah(&ah);
}

static const struct destroy_case destroy_ah_case = {
	.cap = KERNEL_CAP_DESTROY_AH,
	.handle_attr = UVERBS_ATTR_DESTROY_AH_HANDLE,
	.write_command = IB_USER_VERBS_CMD_DESTROY_AH,
	.handle = 51,
	.run = run_destroy,
};
DESTROY_TESTS(destroy_ah)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_ah_sends_invoke_write),
		KERNEL_TEST(create_ah_sends_write),
		KERNEL_TEST(create_ah_error_leaves_object_unchanged),
		DESTROY_TEST_LIST(destroy_ah),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
