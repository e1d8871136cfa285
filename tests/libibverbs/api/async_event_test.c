/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_get_async_event(3) and ibv_ack_async_event(3):
 * libibverbs/api/async_event.c. The descriptor is a pipe that the test writes
 * to.
 */
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <unistd.h>

#include "libibverbs/api/api_fixture.h"

/* Objects as far as acknowledging looks at them. */
static struct ibv_cq cq;
static struct ibv_qp qp;
static struct ibv_srq srq;
static struct ibv_wq wq;

static int start(void **state)
{
	int ret = api_open(state);

	cq = (struct ibv_cq){ .mutex = PTHREAD_MUTEX_INITIALIZER,
			      .cond = PTHREAD_COND_INITIALIZER };
	qp = (struct ibv_qp){ .mutex = PTHREAD_MUTEX_INITIALIZER,
			      .cond = PTHREAD_COND_INITIALIZER };
	srq = (struct ibv_srq){ .mutex = PTHREAD_MUTEX_INITIALIZER,
				.cond = PTHREAD_COND_INITIALIZER };
	wq = (struct ibv_wq){ .mutex = PTHREAD_MUTEX_INITIALIZER,
			      .cond = PTHREAD_COND_INITIALIZER };
	return ret;
}

static void raise_bytes(const void *bytes, size_t len)
{
	assert_int_equal(write(fake_provider.async_write_fd, bytes, len), len);
}

static void raise_event(uint32_t type, uint64_t element)
{
	const struct ib_uverbs_async_event_desc event = {
		.element = element,
		.event_type = type,
	};

	raise_bytes(&event, sizeof(event));
}

static struct ibv_async_event get_event(uint32_t type, uint64_t element)
{
	struct ibv_async_event event;

	memset(&event, 0xee, sizeof(event));
	raise_event(type, element);
	ASSERT_OK(ibv_get_async_event(api.ctx, &event));
	assert_int_equal(event.event_type, type);
	return event;
}

static void assert_no_event(int err)
{
	struct ibv_async_event event, before;

	memset(&event, 0xee, sizeof(event));
	memcpy(&before, &event, sizeof(event));
	ASSERT_MINUS1(ibv_get_async_event(api.ctx, &event), err);
	assert_memory_equal(&event, &before, sizeof(event));
	assert_int_equal(fake_provider.event.event_type, 0);
}

/* ------------------------------------------------------------------------ */
/* Which member of the union is valid                                        */
/* ------------------------------------------------------------------------ */

static void cq_events_tell_their_cq(void **state)
{
	assert_ptr_equal(get_event(IBV_EVENT_CQ_ERR, (uintptr_t)&cq).element.cq,
			 &cq);
}

static void assert_tells_qp(enum ibv_event_type type)
{
	assert_ptr_equal(get_event(type, (uintptr_t)&qp).element.qp, &qp);
}

static void qp_events_tell_their_qp(void **state)
{
	assert_tells_qp(IBV_EVENT_QP_FATAL);
	assert_tells_qp(IBV_EVENT_QP_REQ_ERR);
	assert_tells_qp(IBV_EVENT_QP_ACCESS_ERR);
	assert_tells_qp(IBV_EVENT_COMM_EST);
	assert_tells_qp(IBV_EVENT_SQ_DRAINED);
	assert_tells_qp(IBV_EVENT_PATH_MIG);
	assert_tells_qp(IBV_EVENT_PATH_MIG_ERR);
	assert_tells_qp(IBV_EVENT_QP_LAST_WQE_REACHED);
}

static void srq_events_tell_their_srq(void **state)
{
	assert_ptr_equal(
		get_event(IBV_EVENT_SRQ_ERR, (uintptr_t)&srq).element.srq,
		&srq);
	assert_ptr_equal(get_event(IBV_EVENT_SRQ_LIMIT_REACHED, (uintptr_t)&srq)
				 .element.srq,
			 &srq);
}

static void wq_events_tell_their_wq(void **state)
{
	assert_ptr_equal(
		get_event(IBV_EVENT_WQ_FATAL, (uintptr_t)&wq).element.wq, &wq);
}

static void assert_tells_port(enum ibv_event_type type)
{
	assert_int_equal(get_event(type, 2).element.port_num, 2);
}

static void port_and_device_events_tell_the_port(void **state)
{
	assert_tells_port(IBV_EVENT_DEVICE_FATAL);
	assert_tells_port(IBV_EVENT_PORT_ACTIVE);
	assert_tells_port(IBV_EVENT_PORT_ERR);
	assert_tells_port(IBV_EVENT_LID_CHANGE);
	assert_tells_port(IBV_EVENT_PKEY_CHANGE);
	assert_tells_port(IBV_EVENT_SM_CHANGE);
	assert_tells_port(IBV_EVENT_CLIENT_REREGISTER);
	assert_tells_port(IBV_EVENT_GID_CHANGE);
	assert_tells_port(IBV_EVENT_DEVICE_SPEED_CHANGE);
}

