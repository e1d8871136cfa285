/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * squat bind|listen|full NAME... - takes names of abstract unix sockets.
 * squat udp - takes UDP port 4791.
 * squat ask - requests the sockets of port 4791 from other processes.
 *
 * The first two run until they are killed. "uroce." is put before each NAME;
 * the socket listens, or its backlog is full, or it only has the name. "ask"
 * connects to each name in /proc/net/unix that begins with "uroce.", and fails
 * if it receives a descriptor.
 */
#include "peer.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/un.h>

#define UDP_PORT 4791
#define MAGIC	 0x75726f32 /* of a message between members of a port group */
#define GIVE	 0	    /* the kind of message that requests all sockets */
#define ASK_MS	 300
#define MAX_FDS	 250

static socklen_t make_address(const char *name, struct sockaddr_un *ret_addr)
{
	int len;

	*ret_addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(ret_addr->sun_path + 1, sizeof(ret_addr->sun_path) - 1,
		       "uroce.%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)len);
}

/* Fills the backlog of a socket that listens. */
static void fill_backlog(const struct sockaddr_un *addr, socklen_t len)
{
	int fd, ret;

	do {
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		NEED(fd >= 0);
		ret = connect(fd, (const struct sockaddr *)addr, len);
	} while (ret == 0);
	NEED(errno == EAGAIN);
	(void)close(fd);
}

static void take_name(const char *name, const char *mode)
{
	const char *end = strrchr(name, '.');
	bool inbox = end && strcmp(end, ".in") == 0;
	bool full = strcmp(mode, "full") == 0;
	struct sockaddr_un addr;
	socklen_t len = make_address(name, &addr);
	int fd = socket(AF_UNIX, inbox ? SOCK_DGRAM : SOCK_SEQPACKET, 0);

	NEED(fd >= 0 && bind(fd, (struct sockaddr *)&addr, len) == 0);
	if (inbox || strcmp(mode, "bind") == 0)
		return;
	NEED(listen(fd, full ? 0 : 128) == 0);
	if (full)
		fill_backlog(&addr, len);
}

static void take_port(void)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(UDP_PORT) };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	NEED(fd >= 0 &&
	     bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0);
}

/* Receives messages until the other side closes, or ASK_MS without one. */
static uint32_t count_descriptors(int fd)
{
	char data[4096], control[CMSG_SPACE(MAX_FDS * sizeof(int))];
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	const struct cmsghdr *cmsg;
	uint32_t nr = 0;

	for (;;) {
		struct msghdr msg = { .msg_iov = &iov,
				      .msg_iovlen = 1,
				      .msg_control = control,
				      .msg_controllen = sizeof(control) };

		if (recvmsg(fd, &msg, 0) <= 0)
			return nr;
		cmsg = CMSG_FIRSTHDR(&msg);
		if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
			nr += (uint32_t)((cmsg->cmsg_len - CMSG_LEN(0)) /
					 sizeof(int));
	}
}

/* Returns whether the connection was made. */
static bool ask_socket(const char *name, uint32_t *nr_fds)
{
	const uint32_t message[] = { MAGIC, GIVE, 0 };
	const struct timeval time = { .tv_usec = ASK_MS * 1000 };
	struct sockaddr_un addr;
	socklen_t len = make_address(name, &addr);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	bool connected;

	NEED(fd >= 0);
	NEED(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	NEED(!setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)));
	connected = connect(fd, (struct sockaddr *)&addr, len) == 0;
	if (connected) {
		(void)!send(fd, message, sizeof(message), MSG_NOSIGNAL);
		*nr_fds += count_descriptors(fd);
	}
	(void)close(fd);
	return connected;
}

static int ask_all(void)
{
	FILE *list = fopen("/proc/net/unix", "r");
	uint32_t nr_names = 0, nr_connections = 0, nr_fds = 0;
	char line[256];

	NEED(list);
	while (fgets(line, sizeof(line), list)) {
		const char *name = strstr(line, " @uroce.");

		if (!name)
			continue;
		line[strcspn(line, "\n")] = '\0';
		nr_names++;
		nr_connections +=
			ask_socket(name + strlen(" @uroce."), &nr_fds);
	}
	(void)fclose(list);
	printf("%u names, %u connections: %u descriptors\n", nr_names,
	       nr_connections, nr_fds);
	NEED(nr_names > 0);
	return nr_fds != 0;
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	NEED(argc > 1);
	if (strcmp(argv[1], "ask") == 0)
		return ask_all();
	NEED(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	NEED(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (strcmp(argv[1], "udp") == 0)
		take_port();
	for (int i = 2; i < argc; i++)
		take_name(argv[i], argv[1]);
	(void)puts("ready");
	(void)fflush(stdout);
	for (;;)
		(void)pause();
}
