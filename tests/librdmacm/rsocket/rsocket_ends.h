/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stream sockets on a device of the loopback interface, both ends of which are
 * in the process of the test. Each function fails the test if it cannot
 * succeed.
 */
#ifndef LIBRDMACM_RSOCKET_ENDS_H
#define LIBRDMACM_RSOCKET_ENDS_H

#include <netinet/in.h>
#include <rdma/rsocket.h>

/* The port of the listener */
#define TEST_PORT 7471

struct pair {
	int client, server;
};

struct sockaddr_in loopback(uint16_t port);

int stream_new(void);
int listener_new(void);
/* The result of rconnect() to the listener */
int stream_connect(int fd);

/* A connection; 0 is the default of the buffers. */
struct pair pair_new_with(int buffer_len, int nr_iomaps);
struct pair pair_new(void);
void pair_close(struct pair pair);

void set_nonblocking(int fd);
/* The events that rpoll() returns for a socket */
short poll_events(int fd, short events, int timeout_ms);

#endif
