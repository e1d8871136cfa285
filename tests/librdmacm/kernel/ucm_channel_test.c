/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A channel that watches the kernel's descriptor: events from GET_EVENT to
 * their acknowledgement. The kernel is an eventfd whose counter is the number
 * of queued events; write() of a command is replaced.
 */
#include "channel/event_channel.h"
#include "kernel/ucm_cmd.h"
#include "kernel/ucm_event.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#define DESTROY_ID 1
#define GET_EVENT  12

static int kernel_fd = -1;
static uint32_t nr_reported;
static uint64_t kernel_uid; /* of all events */
static struct channel *channel;
static struct channel_source source;

ssize_t __real_write(int fd, const void *buf, size_t count);
ssize_t __wrap_write(int fd, const void *buf, size_t count);

ssize_t __wrap_write(int fd, const void *buf, size_t count)
{
	const uint32_t event = RDMA_CM_EVENT_CONNECT_RESPONSE;
	const uint8_t private_data_len = 255;
	uint8_t *response;
	uint64_t address;
	uint32_t number;
	eventfd_t ignored;

	if (fd != kernel_fd)
		return __real_write(fd, buf, count);
	memcpy(&number, buf, sizeof(number));
	memcpy(&address, (const char *)buf + 8, sizeof(address));
	response = (uint8_t *)(uintptr_t)address;
	if (number == DESTROY_ID) {
		memcpy(response, &nr_reported, sizeof(nr_reported));
		return (ssize_t)count;
	}
	assert_int_equal(number, GET_EVENT);
	if (eventfd_read(fd, &ignored) != 0)
		return -1; /* EAGAIN */
	nr_reported++;
	memset(response, 0x5a, 336);
	memcpy(response, &kernel_uid, sizeof(kernel_uid));
	memcpy(response + 12, &event, sizeof(event));
	response[20 + 264] = private_data_len;
	return (ssize_t)count;
}

static_assert(CHANNEL_PRIVATE_LEN > UINT8_MAX,
	      "private data of any length fits into an event");

/* An id of the kernel has the address of its source as uid. */
static int read_kernel_event(int fd, struct channel_event **ret_event,
			     struct channel_source **ret_source)
{
	struct channel_event *event;
	struct rdma_conn_param param;
	struct ucm_event from;
	int ret = ucm_cmd_get_event(fd, &from);

	if (ret)
		return ret;
	if (!from.uid) {
		channel_source_discard(&source);
		return -EAGAIN;
	}
	event = channel_event_new();
	assert_non_null(event);
	param = ucm_event_conn(&from);
	memcpy(event->private_data, param.private_data, param.private_data_len);
	event->public.event = (enum rdma_cm_event_type)from.event;
	event->public.param.conn = param;
	event->public.param.conn.private_data = event->private_data;
	*ret_event = event;
	*ret_source = (struct channel_source *)(uintptr_t)from.uid;
	return 0;
}

static int setup_kernel_channel(void **state)
{
	nr_reported = 0;
	kernel_uid = (uintptr_t)&source;
	source = (struct channel_source){};
	kernel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (kernel_fd < 0 || event_channel_new(&channel) != 0)
		return -1;
	source.channel = channel;
	if (fcntl(channel->public.fd, F_SETFL, O_NONBLOCK) != 0)
		return -1;
	return channel_watch(channel, kernel_fd, read_kernel_event);
}

static int teardown_kernel_channel(void **state)
{
	int fd = kernel_fd;

	event_channel_free(channel);
	kernel_fd = -1;
	return close(fd);
}

static void raise_events(unsigned int nr)
{
	assert_int_equal(eventfd_write(kernel_fd, nr), 0);
}

static bool channel_is_readable(void)
{
	struct pollfd wait = { .fd = channel->public.fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1;
}

static void kernel_event_is_fetched_with_private_data(void **state)
{
	struct channel_event *event = NULL;
	const uint8_t *data;

	raise_events(1);
	assert_true(channel_is_readable());
	assert_int_equal(channel_fetch(channel, &event), 0);
	assert_false(channel_is_readable());
	assert_int_equal(event->public.event, RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(event->public.param.conn.private_data_len, 255);
	data = event->public.param.conn.private_data;
	assert_int_equal(data[254], 0x5a);
	channel_ack(event);
	assert_int_equal(channel_fetch(channel, &event), -EAGAIN);
}

static void kernel_id_destroy_waits_for_reported_events(void **state)
{
	struct channel_event *first = NULL, *second = NULL;
	uint32_t nr = 0;

	raise_events(2);
	assert_int_equal(channel_fetch(channel, &first), 0);
	assert_int_equal(channel_fetch(channel, &second), 0);
	channel_ack(second);
	channel_ack(first);
	assert_int_equal(ucm_cmd_destroy_id(kernel_fd, 1, &nr), 0);
	assert_int_equal(nr, 2);
	channel_source_wait(&source, nr);
}

static void kernel_event_without_uid_is_discarded(void **state)
{
	struct channel_event *event = NULL;
	uint32_t nr = 0;

	kernel_uid = 0;
	raise_events(1);
	assert_int_equal(channel_fetch(channel, &event), -EAGAIN);
	assert_int_equal(ucm_cmd_destroy_id(kernel_fd, 1, &nr), 0);
	channel_source_wait(&source, nr);
}

#define KERNEL_CHANNEL_TEST(name)                                   \
	cmocka_unit_test_setup_teardown(name, setup_kernel_channel, \
					teardown_kernel_channel)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_CHANNEL_TEST(kernel_event_is_fetched_with_private_data),
		KERNEL_CHANNEL_TEST(
			kernel_id_destroy_waits_for_reported_events),
		KERNEL_CHANNEL_TEST(kernel_event_without_uid_is_discarded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