static void event_of_a_newer_kernel_is_taken_for_a_port_s(void **state)
{
	struct ibv_async_event event = get_event(1000, 3);

	assert_int_equal(event.element.port_num, 3);
	ibv_ack_async_event(&event);
}

static void provider_hears_of_the_event(void **state)
{
	(void)get_event(IBV_EVENT_PORT_ERR, 2);
	assert_int_equal(fake_provider.event.event_type, IBV_EVENT_PORT_ERR);
	assert_int_equal(fake_provider.event.element.port_num, 2);
}

static void events_come_in_order(void **state)
{
	struct ibv_async_event event;

	raise_event(IBV_EVENT_PORT_ERR, 1);
	raise_event(IBV_EVENT_PORT_ACTIVE, 1);
	ASSERT_OK(ibv_get_async_event(api.ctx, &event));
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
	ASSERT_OK(ibv_get_async_event(api.ctx, &event));
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ACTIVE);
}

/* ------------------------------------------------------------------------ */
/* Reads that bring no event                                                 */
/* ------------------------------------------------------------------------ */

static void short_event_is_minus_1(void **state)
{
	raise_bytes("123456789012345", 15);
	assert_no_event(EIO);
}

static void event_of_no_bytes_is_minus_1(void **state)
{
	assert_int_equal(close(fake_provider.async_write_fd), 0);
	fake_provider.async_write_fd = -1;
	assert_no_event(EIO);
}

static void descriptor_that_would_block_is_minus_1(void **state)
{
	assert_int_equal(fcntl(api.ctx->async_fd, F_SETFL, O_NONBLOCK), 0);
	assert_no_event(EAGAIN);
}

/* ------------------------------------------------------------------------ */
/* Acknowledging                                                             */
/* ------------------------------------------------------------------------ */

/* How many acknowledgements each object has got. */
static void assert_acked(uint32_t of_cq, uint32_t of_qp, uint32_t of_srq,
			 uint32_t of_wq)
{
	assert_int_equal(cq.async_events_completed, of_cq);
	assert_int_equal(cq.comp_events_completed, 0);
	assert_int_equal(qp.events_completed, of_qp);
	assert_int_equal(srq.events_completed, of_srq);
	assert_int_equal(wq.events_completed, of_wq);
}

static void get_and_ack(uint32_t type, void *element)
{
	struct ibv_async_event event = get_event(type, (uintptr_t)element);

	ibv_ack_async_event(&event);
}

static void ack_of_a_cq_event_counts_at_the_cq(void **state)
{
	get_and_ack(IBV_EVENT_CQ_ERR, &cq);
	assert_acked(1, 0, 0, 0);
}

static void ack_of_a_qp_event_counts_at_the_qp(void **state)
{
	get_and_ack(IBV_EVENT_COMM_EST, &qp);
	get_and_ack(IBV_EVENT_QP_LAST_WQE_REACHED, &qp);
	assert_acked(0, 2, 0, 0);
}

static void ack_of_an_srq_event_counts_at_the_srq(void **state)
{
	get_and_ack(IBV_EVENT_SRQ_LIMIT_REACHED, &srq);
	assert_acked(0, 0, 1, 0);
}

static void ack_of_a_wq_event_counts_at_the_wq(void **state)
{
	get_and_ack(IBV_EVENT_WQ_FATAL, &wq);
	assert_acked(0, 0, 0, 1);
}

static void ack_of_a_port_event_counts_nowhere(void **state)
{
	struct ibv_async_event event = get_event(IBV_EVENT_PORT_ERR, 1);

	ibv_ack_async_event(&event);
	assert_acked(0, 0, 0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cq_events_tell_their_cq),
		TEST(qp_events_tell_their_qp),
		TEST(srq_events_tell_their_srq),
		TEST(wq_events_tell_their_wq),
		TEST(port_and_device_events_tell_the_port),
		TEST(event_of_a_newer_kernel_is_taken_for_a_port_s),
		TEST(provider_hears_of_the_event),
		TEST(events_come_in_order),
		TEST(short_event_is_minus_1),
		TEST(event_of_no_bytes_is_minus_1),
		TEST(descriptor_that_would_block_is_minus_1),
		TEST(ack_of_a_cq_event_counts_at_the_cq),
		TEST(ack_of_a_qp_event_counts_at_the_qp),
		TEST(ack_of_an_srq_event_counts_at_the_srq),
		TEST(ack_of_a_wq_event_counts_at_the_wq),
		TEST(ack_of_a_port_event_counts_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
