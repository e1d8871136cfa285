// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP connections of the pingpongs: see tool_tcp.h. A server accepts clients
 * over IPv6 and IPv4. A client tries each address of the host name.
 */
#include "tools/tool_tcp.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns a listening socket of one address family, or -errno. */
static int tool_tcp_listen_family(int family, uint16_t port)
{
	const struct sockaddr_in6 six = { .sin6_family = AF_INET6,
					  .sin6_addr = IN6ADDR_ANY_INIT,
					  .sin6_port = htons(port) };
	const struct sockaddr_in four = { .sin_family = AF_INET,
					  .sin_addr.s_addr = INADDR_ANY,
					  .sin_port = htons(port) };
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1, off = 0;
	int ret;

	if (fd < 0)
		return -errno;
	/*
	 * allow reuse of a port in TIME_WAIT; if this fails, bind() reports it
	 */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET6) {
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off,
				 sizeof(off));
		ret = bind(fd, (const struct sockaddr *)&six, sizeof(six));
	} else {
		ret = bind(fd, (const struct sockaddr *)&four, sizeof(four));
	}
	if (ret == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

int tool_tcp_listen(uint16_t port)
{
	int fd = tool_tcp_listen_family(AF_INET6, port);

	if (fd < 0 && fd != -EADDRINUSE)
		fd = tool_tcp_listen_family(AF_INET, port);
	if (fd < 0)
		fprintf(stderr, "Couldn't listen to port %u: %s\n", port,
			strerror(-fd));
	return fd;
}

int tool_tcp_accept(int listener)
{
	int fd;

	do
		fd = accept(listener, NULL, NULL);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0)
		return fd;
	fd = -errno;
	fprintf(stderr, "accept() failed: %s\n", strerror(-fd));
	return fd;
}

/*
 * Connects to the first reachable address. Returns the socket, or -errno of the
 * last attempt.
 */
static int tool_tcp_connect_any(const struct addrinfo *address)
{
	int ret = -EADDRNOTAVAIL;

	for (; address; address = address->ai_next) {
		int fd = socket(address->ai_family,
				address->ai_socktype | SOCK_CLOEXEC,
				address->ai_protocol);

		if (fd < 0) {
			ret = -errno;
			continue;
		}
		if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
			return fd;
		ret = -errno;
		close(fd);
	}
	return ret;
}

int tool_tcp_connect(const char *host, uint16_t port)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *addresses;
	char service[8];
	int ret;

	snprintf(service, sizeof(service), "%u", port);
	ret = getaddrinfo(host, service, &hints, &addresses);
	if (ret) {
		fprintf(stderr, "%s for %s:%u\n", gai_strerror(ret), host,
			port);
		return -EADDRNOTAVAIL;
	}
	ret = tool_tcp_connect_any(addresses);
	freeaddrinfo(addresses);
	if (ret < 0)
		fprintf(stderr, "Couldn't connect to %s:%u: %s\n", host, port,
			strerror(-ret));
	return ret;
}

void tool_tcp_close(int fd)
{
	close(fd);
}

int tool_tcp_send(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t count = send(fd, at, size, MSG_NOSIGNAL);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		at += count;
		size -= count;
	}
	return 0;
}

int tool_tcp_receive(int fd, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t count = recv(fd, at, size, 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			return -ECONNRESET;
		at += count;
		size -= count;
	}
	return 0;
}

void tool_gid_format(const union ibv_gid *gid, char *text)
{
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", gid->raw[i]);
}

int tool_gid_parse(const char *text, union ibv_gid *ret_gid)
{
	union ibv_gid gid;

	for (int i = 0; i < 16; i++) {
		unsigned int byte;

		if (!isxdigit((unsigned char)text[2 * i]) ||
		    !isxdigit((unsigned char)text[2 * i + 1]) ||
		    sscanf(text + 2 * i, "%2x", &byte) != 1)
			return -EINVAL;
		gid.raw[i] = byte;
	}
	if (text[TOOL_GID_DIGITS] != '\0')
		return -EINVAL;
	*ret_gid = gid;
	return 0;
}
