/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues: libibverbs/foreign/foreign_adapt_cq.c. */
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
				struct ibv_comp_channel *its_channel,
				int comp_vector)
{
	ADAPT_SAW("create_cq", ADAPT_PTR(ctx), (uint64_t)cqe,
		  ADAPT_PTR(its_channel), (uint64_t)comp_vector);
	return adapt_object();
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *ctx,
				      struct ibv_cq_init_attr_ex *its_attr)
{
	ADAPT_SAW("create_cq_ex", ADAPT_PTR(ctx), ADAPT_PTR(its_attr));
	return adapt_object();
}

static int resize_cq(struct ibv_cq *cq, int cqe)
{
	ADAPT_SAW("resize_cq", ADAPT_PTR(cq), (uint64_t)cqe);
	return adapt_int();
}

static int modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *its_attr)
{
	ADAPT_SAW("modify_cq", ADAPT_PTR(cq), ADAPT_PTR(its_attr));
	return adapt_int();
}

static int destroy_cq(struct ibv_cq *cq)
{
	ADAPT_SAW("destroy_cq", ADAPT_PTR(cq));
	return adapt_int();
}

static const struct foreign_ops ops = {
	.create_cq = create_cq,
	.create_cq_ex = create_cq_ex,
	.resize_cq = resize_cq,
	.modify_cq = modify_cq,
	.destroy_cq = destroy_cq,
};

static int start(void **state)
{
	adapt_start(&ops);
	memset(&made, 0x77, sizeof(made));
	return 0;
}

/* What the provider leaves to the library. */
static void check_prepared(struct ibv_cq *cq)
{
	assert_ptr_equal(cq->context, adapt.ctx);
	assert_ptr_equal(cq->channel, &channel);
	assert_ptr_equal(cq->cq_context, &app_context);
	assert_int_equal(cq->comp_events_completed, 0);
	assert_int_equal(cq->async_events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&cq->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&cq->mutex), 0);
	assert_int_equal(pthread_cond_signal(&cq->cond), 0);
	/* counted by api/ */
	assert_int_equal(channel.refcnt, 0);
}

static void a_cq_is_prepared_after_its_creation(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_MAKES(&made.cq,
		    adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq));
	ADAPT_SEEN("create_cq", ADAPT_PTR(adapt.ctx), 100, ADAPT_PTR(&channel),
		   3);
	assert_ptr_equal(vcq, &made);
	check_prepared(&vcq->cq);
}

static void an_extended_cq_is_too(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_MAKES(&made.cq_ex,
		    adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq));
	ADAPT_SEEN("create_cq_ex", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(vcq, &made);
	check_prepared(&vcq->cq);
}

static void a_cq_that_was_not_made_is_not_handed_out(void **state)
{
	struct verbs_cq *vcq = NULL;

	ADAPT_FAILS(adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq));
	ADAPT_FAILS(adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq));
	assert_null(vcq);
}

static void each_kind_of_cq_needs_its_op(void **state)
{
	struct foreign_ops some = ops;
	struct verbs_cq *vcq = NULL;

	some.create_cq_ex = NULL;
	adapt_start(&some);
	assert_int_equal(adapt.ops.create_cq(adapt.ctx, &attr, true, &vcq),
			 -EOPNOTSUPP);

	some = ops;
	some.create_cq = NULL;
	adapt_start(&some);
	assert_int_equal(adapt.ops.create_cq(adapt.ctx, &attr, false, &vcq),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_null(vcq);
}

static void a_cq_is_changed_and_destroyed(void **state)
{
	struct ibv_cq cq = { .context = adapt.ctx };
	struct ibv_modify_cq_attr change = {};

	ADAPT_OK(adapt.ops.resize_cq(&cq, 200));
	ADAPT_SEEN("resize_cq", ADAPT_PTR(&cq), 200);
	ADAPT_FAILS(adapt.ops.resize_cq(&cq, 200));

	ADAPT_OK(adapt.ops.modify_cq(&cq, &change));
	ADAPT_SEEN("modify_cq", ADAPT_PTR(&cq), ADAPT_PTR(&change));
	ADAPT_FAILS(adapt.ops.modify_cq(&cq, &change));

	ADAPT_FAILS(adapt.ops.destroy_cq(&cq));
	ADAPT_OK(adapt.ops.destroy_cq(&cq));
	ADAPT_SEEN("destroy_cq", ADAPT_PTR(&cq));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_cq_is_prepared_after_its_creation,
				       start),
		cmocka_unit_test_setup(an_extended_cq_is_too, start),
		cmocka_unit_test_setup(a_cq_that_was_not_made_is_not_handed_out,
				       start),
		cmocka_unit_test_setup(each_kind_of_cq_needs_its_op, start),
		cmocka_unit_test_setup(a_cq_is_changed_and_destroyed, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
