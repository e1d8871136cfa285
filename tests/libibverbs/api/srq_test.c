/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_srq(3), ibv_create_srq_ex(3), ibv_get_srq_num(3),
 * ibv_modify_srq(3) and ibv_query_srq(3): libibverbs/api/srq.c.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "libibverbs/api/api_fixture.h"

static int app_context;
static struct ibv_srq_init_attr init_attr;

static int srq_setup(void **state)
{
	int ret = api_open(state);

	init_attr = (struct ibv_srq_init_attr){
		.srq_context = &app_context,
		.attr = { .max_wr = 10, .max_sge = 2, .srq_limit = 3 },
	};
	fake_provider.srq_attr = (struct ibv_srq_attr){
		.max_wr = 16,
		.max_sge = 4,
	};
	return ret;
}

static struct ibv_srq *create_srq(void)
{
	struct ibv_srq *srq = ibv_create_srq(api.pd, &init_attr);

	assert_non_null(srq);
	return srq;
}

static void create_srq_stores_attributes_in_srq(void **state)
{
	struct ibv_srq *srq;

	errno = SOME_ERRNO;
	srq = create_srq();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(srq->context, api.ctx);
	assert_ptr_equal(srq->srq_context, &app_context);
	assert_ptr_equal(srq->pd, api.pd);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void create_srq_passes_attributes_to_provider(void **state)
{
	const struct ibv_srq_init_attr_ex *attr = &fake_provider.args.srq_attr;
	struct ibv_srq *srq = create_srq();

	ASSERT_OP("create_srq");
	assert_ptr_equal(fake_provider.args.ctx, api.ctx);
	assert_ptr_equal(attr->srq_context, &app_context);
	assert_int_equal(attr->attr.max_wr, 10);
	assert_int_equal(attr->attr.max_sge, 2);
	assert_int_equal(attr->attr.srq_limit, 3);
	assert_int_equal(attr->comp_mask, IBV_SRQ_INIT_ATTR_PD);
	assert_ptr_equal(attr->pd, api.pd);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void create_srq_writes_actual_sizes_back(void **state)
{
	struct ibv_srq *srq = create_srq();

	assert_int_equal(init_attr.attr.max_wr, 16);
	assert_int_equal(init_attr.attr.max_sge, 4);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void
create_srq_provider_failure_returns_null_and_keeps_sizes(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_srq(api.pd, &init_attr), ENOMEM);
	assert_int_equal(init_attr.attr.max_wr, 10);
	assert_int_equal(init_attr.attr.max_sge, 2);
}

/* ------------------------------------------------------------------------ */
/* Extended SRQs                                                             */
/* ------------------------------------------------------------------------ */

/* Bypasses the checks of the inline function ibv_create_srq_ex(). */
static struct ibv_srq *create_srq_by_op_table(struct ibv_srq_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_srq_ex)
		->create_srq_ex(api.ctx, attr);
}

static void create_srq_ex_without_pd_is_einval(void **state)
{
	struct ibv_srq_init_attr_ex attr = { .pd = api.pd };

	ASSERT_NULL(create_srq_by_op_table(&attr), EINVAL);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_PD;
	attr.pd = NULL;
	ASSERT_NULL(create_srq_by_op_table(&attr), EINVAL);
}

static void create_srq_ex_unknown_attribute_is_eopnotsupp(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_RESERVED,
		.pd = api.pd,
	};

	ASSERT_NULL(create_srq_by_op_table(&attr), EOPNOTSUPP);
	attr.comp_mask = 1U << 31;
	ASSERT_NULL(create_srq_by_op_table(&attr), EOPNOTSUPP);
}

static void create_srq_ex_provider_failure_returns_null(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = api.pd,
	};

	fake_provider.ret = -EACCES;
	ASSERT_NULL(create_srq_by_op_table(&attr), EACCES);
}

static void create_srq_ex_basic_srq_writes_sizes_back(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr.max_wr = 10,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = api.pd,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(api.ctx, &attr);

	assert_non_null(srq);
	assert_int_equal(attr.attr.max_wr, 16);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void get_srq_num_of_xrc_srq_returns_number(void **state)
{
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
	};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(api.ctx, &xrcd_attr);
	struct ibv_cq *cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = api.pd,
		.xrcd = xrcd,
		.cq = cq,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(api.ctx, &attr);
	uint32_t number = 0;

	assert_non_null(srq);
	ASSERT_OK(ibv_get_srq_num(srq, &number));
	assert_int_equal(number, 77);
	ASSERT_OK(ibv_destroy_srq(srq));
	ASSERT_OK(ibv_destroy_cq(cq));
	ASSERT_OK(ibv_close_xrcd(xrcd));
}

