/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data on stream sockets, through the shared library. */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STREAM_LEN (3 << 20)

static uint8_t pattern_byte(size_t index)
{
	return (uint8_t)(index * 5 + index / 251);
}

static void *failed_step(const char *name)
{
	return (void *)(uintptr_t)name;
}

/* Sends the pattern in parts of growing length; NULL: success */
static void *pattern_send(void *arg)
{
	int fd = (int)(intptr_t)arg;
	uint8_t *bytes = malloc(STREAM_LEN);
	size_t sent = 0, part = 1;

	for (size_t i = 0; i < STREAM_LEN; i++)
		bytes[i] = pattern_byte(i);
	while (sent < STREAM_LEN) {
		size_t len = part < STREAM_LEN - sent ? part
						      : STREAM_LEN - sent;

		if (rsend(fd, bytes + sent, len, 0) != (ssize_t)len) {
			free(bytes);
			return failed_step("rsend");
		}
		sent += len;
		part = part * 2 + 1;
		if (part > 300000)
			part = 1;
	}
	free(bytes);
	return NULL;
}

static void *pattern_receive(void *arg)
{
	int fd = (int)(intptr_t)arg;
	size_t received = 0, part = 7;
	uint8_t bytes[10007];

	while (received < STREAM_LEN) {
		ssize_t len = rrecv(fd, bytes, part, 0);

		if (len <= 0)
			return failed_step("rrecv");
		for (ssize_t i = 0; i < len; i++) {
			if (bytes[i] != pattern_byte(received + (size_t)i))
				return failed_step("data");
		}
		received += (size_t)len;
		part = part * 3 % sizeof(bytes) + 1;
	}
	return NULL;
}

static void stream_exchange(struct pair pair)
{
	void *(*const runs[])(void *) = { pattern_send, pattern_send,
					  pattern_receive, pattern_receive };
	int fds[] = { pair.client, pair.server, pair.client, pair.server };
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, runs[i],
						(void *)(intptr_t)fds[i]),
				 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		if (failed)
			fail_msg("%s", (const char *)failed);
	}
}

static void stream_in_both_directions_keeps_bytes(void **state)
{
	struct pair pair = pair_new();

	stream_exchange(pair);
	pair_close(pair);
}

static void stream_with_small_buffers_keeps_bytes(void **state)
{
	struct pair pair = pair_new_with(2048, 0);

	stream_exchange(pair);
	pair_close(pair);
}

static void rsendmsg_of_vector_arrives_in_vector(void **state)
{
	struct pair pair = pair_new();
	char left[6] = "hello ", right[5] = "world", a[3], b[8];
	struct iovec from[] = { { left, sizeof(left) },
				{ NULL, 0 },
				{ right, sizeof(right) } };
	struct iovec to[] = { { a, sizeof(a) }, { b, sizeof(b) } };
	struct msghdr msg = { .msg_iov = from, .msg_iovlen = 3 };

	assert_int_equal(rsendmsg(pair.client, &msg, 0), 11);
	msg = (struct msghdr){ .msg_iov = to, .msg_iovlen = 2 };
	assert_int_equal(rrecvmsg(pair.server, &msg, MSG_WAITALL), 11);
	assert_memory_equal(a, left, 3);
	assert_memory_equal(b, "lo world", 8);
	assert_int_equal(rwritev(pair.server, from, 3), 11);
	assert_int_equal(rreadv(pair.client, to, 2), 11);
	errno = 0;
	assert_int_equal(rsendto(pair.client, a, 1, 0, (struct sockaddr *)&from,
				 sizeof(from)),
			 -1);
	assert_int_equal(errno, EISCONN);
	pair_close(pair);
}

