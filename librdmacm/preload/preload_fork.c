/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The passive side listens as an rsocket on the port of the TCP connection and
 * then sends 4 zero bytes by TCP; the active side waits for them and connects
 * to the same address. Other bytes mean that the peer uses TCP. Processes of
 * one port listen in turn: a lock of a file orders them, which the kernel
 * releases when a process ends.
 */
#include "preload/preload_fork.h"

#include "preload/preload_libc.h"
#include "preload/preload_make.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <rdma/rsocket.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>

#define FORK_LOCK_NAME_LEN 32

/* More than the CM needs to repeat a message */
#define FORK_ACCEPT_MS 30000

/* IPv4-mapped addresses of sockets for both versions become those of IPv4. */
static void address_unmap(struct sockaddr_storage *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6;

	if (address->ss_family != AF_INET6)
		return;
	memcpy(&in6, address, sizeof(in6));
	if (!IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
		return;
	in.sin_port = in6.sin6_port;
	memcpy(&in.sin_addr, &in6.sin6_addr.s6_addr[12], sizeof(in.sin_addr));
	memset(address, 0, sizeof(*address));
	memcpy(address, &in, sizeof(in));
}

static int fork_address(int fd, bool is_peer, struct sockaddr_storage *address)
{
	const struct preload_libc *libc = preload_libc_get();
	socklen_t len = sizeof(*address);
	int ret;

	ret = is_peer ? libc->getpeername(fd, (struct sockaddr *)address, &len)
		      : libc->getsockname(fd, (struct sockaddr *)address, &len);
	if (ret == 0)
		address_unmap(address);
	return ret;
}

static unsigned int fork_port(const struct sockaddr_storage *address)
{
	struct sockaddr_in in;

	/* At the same place in addresses of IPv6 */
	memcpy(&in, address, sizeof(in));
	return ntohs(in.sin_port);
}

/* Returns a descriptor to close, or -1; the port is then used without a lock.
 */
static int fork_lock(const struct sockaddr_storage *address)
{
	char name[FORK_LOCK_NAME_LEN];
	int fd;

	(void)snprintf(name, sizeof(name), "/rsocket_fork.%u",
		       fork_port(address));
	fd = shm_open(name, O_RDONLY, 0);
	if (fd < 0)
		fd = shm_open(name, O_RDONLY | O_CREAT, 0444);
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		;
	return fd;
}

static bool is_same_host(const struct sockaddr_storage *left,
			 const struct sockaddr_storage *right)
{
	struct sockaddr_in6 left6, right6;
	struct sockaddr_in left4, right4;

	if (left->ss_family != right->ss_family)
		return false;
	memcpy(&left4, left, sizeof(left4));
	memcpy(&right4, right, sizeof(right4));
	if (left->ss_family == AF_INET)
		return left4.sin_addr.s_addr == right4.sin_addr.s_addr;
	memcpy(&left6, left, sizeof(left6));
	memcpy(&right6, right, sizeof(right6));
	return memcmp(&left6.sin6_addr, &right6.sin6_addr,
		      sizeof(left6.sin6_addr)) == 0;
}

static int fork_listen(const struct sockaddr_storage *address)
{
	int listener = preload_make_rsocket(address->ss_family, SOCK_STREAM, 0);
	int on = 1;

	if (listener < 0)
		return -1;
	(void)rsetsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (rbind(listener, (const struct sockaddr *)address,
		  sizeof(*address)) == 0 &&
	    rlisten(listener, 1) == 0)
		return listener;
	(void)rclose(listener);
	return -1;
}

/* Whether the TCP peer has sent data, so it does not connect by an rsocket. */
static bool peer_uses_tcp(int fd)
{
	uint8_t byte;

	return preload_libc_get()->recvfrom(
		       fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) > 0;
}

/*
 * Waits for the connection of the TCP peer; -1 if that gives up. The peer may
 * close the TCP connection before the last message of the CM arrives here.
 */
static int fork_accept(int fd, int listener,
		       const struct sockaddr_storage *peer)
{
	struct pollfd fds[2] = { { .fd = listener, .events = POLLIN },
				 { .fd = fd, .events = POLLIN } };
	int timeout_ms = -1, nr, rsocket;
	struct sockaddr_storage from;
	socklen_t len;

	for (;;) {
		nr = rpoll(fds, 2, timeout_ms);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return -1;
		if (!fds[0].revents) {
			if (peer_uses_tcp(fd))
				return -1;
			fds[1].fd = -1;
			timeout_ms = FORK_ACCEPT_MS;
			continue;
		}
		len = sizeof(from);
		rsocket = raccept(listener, (struct sockaddr *)&from, &len);
		if (rsocket < 0 || is_same_host(&from, peer))
			return rsocket;
		(void)rclose(rsocket);
	}
}

static int fork_convert_passive(int fd)
{
	struct sockaddr_storage address, peer;
	int lock, listener, rsocket = -1;
	uint32_t zero = 0;

	if (fork_address(fd, true, &peer) != 0 ||
	    fork_address(fd, false, &address) != 0)
		return -1;
	lock = fork_lock(&address);
	listener = fork_listen(&address);
	if (listener >= 0 &&
	    preload_libc_get()->sendto(fd, &zero, sizeof(zero), MSG_NOSIGNAL,
				       NULL, 0) == sizeof(zero))
		rsocket = fork_accept(fd, listener, &peer);
	if (listener >= 0)
		(void)rclose(listener);
	if (lock >= 0)
		(void)preload_libc_get()->close(lock);
	return rsocket;
}

/* Whether the passive side listens as an rsocket */
static bool fork_peer_is_ready(int fd)
{
	const struct preload_libc *libc = preload_libc_get();
	struct pollfd fds = { .fd = fd, .events = POLLIN };
	uint32_t word = 1;

	while (libc->poll(&fds, 1, -1) < 0) {
		if (errno != EINTR)
			return false;
	}
	return libc->recvfrom(fd, &word, sizeof(word), MSG_PEEK | MSG_WAITALL,
			      NULL, NULL) == sizeof(word) &&
	       word == 0;
}

static int fork_convert_active(int fd)
{
	struct sockaddr_storage peer;
	int rsocket;

	if (!fork_peer_is_ready(fd) || fork_address(fd, true, &peer) != 0)
		return -1;
	rsocket = preload_make_rsocket(peer.ss_family, SOCK_STREAM, 0);
	if (rsocket < 0 ||
	    rconnect(rsocket, (struct sockaddr *)&peer, sizeof(peer)) == 0)
		return rsocket;
	(void)rclose(rsocket);
	return -1;
}

/* The descriptor of the TCP connection becomes one of /dev/null. */
static int fork_close_tcp(int fd)
{
	const struct preload_libc *libc = preload_libc_get();
	int fd_flags = libc->fcntl(fd, F_GETFD);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int ret = -1;

	if (null_fd < 0)
		return -1;
	if (fd_flags >= 0)
		ret = libc->dup3(null_fd, fd,
				 fd_flags & FD_CLOEXEC ? O_CLOEXEC : 0);
	(void)libc->close(null_fd);
	return ret;
}

static void fork_convert_locked(int fd, struct preload_file *file)
{
	enum preload_kind kind = preload_file_kind(file);
	int flags = preload_libc_get()->fcntl(fd, F_GETFL);
	int rsocket = -1;

	if (kind == PRELOAD_TCP_ACTIVE)
		rsocket = fork_convert_active(fd);
	else if (kind == PRELOAD_TCP_PASSIVE)
		rsocket = fork_convert_passive(fd);
	else
		return;
	if (rsocket >= 0) {
		if (flags >= 0)
			(void)rfcntl(rsocket, F_SETFL, flags & O_NONBLOCK);
		(void)fork_close_tcp(fd);
		file->rsocket = rsocket;
		kind = PRELOAD_RSOCKET;
	} else {
		kind = PRELOAD_ORDINARY;
	}
	preload_file_set_kind(file, kind);
}

void preload_fork_convert(int fd, struct preload_file *file)
{
	enum preload_kind kind = preload_file_kind(file);

	if (kind != PRELOAD_TCP_ACTIVE && kind != PRELOAD_TCP_PASSIVE)
		return;
	preload_enter();
	verbs_mutex_lock(&file->lock);
	fork_convert_locked(fd, file);
	verbs_mutex_unlock(&file->lock);
	preload_leave();
}

struct preload_file *preload_fork_get_waited(int fd)
{
	struct preload_file *file = preload_file_get(fd);

	if (!file)
		return NULL;
	if (preload_file_kind(file) == PRELOAD_TCP_PASSIVE)
		preload_fork_convert(fd, file);
	if (preload_file_kind(file) == PRELOAD_RSOCKET)
		return file;
	preload_file_put(file);
	return NULL;
}
