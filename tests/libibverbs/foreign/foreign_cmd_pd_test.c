/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domain and XRC domain commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_pd.c and foreign_cmd_xrcd.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

/* -- protection domains -- */

static void expect_alloc_pd(struct foreign_cmd_test *t, enum test_form form,
			    int err)
{
	static const struct ib_uverbs_alloc_pd in;
	static const struct ib_uverbs_alloc_pd_resp out = { .pd_handle = 21 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_ALLOC_PD,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void foreign_cmd_alloc_pd_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_alloc_pd_resp *resp = (void *)t->caller.resp;
		struct ibv_pd pd = {};

		caller_init(&t->caller, 16, 4);
		expect_alloc_pd(t, form, 0);
		assert_succeeds(foreign_cmd_alloc_pd(t->ctx, &pd, CALLER_CMD(t),
						     CALLER_RESP(t)));
		assert_ptr_equal(pd.context, t->ctx);
		assert_int_equal(pd.handle, 21);
		assert_int_equal(resp->pd_handle, 21);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_alloc_pd_without_buffers_succeeds(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_pd pd = {};

	expect_alloc_pd(t, WRITE, 0);
	assert_succeeds(foreign_cmd_alloc_pd(t->ctx, &pd, NULL, 0, NULL, 0));
	assert_int_equal(pd.handle, 21);
}

static void foreign_cmd_alloc_pd_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_pd before = { .handle = 99 };
	struct ibv_pd pd = before;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		caller_init(&t->caller, 16, 4);
		expect_alloc_pd(t, form, ENOMEM);
		assert_fails(foreign_cmd_alloc_pd(t->ctx, &pd, CALLER_CMD(t),
						  CALLER_RESP(t)),
			     ENOMEM);
		assert_memory_equal(&pd, &before, sizeof(pd));
		caller_check_core_untouched(&t->caller);
	}
}

static void foreign_cmd_alloc_pd_short_buffer_returns_einval(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_pd pd = {};

	caller_init(&t->caller, 16, 4);
	assert_fails(foreign_cmd_alloc_pd(t->ctx, &pd, t->caller.cmd, 15,
					  CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_alloc_pd(t->ctx, &pd, CALLER_CMD(t),
					  (void *)t->caller.resp, 3),
		     EINVAL);
	caller_check_untouched(&t->caller);
}

/* -- XRC domains -- */

static struct ibv_xrcd_init_attr xrcd_attr(void)
{
	return (struct ibv_xrcd_init_attr){
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = 0x40,
	};
}

static void expect_open_xrcd(struct foreign_cmd_test *t, enum test_form form,
			     int err)
{
	const struct ib_uverbs_open_xrcd in = { .fd = (uint32_t)-1,
						.oflags = 0x40 };
	const struct ib_uverbs_open_xrcd_resp out = { .xrcd_handle = 31 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_OPEN_XRCD,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void foreign_cmd_open_xrcd_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_xrcd_init_attr attr = xrcd_attr();

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_open_xrcd_resp *resp = (void *)t->caller.resp;
		struct verbs_xrcd xrcd = {};

		caller_init(&t->caller, 24, 4);
		expect_open_xrcd(t, form, 0);
		assert_succeeds(foreign_cmd_open_xrcd(
			t->ctx, &xrcd, sizeof(xrcd), &attr, CALLER_CMD(t),
			CALLER_RESP(t)));
		assert_ptr_equal(xrcd.xrcd.context, t->ctx);
		assert_int_equal(xrcd.comp_mask, VERBS_XRCD_MASK_HANDLE);
		assert_int_equal(xrcd.handle, 31);
		assert_int_equal(resp->xrcd_handle, 31);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_open_xrcd_short_object_omits_handle(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_xrcd_init_attr attr = xrcd_attr();
	struct verbs_xrcd xrcd = { .comp_mask = 55, .handle = 66 };

	caller_init(&t->caller, 24, 4);
	expect_open_xrcd(t, WRITE, 0);
	assert_succeeds(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd.xrcd),
					      &attr, CALLER_CMD(t),
					      CALLER_RESP(t)));
	assert_ptr_equal(xrcd.xrcd.context, t->ctx);
	assert_int_equal(xrcd.comp_mask, 55);
	assert_int_equal(xrcd.handle, 66);
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, 3, &attr,
					   CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, -1, &attr,
					   CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
}

static void foreign_cmd_open_xrcd_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_xrcd_init_attr attr = xrcd_attr();
	const struct verbs_xrcd before = { .handle = 66 };
	struct verbs_xrcd xrcd = before;

	caller_init(&t->caller, 24, 4);
	expect_open_xrcd(t, WRAPPED, EACCES);
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd), &attr,
					   CALLER_CMD(t), CALLER_RESP(t)),
		     EACCES);
	attr.comp_mask = 1 << 2;
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd), &attr,
					   CALLER_CMD(t), CALLER_RESP(t)),
		     EOPNOTSUPP);
	attr.comp_mask = IBV_XRCD_INIT_ATTR_FD;
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd), &attr,
					   CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd), &attr,
					   t->caller.cmd, 23, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_open_xrcd(t->ctx, &xrcd, sizeof(xrcd), &attr,
					   CALLER_CMD(t),
					   (void *)t->caller.resp, 3),
		     EINVAL);
	assert_memory_equal(&xrcd, &before, sizeof(before));
	caller_check_core_untouched(&t->caller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_alloc_pd_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_alloc_pd_without_buffers_succeeds),
		FOREIGN_CMD_TEST(foreign_cmd_alloc_pd_failure_sets_errno),
		FOREIGN_CMD_TEST(
			foreign_cmd_alloc_pd_short_buffer_returns_einval),
		FOREIGN_CMD_TEST(
			foreign_cmd_open_xrcd_fills_object_and_response),
		FOREIGN_CMD_TEST(
			foreign_cmd_open_xrcd_short_object_omits_handle),
		FOREIGN_CMD_TEST(foreign_cmd_open_xrcd_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
