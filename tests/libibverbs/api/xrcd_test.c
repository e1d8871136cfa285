/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_open_xrcd(3) and ibv_close_xrcd(3): libibverbs/api/xrcd.c. */
#include <fcntl.h>

#include "libibverbs/api/api_fixture.h"

static struct ibv_xrcd_init_attr attr = {
	.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
	.fd = -1,
	.oflags = O_CREAT,
};

static void open_xrcd_returns_domain_of_context(void **state)
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

static void open_xrcd_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EPERM;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &attr), EPERM);
}

static void close_xrcd_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_xrcd *xrcd = ibv_open_xrcd(api.ctx, &attr);

	assert_non_null(xrcd);
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_close_xrcd(xrcd), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_close_xrcd(xrcd));
}

static void open_xrcd_without_fd_and_oflags_is_einval(void **state)
{
	struct ibv_xrcd_init_attr partial = { .fd = -1 };

	ASSERT_NULL(ibv_open_xrcd(api.ctx, &partial), EINVAL);
	partial.comp_mask = IBV_XRCD_INIT_ATTR_FD;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &partial), EINVAL);
	partial.comp_mask = IBV_XRCD_INIT_ATTR_OFLAGS;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &partial), EINVAL);
	partial.comp_mask = IBV_XRCD_INIT_ATTR_RESERVED;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &partial), EOPNOTSUPP);
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(open_xrcd_returns_domain_of_context),
		API_TEST(open_xrcd_provider_failure_returns_null),
		API_TEST(close_xrcd_provider_failure_returns_positive_errno),
		API_TEST(open_xrcd_without_fd_and_oflags_is_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
