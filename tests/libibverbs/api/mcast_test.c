/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_attach_mcast(3) and ibv_detach_mcast(3): libibverbs/api/mcast.c. */
#include "libibverbs/api/api_fixture.h"

static const union ibv_gid group = { .raw = { 0xff, 0x0e } };

/* The functions read only the context. */
static struct ibv_qp qp;

static int mcast_setup(void **state)
{
	int ret = api_open(state);

	qp.context = api.ctx;
	return ret;
}

static void attach_mcast_calls_provider(void **state)
{
	ASSERT_OK(ibv_attach_mcast(&qp, &group, 0xc000));
	ASSERT_OP("attach_mcast");
	assert_ptr_equal(fake_provider.args.attr, &qp);
	assert_ptr_equal(fake_provider.args.gid, &group);
	assert_int_equal(fake_provider.args.lid, 0xc000);
}

static void detach_mcast_calls_provider(void **state)
{
	ASSERT_OK(ibv_detach_mcast(&qp, &group, 0xc000));
	ASSERT_OP("detach_mcast");
	assert_ptr_equal(fake_provider.args.attr, &qp);
	assert_ptr_equal(fake_provider.args.gid, &group);
	assert_int_equal(fake_provider.args.lid, 0xc000);
}

static void mcast_provider_failure_returns_positive_errno(void **state)
{
	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(ibv_attach_mcast(&qp, &group, 0), EINVAL);
	ASSERT_ERRNO(ibv_detach_mcast(&qp, &group, 0), EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mcast_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(attach_mcast_calls_provider),
		TEST(detach_mcast_calls_provider),
		TEST(mcast_provider_failure_returns_positive_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
