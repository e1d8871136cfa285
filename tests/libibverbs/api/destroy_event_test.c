/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Destruction of objects with unacknowledged events: ibv_destroy_cq(3),
 * ibv_destroy_qp(3), ibv_destroy_srq(3) and ibv_destroy_wq(3) wait until the
 * application has acknowledged all events that it read, and for no other
 * events. A thread destroys the object while the test reads and acknowledges.
 * The test detects the wait in pthread_cond_wait() and does not use a clock.
 */
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/core_context.h"
#include "libibverbs/api/api_fixture.h"
#include "support/fake_provider_internal.h"

static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_srq *srq;
static struct ibv_wq *wq;

/* Posted each time a thread is about to wait, with the lock held. */
static sem_t waiting;
static atomic_uint nr_waits;

int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	atomic_fetch_add(&nr_waits, 1);
	(void)sem_post(&waiting);
	return __real_pthread_cond_wait(cond, mutex);
}

/*
 * The fake provider has no WQs; a provider that has them destroys them like
 * this.
 */
static int fake_destroy_wq(struct ibv_wq *object)
{
	verbs_wait_wq_acked(object, &fake_provider.raised);
	return fake_object_end("destroy_wq", object);
}

static int destroy_event_setup(void **state)
{
	struct ibv_srq_init_attr srq_attr = {};
	struct ibv_qp_init_attr qp_attr = { .qp_type = IBV_QPT_RC };
	struct ibv_wq_init_attr wq_attr = {};
	int ret = api_open(state);

	verbs_priv(api.ctx)->ops.destroy_wq = fake_destroy_wq;
	channel = ibv_create_comp_channel(api.ctx);
	assert_non_null(channel);
	cq = ibv_create_cq(api.ctx, 10, NULL, channel, 0);
	assert_non_null(cq);
	srq = ibv_create_srq(api.pd, &srq_attr);
	assert_non_null(srq);
	qp_attr.send_cq = qp_attr.recv_cq = cq;
	qp = ibv_create_qp(api.pd, &qp_attr);
	assert_non_null(qp);
	wq_attr.pd = api.pd;
	wq_attr.cq = cq;
	wq = ibv_create_wq(api.ctx, &wq_attr);
	assert_non_null(wq);
	assert_int_equal(sem_init(&waiting, 0, 0), 0);
	atomic_store(&nr_waits, 0);
	return ret;
}

/* A test sets the pointer to NULL after it has destroyed the object. */
static int destroy_event_teardown(void **state)
{
	fake_provider.ret = 0;
	fake_provider.raised = (struct verbs_event_count){};
	if (wq)
		assert_int_equal(ibv_destroy_wq(wq), 0);
	if (qp)
		assert_int_equal(ibv_destroy_qp(qp), 0);
	if (srq)
		assert_int_equal(ibv_destroy_srq(srq), 0);
	if (cq)
		assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	assert_int_equal(sem_destroy(&waiting), 0);
	return api_close(state);
}

/* ------------------------------------------------------------------------ */
/* Destroying thread                                                        */
/* ------------------------------------------------------------------------ */

struct destroyer {
	pthread_t thread;
	int (*destroy)(void);
	int ret;
	atomic_bool done;
};

static int destroy_test_cq(void)
{
	return ibv_destroy_cq(cq);
}

static int destroy_test_qp(void)
{
	return ibv_destroy_qp(qp);
}

static int destroy_test_srq(void)
{
	return ibv_destroy_srq(srq);
}

static int destroy_test_wq(void)
{
	return ibv_destroy_wq(wq);
}

static void *destroyer_run(void *arg)
{
	struct destroyer *destroyer = arg;

	destroyer->ret = destroyer->destroy();
	atomic_store(&destroyer->done, true);
	return NULL;
}

