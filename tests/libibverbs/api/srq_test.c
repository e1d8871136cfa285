/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_srq(3), ibv_create_srq_ex(3), ibv_get_srq_num(3), changing and
 * querying: libibverbs/api/srq.c.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "libibverbs/api/api_fixture.h"

static int app_context;
static struct ibv_srq_init_attr init;

static int start(void **state)
{
	int ret = api_open(state);

	init = (struct ibv_srq_init_attr){
		.srq_context = &app_context,
		.attr = { .max_wr = 10, .max_sge = 2, .srq_limit = 3 },
	};
	fake_provider.srq_attr = (struct ibv_srq_attr){
		.max_wr = 16,
		.max_sge = 4,
	};
	return ret;
}

static struct ibv_srq *create(void)
{
	struct ibv_srq *srq = ibv_create_srq(api.pd, &init);

	assert_non_null(srq);
	return srq;
}

static void srq_gets_what_the_application_said(void **state)
{
	struct ibv_srq *srq;

	errno = SOME_ERRNO;
	srq = create();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(srq->context, api.ctx);
	assert_ptr_equal(srq->srq_context, &app_context);
	assert_ptr_equal(srq->pd, api.pd);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void provider_gets_what_the_application_said(void **state)
{
	const struct ibv_srq_init_attr_ex *attr = &fake_provider.args.srq_attr;
	struct ibv_srq *srq = create();

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

static void real_sizes_are_written_back(void **state)
{
	struct ibv_srq *srq = create();

	assert_int_equal(init.attr.max_wr, 16);
	assert_int_equal(init.attr.max_sge, 4);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void failure_of_create_is_null_and_writes_nothing_back(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_srq(api.pd, &init), ENOMEM);
	assert_int_equal(init.attr.max_wr, 10);
	assert_int_equal(init.attr.max_sge, 2);
}

/* ------------------------------------------------------------------------ */
/* Extended                                                                  */
/* ------------------------------------------------------------------------ */

/* Not through the inline function, which has checks of its own. */
static struct ibv_srq *create_ex(struct ibv_srq_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_srq_ex)
		->create_srq_ex(api.ctx, attr);
}

static void extended_srq_without_a_pd_is_einval(void **state)
{
	struct ibv_srq_init_attr_ex attr = { .pd = api.pd };

	ASSERT_NULL(create_ex(&attr), EINVAL);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_PD;
	attr.pd = NULL;
	ASSERT_NULL(create_ex(&attr), EINVAL);
}

static void unknown_attributes_are_eopnotsupp(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_RESERVED,
		.pd = api.pd,
	};

	ASSERT_NULL(create_ex(&attr), EOPNOTSUPP);
	attr.comp_mask = 1U << 31;
	ASSERT_NULL(create_ex(&attr), EOPNOTSUPP);
}

static void failure_of_extended_create_is_null(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = api.pd,
	};

	fake_provider.ret = -EACCES;
	ASSERT_NULL(create_ex(&attr), EACCES);
}

static void inline_create_of_a_basic_srq_writes_sizes_back(void **state)
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

static void xrc_srq_has_a_number(void **state)
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

static void basic_srq_has_no_number(void **state)
{
	struct ibv_srq *srq = create();
	uint32_t number = 5;

	ASSERT_ERRNO(ibv_get_srq_num(srq, &number), EINVAL);
	assert_int_equal(number, 5);
	ASSERT_OK(ibv_destroy_srq(srq));
}

/* A provider that keeps it elsewhere. */
static int own_get_srq_num(struct ibv_srq *srq, uint32_t *ret_srq_num)
{
	*ret_srq_num = 99;
	return 0;
}

static void provider_may_have_its_own_idea_of_the_number(void **state)
{
	static const struct verbs_context_ops ops = {
		.get_srq_num = own_get_srq_num,
	};
	struct ibv_srq *srq = create();
	uint32_t number = 0;

	verbs_context_set_ops(verbs_get_ctx(api.ctx), &ops);
	ASSERT_OK(ibv_get_srq_num(srq, &number));
	assert_int_equal(number, 99);
	ASSERT_OK(ibv_destroy_srq(srq));
}

/* Data path: the result is the provider's, and errno is nobody's. */
static void list_operations_reach_the_provider(void **state)
{
	struct ibv_srq *srq = create();
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
/* Changing, querying, destroying                                            */
/* ------------------------------------------------------------------------ */

static void modify_reaches_the_provider(void **state)
{
	struct ibv_srq_attr attr = { .srq_limit = 5 };
	struct ibv_srq *srq = create();

	ASSERT_OK(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	ASSERT_OP("modify_srq");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_int_equal(fake_provider.args.attr_mask, IBV_SRQ_LIMIT);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void query_tells_the_attributes(void **state)
{
	struct ibv_srq *srq = create();
	struct ibv_srq_attr attr = {};

	ASSERT_OK(ibv_query_srq(srq, &attr));
	assert_int_equal(attr.max_wr, 16);
	assert_int_equal(attr.max_sge, 4);
	ASSERT_OK(ibv_destroy_srq(srq));
}

static void failures_are_positive_errnos(void **state)
{
	struct ibv_srq *srq = create();
	struct ibv_srq_attr attr = {};

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), EBUSY);
	ASSERT_ERRNO(ibv_query_srq(srq, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_srq(srq), EBUSY);
	assert_ptr_equal(srq->pd, api.pd); /* still there */
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_srq(srq));
}

static atomic_bool destroyed;

static void *destroy(void *srq)
{
	atomic_store(&destroyed, ibv_destroy_srq(srq) == 0);
	return NULL;
}

static void destroy_waits_for_acknowledgements(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_SRQ_LIMIT_REACHED,
	};
	struct ibv_srq *srq = create();
	pthread_t thread;

	fake_provider.raised.async_events = 1;
	event.element.srq = srq;
	atomic_store(&destroyed, false);
	assert_int_equal(pthread_create(&thread, NULL, destroy, srq), 0);
	assert_false(atomic_load(&destroyed));
	ibv_ack_async_event(&event);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&destroyed));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(srq_gets_what_the_application_said),
		TEST(provider_gets_what_the_application_said),
		TEST(real_sizes_are_written_back),
		TEST(failure_of_create_is_null_and_writes_nothing_back),
		TEST(extended_srq_without_a_pd_is_einval),
		TEST(unknown_attributes_are_eopnotsupp),
		TEST(failure_of_extended_create_is_null),
		TEST(inline_create_of_a_basic_srq_writes_sizes_back),
		TEST(xrc_srq_has_a_number),
		TEST(basic_srq_has_no_number),
		TEST(provider_may_have_its_own_idea_of_the_number),
		TEST(list_operations_reach_the_provider),
		TEST(modify_reaches_the_provider),
		TEST(query_tells_the_attributes),
		TEST(failures_are_positive_errnos),
		TEST(destroy_waits_for_acknowledgements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
