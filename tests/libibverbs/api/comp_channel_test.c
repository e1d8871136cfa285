/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_comp_channel(3), ibv_get_cq_event(3), ibv_ack_cq_events(3):
 * libibverbs/api/comp_channel.c. The channel is a pipe that the test writes to.
 */
#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <unistd.h>

#include "libibverbs/api/api_fixture.h"
#include "support/alloc_fail.h"

static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static int app_context;

static int comp_channel_setup(void **state)
{
	int ret = api_open(state);

	channel = ibv_create_comp_channel(api.ctx);
	assert_non_null(channel);
	cq = ibv_create_cq(api.ctx, 10, &app_context, channel, 0);
	assert_non_null(cq);
	return ret;
}

static int comp_channel_teardown(void **state)
{
	fake_provider.ret = 0;
	/* The test has acknowledged all events. */
	fake_provider.raised.comp_events = cq->comp_events_completed;
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	return api_close(state);
}

static void comp_channel_create_sets_context(void **state)
{
	struct ibv_comp_channel *other;

	errno = SOME_ERRNO;
	other = ibv_create_comp_channel(api.ctx);
	assert_non_null(other);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(other->context, api.ctx);
	assert_int_equal(other->refcnt, 0);
	assert_true(fcntl(other->fd, F_GETFD) >= 0);
	ASSERT_OK(ibv_destroy_comp_channel(other));
}

static void comp_channel_destroy_closes_descriptor(void **state)
{
	struct ibv_comp_channel *other = ibv_create_comp_channel(api.ctx);
	int fd;

	assert_non_null(other);
	fd = other->fd;
	ASSERT_OK(ibv_destroy_comp_channel(other));
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void comp_channel_create_failure_is_null(void **state)
{
	fake_provider.ret = -EMFILE;
	ASSERT_NULL(ibv_create_comp_channel(api.ctx), EMFILE);
}

static void comp_channel_create_without_memory_is_null(void **state)
{
	alloc_fail_at(1);
	ASSERT_NULL(ibv_create_comp_channel(api.ctx), ENOMEM);
	assert_true(alloc_fail_done());
}

static void comp_channel_destroy_with_cq_is_ebusy(void **state)
{
	ASSERT_ERRNO(ibv_destroy_comp_channel(channel), EBUSY);
	assert_true(fcntl(channel->fd, F_GETFD) >= 0);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                   */
/* ------------------------------------------------------------------------ */

static void channel_fd_write(const void *bytes, size_t len)
{
	assert_int_equal(write(fake_provider.comp_write_fd, bytes, len), len);
}

static void comp_event_raise(const struct ibv_cq *of)
{
	const struct ib_uverbs_comp_event_desc event = {
		.cq_handle = (uintptr_t)of,
	};

	channel_fd_write(&event, sizeof(event));
}

/* Reading an event fails and changes no output. */
static void assert_no_event(int err)
{
	struct ibv_cq *event_cq = UNTOUCHED;
	void *event_context = UNTOUCHED;

	errno = 0;
	assert_int_equal(ibv_get_cq_event(channel, &event_cq, &event_context),
			 -1);
	assert_int_equal(errno, err);
	assert_ptr_equal(event_cq, UNTOUCHED);
	assert_ptr_equal(event_context, UNTOUCHED);
	assert_null(fake_provider.event_cq);
}

static void channel_fd_close_writer(void)
{
	assert_int_equal(close(fake_provider.comp_write_fd), 0);
	fake_provider.comp_write_fd = -1;
}

static void comp_channel_event_has_cq_and_context(void **state)
{
	struct ibv_cq *event_cq;
	void *event_context;

	comp_event_raise(cq);
	ASSERT_OK(ibv_get_cq_event(channel, &event_cq, &event_context));
	assert_ptr_equal(event_cq, cq);
	assert_ptr_equal(event_context, &app_context);
	ibv_ack_cq_events(cq, 1);
}

static void comp_channel_event_calls_provider(void **state)
{
	struct ibv_cq *event_cq;
	void *event_context;

	comp_event_raise(cq);
	ASSERT_OK(ibv_get_cq_event(channel, &event_cq, &event_context));
	assert_ptr_equal(fake_provider.event_cq, cq);
}

static void comp_channel_events_keep_order(void **state)
{
	struct ibv_cq *other, *event_cq;
	void *event_context;

	other = ibv_create_cq(api.ctx, 10, &other, channel, 0);
	assert_non_null(other);
	comp_event_raise(other);
	comp_event_raise(cq);
	ASSERT_OK(ibv_get_cq_event(channel, &event_cq, &event_context));
	assert_ptr_equal(event_cq, other);
	assert_ptr_equal(event_context, &other);
	ASSERT_OK(ibv_get_cq_event(channel, &event_cq, &event_context));
	assert_ptr_equal(event_cq, cq);
	ASSERT_OK(ibv_destroy_cq(other));
}

static void comp_channel_short_read_is_minus_1(void **state)
{
	channel_fd_write("1234567", 7);
	assert_no_event(EIO);
}

static void comp_channel_empty_read_is_minus_1(void **state)
{
	channel_fd_close_writer();
	assert_no_event(EIO);
}

static void comp_channel_nonblocking_read_is_minus_1(void **state)
{
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_no_event(EAGAIN);
}

static void comp_channel_acked_events_are_counted(void **state)
{
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(cq->comp_events_completed, 1);
	ibv_ack_cq_events(cq, 41);
	assert_int_equal(cq->comp_events_completed, 42);
	assert_int_equal(cq->async_events_completed, 0);
}

static void comp_channel_ack_of_zero_counts_nothing(void **state)
{
	ibv_ack_cq_events(cq, 0);
	assert_int_equal(cq->comp_events_completed, 0);
}

#define TEST(name)                                                \
	cmocka_unit_test_setup_teardown(name, comp_channel_setup, \
					comp_channel_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(comp_channel_create_sets_context),
		TEST(comp_channel_destroy_closes_descriptor),
		TEST(comp_channel_create_failure_is_null),
		TEST(comp_channel_create_without_memory_is_null),
		TEST(comp_channel_destroy_with_cq_is_ebusy),
		TEST(comp_channel_event_has_cq_and_context),
		TEST(comp_channel_event_calls_provider),
		TEST(comp_channel_events_keep_order),
		TEST(comp_channel_short_read_is_minus_1),
		TEST(comp_channel_empty_read_is_minus_1),
		TEST(comp_channel_nonblocking_read_is_minus_1),
		TEST(comp_channel_acked_events_are_counted),
		TEST(comp_channel_ack_of_zero_counts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