static void destroyer_start(struct destroyer *destroyer, int (*destroy)(void),
			    uint32_t comp_events, uint32_t async_events)
{
	fake_provider.raised = (struct verbs_event_count){
		.comp_events = comp_events,
		.async_events = async_events,
	};
	destroyer->destroy = destroy;
	destroyer->ret = -1;
	atomic_init(&destroyer->done, false);
	assert_int_equal(pthread_create(&destroyer->thread, NULL, destroyer_run,
					destroyer),
			 0);
}

/* The thread has reached the wait, so it has not returned. */
static void assert_destroyer_waits(struct destroyer *destroyer)
{
	assert_int_equal(sem_wait(&waiting), 0);
	assert_false(atomic_load(&destroyer->done));
}

static void assert_destroyer_returns(struct destroyer *destroyer)
{
	assert_int_equal(pthread_join(destroyer->thread, NULL), 0);
	assert_int_equal(destroyer->ret, 0);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                   */
/* ------------------------------------------------------------------------ */

static void raise_comp_event(struct ibv_cq *of)
{
	const struct ib_uverbs_comp_event_desc event = {
		.cq_handle = (uintptr_t)of,
	};

	assert_int_equal(
		write(fake_provider.comp_write_fd, &event, sizeof(event)),
		sizeof(event));
}

static void raise_async_event(enum ibv_event_type type, const void *of)
{
	const struct ib_uverbs_async_event_desc event = {
		.element = (uintptr_t)of,
		.event_type = type,
	};

	assert_int_equal(
		write(fake_provider.async_write_fd, &event, sizeof(event)),
		sizeof(event));
}

static struct ibv_cq *get_comp_event(void)
{
	struct ibv_cq *event_cq;
	void *cq_context;

	assert_int_equal(ibv_get_cq_event(channel, &event_cq, &cq_context), 0);
	return event_cq;
}

static struct ibv_async_event get_async_event(void)
{
	struct ibv_async_event event;

	assert_int_equal(ibv_get_async_event(api.ctx, &event), 0);
	return event;
}

/* ------------------------------------------------------------------------ */
/* Waits                                                                    */
/* ------------------------------------------------------------------------ */

static void destroy_cq_waits_for_completion_event_acks(void **state)
{
	struct destroyer destroyer;

	destroyer_start(&destroyer, destroy_test_cq, 3, 0);
	assert_destroyer_waits(&destroyer);
	ibv_ack_cq_events(cq, 2);
	assert_destroyer_waits(&destroyer);
	ibv_ack_cq_events(cq, 1);
	assert_destroyer_returns(&destroyer);
	cq = NULL;
}

static void destroy_cq_waits_for_async_event_acks(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_CQ_ERR,
		.element.cq = cq,
	};
	struct destroyer destroyer;

	destroyer_start(&destroyer, destroy_test_cq, 1, 1);
	assert_destroyer_waits(&destroyer);
	ibv_ack_cq_events(cq, 1);
	assert_destroyer_waits(&destroyer);
	ibv_ack_async_event(&event);
	assert_destroyer_returns(&destroyer);
	cq = NULL;
}

/* Two events with separate acknowledgments. */
static void assert_waits_for_two_events(int (*destroy)(void),
					struct ibv_async_event *event)
{
	struct destroyer destroyer;

	destroyer_start(&destroyer, destroy, 0, 2);
	for (int i = 0; i < 2; i++) {
		assert_destroyer_waits(&destroyer);
		ibv_ack_async_event(event);
	}
	assert_destroyer_returns(&destroyer);
}

static void destroy_qp_waits_for_event_acks(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_QP_FATAL,
		.element.qp = qp,
	};

	assert_waits_for_two_events(destroy_test_qp, &event);
	qp = NULL;
}

static void destroy_srq_waits_for_event_acks(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_SRQ_LIMIT_REACHED,
		.element.srq = srq,
	};

	assert_waits_for_two_events(destroy_test_srq, &event);
	srq = NULL;
}

static void destroy_wq_waits_for_event_acks(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_WQ_FATAL,
		.element.wq = wq,
	};

	assert_waits_for_two_events(destroy_test_wq, &event);
	wq = NULL;
}

