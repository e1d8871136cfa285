/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/object_life.c. In tests of the waits, a thread
 * waits while the test acknowledges events.
 */
#include <provider/objects.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

static struct ibv_context ctx;
static struct ibv_pd pd;
static struct ibv_comp_channel channel;
static struct ibv_cq send_cq, recv_cq;
static struct ibv_srq srq;
static struct verbs_xrcd vxrcd;
static int app_context;

static void assert_usable(pthread_mutex_t *mutex, pthread_cond_t *cond)
{
	assert_int_equal(pthread_mutex_trylock(mutex), 0);
	assert_int_equal(pthread_mutex_unlock(mutex), 0);
	assert_int_equal(pthread_cond_signal(cond), 0);
}

/* ------------------------------------------------------------------------ */
/* Initialization                                                           */
/* ------------------------------------------------------------------------ */

static void init_cq_sets_arguments(void **state)
{
	struct ibv_cq cq = {};

	verbs_init_cq(&cq, &ctx, &channel, &app_context);
	assert_ptr_equal(cq.context, &ctx);
	assert_ptr_equal(cq.channel, &channel);
	assert_ptr_equal(cq.cq_context, &app_context);
	assert_int_equal(cq.comp_events_completed, 0);
	assert_int_equal(cq.async_events_completed, 0);
	assert_usable(&cq.mutex, &cq.cond);
	verbs_fini_cq(&cq);
}

static void init_cq_keeps_channel_refcnt(void **state)
{
	struct ibv_cq cq = {};

	channel.refcnt = 5;
	verbs_init_cq(&cq, &ctx, &channel, NULL);
	assert_int_equal(channel.refcnt, 5);
	verbs_fini_cq(&cq);
}

static void init_cq_keeps_device_fields(void **state)
{
	struct ibv_cq cq = { .handle = 11, .cqe = 22 };

	verbs_init_cq(&cq, &ctx, NULL, NULL);
	assert_int_equal(cq.handle, 11);
	assert_int_equal(cq.cqe, 22);
	verbs_fini_cq(&cq);
}

static void init_srq_basic_sets_pd_only(void **state)
{
	const struct ibv_srq_init_attr_ex attr = {
		.srq_context = &app_context,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = &pd,
		/* invalid, since comp_mask lacks the bit */
		.srq_type = IBV_SRQT_XRC,
		.xrcd = &vxrcd.xrcd,
		.cq = &recv_cq,
	};
	struct verbs_srq vsrq = {};

	verbs_init_srq(&vsrq, &ctx, &attr);
	assert_ptr_equal(vsrq.srq.context, &ctx);
	assert_ptr_equal(vsrq.srq.srq_context, &app_context);
	assert_ptr_equal(vsrq.srq.pd, &pd);
	assert_int_equal(vsrq.srq.events_completed, 0);
	assert_int_equal(vsrq.srq_type, IBV_SRQT_BASIC);
	assert_null(vsrq.xrcd);
	assert_null(vsrq.cq);
	assert_usable(&vsrq.srq.mutex, &vsrq.srq.cond);
	verbs_fini_srq(&vsrq.srq);
}

static void init_srq_xrc_sets_xrcd_and_cq(void **state)
{
	const struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.pd = &pd,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = &vxrcd.xrcd,
		.cq = &recv_cq,
	};
	struct verbs_srq vsrq = {};

	verbs_init_srq(&vsrq, &ctx, &attr);
	assert_int_equal(vsrq.srq_type, IBV_SRQT_XRC);
	assert_ptr_equal(vsrq.xrcd, &vxrcd);
	assert_ptr_equal(vsrq.cq, &recv_cq);
	verbs_fini_srq(&vsrq.srq);
}

