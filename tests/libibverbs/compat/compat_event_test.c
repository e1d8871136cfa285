/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events for programs of libibverbs 1.0: libibverbs/compat/compat_event.c. The
 * descriptors are pipes. Like the kernel, the test writes events to them that
 * refer to the real objects.
 */
#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <unistd.h>

#include "libibverbs/compat/compat_fixture.h"

static int mine;
static struct ibv_cq_1_0 *cq;
static struct ibv_srq_1_0 *srq;
static struct ibv_qp_1_0 *qp;

static int compat_event_setup(void **state)
{
	int ret = compat_open(state);

	cq = compat_create_cq(&mine);
	srq = compat_create_srq(&mine);
	qp = compat_create_qp(cq, srq, IBV_QPT_RC, &mine);
	return ret;
}

static int compat_event_teardown(void **state)
{
	fake_provider.ret = 0;
	fake_provider.raised = (struct verbs_event_count){};
	assert_int_equal(compat_ibv_destroy_qp(qp), 0);
	assert_int_equal(compat_ibv_destroy_srq(srq), 0);
	assert_int_equal(compat_ibv_destroy_cq(cq), 0);
	return compat_close(state);
}

static struct ibv_async_event compat_async_event_get(uint32_t type,
						     uint64_t element)
{
	const struct ib_uverbs_async_event_desc raised = {
		.element = element,
		.event_type = type,
	};
	struct ibv_async_event event;

	assert_int_equal(
		write(fake_provider.async_write_fd, &raised, sizeof(raised)),
		sizeof(raised));
	memset(&event, 0xee, sizeof(event));
	ASSERT_OK(compat_ibv_get_async_event(compat.ctx, &event));
	assert_int_equal(event.event_type, type);
	return event;
}

static void compat_cq_event_has_shadow_and_is_acked(void **state)
{
	struct ibv_async_event event = compat_async_event_get(
		IBV_EVENT_CQ_ERR, (uintptr_t)cq->real_cq);

	assert_ptr_equal(event.element.cq, cq);
	compat_ibv_ack_async_event(&event);
	assert_ptr_equal(event.element.cq, cq);
	assert_int_equal(cq->real_cq->async_events_completed, 1);
}

static void compat_qp_events_have_shadow_and_are_acked(void **state)
{
	static const enum ibv_event_type types[] = {
		IBV_EVENT_QP_FATAL,	 IBV_EVENT_QP_REQ_ERR,
		IBV_EVENT_QP_ACCESS_ERR, IBV_EVENT_COMM_EST,
		IBV_EVENT_SQ_DRAINED,	 IBV_EVENT_PATH_MIG,
		IBV_EVENT_PATH_MIG_ERR,	 IBV_EVENT_QP_LAST_WQE_REACHED,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct ibv_async_event event = compat_async_event_get(
			types[i], (uintptr_t)qp->real_qp);

		assert_ptr_equal(event.element.qp, qp);
		compat_ibv_ack_async_event(&event);
		assert_int_equal(qp->real_qp->events_completed, i + 1);
	}
}

static void compat_srq_events_have_shadow_and_are_acked(void **state)
{
	static const enum ibv_event_type types[] = {
		IBV_EVENT_SRQ_ERR,
		IBV_EVENT_SRQ_LIMIT_REACHED,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct ibv_async_event event = compat_async_event_get(
			types[i], (uintptr_t)srq->real_srq);

		assert_ptr_equal(event.element.srq, srq);
		compat_ibv_ack_async_event(&event);
		assert_int_equal(srq->real_srq->events_completed, i + 1);
	}
}

static void compat_port_event_has_port_number(void **state)
{
	struct ibv_async_event event =
		compat_async_event_get(IBV_EVENT_PORT_ACTIVE, 2);

	assert_int_equal(event.element.port_num, 2);
	compat_ibv_ack_async_event(&event);
	event = compat_async_event_get(IBV_EVENT_DEVICE_FATAL, 0);
	compat_ibv_ack_async_event(&event);
}

