/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of protection domains. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static struct fake_write alloc_cmd(struct kernel_test *t, int err)
{
	static const struct ib_uverbs_alloc_pd in;
	static const struct ib_uverbs_alloc_pd_resp out = { .pd_handle = 21 };

	return (struct fake_write){
		.command = IB_USER_VERBS_CMD_ALLOC_PD,
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
}

static void check_alloc(struct kernel_test *t, enum test_form form)
{
	struct fake_write cmd = alloc_cmd(t, 0);
	struct ibv_pd pd = {};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
	assert_int_equal(verbs_cmd_alloc_pd(t->ctx, &pd, &t->udata), 0);
	assert_ptr_equal(pd.context, t->ctx);
	assert_int_equal(pd.handle, 21);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void alloc_pd_sends_invoke_write(void **state)
{
	check_alloc(*state, FORM_INVOKE_WRITE);
}

static void alloc_pd_sends_write(void **state)
{
	check_alloc(*state, FORM_WRITE);
}

static void alloc_pd_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		const struct ibv_pd before = { .handle = 99 };
		struct fake_write cmd = alloc_cmd(t, ENOMEM);
		struct ibv_pd pd = before;

		kernel_test_force(t, form);
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_alloc_pd(t->ctx, &pd, &t->udata),
				 -ENOMEM);
		assert_memory_equal(&pd, &before, sizeof(pd));
	}
}

static int run_dealloc(struct kernel_test *t)
{
	return verbs_cmd_dealloc_pd(&t->pd);
}

static const struct destroy_case dealloc_pd_case = {
	.cap = KERNEL_CAP_DEALLOC_PD,
	.handle_attr = UVERBS_ATTR_DESTROY_PD_HANDLE,
	.write_command = IB_USER_VERBS_CMD_DEALLOC_PD,
	.handle = 7,
	.run = run_dealloc,
};
DESTROY_TESTS(dealloc_pd)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(alloc_pd_sends_invoke_write),
		KERNEL_TEST(alloc_pd_sends_write),
		KERNEL_TEST(alloc_pd_error_leaves_object_unchanged),
		DESTROY_TEST_LIST(dealloc_pd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
