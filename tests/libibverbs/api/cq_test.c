/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_cq(3), ibv_create_cq_ex(3), ibv_resize_cq(3), ibv_modify_cq(3)
 * and ibv_destroy_cq(3): libibverbs/api/cq.c.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "libibverbs/api/api_fixture.h"

static struct ibv_comp_channel *channel;
static int app_context;

static int cq_setup(void **state)
{
	int ret = api_open(state);

	channel = ibv_create_comp_channel(api.ctx);
	assert_non_null(channel);
	return ret;
}

static int cq_teardown(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(channel->refcnt, 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	return api_close(state);
}

static struct ibv_cq *cq_create_default(struct ibv_comp_channel *of)
{
	struct ibv_cq *cq = ibv_create_cq(api.ctx, 10, &app_context, of, 2);

	assert_non_null(cq);
	return cq;
}

static void cq_create_sets_arguments(void **state)
{
	struct ibv_cq *cq;

	errno = SOME_ERRNO;
	cq = cq_create_default(channel);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(cq->context, api.ctx);
	assert_ptr_equal(cq->channel, channel);
	assert_ptr_equal(cq->cq_context, &app_context);
	assert_int_equal(cq->cqe, 10);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_create_passes_attributes(void **state)
{
	struct ibv_cq *cq = cq_create_default(channel);
	const struct ibv_cq_init_attr_ex *attr = &fake_provider.args.cq_attr;

	ASSERT_OP("create_cq");
	assert_false(fake_provider.args.extended);
	assert_int_equal(attr->cqe, 10);
	assert_ptr_equal(attr->cq_context, &app_context);
	assert_ptr_equal(attr->channel, channel);
	assert_int_equal(attr->comp_vector, 2);
	assert_int_equal(attr->wc_flags, 0);
	assert_int_equal(attr->comp_mask, 0);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_create_zero_entries_is_einval(void **state)
{
	ASSERT_NULL(ibv_create_cq(api.ctx, 0, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(ibv_create_cq(api.ctx, -1, NULL, NULL, 0), EINVAL);
}

static void cq_create_negative_vector_is_einval(void **state)
{
	ASSERT_NULL(ibv_create_cq(api.ctx, 1, NULL, NULL, -1), EINVAL);
}

static void cq_create_failure_is_null(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_cq(api.ctx, 10, NULL, channel, 0), ENOMEM);
	assert_int_equal(channel->refcnt, 0);
}

/* ------------------------------------------------------------------------ */
/* The channel's use count                                                  */
/* ------------------------------------------------------------------------ */

static void cq_create_counts_channel_use(void **state)
{
	struct ibv_cq *first = cq_create_default(channel), *second;

	assert_int_equal(channel->refcnt, 1);
	second = cq_create_default(channel);
	assert_int_equal(channel->refcnt, 2);
	ASSERT_OK(ibv_destroy_cq(first));
	assert_int_equal(channel->refcnt, 1);
	ASSERT_OK(ibv_destroy_cq(second));
	assert_int_equal(channel->refcnt, 0);
}

static void cq_create_without_channel_counts_nothing(void **state)
{
	struct ibv_cq *cq = cq_create_default(NULL);

	assert_null(cq->channel);
	assert_int_equal(channel->refcnt, 0);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_create_ex_counts_channel_use(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 10, .channel = channel };
	struct ibv_cq_ex *cq_ex = ibv_create_cq_ex(api.ctx, &attr);

	assert_non_null(cq_ex);
	assert_int_equal(channel->refcnt, 1);
	ASSERT_OK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)));
	assert_int_equal(channel->refcnt, 0);
}

static void cq_destroy_failure_keeps_cq_and_channel_use(void **state)
{
	struct ibv_cq *cq = cq_create_default(channel);

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_destroy_cq(cq), EBUSY);
	assert_int_equal(channel->refcnt, 1);
	assert_ptr_equal(cq->channel, channel);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_cq(cq));
}

/* ------------------------------------------------------------------------ */
/* Extended CQs                                                             */
/* ------------------------------------------------------------------------ */

static void cq_create_ex_sets_extended_flag(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 10,
		.cq_context = &app_context,
		.wc_flags = IBV_CREATE_CQ_SUP_WC_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_cq_ex *cq_ex;

	errno = SOME_ERRNO;
	cq_ex = ibv_create_cq_ex(api.ctx, &attr);
	assert_non_null(cq_ex);
	assert_int_equal(errno, SOME_ERRNO);
	assert_true(fake_provider.args.extended);
	assert_memory_equal(&fake_provider.args.cq_attr, &attr, sizeof(attr));
	assert_ptr_equal(ibv_cq_ex_to_cq(cq_ex)->cq_context, &app_context);
	ASSERT_OK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)));
}

static void cq_create_ex_unknown_wc_flags_are_eopnotsupp(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 10,
		.wc_flags = IBV_CREATE_CQ_SUP_WC_FLAGS + UINT64_C(1),
	};

	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
	attr.wc_flags = UINT64_C(1) << 63;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
}

static void cq_create_ex_unknown_attributes_are_eopnotsupp(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 10,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD << 1,
	};

	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
}

