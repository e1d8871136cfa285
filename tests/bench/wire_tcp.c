/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A competitor: a program that spins on TCP sockets. */
#include "wire_rig.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 47923

static int accept_one(const struct wire_end *end,
		      const struct sockaddr_in *server)
{
	int type = SOCK_STREAM | SOCK_CLOEXEC, on = 1, fd;
	int listener = wire_must(end, socket(AF_INET, type, 0), "TCP socket");

	(void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	wire_must(end,
		  bind(listener, (const struct sockaddr *)server,
		       sizeof(*server)),
		  "TCP bind");
	wire_must(end, listen(listener, 1), "TCP listen");
	wire_meet(end);
	fd = wire_must(end, accept4(listener, NULL, NULL, SOCK_CLOEXEC),
		       "TCP accept");
	(void)close(listener);
	return fd;
}

static int open_socket(const struct wire_end *end)
{
	struct sockaddr_in server = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr = end->ip[0],
	};
	int type = SOCK_STREAM | SOCK_CLOEXEC, on = 1, fd;

	if (!end->client) {
		fd = accept_one(end, &server);
	} else {
		fd = wire_must(end, socket(AF_INET, type, 0), "TCP socket");
		wire_meet(end);
		wire_must(
			end,
			connect(fd, (struct sockaddr *)&server, sizeof(server)),
			"TCP connect");
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	wire_meet(end);
	return fd;
}

static void receive_all(const struct wire_end *end, int fd, char *bytes,
			size_t len)
{
	uint64_t since_ns = wire_now_ns();
	unsigned int spins = 0;

	while (len) {
		ssize_t got = recv(fd, bytes, len, MSG_DONTWAIT);

		if (got > 0) {
			bytes += got;
			len -= (size_t)got;
		} else if (got == 0 || errno != EAGAIN) {
			wire_die(end, "TCP recv");
		} else {
			wire_check_time(end, since_ns, "TCP");
			wire_spin(&spins);
		}
	}
}

static void send_all(const struct wire_end *end, int fd, const char *bytes,
		     size_t len)
{
	while (len) {
		ssize_t sent = send(fd, bytes, len, 0);

		wire_must(end, (int)sent, "TCP send");
		bytes += sent;
		len -= (size_t)sent;
	}
}

double wire_tcp_latency(struct wire_end *end, uint32_t bytes, unsigned int nr)
{
	static char buffer[WIRE_MESSAGE];
	int fd = open_socket(end);

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t start_ns = wire_now_ns();

		if (!end->client)
			receive_all(end, fd, buffer, bytes);
		send_all(end, fd, buffer, bytes);
		if (end->client)
			receive_all(end, fd, buffer, bytes);
		end->trip_us[i] = (double)(wire_now_ns() - start_ns) / 2e3;
	}
	wire_meet(end);
	(void)close(fd);
	return wire_median(end->trip_us, nr);
}

double wire_tcp_rate(struct wire_end *end, uint32_t bytes, unsigned int nr)
{
	static char buffer[WIRE_MESSAGE];
	int fd = open_socket(end);
	uint64_t start_ns = wire_now_ns();

	for (unsigned int i = 0; i < nr; i++)
		if (end->client)
			send_all(end, fd, buffer, bytes);
		else
			wire_must(end,
				  (int)recv(fd, buffer, bytes, MSG_WAITALL),
				  "TCP recv");
	/* until the last byte has arrived */
	if (end->client)
		receive_all(end, fd, buffer, 1);
	else
		send_all(end, fd, buffer, 1);
	start_ns = wire_now_ns() - start_ns;
	wire_meet(end);
	(void)close(fd);
	return (double)nr * bytes / (double)start_ns;
}
