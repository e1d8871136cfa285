/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_comp_cntr(3), ibv_query_comp_cntr_caps(3),
 * ibv_qp_attach_comp_cntr(3), ibv_read_comp_cntr(3):
 * libibverbs/api/comp_cntr.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

#define FIRST_CAPS_SIZE 16

static struct ibv_comp_cntr_init_attr init;
static struct ibv_comp_cntr *cntr;

static int comp_cntr_setup(void **state)
{
	int ret = api_open(state);

	init = (struct ibv_comp_cntr_init_attr){
		.type = IBV_COMP_CNTR_TYPE_BYTES,
	};
	errno = SOME_ERRNO;
	cntr = ibv_create_comp_cntr(api.ctx, &init);
	assert_non_null(cntr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_comp_cntr");
	assert_ptr_equal(fake_provider.args.attr, &init);
	return ret;
}

static int comp_cntr_teardown(void **state)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_comp_cntr(cntr));
	ASSERT_OP("destroy_comp_cntr");
	return api_close(state);
}

static void comp_cntr_create_sets_context(void **state)
{
	assert_ptr_equal(cntr->context, api.ctx);
}

static void comp_cntr_create_checks_attributes(void **state)
{
	init.comp_mask = 1;
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &init), EOPNOTSUPP);
	init.comp_mask = 0;
	init.flags = 1;
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &init), EOPNOTSUPP);
	init.flags = 0;
	init.type = IBV_COMP_CNTR_TYPE_BYTES + 1;
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &init), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, NULL), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(NULL, &init), EINVAL);
}

/* Each call, the op that it reaches, and the op's arguments. */
static void comp_cntr_set_reaches_provider(void **state)
{
	ASSERT_OK(ibv_set_comp_cntr(cntr, 7));
	ASSERT_OP("set_comp_cntr");
	assert_int_equal(fake_provider.args.value, 7);
	ASSERT_OK(ibv_inc_comp_cntr(cntr, 8));
	ASSERT_OP("inc_comp_cntr");
	assert_int_equal(fake_provider.args.value, 8);
	ASSERT_OK(ibv_set_err_comp_cntr(cntr, 9));
	ASSERT_OP("set_err_comp_cntr");
	assert_int_equal(fake_provider.args.value, 9);
	ASSERT_OK(ibv_inc_err_comp_cntr(cntr, UINT64_MAX));
	ASSERT_OP("inc_err_comp_cntr");
	assert_int_equal(fake_provider.args.value, UINT64_MAX);
	assert_ptr_equal(fake_provider.args.object, cntr);
}

static void comp_cntr_read_returns_values(void **state)
{
	uint64_t value = 0;

	fake_provider.value = UINT64_C(1) << 40;
	ASSERT_OK(ibv_read_comp_cntr(cntr, &value));
	ASSERT_OP("read_comp_cntr");
	assert_int_equal(value, UINT64_C(1) << 40);
	fake_provider.value = 6;
	ASSERT_OK(ibv_read_err_comp_cntr(cntr, &value));
	ASSERT_OP("read_err_comp_cntr");
	assert_int_equal(value, 6);
}

static void comp_cntr_attach_to_qp_succeeds(void **state)
{
	struct ibv_qp_attach_comp_cntr_attr attr = {
		.op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_SEND |
			   IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE,
	};
	struct ibv_qp qp = { .context = api.ctx };

	ASSERT_OK(ibv_qp_attach_comp_cntr(&qp, cntr, &attr));
	ASSERT_OP("qp_attach_comp_cntr");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, cntr);
}

static void comp_cntr_attach_checks_arguments(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_qp_attach_comp_cntr_attr attr = { .comp_mask = 1 };
	struct ibv_qp qp = { .context = api.ctx };

	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, cntr, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE << 1;
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, cntr, &attr), EOPNOTSUPP);
	attr.op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_SEND;
	qp.context = other;
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, cntr, &attr), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(NULL, cntr, &attr), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, NULL, &attr), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, cntr, NULL), EINVAL);
	ASSERT_OK(ibv_close_device(other));
}

