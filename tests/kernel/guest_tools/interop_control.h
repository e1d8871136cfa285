/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the programs that run the same checks as another process: a TCP
 * connection to it, barriers, and results. Included by interop_end.h and
 * interop_cm_end.h.
 */
#ifndef INTEROP_CONTROL_H
#define INTEROP_CONTROL_H

#include "check_need.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static bool other_has_ended;
static int control = -1; /* socket to the other end */

static inline bool send_to_other(const void *data, size_t len)
{
	NEED(send(control, data, len, MSG_NOSIGNAL) == (ssize_t)len);
	return true;
}

static inline bool receive_from_other(void *data, size_t len)
{
	NEED(recv(control, data, len, MSG_WAITALL) == (ssize_t)len);
	return true;
}

/* Barrier of both ends; fails if the other end has failed. */
static inline bool wait_for_other(void)
{
	char word = 'm';

	if (!send_to_other(&word, 1) || !receive_from_other(&word, 1))
		return false;
	other_has_ended = word != 'm';
	if (other_has_ended)
		FAIL("the other end has failed");
	return true;
}

/* The end of a check. Return: whether it passed at both ends. */
static inline bool both_passed(bool ok)
{
	char word = ok ? 'y' : 'n';

	if (!send_to_other(&word, 1))
		return false;
	if (other_has_ended)
		return false;
	do {
		if (!receive_from_other(&word, 1))
			return false;
	} while (word == 'm');
	if (ok && word != 'y')
		FAIL("the other end has failed");
	return ok;
}

static inline uint8_t pattern(uint32_t seed, uint32_t at)
{
	return (uint8_t)(seed * 37 + at * 7 + at / 251);
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* @to: NULL: wait for the other end */
static inline bool find_other_end(int port, const char *to)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	NEED(fd >= 0);
	if (to) {
		NEED(inet_pton(AF_INET, to, &addr.sin_addr) == 1);
		NEED(connect(fd, (void *)&addr, sizeof(addr)) == 0);
		control = fd;
		return true;
	}
	NEED(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
	NEED(bind(fd, (void *)&addr, sizeof(addr)) == 0);
	NEED(listen(fd, 1) == 0);
	NEED((control = accept(fd, NULL, NULL)) >= 0);
	close(fd);
	return true;
}

#endif
