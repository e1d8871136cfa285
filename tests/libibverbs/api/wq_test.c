/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_wq(3), ibv_modify_wq(3), ibv_create_rwq_ind_table(3):
 * libibverbs/api/wq.c.
 */
#include "libibverbs/api/api_fixture.h"

static struct ibv_wq_init_attr init;
static struct ibv_cq *cq;
static int app_context;

static int start(void **state)
{
	int ret = api_open(state);

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	assert_non_null(cq);
	init = (struct ibv_wq_init_attr){
		.wq_context = &app_context,
		.wq_type = IBV_WQT_RQ,
		.max_wr = 10,
		.max_sge = 1,
		.pd = api.pd,
		.cq = cq,
	};
	return ret;
}

static int finish(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static struct ibv_wq *create(void)
{
	struct ibv_wq *wq = ibv_create_wq(api.ctx, &init);

	assert_non_null(wq);
	return wq;
}

static void destroy(struct ibv_wq *wq)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_wq(wq));
}

static void wq_gets_what_the_application_said(void **state)
{
	struct ibv_wq *wq;

	errno = SOME_ERRNO;
	wq = create();
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_wq");
	assert_ptr_equal(fake_provider.args.attr, &init);
	assert_ptr_equal(wq->context, api.ctx);
	assert_ptr_equal(wq->wq_context, &app_context);
	assert_ptr_equal(wq->pd, api.pd);
	assert_ptr_equal(wq->cq, cq);
	assert_int_equal(wq->wq_type, IBV_WQT_RQ);
	assert_int_equal(wq->state, IBV_WQS_RESET);
	destroy(wq);
}

static void events_of_a_wq_can_be_acknowledged(void **state)
{
	struct ibv_wq *wq = create();
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_WQ_FATAL,
		.element.wq = wq,
	};

	ibv_ack_async_event(&event);
	assert_int_equal(wq->events_completed, 1);
	destroy(wq);
}

static void wq_without_its_objects_is_einval(void **state)
{
	init.cq = NULL;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	init.cq = cq;
	init.pd = NULL;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	ASSERT_OP("create_cq");
}

static void wq_of_objects_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();

	ASSERT_NULL(ibv_create_wq(other, &init), EINVAL);
	ASSERT_OK(ibv_close_device(other));
}

static void unknown_attributes_are_einval(void **state)
{
	init.comp_mask = IBV_WQ_INIT_ATTR_RESERVED;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	init.comp_mask = 0;
	init.wq_type = IBV_WQT_RQ + 1;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
}

static void unknown_flags_are_eopnotsupp(void **state)
{
	init.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	init.create_flags = IBV_WQ_FLAGS_RESERVED;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EOPNOTSUPP);
	/* Where nobody asked for flags they may be anything. */
	init.comp_mask = 0;
	destroy(create());
}

static void failure_of_create_is_null(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), ENOMEM);
}

static void modify_reaches_the_provider(void **state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE };
	struct ibv_wq *wq = create();

	ASSERT_OK(ibv_modify_wq(wq, &attr));
	ASSERT_OP("modify_wq");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, wq);
	/* Where nobody asked for flags they may be anything. */
	attr.flags_mask = UINT32_MAX;
	ASSERT_OK(ibv_modify_wq(wq, &attr));
	destroy(wq);
}

static void modify_of_something_unknown_is_refused(void **state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_RESERVED };
	struct ibv_wq *wq = create();

	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EINVAL);
	attr.attr_mask = IBV_WQ_ATTR_FLAGS;
	attr.flags_mask = IBV_WQ_FLAGS_RESERVED;
	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_modify_wq(wq, NULL), EINVAL);
	ASSERT_OP("create_wq");
	destroy(wq);
}

static void failures_are_positive_errnos(void **state)
{
	struct ibv_wq_attr attr = {};
	struct ibv_wq *wq = create();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_wq(wq), EBUSY);
	destroy(wq);
}

/* ------------------------------------------------------------------------ */
/* Tables                                                                    */
/* ------------------------------------------------------------------------ */

static void table_belongs_to_its_context(void **state)
{
	struct ibv_wq *wq = create();
	struct ibv_wq *entries[2] = { wq, wq };
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 1,
		.ind_tbl = entries,
	};
	struct ibv_rwq_ind_table *table;

	errno = SOME_ERRNO;
	table = ibv_create_rwq_ind_table(api.ctx, &attr);
	assert_non_null(table);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_rwq_ind_table");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(table->context, api.ctx);
	ASSERT_OK(ibv_destroy_rwq_ind_table(table));
	ASSERT_OP("destroy_rwq_ind_table");
	destroy(wq);
}

static void bad_tables_are_einval(void **state)
{
	struct ibv_wq *wq = create();
	struct ibv_wq *entries[2] = { wq, NULL };
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 1,
		.ind_tbl = entries,
	};

	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EINVAL);
	attr.log_ind_tbl_size = 0;
	attr.comp_mask = 1;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EINVAL);
	attr.comp_mask = 0;
	attr.ind_tbl = NULL;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EINVAL);
	attr.ind_tbl = entries;
	attr.log_ind_tbl_size = 64;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EINVAL);
	ASSERT_OP("create_wq");
	destroy(wq);
}

static void wq_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_wq *wq = create();
	struct ibv_rwq_ind_table_init_attr attr = { .ind_tbl = &wq };

	ASSERT_NULL(ibv_create_rwq_ind_table(other, &attr), EINVAL);
	destroy(wq);
	ASSERT_OK(ibv_close_device(other));
}

static void failures_of_tables_are_told(void **state)
{
	struct ibv_wq *wq = create();
	struct ibv_rwq_ind_table_init_attr attr = { .ind_tbl = &wq };
	struct ibv_rwq_ind_table *table =
		ibv_create_rwq_ind_table(api.ctx, &attr);

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_rwq_ind_table(table), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_rwq_ind_table(table));
	destroy(wq);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wq_gets_what_the_application_said),
		TEST(events_of_a_wq_can_be_acknowledged),
		TEST(wq_without_its_objects_is_einval),
		TEST(wq_of_objects_of_another_context_is_einval),
		TEST(unknown_attributes_are_einval),
		TEST(unknown_flags_are_eopnotsupp),
		TEST(failure_of_create_is_null),
		TEST(modify_reaches_the_provider),
		TEST(modify_of_something_unknown_is_refused),
		TEST(failures_are_positive_errnos),
		TEST(table_belongs_to_its_context),
		TEST(bad_tables_are_einval),
		TEST(wq_of_another_context_is_einval),
		TEST(failures_of_tables_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
