/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs: libibverbs/foreign/foreign_adapt_qp.c. */
#include <stdlib.h>

#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_qp_init_attr_ex attr;
static struct ibv_qp qp;

static struct ibv_qp *create_qp(struct ibv_pd *pd,
				struct ibv_qp_init_attr *its_attr)
{
	ADAPT_SAW("create_qp", ADAPT_PTR(pd), ADAPT_PTR(its_attr),
		  its_attr->cap.max_send_wr);
	its_attr->cap.max_send_wr = 128;
	return adapt_object();
}

static struct ibv_qp *create_qp_ex(struct ibv_context *ctx,
				   struct ibv_qp_init_attr_ex *its_attr)
{
	ADAPT_SAW("create_qp_ex", ADAPT_PTR(ctx), ADAPT_PTR(its_attr),
		  its_attr->cap.max_send_wr);
	its_attr->cap.max_send_wr = 128;
	return adapt_object();
}

static struct ibv_qp *open_qp(struct ibv_context *ctx,
			      struct ibv_qp_open_attr *its_attr)
{
	ADAPT_SAW("open_qp", ADAPT_PTR(ctx), ADAPT_PTR(its_attr));
	return adapt_object();
}

static int modify_qp(struct ibv_qp *its_qp, struct ibv_qp_attr *its_attr,
		     int attr_mask)
{
	ADAPT_SAW("modify_qp", ADAPT_PTR(its_qp), ADAPT_PTR(its_attr),
		  (uint64_t)attr_mask);
	return adapt_int();
}

static int query_qp(struct ibv_qp *its_qp, struct ibv_qp_attr *its_attr,
		    int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	ADAPT_SAW("query_qp", ADAPT_PTR(its_qp), ADAPT_PTR(its_attr),
		  (uint64_t)attr_mask, ADAPT_PTR(init_attr));
	return adapt_int();
}

static int destroy_qp(struct ibv_qp *its_qp)
{
	ADAPT_SAW("destroy_qp", ADAPT_PTR(its_qp));
	return adapt_int();
}

static int modify_qp_rate_limit(struct ibv_qp *its_qp,
				struct ibv_qp_rate_limit_attr *limit)
{
	ADAPT_SAW("modify_qp_rate_limit", ADAPT_PTR(its_qp), ADAPT_PTR(limit));
	return adapt_int();
}

static int set_ece(struct ibv_qp *its_qp, struct ibv_ece *ece)
{
	ADAPT_SAW("set_ece", ADAPT_PTR(its_qp), ADAPT_PTR(ece));
	return adapt_int();
}

static int query_ece(struct ibv_qp *its_qp, struct ibv_ece *ece)
{
	ADAPT_SAW("query_ece", ADAPT_PTR(its_qp), ADAPT_PTR(ece));
	return adapt_int();
}

static int query_qp_data_in_order(struct ibv_qp *its_qp, enum ibv_wr_opcode op,
				  uint32_t flags)
{
	ADAPT_SAW("query_qp_data_in_order", ADAPT_PTR(its_qp), (uint64_t)op,
		  flags);
	return adapt_int();
}

static const struct foreign_ops ops = {
	.create_qp = create_qp,
	.create_qp_ex = create_qp_ex,
	.open_qp = open_qp,
	.modify_qp = modify_qp,
	.query_qp = query_qp,
	.destroy_qp = destroy_qp,
	.modify_qp_rate_limit = modify_qp_rate_limit,
	.set_ece = set_ece,
	.query_ece = query_ece,
	.query_qp_data_in_order = query_qp_data_in_order,
};

static int start(void **state)
{
	adapt_start(&ops);
	qp = (struct ibv_qp){ .context = adapt.ctx };
	attr = (struct ibv_qp_init_attr_ex){
		.cap = { .max_send_wr = 100 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &adapt.pd,
	};
	return 0;
}

static void a_qp_of_a_pd_alone_is_made_by_the_older_op(void **state)
{
	struct verbs_qp *vqp = NULL;

	ADAPT_MAKES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	ADAPT_SEEN("create_qp", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr), 100);
	assert_ptr_equal(vqp, &qp);
	assert_int_equal(attr.cap.max_send_wr, 128);
}

