/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of completion queue ops: libibverbs/foreign/foreign_adapt_cq.c. */
#include <pthread.h>

#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_comp_channel channel;
static int app_context;
static struct verbs_cq made;
static const struct ibv_cq_init_attr_ex attr = {
	.cqe = 100,
	.cq_context = &app_context,
	.channel = &channel,
	.comp_vector = 3,
};

static struct ibv_cq *create_cq(struct ibv_context *ctx, int cqe,
				struct ibv_comp_channel *channel_arg,
				int comp_vector)
{
	ADAPT_RECORD("create_cq", ADAPT_PTR(ctx), (uint64_t)cqe,
		     ADAPT_PTR(channel_arg), (uint64_t)comp_vector);
	return adapt_new_object();
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *ctx,
				      struct ibv_cq_init_attr_ex *attr_arg)
{
	ADAPT_RECORD("create_cq_ex", ADAPT_PTR(ctx), ADAPT_PTR(attr_arg));
	return adapt_new_object();
}

static int resize_cq(struct ibv_cq *cq, int cqe)
{
	ADAPT_RECORD("resize_cq", ADAPT_PTR(cq), (uint64_t)cqe);
	return adapt_result();
}

static int modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr_arg)
{
	ADAPT_RECORD("modify_cq", ADAPT_PTR(cq), ADAPT_PTR(attr_arg));
	return adapt_result();
}

static int destroy_cq(struct ibv_cq *cq)
{
	ADAPT_RECORD("destroy_cq", ADAPT_PTR(cq));
	return adapt_result();
}

static const struct foreign_ops ops = {
	.create_cq = create_cq,
	.create_cq_ex = create_cq_ex,
	.resize_cq = resize_cq,
	.modify_cq = modify_cq,
	.destroy_cq = destroy_cq,
};

static int setup_provider(void **state)
{
	adapt_fixture_start(&ops);
	memset(&made, 0x77, sizeof(made));
	return 0;
}

/* The members that the library initialises. */
static void check_cq_initialised(struct ibv_cq *cq)
{
	assert_ptr_equal(cq->context, adapt.ctx);
	assert_ptr_equal(cq->channel, &channel);
	assert_ptr_equal(cq->cq_context, &app_context);
	assert_int_equal(cq->comp_events_completed, 0);
	assert_int_equal(cq->async_events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&cq->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&cq->mutex), 0);
	assert_int_equal(pthread_cond_signal(&cq->cond), 0);
	/* api/ counts the reference */
	assert_int_equal(channel.refcnt, 0);
}

static void foreign_adapt_create_cq_initialises_cq(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_CREATES(&made.cq,
		      adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq));
	ADAPT_CHECK_CALL("create_cq", ADAPT_PTR(adapt.ctx), 100,
			 ADAPT_PTR(&channel), 3);
	assert_ptr_equal(vcq, &made);
	check_cq_initialised(&vcq->cq);
}

static void foreign_adapt_create_cq_extended_initialises_cq(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_CREATES(&made.cq_ex,
		      adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq));
	ADAPT_CHECK_CALL("create_cq_ex", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(vcq, &made);
	check_cq_initialised(&vcq->cq);
}

static void foreign_adapt_create_cq_failed_op_returns_no_cq(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_FAILS(adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq));
	ADAPT_FAILS(adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq));
	assert_null(vcq);
}

static void foreign_adapt_create_cq_without_op_returns_eopnotsupp(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_cq *vcq = NULL;

	some.create_cq_ex = NULL;
	adapt_fixture_start(&some);
	assert_int_equal(adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq),
			 -EOPNOTSUPP);

	some = ops;
	some.create_cq = NULL;
	adapt_fixture_start(&some);
	assert_int_equal(adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vcq);
}

static void foreign_adapt_cq_is_resized_modified_and_destroyed(void **state)
{
	struct ibv_cq cq = { .context = adapt.ctx };
	struct ibv_modify_cq_attr change = {};

	ADAPT_OK(adapt.ops.resize_cq(&cq, 200));
	ADAPT_CHECK_CALL("resize_cq", ADAPT_PTR(&cq), 200);
	ADAPT_FAILS(adapt.ops.resize_cq(&cq, 200));

	ADAPT_OK(adapt.ops.modify_cq(&cq, &change));
	ADAPT_CHECK_CALL("modify_cq", ADAPT_PTR(&cq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.modify_cq(&cq, &change));

	ADAPT_FAILS(adapt.ops.destroy_cq(&cq));
	ADAPT_OK(adapt.ops.destroy_cq(&cq));
	ADAPT_CHECK_CALL("destroy_cq", ADAPT_PTR(&cq));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(foreign_adapt_create_cq_initialises_cq,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_cq_extended_initialises_cq,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_cq_failed_op_returns_no_cq,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_create_cq_without_op_returns_eopnotsupp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_cq_is_resized_modified_and_destroyed,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
