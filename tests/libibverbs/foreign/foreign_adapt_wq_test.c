/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Work queues and their tables: libibverbs/foreign/foreign_adapt_wq.c. */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_wq *create_wq(struct ibv_context *ctx,
				struct ibv_wq_init_attr *attr)
{
	ADAPT_SAW("create_wq", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_object();
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	ADAPT_SAW("modify_wq", ADAPT_PTR(wq), ADAPT_PTR(attr));
	return adapt_int();
}

static int destroy_wq(struct ibv_wq *wq)
{
	ADAPT_SAW("destroy_wq", ADAPT_PTR(wq));
	return adapt_int();
}

static struct ibv_rwq_ind_table *
create_rwq_ind_table(struct ibv_context *ctx,
		     struct ibv_rwq_ind_table_init_attr *attr)
{
	ADAPT_SAW("create_rwq_ind_table", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_object();
}

static int destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	ADAPT_SAW("destroy_rwq_ind_table", ADAPT_PTR(table));
	return adapt_int();
}

static int start(void **state)
{
	adapt_start(&(struct foreign_ops){
		.create_wq = create_wq,
		.modify_wq = modify_wq,
		.destroy_wq = destroy_wq,
		.create_rwq_ind_table = create_rwq_ind_table,
		.destroy_rwq_ind_table = destroy_rwq_ind_table,
	});
	return 0;
}

static void a_work_queue_lives(void **state)
{
	struct ibv_wq *wq = NULL, made = { .context = adapt.ctx };
	struct ibv_wq_init_attr attr = {};
	struct ibv_wq_attr change = {};

	ADAPT_MAKES(&made, adapt.ops.create_wq(adapt.ctx, &attr, &wq));
	ADAPT_SEEN("create_wq", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(wq, &made);

	ADAPT_OK(adapt.ops.modify_wq(wq, &change));
	ADAPT_SEEN("modify_wq", ADAPT_PTR(wq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.modify_wq(wq, &change));

	ADAPT_FAILS(adapt.ops.destroy_wq(wq));
	ADAPT_OK(adapt.ops.destroy_wq(wq));
	ADAPT_SEEN("destroy_wq", ADAPT_PTR(wq));

	wq = NULL;
	ADAPT_FAILS(adapt.ops.create_wq(adapt.ctx, &attr, &wq));
	assert_null(wq);
}

static void a_table_lives(void **state)
{
	struct ibv_rwq_ind_table *table = NULL;
	struct ibv_rwq_ind_table made = { .context = adapt.ctx };
	struct ibv_rwq_ind_table_init_attr attr = {};

	ADAPT_MAKES(&made,
		    adapt.ops.create_rwq_ind_table(adapt.ctx, &attr, &table));
	ADAPT_SEEN("create_rwq_ind_table", ADAPT_PTR(adapt.ctx),
		   ADAPT_PTR(&attr));
	assert_ptr_equal(table, &made);

	ADAPT_FAILS(adapt.ops.destroy_rwq_ind_table(table));
	ADAPT_OK(adapt.ops.destroy_rwq_ind_table(table));
	ADAPT_SEEN("destroy_rwq_ind_table", ADAPT_PTR(table));

	table = NULL;
	ADAPT_FAILS(adapt.ops.create_rwq_ind_table(adapt.ctx, &attr, &table));
	assert_null(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_work_queue_lives, start),
		cmocka_unit_test_setup(a_table_lives, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