static void any_other_qp_is_made_by_the_newer_op(void **state)
{
	static const uint32_t masks[] = {
		0,
		IBV_QP_INIT_ATTR_XRCD,
		IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
	};

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct verbs_qp *vqp = NULL;

		attr.cap.max_send_wr = 100;
		attr.comp_mask = masks[i];
		ADAPT_MAKES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
		ADAPT_SEEN("create_qp_ex", ADAPT_PTR(adapt.ctx),
			   ADAPT_PTR(&attr), 100);
		assert_ptr_equal(vqp, &qp);
		assert_int_equal(attr.cap.max_send_wr, 128);
	}
}

static void a_qp_that_was_not_made_is_not_handed_out(void **state)
{
	struct ibv_qp_open_attr open_attr = {};
	struct verbs_qp *vqp = NULL;

	ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	ADAPT_FAILS(adapt.ops.open_qp(adapt.ctx, &open_attr, &vqp));
	assert_null(vqp);
}

static void each_kind_of_qp_needs_its_op(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_qp *vqp = NULL;

	some.create_qp = NULL;
	adapt_start(&some);
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);

	some = ops;
	some.create_qp_ex = NULL;
	adapt_start(&some);
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vqp);
}

/* As a provider does it that calls the table of its context. */
static struct ibv_qp *create_qp_by_table(struct ibv_pd *pd,
					 struct ibv_qp_init_attr *its_attr)
{
	struct ibv_qp_init_attr_ex newer = {
		.cap = its_attr->cap,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_qp *vqp = NULL;
	int ret = adapt.ops.create_qp(pd->context, &newer, &vqp);

	if (ret) {
		errno = -ret; /* by the function in the table */
		return NULL;
	}
	its_attr->cap = newer.cap;
	return &vqp->qp;
}

static void the_older_op_may_ask_for_the_newer_one(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_qp *vqp = NULL;

	some.create_qp = create_qp_by_table;
	adapt_start(&some);
	/* each time */
	for (int i = 0; i < 2; i++) {
		attr.cap.max_send_wr = 100;
		ADAPT_MAKES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
		assert_string_equal(adapt.op, "create_qp_ex");
		assert_ptr_equal(vqp, &qp);
		assert_int_equal(attr.cap.max_send_wr, 128);
		ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	}

	some.create_qp_ex = NULL;
	adapt_start(&some);
	vqp = NULL;
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);
	assert_null(vqp);
}

static void a_shared_qp_is_opened(void **state)
{
	struct ibv_qp_open_attr open_attr = {};
	struct verbs_qp *vqp = NULL;

	ADAPT_MAKES(&qp, adapt.ops.open_qp(adapt.ctx, &open_attr, &vqp));
	ADAPT_SEEN("open_qp", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&open_attr));
	assert_ptr_equal(vqp, &qp);
}

static void a_qp_is_changed_and_destroyed(void **state)
{
	struct ibv_qp_rate_limit_attr limit = {};
	struct ibv_qp_init_attr init = {};
	struct ibv_qp_attr change = {};

	ADAPT_OK(adapt.ops.modify_qp(&qp, &change, IBV_QP_STATE));
	ADAPT_SEEN("modify_qp", ADAPT_PTR(&qp), ADAPT_PTR(&change),
		   IBV_QP_STATE);
	ADAPT_FAILS(adapt.ops.modify_qp(&qp, &change, IBV_QP_STATE));

	ADAPT_OK(adapt.ops.query_qp(&qp, &change, IBV_QP_STATE, &init));
	ADAPT_SEEN("query_qp", ADAPT_PTR(&qp), ADAPT_PTR(&change), IBV_QP_STATE,
		   ADAPT_PTR(&init));
	ADAPT_FAILS(adapt.ops.query_qp(&qp, &change, IBV_QP_STATE, &init));

	ADAPT_OK(adapt.ops.modify_qp_rate_limit(&qp, &limit));
	ADAPT_SEEN("modify_qp_rate_limit", ADAPT_PTR(&qp), ADAPT_PTR(&limit));
	ADAPT_FAILS(adapt.ops.modify_qp_rate_limit(&qp, &limit));

	ADAPT_FAILS(adapt.ops.destroy_qp(&qp));
	ADAPT_OK(adapt.ops.destroy_qp(&qp));
	ADAPT_SEEN("destroy_qp", ADAPT_PTR(&qp));
}