static void comp_cntr_failures_are_errno(void **state)
{
	struct ibv_qp_attach_comp_cntr_attr attr = {};
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_comp_cntr_caps caps;
	uint64_t value = 5;

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &init), EBUSY);
	ASSERT_ERRNO(ibv_query_comp_cntr_caps(api.ctx, &caps), EBUSY);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, cntr, &attr), EBUSY);
	ASSERT_ERRNO(ibv_read_comp_cntr(cntr, &value), EBUSY);
	ASSERT_ERRNO(ibv_read_err_comp_cntr(cntr, &value), EBUSY);
	ASSERT_ERRNO(ibv_set_comp_cntr(cntr, 1), EBUSY);
	ASSERT_ERRNO(ibv_set_err_comp_cntr(cntr, 1), EBUSY);
	ASSERT_ERRNO(ibv_inc_comp_cntr(cntr, 1), EBUSY);
	ASSERT_ERRNO(ibv_inc_err_comp_cntr(cntr, 1), EBUSY);
	ASSERT_ERRNO(ibv_destroy_comp_cntr(cntr), EBUSY);
	assert_int_equal(value, 5);
}

/* ------------------------------------------------------------------------ */
/* Capabilities in structs of different sizes                               */
/* ------------------------------------------------------------------------ */

static void comp_cntr_query_caps_returns_caps(void **state)
{
	struct ibv_comp_cntr_caps caps;

	fake_provider.comp_cntr_caps = (struct ibv_comp_cntr_caps){
		.max_value = UINT64_MAX,
		.max_counters = 3,
		.supported_qp_attach_ops = 5,
	};
	ASSERT_OK(ibv_query_comp_cntr_caps(api.ctx, &caps));
	ASSERT_OP("query_comp_cntr_caps");
	assert_memory_equal(&caps, &fake_provider.comp_cntr_caps, sizeof(caps));
}

static void comp_cntr_query_caps_short_struct_is_einval(void **state)
{
	struct ibv_comp_cntr_caps caps;

	ASSERT_ERRNO(
		_ibv_query_comp_cntr_caps(api.ctx, &caps, FIRST_CAPS_SIZE - 1),
		EINVAL);
	ASSERT_ERRNO(_ibv_query_comp_cntr_caps(api.ctx, NULL, sizeof(caps)),
		     EINVAL);
	ASSERT_OP("create_comp_cntr");
}

static void comp_cntr_query_caps_longer_struct_is_zero_padded(void **state)
{
	struct {
		struct ibv_comp_cntr_caps caps;
		uint64_t newer;
		uint64_t behind;
	} caller;

	memset(&caller, 0x5a, sizeof(caller));
	fake_provider.comp_cntr_caps.max_counters = 3;
	ASSERT_OK(_ibv_query_comp_cntr_caps(
		api.ctx, &caller.caps, sizeof(caller.caps) + sizeof(uint64_t)));
	assert_int_equal(caller.caps.max_counters, 3);
	assert_int_equal(caller.newer, 0);
	assert_int_equal(caller.behind, UINT64_C(0x5a5a5a5a5a5a5a5a));
}

#define TEST(name)                                             \
	cmocka_unit_test_setup_teardown(name, comp_cntr_setup, \
					comp_cntr_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(comp_cntr_create_sets_context),
		TEST(comp_cntr_create_checks_attributes),
		TEST(comp_cntr_set_reaches_provider),
		TEST(comp_cntr_read_returns_values),
		TEST(comp_cntr_attach_to_qp_succeeds),
		TEST(comp_cntr_attach_checks_arguments),
		TEST(comp_cntr_failures_are_errno),
		TEST(comp_cntr_query_caps_returns_caps),
		TEST(comp_cntr_query_caps_short_struct_is_einval),
		TEST(comp_cntr_query_caps_longer_struct_is_zero_padded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
