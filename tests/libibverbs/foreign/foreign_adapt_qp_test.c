/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of queue pair ops: libibverbs/foreign/foreign_adapt_qp.c. */
#include <stdlib.h>

#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_qp_init_attr_ex attr;
static struct ibv_qp qp;

static struct ibv_qp *create_qp(struct ibv_pd *pd,
				struct ibv_qp_init_attr *attr_arg)
{
	ADAPT_RECORD("create_qp", ADAPT_PTR(pd), ADAPT_PTR(attr_arg),
		     attr_arg->cap.max_send_wr);
	attr_arg->cap.max_send_wr = 128;
	return adapt_new_object();
}

static struct ibv_qp *create_qp_ex(struct ibv_context *ctx,
				   struct ibv_qp_init_attr_ex *attr_arg)
{
	ADAPT_RECORD("create_qp_ex", ADAPT_PTR(ctx), ADAPT_PTR(attr_arg),
		     attr_arg->cap.max_send_wr);
	attr_arg->cap.max_send_wr = 128;
	return adapt_new_object();
}

static struct ibv_qp *open_qp(struct ibv_context *ctx,
			      struct ibv_qp_open_attr *attr_arg)
{
	ADAPT_RECORD("open_qp", ADAPT_PTR(ctx), ADAPT_PTR(attr_arg));
	return adapt_new_object();
}

static int modify_qp(struct ibv_qp *qp_arg, struct ibv_qp_attr *attr_arg,
		     int attr_mask)
{
	ADAPT_RECORD("modify_qp", ADAPT_PTR(qp_arg), ADAPT_PTR(attr_arg),
		     (uint64_t)attr_mask);
	return adapt_result();
}

static int query_qp(struct ibv_qp *qp_arg, struct ibv_qp_attr *attr_arg,
		    int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	ADAPT_RECORD("query_qp", ADAPT_PTR(qp_arg), ADAPT_PTR(attr_arg),
		     (uint64_t)attr_mask, ADAPT_PTR(init_attr));
	return adapt_result();
}

static int destroy_qp(struct ibv_qp *qp_arg)
{
	ADAPT_RECORD("destroy_qp", ADAPT_PTR(qp_arg));
	return adapt_result();
}

static int modify_qp_rate_limit(struct ibv_qp *qp_arg,
				struct ibv_qp_rate_limit_attr *limit)
{
	ADAPT_RECORD("modify_qp_rate_limit", ADAPT_PTR(qp_arg),
		     ADAPT_PTR(limit));
	return adapt_result();
}

static int set_ece(struct ibv_qp *qp_arg, struct ibv_ece *ece)
{
	ADAPT_RECORD("set_ece", ADAPT_PTR(qp_arg), ADAPT_PTR(ece));
	return adapt_result();
}

static int query_ece(struct ibv_qp *qp_arg, struct ibv_ece *ece)
{
	ADAPT_RECORD("query_ece", ADAPT_PTR(qp_arg), ADAPT_PTR(ece));
	return adapt_result();
}

static int query_qp_data_in_order(struct ibv_qp *qp_arg, enum ibv_wr_opcode op,
				  uint32_t flags)
{
	ADAPT_RECORD("query_qp_data_in_order", ADAPT_PTR(qp_arg), (uint64_t)op,
		     flags);
	return adapt_result();
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

static int setup_provider(void **state)
{
	adapt_fixture_start(&ops);
	qp = (struct ibv_qp){ .context = adapt.ctx };
	attr = (struct ibv_qp_init_attr_ex){
		.cap = { .max_send_wr = 100 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &adapt.pd,
	};
	return 0;
}

static void foreign_adapt_create_qp_pd_mask_calls_create_qp(void **state)
{
	struct verbs_qp *vqp = NULL;

	ADAPT_CREATES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	ADAPT_CHECK_CALL("create_qp", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr),
			 100);
	assert_ptr_equal(vqp, &qp);
	assert_int_equal(attr.cap.max_send_wr, 128);
}

static void
foreign_adapt_create_qp_extended_mask_calls_create_qp_ex(void **state)
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
		ADAPT_CREATES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
		ADAPT_CHECK_CALL("create_qp_ex", ADAPT_PTR(adapt.ctx),
				 ADAPT_PTR(&attr), 100);
		assert_ptr_equal(vqp, &qp);
		assert_int_equal(attr.cap.max_send_wr, 128);
	}
}

