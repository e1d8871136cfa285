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

/* Objects with the members that the acknowledgment uses. */
static struct ibv_cq cq;
static struct ibv_qp qp;
static struct ibv_srq srq;
static struct ibv_wq wq;

static int async_event_setup(void **state)
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

static void async_fd_write(const void *bytes, size_t len)
{
	assert_int_equal(write(fake_provider.async_write_fd, bytes, len), len);
}

static void async_event_raise(uint32_t type, uint64_t element)
{
	const struct ib_uverbs_async_event_desc event = {
		.element = element,
		.event_type = type,
	};

	async_fd_write(&event, sizeof(event));
}

static struct ibv_async_event async_event_get(uint32_t type, uint64_t element)
{
	struct ibv_async_event event;

	memset(&event, 0xee, sizeof(event));
	async_event_raise(type, element);
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
/* Which member of the union is valid                                       */
/* ------------------------------------------------------------------------ */

static void async_event_cq_event_has_cq(void **state)
{
	assert_ptr_equal(
		async_event_get(IBV_EVENT_CQ_ERR, (uintptr_t)&cq).element.cq,
		&cq);
}

static void assert_tells_qp(enum ibv_event_type type)
{
	assert_ptr_equal(async_event_get(type, (uintptr_t)&qp).element.qp, &qp);
}

static void async_event_qp_event_has_qp(void **state)
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

static void async_event_srq_event_has_srq(void **state)
{
	assert_ptr_equal(
		async_event_get(IBV_EVENT_SRQ_ERR, (uintptr_t)&srq).element.srq,
		&srq);
	assert_ptr_equal(
		async_event_get(IBV_EVENT_SRQ_LIMIT_REACHED, (uintptr_t)&srq)
			.element.srq,
		&srq);
}

static void async_event_wq_event_has_wq(void **state)
{
	assert_ptr_equal(
		async_event_get(IBV_EVENT_WQ_FATAL, (uintptr_t)&wq).element.wq,
		&wq);
}

static void assert_tells_port(enum ibv_event_type type)
{
	assert_int_equal(async_event_get(type, 2).element.port_num, 2);
}

static void async_event_port_event_has_port_number(void **state)
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

static void async_event_unknown_type_is_port_event(void **state)
{
	struct ibv_async_event event = async_event_get(1000, 3);

	assert_int_equal(event.element.port_num, 3);
	ibv_ack_async_event(&event);
}

static void async_event_get_calls_provider(void **state)
{
	(void)async_event_get(IBV_EVENT_PORT_ERR, 2);
	assert_int_equal(fake_provider.event.event_type, IBV_EVENT_PORT_ERR);
	assert_int_equal(fake_provider.event.element.port_num, 2);
}

static void async_event_get_keeps_order(void **state)
{
	struct ibv_async_event event;

	async_event_raise(IBV_EVENT_PORT_ERR, 1);
	async_event_raise(IBV_EVENT_PORT_ACTIVE, 1);
	ASSERT_OK(ibv_get_async_event(api.ctx, &event));
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
	ASSERT_OK(ibv_get_async_event(api.ctx, &event));
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ACTIVE);
}

/* ------------------------------------------------------------------------ */
/* Reads without an event                                                   */
/* ------------------------------------------------------------------------ */

static void async_event_short_read_is_minus_1(void **state)
{
	async_fd_write("123456789012345", 15);
	assert_no_event(EIO);
}

static void async_event_empty_read_is_minus_1(void **state)
{
	assert_int_equal(close(fake_provider.async_write_fd), 0);
	fake_provider.async_write_fd = -1;
	assert_no_event(EIO);
}

static void async_event_nonblocking_read_is_minus_1(void **state)
{
	assert_int_equal(fcntl(api.ctx->async_fd, F_SETFL, O_NONBLOCK), 0);
	assert_no_event(EAGAIN);
}

/* ------------------------------------------------------------------------ */
/* Acknowledgment                                                           */
/* ------------------------------------------------------------------------ */

/* Number of acknowledgments of each object. */
static void assert_acked(uint32_t of_cq, uint32_t of_qp, uint32_t of_srq,
			 uint32_t of_wq)
{
	assert_int_equal(cq.async_events_completed, of_cq);
	assert_int_equal(cq.comp_events_completed, 0);
	assert_int_equal(qp.events_completed, of_qp);
	assert_int_equal(srq.events_completed, of_srq);
	assert_int_equal(wq.events_completed, of_wq);
}

static void async_event_get_and_ack(uint32_t type, void *element)
{
	struct ibv_async_event event =
		async_event_get(type, (uintptr_t)element);

	ibv_ack_async_event(&event);
}

static void async_event_ack_counts_at_cq(void **state)
{
	async_event_get_and_ack(IBV_EVENT_CQ_ERR, &cq);
	assert_acked(1, 0, 0, 0);
}

static void async_event_ack_counts_at_qp(void **state)
{
	async_event_get_and_ack(IBV_EVENT_COMM_EST, &qp);
	async_event_get_and_ack(IBV_EVENT_QP_LAST_WQE_REACHED, &qp);
	assert_acked(0, 2, 0, 0);
}

static void async_event_ack_counts_at_srq(void **state)
{
	async_event_get_and_ack(IBV_EVENT_SRQ_LIMIT_REACHED, &srq);
	assert_acked(0, 0, 1, 0);
}

static void async_event_ack_counts_at_wq(void **state)
{
	async_event_get_and_ack(IBV_EVENT_WQ_FATAL, &wq);
	assert_acked(0, 0, 0, 1);
}

static void async_event_ack_of_port_event_counts_nothing(void **state)
{
	struct ibv_async_event event = async_event_get(IBV_EVENT_PORT_ERR, 1);

	ibv_ack_async_event(&event);
	assert_acked(0, 0, 0, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, async_event_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(async_event_cq_event_has_cq),
		TEST(async_event_qp_event_has_qp),
		TEST(async_event_srq_event_has_srq),
		TEST(async_event_wq_event_has_wq),
		TEST(async_event_port_event_has_port_number),
		TEST(async_event_unknown_type_is_port_event),
		TEST(async_event_get_calls_provider),
		TEST(async_event_get_keeps_order),
		TEST(async_event_short_read_is_minus_1),
		TEST(async_event_empty_read_is_minus_1),
		TEST(async_event_nonblocking_read_is_minus_1),
		TEST(async_event_ack_counts_at_cq),
		TEST(async_event_ack_counts_at_qp),
		TEST(async_event_ack_counts_at_srq),
		TEST(async_event_ack_counts_at_wq),
		TEST(async_event_ack_of_port_event_counts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