static void get_srq_num_of_basic_srq_is_einval(void **state)
{
	struct ibv_srq *srq = create_srq();
	uint32_t number = 5;

	ASSERT_ERRNO(ibv_get_srq_num(srq, &number), EINVAL);
	assert_int_equal(number, 5);
	ASSERT_OK(ibv_destroy_srq(srq));
}

/* An op of a provider that stores the number elsewhere. */
static int get_srq_num_of_provider(struct ibv_srq *srq, uint32_t *ret_srq_num)
{
	*ret_srq_num = 99;
	return 0;
}

static void get_srq_num_calls_op_of_provider(void **state)
{
	static const struct verbs_context_ops ops = {
		.get_srq_num = get_srq_num_of_provider,
	};
	struct ibv_srq *srq = create_srq();
	uint32_t number = 0;

	verbs_context_set_ops(verbs_get_ctx(api.ctx), &ops);
	ASSERT_OK(ibv_get_srq_num(srq, &number));
	assert_int_equal(number, 99);
	ASSERT_OK(ibv_destroy_srq(srq));
}

/* Data path: the function returns the provider's result and leaves errno. */
static void post_srq_ops_calls_provider(void **state)
{
	struct ibv_srq *srq = create_srq();
	struct ibv_ops_wr op = {}, *bad_op = NULL;

	ASSERT_OK(ibv_post_srq_ops(srq, &op, &bad_op));
	ASSERT_OP("post_srq_ops");
	assert_ptr_equal(fake_provider.args.attr, &op);
	assert_ptr_equal(fake_provider.args.object, srq);
	assert_null(bad_op);
	fake_provider.ret = -ENOMEM;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_post_srq_ops(srq, &op, &bad_op), ENOMEM);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(bad_op, &op);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_srq(srq));
}

/* ------------------------------------------------------------------------ */
/* Modify, query, destroy                                                    */
/* ------------------------------------------------------------------------ */

static void modify_srq_calls_provider(void **state)
{
	struct ibv_srq_attr attr = { .srq_limit = 5 };
	struct ibv_srq *srq = create_srq();

	ASSERT_OK(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	ASSERT_OP("modify_srq");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_int_equal(fake_provider.args.attr_mask, IBV_SRQ_LIMIT);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void query_srq_returns_attributes(void **state)
{
	struct ibv_srq *srq = create_srq();
	struct ibv_srq_attr attr = {};

	ASSERT_OK(ibv_query_srq(srq, &attr));
	assert_int_equal(attr.max_wr, 16);
	assert_int_equal(attr.max_sge, 4);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void srq_verbs_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_srq *srq = create_srq();
	struct ibv_srq_attr attr = {};

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), EBUSY);
	ASSERT_ERRNO(ibv_query_srq(srq, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_srq(srq), EBUSY);
	assert_ptr_equal(srq->pd, api.pd); /* still valid */
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_srq(srq));
}

static atomic_bool destroyed;

static void *destroy_srq_thread(void *srq)
{
	atomic_store(&destroyed, ibv_destroy_srq(srq) == 0);
	return NULL;
}

static void destroy_srq_waits_for_event_acknowledgement(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_SRQ_LIMIT_REACHED,
	};
	struct ibv_srq *srq = create_srq();
	pthread_t thread;

	fake_provider.raised.async_events = 1;
	event.element.srq = srq;
	atomic_store(&destroyed, false);
	assert_int_equal(pthread_create(&thread, NULL, destroy_srq_thread, srq),
			 0);
	assert_false(atomic_load(&destroyed));
	ibv_ack_async_event(&event);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&destroyed));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, srq_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_srq_stores_attributes_in_srq),
		TEST(create_srq_passes_attributes_to_provider),
		TEST(create_srq_writes_actual_sizes_back),
		TEST(create_srq_provider_failure_returns_null_and_keeps_sizes),
		TEST(create_srq_ex_without_pd_is_einval),
		TEST(create_srq_ex_unknown_attribute_is_eopnotsupp),
		TEST(create_srq_ex_provider_failure_returns_null),
		TEST(create_srq_ex_basic_srq_writes_sizes_back),
		TEST(get_srq_num_of_xrc_srq_returns_number),
		TEST(get_srq_num_of_basic_srq_is_einval),
		TEST(get_srq_num_calls_op_of_provider),
		TEST(post_srq_ops_calls_provider),
		TEST(modify_srq_calls_provider),
		TEST(query_srq_returns_attributes),
		TEST(srq_verbs_provider_failure_returns_positive_errno),
		TEST(destroy_srq_waits_for_event_acknowledgement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