static void foreign_adapt_create_qp_failed_op_returns_no_qp(void **state)
{
	struct ibv_qp_open_attr open_attr = {};
	struct verbs_qp *vqp = NULL;

	ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	ADAPT_FAILS(adapt.ops.open_qp(adapt.ctx, &open_attr, &vqp));
	assert_null(vqp);
}

static void foreign_adapt_create_qp_without_op_returns_eopnotsupp(void **state)
{
	struct foreign_ops partial = ops;
	struct verbs_qp *vqp = NULL;

	partial.create_qp = NULL;
	adapt_fixture_start(&partial);
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);

	partial = ops;
	partial.create_qp_ex = NULL;
	adapt_fixture_start(&partial);
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vqp);
}

/*
 * Implements create_qp like a provider that calls create_qp_ex of the public
 * table.
 */
static struct ibv_qp *create_qp_by_table(struct ibv_pd *pd,
					 struct ibv_qp_init_attr *attr_arg)
{
	struct ibv_qp_init_attr_ex newer = {
		.cap = attr_arg->cap,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_qp *vqp = NULL;
	int ret = adapt.ops.create_qp(pd->context, &newer, &vqp);

	if (ret) {
		errno = -ret; /* as the function in the table does */
		return NULL;
	}
	attr_arg->cap = newer.cap;
	return &vqp->qp;
}

static void
foreign_adapt_create_qp_nested_call_reaches_create_qp_ex(void **state)
{
	struct foreign_ops partial = ops;
	struct verbs_qp *vqp = NULL;

	partial.create_qp = create_qp_by_table;
	adapt_fixture_start(&partial);
	/* The second call must not differ from the first. */
	for (int i = 0; i < 2; i++) {
		attr.cap.max_send_wr = 100;
		ADAPT_CREATES(&qp, adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
		assert_string_equal(adapt.op, "create_qp_ex");
		assert_ptr_equal(vqp, &qp);
		assert_int_equal(attr.cap.max_send_wr, 128);
		ADAPT_FAILS(adapt.ops.create_qp(adapt.ctx, &attr, &vqp));
	}

	partial.create_qp_ex = NULL;
	adapt_fixture_start(&partial);
	vqp = NULL;
	assert_int_equal(adapt.ops.create_qp(adapt.ctx, &attr, &vqp),
			 -EOPNOTSUPP);
	assert_null(vqp);
}

static void foreign_adapt_open_qp_passes_arguments(void **state)
{
	struct ibv_qp_open_attr open_attr = {};
	struct verbs_qp *vqp = NULL;

	ADAPT_CREATES(&qp, adapt.ops.open_qp(adapt.ctx, &open_attr, &vqp));
	ADAPT_CHECK_CALL("open_qp", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&open_attr));
	assert_ptr_equal(vqp, &qp);
}

static void foreign_adapt_qp_is_modified_queried_and_destroyed(void **state)
{
	struct ibv_qp_rate_limit_attr limit = {};
	struct ibv_qp_init_attr init = {};
	struct ibv_qp_attr change = {};

	ADAPT_OK(adapt.ops.modify_qp(&qp, &change, IBV_QP_STATE));
	ADAPT_CHECK_CALL("modify_qp", ADAPT_PTR(&qp), ADAPT_PTR(&change),
			 IBV_QP_STATE);
	ADAPT_FAILS(adapt.ops.modify_qp(&qp, &change, IBV_QP_STATE));

	ADAPT_OK(adapt.ops.query_qp(&qp, &change, IBV_QP_STATE, &init));
	ADAPT_CHECK_CALL("query_qp", ADAPT_PTR(&qp), ADAPT_PTR(&change),
			 IBV_QP_STATE, ADAPT_PTR(&init));
	ADAPT_FAILS(adapt.ops.query_qp(&qp, &change, IBV_QP_STATE, &init));

	ADAPT_OK(adapt.ops.modify_qp_rate_limit(&qp, &limit));
	ADAPT_CHECK_CALL("modify_qp_rate_limit", ADAPT_PTR(&qp),
			 ADAPT_PTR(&limit));
	ADAPT_FAILS(adapt.ops.modify_qp_rate_limit(&qp, &limit));

	ADAPT_FAILS(adapt.ops.destroy_qp(&qp));
	ADAPT_OK(adapt.ops.destroy_qp(&qp));
	ADAPT_CHECK_CALL("destroy_qp", ADAPT_PTR(&qp));
}

static void foreign_adapt_ece_is_set_and_queried(void **state)
{
	struct ibv_ece ece = {};

	ADAPT_OK(adapt.ops.set_ece(&qp, &ece));
	ADAPT_CHECK_CALL("set_ece", ADAPT_PTR(&qp), ADAPT_PTR(&ece));
	ADAPT_FAILS(adapt.ops.set_ece(&qp, &ece));

	ADAPT_OK(adapt.ops.query_ece(&qp, &ece));
	ADAPT_CHECK_CALL("query_ece", ADAPT_PTR(&qp), ADAPT_PTR(&ece));
	ADAPT_FAILS(adapt.ops.query_ece(&qp, &ece));
}

static void
foreign_adapt_query_qp_data_in_order_masks_unknown_bits(void **state)
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
		ADAPT_CHECK_CALL("query_qp_data_in_order", ADAPT_PTR(&qp),
				 IBV_WR_RDMA_WRITE, 2);
	}
}

