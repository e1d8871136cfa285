/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of tests of librspreload.so; the loopback device has both ends.
 */
#include "librdmacm/preload/preload_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define TEST_PORT 7480

bool is_rsocket(int fd)
{
	char path[32], target[32];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target));
	return len == 9 && memcmp(target, "/dev/null", 9) == 0;
}

static struct sockaddr_in test_address(void)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(TEST_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

int test_listen(void)
{
	struct sockaddr_in address = test_address();
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(is_rsocket(fd));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

int test_connect(int fd)
{
	struct sockaddr_in address = test_address();

	return connect(fd, (struct sockaddr *)&address, sizeof(address));
}

struct connection connection_new(void)
{
	int listener = test_listen();
	struct connection connection = {
		.client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	};

	assert_int_equal(test_connect(connection.client), 0);
	connection.server = accept(listener, NULL, NULL);
	assert_true(is_rsocket(connection.server));
	assert_int_equal(close(listener), 0);
	return connection;
}

static void *close_run(void *arg)
{
	(void)close((int)(intptr_t)arg);
	return NULL;
}

/* Both ends at the same time, since each waits for the other. */
void connection_close(struct connection connection)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, close_run,
					(void *)(intptr_t)connection.client),
			 0);
	assert_int_equal(close(connection.server), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

void epoll_add(int set, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events,
				     .data.u64 = 1000u + (unsigned int)fd };

	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
}
