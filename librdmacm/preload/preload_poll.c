/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * poll(2) and select(2). A call with an rsocket becomes rpoll(), with the
 * descriptors of the rsockets; their files are kept until it returns.
 */
#include "preload/preload_connect.h"
#include "preload/preload_file.h"
#include "preload/preload_fork.h"
#include "preload/preload_libc.h"

#include <errno.h>
#include <limits.h>
#include <rdma/rsocket.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct poll_call {
	struct pollfd *fds;
	struct preload_file **files; /* NULL: not an rsocket */
};

static bool poll_has_rsocket(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++) {
		struct preload_file *file = preload_fork_get_waited(fds[i].fd);

		if (!file)
			continue;
		preload_file_put(file);
		return true;
	}
	return false;
}

static void poll_call_end(struct poll_call *call, nfds_t nr)
{
	for (nfds_t i = 0; call->files && i < nr; i++) {
		if (call->files[i])
			preload_file_put(call->files[i]);
	}
	free(call->files);
	free(call->fds);
}

/* Whether a descriptor became another socket, so that the events are obsolete
 */
static bool poll_call_has_changed(struct poll_call *call,
				  const struct pollfd *fds, nfds_t nr)
{
	bool has_changed = false;

	for (nfds_t i = 0; i < nr; i++) {
		if (!call->files[i] || !call->fds[i].revents ||
		    !preload_connect_poll(fds[i].fd, call->files[i]))
			continue;
		call->fds[i].fd = fds[i].fd;
		has_changed = true;
	}
	return has_changed;
}

static int poll_rsockets(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	struct poll_call call = {
		.fds = calloc(nr, sizeof(*call.fds)),
		.files = calloc(nr, sizeof(struct preload_file *)),
	};
	int ret = -1;

	if (!call.fds || !call.files) {
		poll_call_end(&call, 0);
		errno = ENOMEM;
		return -1;
	}
	for (nfds_t i = 0; i < nr; i++) {
		call.fds[i] = fds[i];
		call.files[i] = preload_fork_get_waited(fds[i].fd);
		if (call.files[i])
			call.fds[i].fd = call.files[i]->rsocket;
	}
	preload_enter();
	do {
		ret = rpoll(call.fds, nr, timeout_ms);
	} while (ret > 0 && poll_call_has_changed(&call, fds, nr));
	preload_leave();
	for (nfds_t i = 0; ret >= 0 && i < nr; i++)
		fds[i].revents = call.fds[i].revents;
	poll_call_end(&call, nr);
	return ret;
}

int poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	return poll_has_rsocket(fds, nr)
		       ? poll_rsockets(fds, nr, timeout_ms)
		       : preload_libc_get()->poll(fds, nr, timeout_ms);
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout_ms, size_t size);

int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout_ms, size_t size)
{
	if (size / sizeof(*fds) < nr)
		abort();
	return poll(fds, nr, timeout_ms);
}

/* -- select -- */

static bool set_has(const fd_set *set, int fd)
{
	return set && FD_ISSET(fd, set);
}

static nfds_t sets_to_poll(struct pollfd *fds, int nr, const fd_set *reads,
			   const fd_set *writes, const fd_set *excepts)
{
	nfds_t nr_fds = 0;

	for (int fd = 0; fd < nr; fd++) {
		unsigned int events = (set_has(reads, fd) ? POLLIN : 0) |
				      (set_has(writes, fd) ? POLLOUT : 0) |
				      (set_has(excepts, fd) ? POLLPRI : 0);

		if (events)
			fds[nr_fds++] =
				(struct pollfd){ .fd = fd,
						 .events = (short)events };
	}
	return nr_fds;
}

/* Returns the number of bits. */
static int set_from_poll(fd_set *set, const struct pollfd *fds, nfds_t nr,
			 short wanted, short events)
{
	int nr_bits = 0;

	if (!set)
		return 0;
	FD_ZERO(set);
	for (nfds_t i = 0; i < nr; i++) {
		if (!(fds[i].events & wanted) || !(fds[i].revents & events))
			continue;
		FD_SET(fds[i].fd, set);
		nr_bits++;
	}
	return nr_bits;
}

static int timeout_to_ms(const struct timeval *timeout)
{
	if (!timeout)
		return -1;
	if (timeout->tv_sec >= INT_MAX / 1000)
		return INT_MAX;
	return (int)(timeout->tv_sec * 1000 + (timeout->tv_usec + 999) / 1000);
}

int select(int nr, fd_set *reads, fd_set *writes, fd_set *excepts,
	   struct timeval *timeout)
{
	struct pollfd fds[FD_SETSIZE];
	nfds_t nr_fds = 0;
	int ret;

	if (nr >= 0 && nr <= FD_SETSIZE)
		nr_fds = sets_to_poll(fds, nr, reads, writes, excepts);
	if (!poll_has_rsocket(fds, nr_fds) ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
		return preload_libc_get()->select(nr, reads, writes, excepts,
						  timeout);
	ret = poll_rsockets(fds, nr_fds, timeout_to_ms(timeout));
	if (ret < 0)
		return ret;
	for (nfds_t i = 0; i < nr_fds; i++) {
		if (fds[i].revents & POLLNVAL) {
			errno = EBADF;
			return -1;
		}
	}
	return set_from_poll(reads, fds, nr_fds, POLLIN,
			     POLLIN | POLLHUP | POLLERR) +
	       set_from_poll(writes, fds, nr_fds, POLLOUT, POLLOUT | POLLERR) +
	       set_from_poll(excepts, fds, nr_fds, POLLPRI, POLLPRI);
}