/* ------------------------------------------------------------------------ */
/* ibv_qp_to_qp_ex()                                                         */
/* ------------------------------------------------------------------------ */

/*
 * Offset of comp_mask in verbs_qp by release, and the bytes from it to the end.
 */
enum {
	MASK_AT_V36 = offsetof(struct ibv_qp_ex, wr_atomic_write),
	MASK_AT_V44 = offsetof(struct ibv_qp_ex, wr_flush),
	MASK_AT_V45 = sizeof(struct ibv_qp_ex),
	SIZE_BEHIND_MASK = 16,
};

#ifdef __x86_64__
_Static_assert(MASK_AT_V36 == 344 && MASK_AT_V44 == 352 && MASK_AT_V45 == 360,
	       "as in existing modules");
#endif

static void fake_wr_start(struct ibv_qp_ex *qp_ex)
{
}

/*
 * Allocate a QP with comp_mask at the given offset and of exactly the size of
 * that release, so that a sanitizer detects reads behind it. The words in front
 * of comp_mask that hold functions in that release are non-NULL pointers. The
 * word behind comp_mask is a pointer, too.
 */
static struct ibv_qp *qp_with_mask_at(size_t mask_place, uint32_t mask,
				      bool has_functions)
{
	struct ibv_qp *new_qp = calloc(1, mask_place + SIZE_BEHIND_MASK);
	void *somewhere = new_qp;

	assert_non_null(new_qp);
	new_qp->context = adapt.ctx;
	memcpy((char *)new_qp + mask_place, &mask, sizeof(mask));
	memcpy((char *)new_qp + mask_place + 8, &somewhere, sizeof(somewhere));
	if (has_functions) {
		struct ibv_qp_ex *qp_ex = (struct ibv_qp_ex *)new_qp;

		qp_ex->wr_start = fake_wr_start;
		for (size_t place = MASK_AT_V36; place < mask_place; place += 8)
			memcpy((char *)new_qp + place, &somewhere,
			       sizeof(somewhere));
	}
	return new_qp;
}

static void check_extended(size_t mask_place, uint32_t mask, bool has_functions,
			   bool expected)
{
	struct ibv_qp *new_qp =
		qp_with_mask_at(mask_place, mask, has_functions);
	struct ibv_qp_ex *qp_ex = adapt.ops.qp_to_ex(new_qp);

	assert_ptr_equal(qp_ex, expected ? new_qp : NULL);
	free(new_qp);
}

static void foreign_adapt_qp_to_ex_abi_57_reads_comp_mask(void **state)
{
	check_extended(MASK_AT_V45, 0, false, false);
	check_extended(MASK_AT_V45, VERBS_QP_MASK_XRCD, false, false);
	check_extended(MASK_AT_V45, VERBS_QP_MASK_EX, true, true);
	check_extended(MASK_AT_V45, VERBS_QP_MASK_EX | VERBS_QP_MASK_XRCD, true,
		       true);
}

