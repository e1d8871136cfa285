/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets and connections of tests. */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

int stream_new(void)
{
	int fd = rsocket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		fail_msg("rsocket: %s", strerror(errno));
	return fd;
}

int listener_new(void)
{
	struct sockaddr_in address = loopback(TEST_PORT);
	int fd = stream_new();

	assert_int_equal(
		rbind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(rlisten(fd, 8), 0);
	return fd;
}

int stream_connect(int fd)
{
	struct sockaddr_in address = loopback(TEST_PORT);

	return rconnect(fd, (struct sockaddr *)&address, sizeof(address));
}

struct pair pair_new_with(int buffer_len, int nr_iomaps)
{
	int listener = stream_new();
	struct sockaddr_in address = loopback(TEST_PORT);
	struct pair pair = { .client = stream_new() };
	int fds[2] = { listener, pair.client };

	for (int i = 0; i < 2; i++) {
		if (buffer_len) {
			assert_int_equal(rsetsockopt(fds[i], SOL_SOCKET,
						     SO_RCVBUF, &buffer_len,
						     sizeof(buffer_len)),
					 0);
			assert_int_equal(rsetsockopt(fds[i], SOL_SOCKET,
						     SO_SNDBUF, &buffer_len,
						     sizeof(buffer_len)),
					 0);
		}
		assert_int_equal(rsetsockopt(fds[i], SOL_RDMA, RDMA_IOMAPSIZE,
					     &nr_iomaps, sizeof(nr_iomaps)),
				 0);
	}
	assert_int_equal(
		rbind(listener, (struct sockaddr *)&address, sizeof(address)),
		0);
	assert_int_equal(rlisten(listener, 8), 0);
	assert_int_equal(stream_connect(pair.client), 0);
	pair.server = raccept(listener, NULL, NULL);
	assert_true(pair.server >= 0);
	assert_int_equal(rclose(listener), 0);
	return pair;
}

struct pair pair_new(void)
{
	return pair_new_with(0, 0);
}

/* Both ends at the same time, since each waits for the other. */
static void *close_run(void *arg)
{
	(void)rclose((int)(intptr_t)arg);
	return NULL;
}

void pair_close(struct pair pair)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, close_run,
					(void *)(intptr_t)pair.client),
			 0);
	assert_int_equal(rclose(pair.server), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

void set_nonblocking(int fd)
{
	assert_int_equal(rfcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

short poll_events(int fd, short events, int timeout_ms)
{
	struct pollfd fds = { .fd = fd, .events = events };

	assert_true(rpoll(&fds, 1, timeout_ms) >= 0);
	return fds.revents;
}
