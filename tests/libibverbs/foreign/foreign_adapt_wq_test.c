/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of ops of work queues and indirection tables:
 * libibverbs/foreign/foreign_adapt_wq.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_wq *create_wq(struct ibv_context *ctx,
				struct ibv_wq_init_attr *attr)
{
	ADAPT_RECORD("create_wq", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	ADAPT_RECORD("modify_wq", ADAPT_PTR(wq), ADAPT_PTR(attr));
	return adapt_result();
}

static int destroy_wq(struct ibv_wq *wq)
{
	ADAPT_RECORD("destroy_wq", ADAPT_PTR(wq));
	return adapt_result();
}

static struct ibv_rwq_ind_table *
create_rwq_ind_table(struct ibv_context *ctx,
		     struct ibv_rwq_ind_table_init_attr *attr)
{
	ADAPT_RECORD("create_rwq_ind_table", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	ADAPT_RECORD("destroy_rwq_ind_table", ADAPT_PTR(table));
	return adapt_result();
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
		.create_wq = create_wq,
		.modify_wq = modify_wq,
		.destroy_wq = destroy_wq,
		.create_rwq_ind_table = create_rwq_ind_table,
		.destroy_rwq_ind_table = destroy_rwq_ind_table,
	});
	return 0;
}

static void foreign_adapt_wq_is_created_modified_and_destroyed(void **state)
{
	struct ibv_wq *wq = NULL, made = { .context = adapt.ctx };
	struct ibv_wq_init_attr attr = {};
	struct ibv_wq_attr change = {};

	ADAPT_CREATES(&made, adapt.ops.create_wq(adapt.ctx, &attr, &wq));
	ADAPT_CHECK_CALL("create_wq", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(wq, &made);

	ADAPT_OK(adapt.ops.modify_wq(wq, &change));
	ADAPT_CHECK_CALL("modify_wq", ADAPT_PTR(wq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.modify_wq(wq, &change));

	ADAPT_FAILS(adapt.ops.destroy_wq(wq));
	ADAPT_OK(adapt.ops.destroy_wq(wq));
	ADAPT_CHECK_CALL("destroy_wq", ADAPT_PTR(wq));

	wq = NULL;
	ADAPT_FAILS(adapt.ops.create_wq(adapt.ctx, &attr, &wq));
	assert_null(wq);
}

static void foreign_adapt_rwq_ind_table_is_created_and_destroyed(void **state)
{
	struct ibv_rwq_ind_table *table = NULL;
	struct ibv_rwq_ind_table made = { .context = adapt.ctx };
	struct ibv_rwq_ind_table_init_attr attr = {};

	ADAPT_CREATES(&made,
		      adapt.ops.create_rwq_ind_table(adapt.ctx, &attr, &table));
	ADAPT_CHECK_CALL("create_rwq_ind_table", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(table, &made);

	ADAPT_FAILS(adapt.ops.destroy_rwq_ind_table(table));
	ADAPT_OK(adapt.ops.destroy_rwq_ind_table(table));
	ADAPT_CHECK_CALL("destroy_rwq_ind_table", ADAPT_PTR(table));

	table = NULL;
	ADAPT_FAILS(adapt.ops.create_rwq_ind_table(adapt.ctx, &attr, &table));
	assert_null(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_wq_is_created_modified_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_rwq_ind_table_is_created_and_destroyed,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
