/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_create_flow(3) and ibv_destroy_flow(3): libibverbs/api/flow.c. */
#include "libibverbs/api/api_fixture.h"

static struct ibv_flow_attr attr = { .size = sizeof(attr) };
static struct ibv_qp *qp;
static struct ibv_cq *cq;

static int flow_setup(void **state)
{
	int ret = api_open(state);
	struct ibv_qp_init_attr init_attr = { .qp_type = IBV_QPT_RAW_PACKET };

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	init_attr.send_cq = cq;
	init_attr.recv_cq = cq;
	qp = ibv_create_qp(api.pd, &init_attr);
	assert_non_null(qp);
	return ret;
}

static int flow_teardown(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static void create_flow_passes_qp_to_provider(void **state)
{
	struct ibv_flow *flow;

	errno = SOME_ERRNO;
	flow = ibv_create_flow(qp, &attr);
	assert_non_null(flow);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_flow");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, qp);
	ASSERT_OK(ibv_destroy_flow(flow));
	ASSERT_OP("destroy_flow");
}

/* Programs of libibverbs 1.1.8 call these two members of the context. */
static void create_flow_by_placeholder_calls_provider(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_flow *(*create)(struct ibv_qp *, struct ibv_flow_attr *) =
		(struct ibv_flow * (*)(struct ibv_qp *, struct ibv_flow_attr *))
			vctx->ABI_placeholder1;
	int (*destroy)(struct ibv_flow *) =
		(int (*)(struct ibv_flow *))vctx->ABI_placeholder2;
	struct ibv_flow *flow = create(qp, &attr);

	assert_non_null(flow);
	ASSERT_OP("create_flow");
	ASSERT_OK(destroy(flow));
	ASSERT_OP("destroy_flow");
}

static void create_flow_without_attributes_is_einval(void **state)
{
	ASSERT_NULL(ibv_create_flow(qp, NULL), EINVAL);
	ASSERT_OP("create_qp");
}

static void flow_provider_failure_is_reported(void **state)
{
	struct ibv_flow *flow = ibv_create_flow(qp, &attr);

	fake_provider.ret = -EPERM;
	ASSERT_NULL(ibv_create_flow(qp, &attr), EPERM);
	ASSERT_ERRNO(ibv_destroy_flow(flow), EPERM);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_flow(flow));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, flow_setup, flow_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_flow_passes_qp_to_provider),
		TEST(create_flow_by_placeholder_calls_provider),
		TEST(create_flow_without_attributes_is_einval),
		TEST(flow_provider_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
