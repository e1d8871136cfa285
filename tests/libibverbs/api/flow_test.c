/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_create_flow(3) and ibv_destroy_flow(3): libibverbs/api/flow.c. */
#include "libibverbs/api/api_fixture.h"

static struct ibv_flow_attr attr = { .size = sizeof(attr) };
static struct ibv_qp *qp;
static struct ibv_cq *cq;

static int start(void **state)
{
	int ret = api_open(state);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RAW_PACKET };

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ibv_create_qp(api.pd, &init);
	assert_non_null(qp);
	return ret;
}

static int finish(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static void flow_leads_to_its_qp(void **state)
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

/* Programs of libibverbs 1.1.8 call through these two. */
static void old_slots_do_the_same(void **state)
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

static void flow_without_a_rule_is_einval(void **state)
{
	ASSERT_NULL(ibv_create_flow(qp, NULL), EINVAL);
	ASSERT_OP("create_qp");
}

static void failures_are_told(void **state)
{
	struct ibv_flow *flow = ibv_create_flow(qp, &attr);

	fake_provider.ret = -EPERM;
	ASSERT_NULL(ibv_create_flow(qp, &attr), EPERM);
	ASSERT_ERRNO(ibv_destroy_flow(flow), EPERM);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_flow(flow));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(flow_leads_to_its_qp),
		TEST(old_slots_do_the_same),
		TEST(flow_without_a_rule_is_einval),
		TEST(failures_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