static void options_of_the_connection_are_passed_on(void **state)
{
	struct ibv_ece ece = {};

	ADAPT_OK(adapt.ops.set_ece(&qp, &ece));
	ADAPT_SEEN("set_ece", ADAPT_PTR(&qp), ADAPT_PTR(&ece));
	ADAPT_FAILS(adapt.ops.set_ece(&qp, &ece));

	ADAPT_OK(adapt.ops.query_ece(&qp, &ece));
	ADAPT_SEEN("query_ece", ADAPT_PTR(&qp), ADAPT_PTR(&ece));
	ADAPT_FAILS(adapt.ops.query_ece(&qp, &ece));
}

static void only_known_orders_are_told(void **state)
{
	static const struct {
		int answer;
		int expected;
	} rows[] = { { 0, 0 }, { 1, 1 },	  { 2, 2 },	     { 3, 3 },
		     { 7, 3 }, { EOPNOTSUPP, 3 }, { -EOPNOTSUPP, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		adapt.ret = rows[i].answer;
		assert_int_equal(adapt.ops.query_qp_data_in_order(
					 &qp, IBV_WR_RDMA_WRITE, 2),
				 rows[i].expected);
		ADAPT_SEEN("query_qp_data_in_order", ADAPT_PTR(&qp),
			   IBV_WR_RDMA_WRITE, 2);
	}
}

/* ------------------------------------------------------------------------ */
/* The extended view                                                         */
/* ------------------------------------------------------------------------ */

/* Where comp_mask of verbs_qp is, by release, and how much follows. */
enum {
	MASK_V36 = offsetof(struct ibv_qp_ex, wr_atomic_write),
	MASK_V44 = offsetof(struct ibv_qp_ex, wr_flush),
	MASK_V45 = sizeof(struct ibv_qp_ex),
	SIZE_BEHIND_MASK = 16,
};

#ifdef __x86_64__
_Static_assert(MASK_V36 == 344 && MASK_V44 == 352 && MASK_V45 == 360,
	       "as in existing modules");
#endif

static void some_start(struct ibv_qp_ex *qp_ex)
{
}

/*
 * A QP of the given release, of exactly its size, so that a sanitizer sees what
 * is read behind it. The words in front of its mask that are functions in its
 * release point somewhere; what is behind the mask is a pointer, too.
 */
static struct ibv_qp *qp_of(size_t mask_place, uint32_t mask,
			    bool has_functions)
{
	struct ibv_qp *made = calloc(1, mask_place + SIZE_BEHIND_MASK);
	void *somewhere = made;

	assert_non_null(made);
	made->context = adapt.ctx;
	memcpy((char *)made + mask_place, &mask, sizeof(mask));
	memcpy((char *)made + mask_place + 8, &somewhere, sizeof(somewhere));
	if (has_functions) {
		struct ibv_qp_ex *qp_ex = (struct ibv_qp_ex *)made;

		qp_ex->wr_start = some_start;
		for (size_t place = MASK_V36; place < mask_place; place += 8)
			memcpy((char *)made + place, &somewhere,
			       sizeof(somewhere));
	}
	return made;
}

static void check_extended(size_t mask_place, uint32_t mask, bool has_functions,
			   bool expected)
{
	struct ibv_qp *made = qp_of(mask_place, mask, has_functions);
	struct ibv_qp_ex *qp_ex = adapt.ops.qp_to_ex(made);

	assert_ptr_equal(qp_ex, expected ? made : NULL);
	free(made);
}

static void the_mask_decides_since_57(void **state)
{
	check_extended(MASK_V45, 0, false, false);
	check_extended(MASK_V45, VERBS_QP_MASK_XRCD, false, false);
	check_extended(MASK_V45, VERBS_QP_MASK_EX, true, true);
	check_extended(MASK_V45, VERBS_QP_MASK_EX | VERBS_QP_MASK_XRCD, true,
		       true);
}

static void the_release_tells_where_the_mask_is(void **state)
{
	static const struct {
		unsigned int release;
		size_t place;
	} rows[] = { { 36, MASK_V36 },
		     { 43, MASK_V36 },
		     { 44, MASK_V44 },
		     { 45, MASK_V45 },
		     { 56, MASK_V45 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		adapt_of_34(rows[i].release);
		check_extended(rows[i].place, VERBS_QP_MASK_EX, true, true);
		check_extended(rows[i].place, 0, true, false);
		check_extended(rows[i].place, VERBS_QP_MASK_XRCD, false, false);
	}
}

static void without_a_release_the_mask_is_searched_for(void **state)
{
	static const size_t places[] = { MASK_V36, MASK_V44, MASK_V45 };

	adapt_of_34(0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		check_extended(places[i], VERBS_QP_MASK_EX, true, true);
		check_extended(places[i], VERBS_QP_MASK_EX | VERBS_QP_MASK_XRCD,
			       true, true);
		/* not a QP with functions: nothing is searched */
		check_extended(places[i], 0, false, false);
		check_extended(places[i], VERBS_QP_MASK_XRCD, false, false);
	}
	/* no mask at all, in the largest of them */
	check_extended(MASK_V45, 0, true, false);
}

/* What a provider keeps behind its verbs_qp may look like a mask. */
static void words_behind_the_qp_are_no_mask(void **state)
{
	static const size_t places[] = { MASK_V36, MASK_V44, MASK_V45 };
	const uint32_t mask = VERBS_QP_MASK_EX;
	struct ibv_qp *made;

	adapt_of_34(0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		made = calloc(1, places[i] + SIZE_BEHIND_MASK + 64);
		assert_non_null(made);
		made->context = adapt.ctx;
		for (size_t word = 0; word < 64; word += 8)
			memcpy((char *)made + places[i] + SIZE_BEHIND_MASK +
				       word,
			       &mask, sizeof(mask));
		assert_null(adapt.ops.qp_to_ex(made));
		free(made);
	}
}

/* An optional function that the provider leaves out is no pointer. */
static void missing_functions_do_not_end_the_search(void **state)
{
	struct ibv_qp *made = qp_of(MASK_V45, VERBS_QP_MASK_EX, true);

	adapt_of_34(0);
	memset((char *)made + MASK_V36, 0, MASK_V45 - MASK_V36);
	assert_ptr_equal(adapt.ops.qp_to_ex(made), made);
	free(made);
}

/* Its QPs may be no larger than the public struct. */
static void who_makes_no_extended_qps_has_none(void **state)
{
	struct foreign_ops some = ops;
	struct ibv_qp *small = malloc(sizeof(*small));

	assert_non_null(small);
	memset(small, 0x77, sizeof(*small));
	some.create_qp_ex = NULL;
	adapt_start(&some);
	small->context = adapt.ctx;
	assert_null(adapt.ops.qp_to_ex(small));
	adapt_of_34(0);
	assert_null(adapt.ops.qp_to_ex(small));
	free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_qp_of_a_pd_alone_is_made_by_the_older_op, start),
		cmocka_unit_test_setup(any_other_qp_is_made_by_the_newer_op,
				       start),
		cmocka_unit_test_setup(a_qp_that_was_not_made_is_not_handed_out,
				       start),
		cmocka_unit_test_setup(each_kind_of_qp_needs_its_op, start),
		cmocka_unit_test_setup(the_older_op_may_ask_for_the_newer_one,
				       start),
		cmocka_unit_test_setup(a_shared_qp_is_opened, start),
		cmocka_unit_test_setup(a_qp_is_changed_and_destroyed, start),
		cmocka_unit_test_setup(options_of_the_connection_are_passed_on,
				       start),
		cmocka_unit_test_setup(only_known_orders_are_told, start),
		cmocka_unit_test_setup(the_mask_decides_since_57, start),
		cmocka_unit_test_setup(the_release_tells_where_the_mask_is,
				       start),
		cmocka_unit_test_setup(
			without_a_release_the_mask_is_searched_for, start),
		cmocka_unit_test_setup(words_behind_the_qp_are_no_mask, start),
		cmocka_unit_test_setup(missing_functions_do_not_end_the_search,
				       start),
		cmocka_unit_test_setup(who_makes_no_extended_qps_has_none,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