static void init_qp_sets_arguments(void **state)
{
	const struct ibv_qp_init_attr_ex attr = {
		.qp_context = &app_context,
		.send_cq = &send_cq,
		.recv_cq = &recv_cq,
		.srq = &srq,
		.qp_type = IBV_QPT_UC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd,
	};
	struct verbs_qp vqp = {};

	verbs_init_qp(&vqp, &ctx, &attr);
	assert_ptr_equal(vqp.qp.context, &ctx);
	assert_ptr_equal(vqp.qp.qp_context, &app_context);
	assert_ptr_equal(vqp.qp.pd, &pd);
	assert_ptr_equal(vqp.qp.send_cq, &send_cq);
	assert_ptr_equal(vqp.qp.recv_cq, &recv_cq);
	assert_ptr_equal(vqp.qp.srq, &srq);
	assert_int_equal(vqp.qp.qp_type, IBV_QPT_UC);
	assert_int_equal(vqp.qp.events_completed, 0);
	assert_usable(&vqp.qp.mutex, &vqp.qp.cond);
	verbs_fini_qp(&vqp.qp);
}

static void init_qp_state_is_reset(void **state)
{
	const struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_RC };
	struct verbs_qp vqp = { .qp.state = IBV_QPS_ERR };

	verbs_init_qp(&vqp, &ctx, &attr);
	assert_int_equal(vqp.qp.state, IBV_QPS_RESET);
	verbs_fini_qp(&vqp.qp);
}

static void init_qp_without_mask_bits_clears_pd_and_xrcd(void **state)
{
	const struct ibv_qp_init_attr_ex attr = {
		.pd = &pd,
		.xrcd = &vxrcd.xrcd,
	};
	struct verbs_qp vqp = {};

	verbs_init_qp(&vqp, &ctx, &attr);
	assert_null(vqp.qp.pd);
	assert_int_equal(vqp.comp_mask, 0);
	verbs_fini_qp(&vqp.qp);
}

static void init_qp_xrc_sets_xrcd(void **state)
{
	const struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = &vxrcd.xrcd,
	};
	struct verbs_qp vqp = {};

	verbs_init_qp(&vqp, &ctx, &attr);
	assert_int_equal(vqp.comp_mask, VERBS_QP_MASK_XRCD);
	assert_ptr_equal(vqp.xrcd, &vxrcd);
	verbs_fini_qp(&vqp.qp);
}

/* ------------------------------------------------------------------------ */
/* Waits for acknowledgments                                                */
/* ------------------------------------------------------------------------ */

struct waiter {
	pthread_t thread;
	struct verbs_event_count raised;
	atomic_bool done;
	struct ibv_cq cq;
	struct verbs_srq vsrq;
	struct verbs_qp vqp;
	struct ibv_wq wq;
};

static void waiter_start(struct waiter *waiter, void *(*wait)(void *arg))
{
	atomic_init(&waiter->done, false);
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait, waiter),
			 0);
}

/* The thread cannot have returned: an acknowledgment is missing. */
static void assert_waits(struct waiter *waiter)
{
	assert_false(atomic_load(&waiter->done));
}

static void assert_returns(struct waiter *waiter)
{
	assert_int_equal(pthread_join(waiter->thread, NULL), 0);
	assert_true(atomic_load(&waiter->done));
}

static void event_ack(pthread_mutex_t *mutex, pthread_cond_t *cond,
		      uint32_t *completed)
{
	assert_int_equal(pthread_mutex_lock(mutex), 0);
	(*completed)++;
	assert_int_equal(pthread_cond_signal(cond), 0);
	assert_int_equal(pthread_mutex_unlock(mutex), 0);
}

static void *wait_cq(void *arg)
{
	struct waiter *waiter = arg;

	verbs_wait_cq_acked(&waiter->cq, &waiter->raised);
	atomic_store(&waiter->done, true);
	return NULL;
}

static void *wait_srq(void *arg)
{
	struct waiter *waiter = arg;

	verbs_wait_srq_acked(&waiter->vsrq.srq, &waiter->raised);
	atomic_store(&waiter->done, true);
	return NULL;
}

