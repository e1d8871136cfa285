/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_open_xrcd(3) and ibv_close_xrcd(3): libibverbs/api/xrcd.c. */
#include <fcntl.h>

#include "libibverbs/api/api_fixture.h"

static struct ibv_xrcd_init_attr attr = {
	.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
	.fd = -1,
	.oflags = O_CREAT,
};

static void domain_belongs_to_its_context(void **state)
{
	struct ibv_xrcd *xrcd;

	errno = SOME_ERRNO;
	xrcd = ibv_open_xrcd(api.ctx, &attr);
	assert_non_null(xrcd);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("open_xrcd");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(xrcd->context, api.ctx);
	ASSERT_OK(ibv_close_xrcd(xrcd));
}

static void failure_of_open_is_null(void **state)
{
	fake_provider.ret = -EPERM;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &attr), EPERM);
}

static void failure_of_close_is_a_positive_errno(void **state)
{
	struct ibv_xrcd *xrcd = ibv_open_xrcd(api.ctx, &attr);

	assert_non_null(xrcd);
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_close_xrcd(xrcd), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_close_xrcd(xrcd));
}

static void domain_needs_file_and_flags(void **state)
{
	struct ibv_xrcd_init_attr half = { .fd = -1 };

	ASSERT_NULL(ibv_open_xrcd(api.ctx, &half), EINVAL);
	half.comp_mask = IBV_XRCD_INIT_ATTR_FD;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &half), EINVAL);
	half.comp_mask = IBV_XRCD_INIT_ATTR_OFLAGS;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &half), EINVAL);
	half.comp_mask = IBV_XRCD_INIT_ATTR_RESERVED;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &half), EOPNOTSUPP);
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(domain_belongs_to_its_context),
		API_TEST(failure_of_open_is_null),
		API_TEST(failure_of_close_is_a_positive_errno),
		API_TEST(domain_needs_file_and_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
