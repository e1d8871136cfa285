/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of shared receive queue ops: libibverbs/foreign/foreign_adapt_srq.c.
 */
#include <pthread.h>
#include <stdlib.h>

#include "libibverbs/foreign/adapt_fixture.h"

static int app_context;
static struct ibv_srq_init_attr_ex attr;

static struct ibv_srq *create_srq(struct ibv_pd *pd,
				  struct ibv_srq_init_attr *attr_arg)
{
	ADAPT_RECORD("create_srq", ADAPT_PTR(pd), ADAPT_PTR(attr_arg),
		     attr_arg->attr.max_wr);
	attr_arg->attr.max_wr = 128;
	return adapt_new_object();
}

static struct ibv_srq *create_srq_ex(struct ibv_context *ctx,
				     struct ibv_srq_init_attr_ex *attr_arg)
{
	ADAPT_RECORD("create_srq_ex", ADAPT_PTR(ctx), ADAPT_PTR(attr_arg),
		     attr_arg->attr.max_wr);
	attr_arg->attr.max_wr = 128;
	return adapt_new_object();
}

static int modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr_arg,
		      int attr_mask)
{
	ADAPT_RECORD("modify_srq", ADAPT_PTR(srq), ADAPT_PTR(attr_arg),
		     (uint64_t)attr_mask);
	return adapt_result();
}

static int query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr_arg)
{
	ADAPT_RECORD("query_srq", ADAPT_PTR(srq), ADAPT_PTR(attr_arg));
	return adapt_result();
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	ADAPT_RECORD("get_srq_num", ADAPT_PTR(srq), ADAPT_PTR(srq_num));
	return adapt_result();
}

static int destroy_srq(struct ibv_srq *srq)
{
	ADAPT_RECORD("destroy_srq", ADAPT_PTR(srq));
	return adapt_result();
}

static const struct foreign_ops ops = {
	.create_srq = create_srq,
	.create_srq_ex = create_srq_ex,
	.modify_srq = modify_srq,
	.query_srq = query_srq,
	.get_srq_num = get_srq_num,
	.destroy_srq = destroy_srq,
};

static int setup_provider(void **state)
{
	adapt_fixture_start(&ops);
	attr = (struct ibv_srq_init_attr_ex){
		.srq_context = &app_context,
		.attr = { .max_wr = 100, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, /* not in comp_mask */
		.pd = &adapt.pd,
	};
	return 0;
}

/* Allocate no more than struct ibv_srq, as some providers do. */
static struct ibv_srq *smallest_srq(void)
{
	struct ibv_srq *srq = malloc(sizeof(*srq));

	assert_non_null(srq);
	memset(srq, 0x77, sizeof(*srq));
	return srq;
}

static void check_basic(void)
{
	struct ibv_srq *srq = smallest_srq();
	struct verbs_srq *vsrq = NULL;

	attr.attr.max_wr = 100;
	ADAPT_CREATES(srq, adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	ADAPT_CHECK_CALL("create_srq", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr),
			 100);
	assert_ptr_equal(&vsrq->srq, srq);
	assert_int_equal(attr.attr.max_wr, 128);

	assert_ptr_equal(srq->context, adapt.ctx);
	assert_ptr_equal(srq->srq_context, &app_context);
	assert_ptr_equal(srq->pd, &adapt.pd);
	assert_int_equal(srq->events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&srq->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&srq->mutex), 0);
	assert_int_equal(pthread_cond_signal(&srq->cond), 0);
	free(srq);
}

static void foreign_adapt_create_srq_basic_initialises_srq(void **state)
{
	check_basic();
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	attr.srq_type = IBV_SRQT_BASIC;
	check_basic();
}

static void foreign_adapt_create_srq_extended_calls_create_srq_ex(void **state)
{
	static const struct {
		uint32_t mask;
		enum ibv_srq_type type;
	} kinds[] = {
		{ IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE, IBV_SRQT_XRC },
		{ IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE, IBV_SRQT_TM },
		{ IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			  IBV_SRQ_INIT_ATTR_CQ,
		  IBV_SRQT_BASIC },
	};
	struct verbs_srq made;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct verbs_srq *vsrq = NULL;

		memset(&made, 0x77, sizeof(made));
		attr.attr.max_wr = 100;
		attr.comp_mask = kinds[i].mask;
		attr.srq_type = kinds[i].type;
		ADAPT_CREATES(&made.srq,
			      adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
		ADAPT_CHECK_CALL("create_srq_ex", ADAPT_PTR(adapt.ctx),
				 ADAPT_PTR(&attr), 100);
		assert_ptr_equal(vsrq, &made);
		assert_int_equal(made.srq.events_completed, 0x77777777);
	}
}