static void *wait_qp(void *arg)
{
	struct waiter *waiter = arg;

	verbs_wait_qp_acked(&waiter->vqp.qp, &waiter->raised);
	atomic_store(&waiter->done, true);
	return NULL;
}

static void *wait_wq(void *arg)
{
	struct waiter *waiter = arg;

	verbs_wait_wq_acked(&waiter->wq, &waiter->raised);
	atomic_store(&waiter->done, true);
	return NULL;
}

/* Initializes the WQ like the inline function of the application. */
static void init_wq(struct ibv_wq *wq)
{
	assert_int_equal(pthread_mutex_init(&wq->mutex, NULL), 0);
	assert_int_equal(pthread_cond_init(&wq->cond, NULL), 0);
}

static void fini_wq(struct ibv_wq *wq)
{
	assert_int_equal(pthread_cond_destroy(&wq->cond), 0);
	assert_int_equal(pthread_mutex_destroy(&wq->mutex), 0);
}

static void wait_acked_without_events_returns(void **state)
{
	static const struct ibv_srq_init_attr_ex srq_attr;
	static const struct ibv_qp_init_attr_ex qp_attr;
	const struct verbs_event_count none = {};
	struct verbs_srq vsrq = {};
	struct verbs_qp vqp = {};
	struct ibv_cq cq = {};
	struct ibv_wq wq = {};

	verbs_init_cq(&cq, &ctx, NULL, NULL);
	verbs_init_srq(&vsrq, &ctx, &srq_attr);
	verbs_init_qp(&vqp, &ctx, &qp_attr);
	init_wq(&wq);
	verbs_wait_cq_acked(&cq, &none);
	verbs_wait_srq_acked(&vsrq.srq, &none);
	verbs_wait_qp_acked(&vqp.qp, &none);
	verbs_wait_wq_acked(&wq, &none);
	fini_wq(&wq);
	verbs_fini_qp(&vqp.qp);
	verbs_fini_srq(&vsrq.srq);
	verbs_fini_cq(&cq);
}

static void wait_cq_acked_waits_for_completion_events(void **state)
{
	struct waiter waiter = { .raised.comp_events = 3 };
	struct ibv_cq *cq = &waiter.cq;

	verbs_init_cq(cq, &ctx, NULL, NULL);
	waiter_start(&waiter, wait_cq);
	for (int i = 0; i < 3; i++) {
		assert_waits(&waiter);
		event_ack(&cq->mutex, &cq->cond, &cq->comp_events_completed);
	}
	assert_returns(&waiter);
	verbs_fini_cq(cq);
}

static void wait_cq_acked_waits_for_both_event_kinds(void **state)
{
	struct waiter waiter = {
		.raised = { .comp_events = 1, .async_events = 1 },
	};
	struct ibv_cq *cq = &waiter.cq;

	verbs_init_cq(cq, &ctx, NULL, NULL);
	waiter_start(&waiter, wait_cq);
	assert_waits(&waiter);
	event_ack(&cq->mutex, &cq->cond, &cq->comp_events_completed);
	assert_waits(&waiter);
	event_ack(&cq->mutex, &cq->cond, &cq->async_events_completed);
	assert_returns(&waiter);
	verbs_fini_cq(cq);
}

static void wait_srq_acked_waits_for_async_events(void **state)
{
	static const struct ibv_srq_init_attr_ex attr;
	struct waiter waiter = { .raised.async_events = 2 };
	struct ibv_srq *waiting = &waiter.vsrq.srq;

	verbs_init_srq(&waiter.vsrq, &ctx, &attr);
	waiter_start(&waiter, wait_srq);
	for (int i = 0; i < 2; i++) {
		assert_waits(&waiter);
		event_ack(&waiting->mutex, &waiting->cond,
			  &waiting->events_completed);
	}
	assert_returns(&waiter);
	verbs_fini_srq(waiting);
}

