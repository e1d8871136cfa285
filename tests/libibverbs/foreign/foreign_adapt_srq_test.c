/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues: libibverbs/foreign/foreign_adapt_srq.c. */
#include <pthread.h>
#include <stdlib.h>

#include "libibverbs/foreign/adapt_fixture.h"

static int app_context;
static struct ibv_srq_init_attr_ex attr;

static struct ibv_srq *create_srq(struct ibv_pd *pd,
				  struct ibv_srq_init_attr *its_attr)
{
	ADAPT_SAW("create_srq", ADAPT_PTR(pd), ADAPT_PTR(its_attr),
		  its_attr->attr.max_wr);
	its_attr->attr.max_wr = 128;
	return adapt_object();
}

static struct ibv_srq *create_srq_ex(struct ibv_context *ctx,
				     struct ibv_srq_init_attr_ex *its_attr)
{
	ADAPT_SAW("create_srq_ex", ADAPT_PTR(ctx), ADAPT_PTR(its_attr),
		  its_attr->attr.max_wr);
	its_attr->attr.max_wr = 128;
	return adapt_object();
}

static int modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *its_attr,
		      int attr_mask)
{
	ADAPT_SAW("modify_srq", ADAPT_PTR(srq), ADAPT_PTR(its_attr),
		  (uint64_t)attr_mask);
	return adapt_int();
}

static int query_srq(struct ibv_srq *srq, struct ibv_srq_attr *its_attr)
{
	ADAPT_SAW("query_srq", ADAPT_PTR(srq), ADAPT_PTR(its_attr));
	return adapt_int();
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	ADAPT_SAW("get_srq_num", ADAPT_PTR(srq), ADAPT_PTR(srq_num));
	return adapt_int();
}

static int destroy_srq(struct ibv_srq *srq)
{
	ADAPT_SAW("destroy_srq", ADAPT_PTR(srq));
	return adapt_int();
}

static const struct foreign_ops ops = {
	.create_srq = create_srq,
	.create_srq_ex = create_srq_ex,
	.modify_srq = modify_srq,
	.query_srq = query_srq,
	.get_srq_num = get_srq_num,
	.destroy_srq = destroy_srq,
};

static int start(void **state)
{
	adapt_start(&ops);
	attr = (struct ibv_srq_init_attr_ex){
		.srq_context = &app_context,
		.attr = { .max_wr = 100, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, /* not asked for by the mask */
		.pd = &adapt.pd,
	};
	return 0;
}

/* No more than the public struct, as the smallest providers allocate it. */
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
	ADAPT_MAKES(srq, adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	ADAPT_SEEN("create_srq", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr), 100);
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

static void a_basic_srq_is_prepared_after_its_creation(void **state)
{
	check_basic();
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	attr.srq_type = IBV_SRQT_BASIC;
	check_basic();
}

static void other_srqs_are_the_providers(void **state)
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
		ADAPT_MAKES(&made.srq,
			    adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
		ADAPT_SEEN("create_srq_ex", ADAPT_PTR(adapt.ctx),
			   ADAPT_PTR(&attr), 100);
		assert_ptr_equal(vsrq, &made);
		assert_int_equal(made.srq.events_completed, 0x77777777);
	}
}

static void an_srq_that_was_not_made_is_not_handed_out(void **state)
{
	struct verbs_srq *vsrq = NULL;

	ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	assert_null(vsrq);
}

static void each_kind_of_srq_needs_its_op(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_srq *vsrq = NULL;

	some.create_srq = NULL;
	adapt_start(&some);
	assert_int_equal(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq),
			 -EOPNOTSUPP);

	some = ops;
	some.create_srq_ex = NULL;
	adapt_start(&some);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	assert_int_equal(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vsrq);
}

/* As a provider does it that calls the table of its context. */
static struct ibv_srq *create_srq_by_table(struct ibv_pd *pd,
					   struct ibv_srq_init_attr *its_attr)
{
	struct ibv_srq_init_attr_ex newer = {
		.attr = its_attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_srq *vsrq = NULL;
	int ret = adapt.ops.create_srq(pd->context, &newer, &vsrq);

	if (ret) {
		errno = -ret; /* by the function in the table */
		return NULL;
	}
	its_attr->attr = newer.attr;
	return &vsrq->srq;
}

static void the_older_op_may_ask_for_the_newer_one(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_srq *vsrq = NULL;
	struct verbs_srq made;

	some.create_srq = create_srq_by_table;
	adapt_start(&some);
	/* each time */
	for (int i = 0; i < 2; i++) {
		attr.attr.max_wr = 100;
		ADAPT_MAKES(&made.srq,
			    adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
		assert_string_equal(adapt.op, "create_srq_ex");
		assert_ptr_equal(vsrq, &made);
		assert_int_equal(attr.attr.max_wr, 128);
		ADAPT_FAILS(adapt.ops.create_srq(adapt.ctx, &attr, &vsrq));
	}
}

static void an_srq_is_changed_and_destroyed(void **state)
{
	struct ibv_srq srq = { .context = adapt.ctx };
	struct ibv_srq_attr change = {};

	ADAPT_OK(adapt.ops.modify_srq(&srq, &change, IBV_SRQ_LIMIT));
	ADAPT_SEEN("modify_srq", ADAPT_PTR(&srq), ADAPT_PTR(&change),
		   IBV_SRQ_LIMIT);
	ADAPT_FAILS(adapt.ops.modify_srq(&srq, &change, IBV_SRQ_LIMIT));

	ADAPT_OK(adapt.ops.query_srq(&srq, &change));
	ADAPT_SEEN("query_srq", ADAPT_PTR(&srq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.query_srq(&srq, &change));

	ADAPT_FAILS(adapt.ops.destroy_srq(&srq));
	ADAPT_OK(adapt.ops.destroy_srq(&srq));
	ADAPT_SEEN("destroy_srq", ADAPT_PTR(&srq));
}

static void the_number_is_the_providers(void **state)
{
	struct ibv_srq srq = { .context = adapt.ctx };
	uint32_t number = 0;

	ADAPT_OK(adapt.ops.get_srq_num(&srq, &number));
	ADAPT_SEEN("get_srq_num", ADAPT_PTR(&srq), ADAPT_PTR(&number));
	ADAPT_FAILS(adapt.ops.get_srq_num(&srq, &number));
}

static void nothing_is_read_behind_the_smallest_srq(void **state)
{
	struct ibv_srq *srq = smallest_srq();
	uint32_t number = 7;

	adapt_start(&(struct foreign_ops){});
	srq->context = adapt.ctx;
	assert_int_equal(adapt.ops.get_srq_num(srq, &number), -EOPNOTSUPP);
	assert_int_equal(number, 7);
	free(srq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_basic_srq_is_prepared_after_its_creation, start),
		cmocka_unit_test_setup(other_srqs_are_the_providers, start),
		cmocka_unit_test_setup(
			an_srq_that_was_not_made_is_not_handed_out, start),
		cmocka_unit_test_setup(each_kind_of_srq_needs_its_op, start),
		cmocka_unit_test_setup(the_older_op_may_ask_for_the_newer_one,
				       start),
		cmocka_unit_test_setup(an_srq_is_changed_and_destroyed, start),
		cmocka_unit_test_setup(the_number_is_the_providers, start),
		cmocka_unit_test_setup(nothing_is_read_behind_the_smallest_srq,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