static void foreign_adapt_create_srq_failed_op_returns_no_srq(void **state)
{
	struct verbs_srq *vsrq = NULL;

	ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	assert_null(vsrq);
}

static void foreign_adapt_create_srq_without_op_returns_eopnotsupp(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_srq *vsrq = NULL;

	some.create_srq = NULL;
	adapt_fixture_start(&some);
	assert_int_equal(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq),
			 -EOPNOTSUPP);

	some = ops;
	some.create_srq_ex = NULL;
	adapt_fixture_start(&some);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	assert_int_equal(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vsrq);
}

/*
 * Implements create_srq like a provider that calls create_srq_ex of the public
 * table.
 */
static struct ibv_srq *create_srq_by_table(struct ibv_pd *pd,
					   struct ibv_srq_init_attr *attr_arg)
{
	struct ibv_srq_init_attr_ex newer = {
		.attr = attr_arg->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_srq *vsrq = NULL;
	int ret = adapt.ops.create_srq(pd->context, &newer, &vsrq);

	if (ret) {
		errno = -ret; /* as the function in the table does */
		return NULL;
	}
	attr_arg->attr = newer.attr;
	return &vsrq->srq;
}

static void
foreign_adapt_create_srq_nested_call_reaches_create_srq_ex(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_srq *vsrq = NULL;
	struct verbs_srq made;

	some.create_srq = create_srq_by_table;
	adapt_fixture_start(&some);
	/* The second call must not differ from the first. */
	for (int i = 0; i < 2; i++) {
		attr.attr.max_wr = 100;
		ADAPT_CREATES(&made.srq,
			      adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
		assert_string_equal(adapt.op, "create_srq_ex");
		assert_ptr_equal(vsrq, &made);
		assert_int_equal(attr.attr.max_wr, 128);
		ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	}
}

static void foreign_adapt_srq_is_modified_queried_and_destroyed(void **state)
{
	struct ibv_srq srq = { .context = adapt.ctx };
	struct ibv_srq_attr change = {};

	ADAPT_OK(adapt.ops.modify_srq(&srq, &change, IBV_SRQ_LIMIT));
	ADAPT_CHECK_CALL("modify_srq", ADAPT_PTR(&srq), ADAPT_PTR(&change),
			 IBV_SRQ_LIMIT);
	ADAPT_FAILS(adapt.ops.modify_srq(&srq, &change, IBV_SRQ_LIMIT));

	ADAPT_OK(adapt.ops.query_srq(&srq, &change));
	ADAPT_CHECK_CALL("query_srq", ADAPT_PTR(&srq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.query_srq(&srq, &change));

	ADAPT_FAILS(adapt.ops.destroy_srq(&srq));
	ADAPT_OK(adapt.ops.destroy_srq(&srq));
	ADAPT_CHECK_CALL("destroy_srq", ADAPT_PTR(&srq));
}

static void foreign_adapt_get_srq_num_calls_provider(void **state)
{
	struct ibv_srq srq = { .context = adapt.ctx };
	uint32_t number = 0;

	ADAPT_OK(adapt.ops.get_srq_num(&srq, &number));
	ADAPT_CHECK_CALL("get_srq_num", ADAPT_PTR(&srq), ADAPT_PTR(&number));
	ADAPT_FAILS(adapt.ops.get_srq_num(&srq, &number));
}

static void
foreign_adapt_get_srq_num_without_op_reads_no_verbs_srq(void **state)
{
	struct ibv_srq *srq = smallest_srq();
	uint32_t number = 7;

	adapt_fixture_start(&(struct foreign_ops){});
	srq->context = adapt.ctx;
	assert_int_equal(adapt.ops.get_srq_num(srq, &number), -EOPNOTSUPP);
	assert_int_equal(number, 7);
	free(srq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_create_srq_basic_initialises_srq,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_srq_extended_calls_create_srq_ex,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_srq_failed_op_returns_no_srq,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_srq_without_op_returns_eopnotsupp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_srq_nested_call_reaches_create_srq_ex,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_srq_is_modified_queried_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_get_srq_num_calls_provider,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_get_srq_num_without_op_reads_no_verbs_srq,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