static void destroy_cq_ignores_acks_of_different_objects(void **state)
{
	struct ibv_async_event of_qp = {
		.event_type = IBV_EVENT_QP_FATAL,
		.element.qp = qp,
	};
	struct ibv_async_event of_srq = {
		.event_type = IBV_EVENT_SRQ_ERR,
		.element.srq = srq,
	};
	struct ibv_async_event of_wq = {
		.event_type = IBV_EVENT_WQ_FATAL,
		.element.wq = wq,
	};
	struct destroyer destroyer;

	destroyer_start(&destroyer, destroy_test_cq, 1, 0);
	assert_destroyer_waits(&destroyer);
	ibv_ack_async_event(&of_qp);
	ibv_ack_async_event(&of_srq);
	ibv_ack_async_event(&of_wq);
	assert_false(atomic_load(&destroyer.done));
	ibv_ack_cq_events(cq, 1);
	assert_destroyer_returns(&destroyer);
	assert_int_equal(atomic_load(&nr_waits), 1);
	cq = NULL;
}

/* ------------------------------------------------------------------------ */
/* More acknowledgments than events                                         */
/* ------------------------------------------------------------------------ */

static void destroy_cq_completion_events_acked_twice_returns(void **state)
{
	ibv_ack_cq_events(cq, 1);
	ibv_ack_cq_events(cq, 1);
	fake_provider.raised.comp_events = 1;
	ASSERT_OK(ibv_destroy_cq(cq));
	assert_int_equal(atomic_load(&nr_waits), 0);
	cq = NULL;
}

static void destroy_qp_async_event_acked_twice_returns(void **state)
{
	struct ibv_async_event event = {
		.event_type = IBV_EVENT_QP_ACCESS_ERR,
		.element.qp = qp,
	};

	ibv_ack_async_event(&event);
	ibv_ack_async_event(&event);
	fake_provider.raised.async_events = 1;
	ASSERT_OK(ibv_destroy_qp(qp));
	assert_int_equal(atomic_load(&nr_waits), 0);
	qp = NULL;
}

/* No event was read, so no acknowledgment is missing. */
static void destroy_cq_ack_without_event_returns(void **state)
{
	ibv_ack_cq_events(cq, 7);
	ASSERT_OK(ibv_destroy_cq(cq));
	assert_int_equal(atomic_load(&nr_waits), 0);
	cq = NULL;
}

/* ------------------------------------------------------------------------ */
/* Events that arrive during the destruction                                */
/* ------------------------------------------------------------------------ */

/* The object exists until its last event is acknowledged. */
static void destroy_cq_completion_event_is_readable_meanwhile(void **state)
{
	struct destroyer destroyer;
	struct ibv_cq *event_cq;

	destroyer_start(&destroyer, destroy_test_cq, 1, 0);
	assert_destroyer_waits(&destroyer);
	raise_comp_event(cq);
	event_cq = get_comp_event();
	assert_ptr_equal(event_cq, cq);
	assert_ptr_equal(event_cq->context, api.ctx);
	assert_false(atomic_load(&destroyer.done));
	ibv_ack_cq_events(event_cq, 1);
	assert_destroyer_returns(&destroyer);
	cq = NULL;
}

static void destroy_qp_async_event_is_readable_meanwhile(void **state)
{
	struct ibv_async_event event;
	struct destroyer destroyer;

	destroyer_start(&destroyer, destroy_test_srq, 0, 1);
	assert_destroyer_waits(&destroyer);
	raise_async_event(IBV_EVENT_SRQ_ERR, srq);
	event = get_async_event();
	assert_ptr_equal(event.element.srq, srq);
	assert_ptr_equal(event.element.srq->context, api.ctx);
	ibv_ack_async_event(&event);
	assert_destroyer_returns(&destroyer);
	srq = NULL;
}

/* Reads and acknowledges events until the channel is closed. */
static void *run_reader(void *arg)
{
	struct ibv_cq *event_cq;
	unsigned int *nr = arg;
	void *cq_context;

	while (ibv_get_cq_event(channel, &event_cq, &cq_context) == 0) {
		ibv_ack_cq_events(event_cq, 1);
		(*nr)++;
	}
	return NULL;
}