/* The provider receives the real object. */
static void compat_event_get_calls_provider(void **state)
{
	(void)compat_async_event_get(IBV_EVENT_QP_FATAL,
				     (uintptr_t)qp->real_qp);
	assert_ptr_equal(fake_provider.event.element.qp, qp->real_qp);
}

static void compat_destroy_waits_for_acks(void **state)
{
	struct ibv_qp_1_0 *other = compat_create_qp(cq, NULL, IBV_QPT_RC, NULL);
	struct ibv_async_event event = compat_async_event_get(
		IBV_EVENT_QP_FATAL, (uintptr_t)other->real_qp);

	compat_ibv_ack_async_event(&event);
	fake_provider.raised.async_events = 1;
	ASSERT_OK(compat_ibv_destroy_qp(other));
}

static void compat_async_event_missing_is_error(void **state)
{
	struct ibv_async_event event, before;
	int fd = compat.ctx->async_fd;

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	memset(&event, 0xee, sizeof(event));
	memcpy(&before, &event, sizeof(event));
	ASSERT_MINUS1(compat_ibv_get_async_event(compat.ctx, &event), EAGAIN);
	assert_memory_equal(&event, &before, sizeof(event));
}

/* ------------------------------------------------------------------------ */
/* Completion events                                                        */
/* ------------------------------------------------------------------------ */

static void compat_completion_event_has_shadow_and_context(void **state)
{
	struct ibv_comp_channel *channel =
		ibv_create_comp_channel((void *)compat.ctx);
	struct ibv_cq_1_0 *woken =
		compat_ibv_create_cq(compat.ctx, 1, &mine, channel, 0);
	struct ib_uverbs_comp_event_desc raised = {
		.cq_handle = (uintptr_t)woken->real_cq,
	};
	struct ibv_cq_1_0 *event_cq;
	void *event_context;

	assert_int_equal(
		write(fake_provider.comp_write_fd, &raised, sizeof(raised)),
		sizeof(raised));
	ASSERT_OK(compat_ibv_get_cq_event(channel, &event_cq, &event_context));
	assert_ptr_equal(event_cq, woken);
	assert_ptr_equal(event_context, &mine);
	assert_ptr_equal(fake_provider.event_cq, woken->real_cq);

	compat_ibv_ack_cq_events(woken, 3);
	assert_int_equal(woken->real_cq->comp_events_completed, 3);
	fake_provider.raised.comp_events = 3;
	ASSERT_OK(compat_ibv_destroy_cq(woken));
	ASSERT_OK(ibv_destroy_comp_channel(channel));
}

static void compat_completion_event_missing_is_error(void **state)
{
	struct ibv_comp_channel *channel =
		ibv_create_comp_channel((void *)compat.ctx);
	struct ibv_cq_1_0 *event_cq = UNTOUCHED;
	void *event_context = UNTOUCHED;

	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	ASSERT_MINUS1(
		compat_ibv_get_cq_event(channel, &event_cq, &event_context),
		EAGAIN);
	assert_ptr_equal(event_cq, UNTOUCHED);
	assert_ptr_equal(event_context, UNTOUCHED);
	ASSERT_OK(ibv_destroy_comp_channel(channel));
}

#define EVENT_TEST(name)                                          \
	cmocka_unit_test_setup_teardown(name, compat_event_setup, \
					compat_event_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EVENT_TEST(compat_cq_event_has_shadow_and_is_acked),
		EVENT_TEST(compat_qp_events_have_shadow_and_are_acked),
		EVENT_TEST(compat_srq_events_have_shadow_and_are_acked),
		EVENT_TEST(compat_port_event_has_port_number),
		EVENT_TEST(compat_event_get_calls_provider),
		EVENT_TEST(compat_destroy_waits_for_acks),
		EVENT_TEST(compat_async_event_missing_is_error),
		EVENT_TEST(compat_completion_event_has_shadow_and_context),
		EVENT_TEST(compat_completion_event_missing_is_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
