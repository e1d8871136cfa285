/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_wq(3), ibv_modify_wq(3), ibv_create_rwq_ind_table(3):
 * libibverbs/api/wq.c.
 */
#include "libibverbs/api/api_fixture.h"

static struct ibv_wq_init_attr init_attr;
static struct ibv_cq *cq;
static int app_context;

static int wq_setup(void **state)
{
	int ret = api_open(state);

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	assert_non_null(cq);
	init_attr = (struct ibv_wq_init_attr){
		.wq_context = &app_context,
		.wq_type = IBV_WQT_RQ,
		.max_wr = 10,
		.max_sge = 1,
		.pd = api.pd,
		.cq = cq,
	};
	return ret;
}

static int wq_teardown(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static struct ibv_wq *create_wq(void)
{
	struct ibv_wq *wq = ibv_create_wq(api.ctx, &init_attr);

	assert_non_null(wq);
	return wq;
}

static void destroy_wq(struct ibv_wq *wq)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_wq(wq));
}

static void create_wq_stores_attributes_in_wq(void **state)
{
	struct ibv_wq *wq;

	errno = SOME_ERRNO;
	wq = create_wq();
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_wq");
	assert_ptr_equal(fake_provider.args.attr, &init_attr);
	assert_ptr_equal(wq->context, api.ctx);
	assert_ptr_equal(wq->wq_context, &app_context);
	assert_ptr_equal(wq->pd, api.pd);
	assert_ptr_equal(wq->cq, cq);
	assert_int_equal(wq->wq_type, IBV_WQT_RQ);
	assert_int_equal(wq->state, IBV_WQS_RESET);
	destroy_wq(wq);
}

static void ack_async_event_of_wq_counts_event(void **state)
{
	struct ibv_wq *wq = create_wq();
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_WQ_FATAL,
		.element.wq = wq,
	};

	ibv_ack_async_event(&event);
	assert_int_equal(wq->events_completed, 1);
	destroy_wq(wq);
}

static void create_wq_without_pd_or_cq_is_einval(void **state)
{
	init_attr.cq = NULL;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), EINVAL);
	init_attr.cq = cq;
	init_attr.pd = NULL;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), EINVAL);
	ASSERT_OP("create_cq");
}

static void create_wq_with_objects_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();

	ASSERT_NULL(ibv_create_wq(other, &init_attr), EINVAL);
	ASSERT_OK(ibv_close_device(other));
}

static void create_wq_unknown_attribute_is_einval(void **state)
{
	init_attr.comp_mask = IBV_WQ_INIT_ATTR_RESERVED;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), EINVAL);
	init_attr.comp_mask = 0;
	init_attr.wq_type = IBV_WQT_RQ + 1;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), EINVAL);
}

static void create_wq_unknown_flag_is_eopnotsupp(void **state)
{
	init_attr.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	init_attr.create_flags = IBV_WQ_FLAGS_RESERVED;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), EOPNOTSUPP);
	/* Without the bit in comp_mask the flags are ignored. */
	init_attr.comp_mask = 0;
	destroy_wq(create_wq());
}

static void create_wq_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init_attr), ENOMEM);
}

static void modify_wq_calls_provider(void **state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE };
	struct ibv_wq *wq = create_wq();

	ASSERT_OK(ibv_modify_wq(wq, &attr));
	ASSERT_OP("modify_wq");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, wq);
	/* Without the bit in attr_mask the flags are ignored. */
	attr.flags_mask = UINT32_MAX;
	ASSERT_OK(ibv_modify_wq(wq, &attr));
	destroy_wq(wq);
}

static void modify_wq_unknown_attribute_or_flag_is_refused(void **state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_RESERVED };
	struct ibv_wq *wq = create_wq();

	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EINVAL);
	attr.attr_mask = IBV_WQ_ATTR_FLAGS;
	attr.flags_mask = IBV_WQ_FLAGS_RESERVED;
	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_modify_wq(wq, NULL), EINVAL);
	ASSERT_OP("create_wq");
	destroy_wq(wq);
}

static void
modify_and_destroy_wq_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_wq_attr attr = {};
	struct ibv_wq *wq = create_wq();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_modify_wq(wq, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_wq(wq), EBUSY);
	destroy_wq(wq);
}

/* ------------------------------------------------------------------------ */
/* Receive WQ indirection tables                                             */
/* ------------------------------------------------------------------------ */

static void create_rwq_ind_table_returns_table_of_context(void **state)
{
	struct ibv_wq *wq = create_wq();
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
	destroy_wq(wq);
}

static void create_rwq_ind_table_bad_attribute_is_einval(void **state)
{
	struct ibv_wq *wq = create_wq();
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
	destroy_wq(wq);
}

static void
create_rwq_ind_table_with_wq_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_wq *wq = create_wq();
	struct ibv_rwq_ind_table_init_attr attr = { .ind_tbl = &wq };

	ASSERT_NULL(ibv_create_rwq_ind_table(other, &attr), EINVAL);
	destroy_wq(wq);
	ASSERT_OK(ibv_close_device(other));
}

static void rwq_ind_table_provider_failure_is_reported(void **state)
{
	struct ibv_wq *wq = create_wq();
	struct ibv_rwq_ind_table_init_attr attr = { .ind_tbl = &wq };
	struct ibv_rwq_ind_table *table =
		ibv_create_rwq_ind_table(api.ctx, &attr);

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_rwq_ind_table(table), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_rwq_ind_table(table));
	destroy_wq(wq);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, wq_setup, wq_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_wq_stores_attributes_in_wq),
		TEST(ack_async_event_of_wq_counts_event),
		TEST(create_wq_without_pd_or_cq_is_einval),
		TEST(create_wq_with_objects_of_another_context_is_einval),
		TEST(create_wq_unknown_attribute_is_einval),
		TEST(create_wq_unknown_flag_is_eopnotsupp),
		TEST(create_wq_provider_failure_returns_null),
		TEST(modify_wq_calls_provider),
		TEST(modify_wq_unknown_attribute_or_flag_is_refused),
		TEST(modify_and_destroy_wq_provider_failure_returns_positive_errno),
		TEST(create_rwq_ind_table_returns_table_of_context),
		TEST(create_rwq_ind_table_bad_attribute_is_einval),
		TEST(create_rwq_ind_table_with_wq_of_another_context_is_einval),
		TEST(rwq_ind_table_provider_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
