/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of tests of librspreload.so. */
#ifndef LIBRDMACM_PRELOAD_CONNECTION_H
#define LIBRDMACM_PRELOAD_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Both ends, which are rsockets */
struct connection {
	int client, server;
};

/* An rsocket has a descriptor of /dev/null. */
bool is_rsocket(int fd);

/* An rsocket that listens at the address of all tests */
int test_listen(void);
/* connect() to this address */
int test_connect(int fd);

struct connection connection_new(void);
void connection_close(struct connection connection);

/* Adds a descriptor to an epoll set, with 1000 more than it as data. */
void epoll_add(int set, int fd, uint32_t events);

#endif
