/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads each property from the kernel, and uses no statement of the other
 * process about a descriptor. Called by uroce_slots.c and uroce_slots_join.c.
 */
#include "uroce/udp/uroce_socket_check.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_slots.h"
#include "uroce/wire/uroce_packet.h"
#include "util/nocancel.h"

#ifndef SO_NETNS_COOKIE /* Linux 5.14 */
#define SO_NETNS_COOKIE 71
#endif

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

/* Return: value of an integer option of SOL_SOCKET, or -1. */
static int get_option(int fd, int option)
{
	int value;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) ? -1 : value;
}

/* Return: the cookie; 0 if the kernel does not have the option. */
static uint64_t get_cookie(int fd, int option)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	(void)getsockopt(fd, SOL_SOCKET, option, &cookie, &len);
	return cookie;
}

static bool is_bound_to_port(int fd)
{
	union address address = {};
	socklen_t len = sizeof(address);

	if (getsockname(fd, &address.any, &len))
		return false;
	switch (address.any.sa_family) {
	case AF_INET:
		return address.in.sin_port == htons(UROCE_UDP_PORT) &&
		       address.in.sin_addr.s_addr == htonl(INADDR_ANY);
	case AF_INET6:
		return address.in6.sin6_port == htons(UROCE_UDP_PORT) &&
		       IN6_IS_ADDR_UNSPECIFIED(&address.in6.sin6_addr);
	default:
		return false;
	}
}

/* A connected socket receives packets of one sender only. */
static bool is_connected(int fd)
{
	union address address;
	socklen_t len = sizeof(address);

	return getpeername(fd, &address.any, &len) == 0 || errno != ENOTCONN;
}

static bool is_receiver(int fd, uint64_t netns)
{
	return get_option(fd, SO_TYPE) == SOCK_DGRAM &&
	       get_option(fd, SO_PROTOCOL) == IPPROTO_UDP &&
	       get_option(fd, SO_REUSEPORT) == 1 && is_bound_to_port(fd) &&
	       !is_connected(fd) && get_cookie(fd, SO_NETNS_COOKIE) == netns;
}

static bool has_cookie(const uint64_t *cookies, uint32_t nr, uint64_t cookie)
{
	for (uint32_t i = 0; i < nr && cookie; i++)
		if (cookies[i] == cookie)
			return true;
	return false;
}

int uroce_socket_check_receivers(int own, const int *fds, uint32_t nr,
				 const int *known, uint32_t nr_known)
{
	uint64_t netns = get_cookie(own, SO_NETNS_COOKIE);
	uint64_t cookies[UROCE_NR_SLOTS];

	if (nr_known > UROCE_NR_SLOTS || nr > UROCE_NR_SLOTS - nr_known)
		return -EPROTO;
	for (uint32_t i = 0; i < nr_known; i++)
		cookies[i] = get_cookie(known[i], SO_COOKIE);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t cookie = get_cookie(fds[i], SO_COOKIE);

		if (!is_receiver(fds[i], netns) ||
		    has_cookie(cookies, nr_known + i, cookie))
			return -EPROTO;
		cookies[nr_known + i] = cookie;
	}
	return 0;
}

/* Counts how often @text is in a file; -errno if it cannot be read. */
static int count_in(const char *path, const char *text)
{
	const size_t len = strlen(text);
	char chunk[4096];
	size_t kept = 0; /* the end of the last chunk: @text may begin there */
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int nr = 0;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, chunk + kept, sizeof(chunk) - 1 - kept)) > 0) {
		const char *pos = chunk, *found;
		size_t left;

		chunk[kept + (size_t)got] = '\0';
		for (; (found = strstr(pos, text)); pos = found + len)
			nr++;
		left = strlen(pos);
		kept = left < len - 1 ? left : len - 1;
		memmove(chunk, pos + left - kept, kept);
	}
	if (got < 0)
		nr = -errno;
	(void)close(fd);
	return nr;
}

int uroce_socket_count(void)
{
	char local[64];
	int nr, nr_ipv6;

	(void)snprintf(local, sizeof(local), " %08X:%04X ", 0, UROCE_UDP_PORT);
	nr = count_in("/proc/thread-self/net/udp", local);
	(void)snprintf(local, sizeof(local), " %032X:%04X ", 0, UROCE_UDP_PORT);
	nr_ipv6 = count_in("/proc/thread-self/net/udp6", local);
	if (nr_ipv6 == -ENOENT) /* a kernel without IPv6 */
		nr_ipv6 = 0;
	if (nr < 0)
		return nr;
	return nr_ipv6 < 0 ? nr_ipv6 : nr + nr_ipv6;
}