static void foreign_adapt_qp_to_ex_abi_34_uses_offset_of_release(void **state)
{
	static const struct {
		unsigned int release;
		size_t place;
	} rows[] = { { 36, MASK_AT_V36 },
		     { 43, MASK_AT_V36 },
		     { 44, MASK_AT_V44 },
		     { 45, MASK_AT_V45 },
		     { 56, MASK_AT_V45 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		adapt_fixture_set_abi_34(rows[i].release);
		check_extended(rows[i].place, VERBS_QP_MASK_EX, true, true);
		check_extended(rows[i].place, 0, true, false);
		check_extended(rows[i].place, VERBS_QP_MASK_XRCD, false, false);
	}
}

static void
foreign_adapt_qp_to_ex_unknown_release_searches_comp_mask(void **state)
{
	static const size_t places[] = { MASK_AT_V36, MASK_AT_V44,
					 MASK_AT_V45 };

	adapt_fixture_set_abi_34(0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		check_extended(places[i], VERBS_QP_MASK_EX, true, true);
		check_extended(places[i], VERBS_QP_MASK_EX | VERBS_QP_MASK_XRCD,
			       true, true);
		/* A QP without functions is not searched. */
		check_extended(places[i], 0, false, false);
		check_extended(places[i], VERBS_QP_MASK_XRCD, false, false);
	}
	/* The largest layout without a mask. */
	check_extended(MASK_AT_V45, 0, true, false);
}

/* Provider memory behind verbs_qp may have the value of a mask. */
static void
foreign_adapt_qp_to_ex_unknown_release_ignores_provider_memory(void **state)
{
	static const size_t places[] = { MASK_AT_V36, MASK_AT_V44,
					 MASK_AT_V45 };
	const uint32_t mask = VERBS_QP_MASK_EX;
	struct ibv_qp *new_qp;

	adapt_fixture_set_abi_34(0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		new_qp = calloc(1, places[i] + SIZE_BEHIND_MASK + 64);
		assert_non_null(new_qp);
		new_qp->context = adapt.ctx;
		for (size_t word = 0; word < 64; word += 8)
			memcpy((char *)new_qp + places[i] + SIZE_BEHIND_MASK +
				       word,
			       &mask, sizeof(mask));
		assert_null(adapt.ops.qp_to_ex(new_qp));
		free(new_qp);
	}
}

/* Optional functions that the provider does not have are NULL. */
static void
foreign_adapt_qp_to_ex_unknown_release_skips_null_functions(void **state)
{
	struct ibv_qp *new_qp =
		qp_with_mask_at(MASK_AT_V45, VERBS_QP_MASK_EX, true);

	adapt_fixture_set_abi_34(0);
	memset((char *)new_qp + MASK_AT_V36, 0, MASK_AT_V45 - MASK_AT_V36);
	assert_ptr_equal(adapt.ops.qp_to_ex(new_qp), new_qp);
	free(new_qp);
}

/* QPs of such a provider may be no larger than struct ibv_qp. */
static void
foreign_adapt_qp_to_ex_without_create_qp_ex_returns_null(void **state)
{
	struct foreign_ops partial = ops;
	struct ibv_qp *small = malloc(sizeof(*small));

	assert_non_null(small);
	memset(small, 0x77, sizeof(*small));
	partial.create_qp_ex = NULL;
	adapt_fixture_start(&partial);
	small->context = adapt.ctx;
	assert_null(adapt.ops.qp_to_ex(small));
	adapt_fixture_set_abi_34(0);
	assert_null(adapt.ops.qp_to_ex(small));
	free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_create_qp_pd_mask_calls_create_qp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_qp_extended_mask_calls_create_qp_ex,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_qp_failed_op_returns_no_qp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_qp_without_op_returns_eopnotsupp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_qp_nested_call_reaches_create_qp_ex,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_open_qp_passes_arguments,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_is_modified_queried_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_ece_is_set_and_queried,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_qp_data_in_order_masks_unknown_bits,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_abi_57_reads_comp_mask,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_abi_34_uses_offset_of_release,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_unknown_release_searches_comp_mask,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_unknown_release_ignores_provider_memory,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_unknown_release_skips_null_functions,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_to_ex_without_create_qp_ex_returns_null,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