static void wait_qp_acked_waits_for_async_events(void **state)
{
	static const struct ibv_qp_init_attr_ex attr;
	struct waiter waiter = { .raised.async_events = 2 };
	struct ibv_qp *qp = &waiter.vqp.qp;

	verbs_init_qp(&waiter.vqp, &ctx, &attr);
	waiter_start(&waiter, wait_qp);
	for (int i = 0; i < 2; i++) {
		assert_waits(&waiter);
		event_ack(&qp->mutex, &qp->cond, &qp->events_completed);
	}
	assert_returns(&waiter);
	verbs_fini_qp(qp);
}

static void wait_wq_acked_waits_for_async_events(void **state)
{
	struct waiter waiter = { .raised.async_events = 2 };
	struct ibv_wq *wq = &waiter.wq;

	init_wq(wq);
	waiter_start(&waiter, wait_wq);
	for (int i = 0; i < 2; i++) {
		assert_waits(&waiter);
		event_ack(&wq->mutex, &wq->cond, &wq->events_completed);
	}
	assert_returns(&waiter);
	fini_wq(wq);
}

static void wait_acked_counts_earlier_acks(void **state)
{
	const struct verbs_event_count raised = { .comp_events = 4,
						  .async_events = 1 };
	struct ibv_cq cq = {};

	verbs_init_cq(&cq, &ctx, NULL, NULL);
	cq.comp_events_completed = 4;
	cq.async_events_completed = 1;
	verbs_wait_cq_acked(&cq, &raised);
	verbs_fini_cq(&cq);
}

/* Simulates a device that is gone and cannot return event counts. */
static void wait_acked_excess_acks_return(void **state)
{
	const struct verbs_event_count none = {};
	struct verbs_srq vsrq = {};
	struct ibv_cq cq = {};

	verbs_init_cq(&cq, &ctx, NULL, NULL);
	verbs_init_srq(&vsrq, &ctx, &(struct ibv_srq_init_attr_ex){});
	cq.comp_events_completed = 2;
	cq.async_events_completed = 1;
	vsrq.srq.events_completed = 1;
	verbs_wait_cq_acked(&cq, &none);
	verbs_wait_srq_acked(&vsrq.srq, &none);
	verbs_fini_srq(&vsrq.srq);
	verbs_fini_cq(&cq);
}

static void wait_acked_counters_wrap(void **state)
{
	struct waiter waiter = { .raised.comp_events = 1 };
	struct ibv_cq *cq = &waiter.cq;

	verbs_init_cq(cq, &ctx, NULL, NULL);
	cq->comp_events_completed = UINT32_MAX;
	waiter_start(&waiter, wait_cq);
	event_ack(&cq->mutex, &cq->cond, &cq->comp_events_completed);
	assert_waits(&waiter);
	event_ack(&cq->mutex, &cq->cond, &cq->comp_events_completed);
	assert_returns(&waiter);
	verbs_fini_cq(cq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_cq_sets_arguments),
		cmocka_unit_test(init_cq_keeps_channel_refcnt),
		cmocka_unit_test(init_cq_keeps_device_fields),
		cmocka_unit_test(init_srq_basic_sets_pd_only),
		cmocka_unit_test(init_srq_xrc_sets_xrcd_and_cq),
		cmocka_unit_test(init_qp_sets_arguments),
		cmocka_unit_test(init_qp_state_is_reset),
		cmocka_unit_test(init_qp_without_mask_bits_clears_pd_and_xrcd),
		cmocka_unit_test(init_qp_xrc_sets_xrcd),
		cmocka_unit_test(wait_acked_without_events_returns),
		cmocka_unit_test(wait_cq_acked_waits_for_completion_events),
		cmocka_unit_test(wait_cq_acked_waits_for_both_event_kinds),
		cmocka_unit_test(wait_srq_acked_waits_for_async_events),
		cmocka_unit_test(wait_qp_acked_waits_for_async_events),
		cmocka_unit_test(wait_wq_acked_waits_for_async_events),
		cmocka_unit_test(wait_acked_counts_earlier_acks),
		cmocka_unit_test(wait_acked_excess_acks_return),
		cmocka_unit_test(wait_acked_counters_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