#define NR_ROUNDS 300
#define NR_EVENTS 3

static void destroy_cq_concurrent_with_event_reader_succeeds(void **state)
{
	unsigned int nr_read = 0;
	pthread_t reader;

	assert_int_equal(pthread_create(&reader, NULL, run_reader, &nr_read),
			 0);
	fake_provider.raised.comp_events = NR_EVENTS;
	for (int i = 0; i < NR_ROUNDS; i++) {
		struct ibv_cq *next;

		next = ibv_create_cq(api.ctx, 10, NULL, channel, 0);
		assert_non_null(next);
		for (int j = 0; j < NR_EVENTS; j++)
			raise_comp_event(next);
		assert_int_equal(ibv_destroy_cq(next), 0);
	}
	assert_int_equal(close(fake_provider.comp_write_fd), 0);
	fake_provider.comp_write_fd = -1;
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_int_equal(nr_read, NR_ROUNDS * NR_EVENTS);
	assert_int_equal(channel->refcnt, 1);
}

/* ------------------------------------------------------------------------ */
/* Objects in use                                                           */
/* ------------------------------------------------------------------------ */

/*
 * The kernel rejects the command: the function does not wait and changes
 * nothing.
 */
static void destroy_object_in_use_is_ebusy_and_keeps_object(void **state)
{
	fake_provider.raised = (struct verbs_event_count){ 5, 5 };
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_destroy_cq(cq), EBUSY);
	ASSERT_ERRNO(ibv_destroy_qp(qp), EBUSY);
	ASSERT_ERRNO(ibv_destroy_srq(srq), EBUSY);
	ASSERT_ERRNO(ibv_dealloc_pd(api.pd), EBUSY);
	assert_int_equal(atomic_load(&nr_waits), 0);
	assert_int_equal(channel->refcnt, 1);
	fake_provider.ret = 0;
	raise_comp_event(cq);
	assert_ptr_equal(get_comp_event(), cq);
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(cq->comp_events_completed, 1);
}

/*
 * A mistake of the application, as the man page says; only its own memory is
 * lost.
 */
static void close_device_with_live_objects_succeeds(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_pd *pd = ibv_alloc_pd(other);
	struct ibv_cq *other_cq = ibv_create_cq(other, 1, NULL, NULL, 0);
	unsigned int nr_closes = fake_provider.nr_closes;

	assert_non_null(pd);
	assert_non_null(other_cq);
	fake_provider.raised.comp_events = 1;
	ASSERT_OK(ibv_close_device(other));
	assert_int_equal(fake_provider.nr_closes, nr_closes + 1);
	assert_int_equal(atomic_load(&nr_waits), 0);
	verbs_fini_cq(other_cq);
	fake_object_free(other_cq);
	fake_object_free(pd);
}

#define TEST(name)                                                 \
	cmocka_unit_test_setup_teardown(name, destroy_event_setup, \
					destroy_event_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(destroy_cq_waits_for_completion_event_acks),
		TEST(destroy_cq_waits_for_async_event_acks),
		TEST(destroy_qp_waits_for_event_acks),
		TEST(destroy_srq_waits_for_event_acks),
		TEST(destroy_wq_waits_for_event_acks),
		TEST(destroy_cq_ignores_acks_of_different_objects),
		TEST(destroy_cq_completion_events_acked_twice_returns),
		TEST(destroy_qp_async_event_acked_twice_returns),
		TEST(destroy_cq_ack_without_event_returns),
		TEST(destroy_cq_completion_event_is_readable_meanwhile),
		TEST(destroy_qp_async_event_is_readable_meanwhile),
		TEST(destroy_cq_concurrent_with_event_reader_succeeds),
		TEST(destroy_object_in_use_is_ebusy_and_keeps_object),
		TEST(close_device_with_live_objects_succeeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