static void rrecv_with_peek_leaves_data(void **state)
{
	struct pair pair = pair_new();
	char bytes[4] = "";

	assert_int_equal(rsend(pair.client, "abc", 3, 0), 3);
	assert_int_equal(rrecv(pair.server, bytes, 4, MSG_PEEK), 3);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(rrecv(pair.server, bytes, 2, 0), 2);
	assert_memory_equal(bytes, "ab", 2);
	assert_int_equal(rrecv(pair.server, bytes, 4, MSG_DONTWAIT), 1);
	errno = 0;
	assert_int_equal(rrecv(pair.server, bytes, 4, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	pair_close(pair);
}

static void rsend_nonblocking_stops_until_peer_receives(void **state)
{
	struct pair pair = pair_new();
	static uint8_t bytes[65536];
	size_t sent = 0;
	ssize_t len;

	set_nonblocking(pair.client);
	/* The peer grants the second half of its buffer in a message. */
	while (sent < 131072) {
		assert_int_equal(poll_events(pair.client, POLLOUT, 20000),
				 POLLOUT);
		len = rsend(pair.client, bytes, sizeof(bytes), 0);
		assert_true(len > 0);
		sent += (size_t)len;
	}
	while ((len = rsend(pair.client, bytes, sizeof(bytes), 0)) > 0)
		sent += (size_t)len;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(poll_events(pair.client, POLLOUT, 0), 0);
	while (sent) {
		len = rrecv(pair.server, bytes, sizeof(bytes), 0);
		assert_true(len > 0);
		sent -= (size_t)len;
	}
	assert_int_equal(poll_events(pair.client, POLLOUT, 20000), POLLOUT);
	pair_close(pair);
}

static void rshutdown_of_writing_leaves_reading(void **state)
{
	struct pair pair = pair_new();
	char byte = 0;

	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(rshutdown(pair.client, SHUT_WR), 0);
	errno = 0;
	assert_int_equal(rsend(pair.client, "y", 1, 0), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 1);
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 0);
	assert_int_equal(rsend(pair.server, "z", 1, 0), 1);
	assert_int_equal(rrecv(pair.client, &byte, 1, 0), 1);
	assert_int_equal(byte, 'z');
	pair_close(pair);
}

static void rclose_of_peer_ends_stream_after_data(void **state)
{
	struct pair pair = pair_new();
	char byte = 0;

	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(rclose(pair.client), 0);
	assert_int_equal(poll_events(pair.server, POLLIN, 20000), POLLIN);
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 0);
	assert_true(poll_events(pair.server, POLLIN, 0) & POLLHUP);
	errno = 0;
	assert_int_equal(rsend(pair.server, "y", 1, 0), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(rclose(pair.server), 0);
}

static void *blocked_receive(void *arg)
{
	char byte;
	ssize_t len = rrecv((int)(intptr_t)arg, &byte, 1, 0);

	return len == -1 && errno == EBADF ? NULL : failed_step("rrecv");
}

static void rclose_wakes_thread_that_receives(void **state)
{
	struct pair pair = pair_new();
	pthread_t thread;
	void *failed;

	assert_int_equal(pthread_create(&thread, NULL, blocked_receive,
					(void *)(intptr_t)pair.client),
			 0);
	assert_int_equal(rclose(pair.client), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(rclose(pair.server), 0);
}

static void rpoll_of_socket_and_pipe_reports_both(void **state)
{
	struct pair pair = pair_new();
	struct pollfd fds[2];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fds[0] = (struct pollfd){ .fd = pair.server, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	assert_int_equal(rpoll(fds, 2, 0), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(rpoll(fds, 2, -1), 1);
	assert_int_equal(fds[1].revents, POLLIN);
	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	while (rpoll(fds, 2, -1) != 2)
		;
	assert_int_equal(fds[0].revents, POLLIN);
	(void)close(ends[0]);
	(void)close(ends[1]);
	pair_close(pair);
}

static void rselect_counts_each_bit(void **state)
{
	struct pair pair = pair_new();
	struct timeval timeout = { .tv_sec = 20 };
	fd_set read_fds, write_fds;

	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(poll_events(pair.server, POLLIN, 20000), POLLIN);
	FD_ZERO(&read_fds);
	FD_ZERO(&write_fds);
	FD_SET(pair.server, &read_fds);
	FD_SET(pair.server, &write_fds);
	FD_SET(pair.client, &read_fds);
	assert_int_equal(
		rselect(FD_SETSIZE, &read_fds, &write_fds, NULL, &timeout), 2);
	assert_true(FD_ISSET(pair.server, &read_fds));
	assert_true(FD_ISSET(pair.server, &write_fds));
	assert_false(FD_ISSET(pair.client, &read_fds));
	pair_close(pair);
}

static void riowrite_to_mapped_memory_arrives(void **state)
{
	struct pair pair = pair_new_with(0, 2);
	static uint8_t memory[8192], bytes[8192];
	char byte;

	memset(memory, 0, sizeof(memory));
	memset(bytes, 0xa5, sizeof(bytes));
	/* Nothing is mapped yet. */
	assert_int_equal(riowrite(pair.client, bytes, 10, 0, 0), 0);
	assert_int_equal(riomap(pair.server, memory, 6000, PROT_WRITE, 0, 100),
			 100);
	/* The entry comes before the data. */
	assert_int_equal(rsend(pair.server, "x", 1, 0), 1);
	assert_int_equal(rrecv(pair.client, &byte, 1, 0), 1);
	assert_int_equal(riowrite(pair.client, bytes, 20, 110, 0), 20);
	assert_int_equal(riowrite(pair.client, bytes, 8192, 1100, 0), 5000);
	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 1);
	assert_int_equal(memory[9], 0);
	assert_int_equal(memory[10], 0xa5);
	assert_int_equal(memory[29], 0xa5);
	assert_int_equal(memory[30], 0);
	assert_int_equal(memory[999], 0);
	assert_memory_equal(&memory[1000], bytes, 5000);
	assert_int_equal(memory[6000], 0);
	pair_close(pair);
}

static void riounmap_ends_writing_of_peer(void **state)
{
	struct pair pair = pair_new_with(0, 1);
	static uint8_t memory[4096];
	char byte;

	assert_int_equal(riomap(pair.server, memory, 4096, PROT_WRITE, 0, 0),
			 0);
	errno = 0;
	assert_int_equal(riomap(pair.server, memory, 4096, PROT_WRITE, 0, 0),
			 -1);
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_int_equal(riounmap(pair.server, memory, 4095), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(riounmap(pair.server, memory, 4096), 0);
	assert_int_equal(rsend(pair.server, "x", 1, 0), 1);
	assert_int_equal(rrecv(pair.client, &byte, 1, 0), 1);
	assert_int_equal(riowrite(pair.client, &byte, 1, 0, 0), 0);
	assert_int_equal(riomap(pair.server, memory, 4096, PROT_WRITE, 0, -1),
			 (intptr_t)memory);
	pair_close(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stream_in_both_directions_keeps_bytes),
		cmocka_unit_test(stream_with_small_buffers_keeps_bytes),
		cmocka_unit_test(rsendmsg_of_vector_arrives_in_vector),
		cmocka_unit_test(rrecv_with_peek_leaves_data),
		cmocka_unit_test(rsend_nonblocking_stops_until_peer_receives),
		cmocka_unit_test(rshutdown_of_writing_leaves_reading),
		cmocka_unit_test(rclose_of_peer_ends_stream_after_data),
		cmocka_unit_test(rclose_wakes_thread_that_receives),
		cmocka_unit_test(rpoll_of_socket_and_pipe_reports_both),
		cmocka_unit_test(rselect_counts_each_bit),
		cmocka_unit_test(riowrite_to_mapped_memory_arrives),
		cmocka_unit_test(riounmap_ends_writing_of_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