static void cq_create_ex_zero_entries_is_einval(void **state)
{
	struct ibv_cq_init_attr_ex attr = {};

	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EINVAL);
}

static void cq_create_ex_checks_contexts_of_domain_and_channel(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 10,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = api.pd,
	};
	struct ibv_cq_ex *cq_ex = ibv_create_cq_ex(api.ctx, &attr);

	assert_non_null(cq_ex);
	ASSERT_OK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)));
	ASSERT_NULL(ibv_create_cq_ex(other, &attr), EINVAL);
	attr.parent_domain = NULL;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EINVAL);
	attr.comp_mask = 0;
	attr.channel = channel;
	ASSERT_NULL(ibv_create_cq_ex(other, &attr), EINVAL);
	ASSERT_NULL(ibv_create_cq(other, 10, NULL, channel, 0), EINVAL);
	assert_int_equal(channel->refcnt, 0);
	ASSERT_OK(ibv_close_device(other));
}

static void cq_create_ex_failure_is_null(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 10, .channel = channel };

	fake_provider.ret = -ENOSPC;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), ENOSPC);
	assert_int_equal(channel->refcnt, 0);
}

/* ------------------------------------------------------------------------ */
/* Changes                                                                  */
/* ------------------------------------------------------------------------ */

static void cq_resize_reaches_provider(void **state)
{
	struct ibv_cq *cq = cq_create_default(NULL);

	ASSERT_OK(ibv_resize_cq(cq, 77));
	ASSERT_OP("resize_cq");
	assert_ptr_equal(fake_provider.args.attr, cq);
	assert_int_equal(fake_provider.args.cqe, 77);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_resize_to_zero_is_einval(void **state)
{
	struct ibv_cq *cq = cq_create_default(NULL);

	ASSERT_ERRNO(ibv_resize_cq(cq, 0), EINVAL);
	ASSERT_ERRNO(ibv_resize_cq(cq, -5), EINVAL);
	ASSERT_OP("create_cq");
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_modify_unknown_mask_is_einval(void **state)
{
	struct ibv_modify_cq_attr attr = { .attr_mask = IBV_CQ_ATTR_RESERVED };
	struct ibv_cq *cq = cq_create_default(NULL);

	ASSERT_ERRNO(ibv_modify_cq(cq, &attr), EINVAL);
	ASSERT_OP("create_cq");
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_modify_reaches_provider(void **state)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
	};
	struct ibv_cq *cq = cq_create_default(NULL);

	ASSERT_OK(ibv_modify_cq(cq, &attr));
	ASSERT_OP("modify_cq");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void cq_failures_are_errno(void **state)
{
	struct ibv_modify_cq_attr attr = {};
	struct ibv_cq *cq = cq_create_default(NULL);

	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_ERRNO(ibv_resize_cq(cq, 77), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_modify_cq(cq, &attr), EOPNOTSUPP);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_cq(cq));
}

/* ------------------------------------------------------------------------ */
/* Destruction waits for acknowledgments                                    */
/* ------------------------------------------------------------------------ */

static atomic_bool destroyed;

static void *cq_destroy_in_thread(void *cq)
{
	atomic_store(&destroyed, ibv_destroy_cq(cq) == 0);
	return NULL;
}

static void cq_destroy_waits_for_all_acks(void **state)
{
	struct ibv_async_event event = { .event_type = IBV_EVENT_CQ_ERR };
	struct ibv_cq *cq = cq_create_default(channel);
	pthread_t thread;

	fake_provider.raised = (struct verbs_event_count){
		.comp_events = 3,
		.async_events = 1,
	};
	event.element.cq = cq;
	atomic_store(&destroyed, false);
	assert_int_equal(
		pthread_create(&thread, NULL, cq_destroy_in_thread, cq), 0);
	ibv_ack_cq_events(cq, 2);
	assert_false(atomic_load(&destroyed));
	ibv_ack_async_event(&event);
	assert_false(atomic_load(&destroyed));
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&destroyed));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cq_setup, cq_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cq_create_sets_arguments),
		TEST(cq_create_passes_attributes),
		TEST(cq_create_zero_entries_is_einval),
		TEST(cq_create_negative_vector_is_einval),
		TEST(cq_create_failure_is_null),
		TEST(cq_create_counts_channel_use),
		TEST(cq_create_without_channel_counts_nothing),
		TEST(cq_create_ex_counts_channel_use),
		TEST(cq_destroy_failure_keeps_cq_and_channel_use),
		TEST(cq_create_ex_sets_extended_flag),
		TEST(cq_create_ex_unknown_wc_flags_are_eopnotsupp),
		TEST(cq_create_ex_unknown_attributes_are_eopnotsupp),
		TEST(cq_create_ex_zero_entries_is_einval),
		TEST(cq_create_ex_checks_contexts_of_domain_and_channel),
		TEST(cq_create_ex_failure_is_null),
		TEST(cq_resize_reaches_provider),
		TEST(cq_resize_to_zero_is_einval),
		TEST(cq_modify_unknown_mask_is_einval),
		TEST(cq_modify_reaches_provider),
		TEST(cq_failures_are_errno),
		TEST(cq_destroy_waits_for_all_acks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
