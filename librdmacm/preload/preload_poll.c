/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * poll(2) and select(2), and ppoll(2) and pselect(2). A call with an rsocket
 * becomes rpoll(), with the descriptors of the rsockets; their files are kept
 * until it returns.
 */
#include "preload/preload_poll.h"

#include "preload/preload_connect.h"
#include "preload/preload_file.h"
#include "preload/preload_fork.h"
#include "preload/preload_libc.h"
#include "preload/preload_mask.h"

#include <errno.h>
#include <limits.h>
#include <rdma/rsocket.h>
#include <stdint.h>
#include <stdlib.h>

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

static int poll_rsockets(struct pollfd *fds, nfds_t nr, int timeout_ms,
			 const sigset_t *mask)
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
		preload_mask_apply(mask);
		ret = rpoll(call.fds, nr, timeout_ms);
		preload_mask_apply(NULL);
	} while (ret > 0 && poll_call_has_changed(&call, fds, nr));
	preload_leave();
	for (nfds_t i = 0; ret >= 0 && i < nr; i++)
		fds[i].revents = call.fds[i].revents;
	poll_call_end(&call, nr);
	return ret;
}

int poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	if (preload_is_inside())
		return preload_mask_poll(fds, nr, timeout_ms);
	return poll_has_rsocket(fds, nr)
		       ? poll_rsockets(fds, nr, timeout_ms, NULL)
		       : preload_libc_get()->poll(fds, nr, timeout_ms);
}

/* As poll_rsockets(), with a signal mask */
static int poll_rsockets_masked(struct pollfd *fds, nfds_t nr, int timeout_ms,
				const sigset_t *mask)
{
	const struct timespec no_time = { 0 };
	sigset_t before;
	int ret;

	preload_mask_begin(mask, &before);
	ret = poll_rsockets(fds, nr, timeout_ms, mask);
	/* As in the kernel, a signal counts also when the time is over. */
	if (!ret && mask)
		ret = preload_libc_get()->ppoll(NULL, 0, &no_time, mask);
	preload_mask_end(mask, &before);
	return ret;
}

bool preload_timeout_is_valid(const struct timespec *timeout)
{
	return !timeout || (timeout->tv_sec >= 0 && timeout->tv_nsec >= 0 &&
			    timeout->tv_nsec < 1000000000);
}

int preload_timeout_to_ms(const struct timespec *timeout)
{
	if (!timeout)
		return -1;
	if (timeout->tv_sec >= INT_MAX / 1000)
		return INT_MAX;
	return (int)(timeout->tv_sec * 1000 +
		     (timeout->tv_nsec + 999999) / 1000000);
}

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
	  const sigset_t *mask)
{
	if (!poll_has_rsocket(fds, nr) || !preload_timeout_is_valid(timeout))
		return preload_libc_get()->ppoll(fds, nr, timeout, mask);
	return poll_rsockets_masked(fds, nr, preload_timeout_to_ms(timeout),
				    mask);
}

/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		const sigset_t *mask, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout_ms, size_t size)
{
	if (size / sizeof(*fds) < nr)
		abort();
	return poll(fds, nr, timeout_ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		const sigset_t *mask, size_t size)
{
	if (size / sizeof(*fds) < nr)
		abort();
	return ppoll(fds, nr, timeout, mask);
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

/* The sets of a call that has an rsocket */
struct select_call {
	fd_set *reads, *writes, *excepts;
	struct pollfd fds[FD_SETSIZE];
	nfds_t nr_fds;
};

/* Returns whether there is an rsocket. */
static bool select_call_begin(struct select_call *call, int nr, fd_set *reads,
			      fd_set *writes, fd_set *excepts)
{
	call->reads = reads;
	call->writes = writes;
	call->excepts = excepts;
	call->nr_fds = 0;
	if (nr >= 0 && nr <= FD_SETSIZE)
		call->nr_fds =
			sets_to_poll(call->fds, nr, reads, writes, excepts);
	return poll_has_rsocket(call->fds, call->nr_fds);
}

/* @ret: of the wait. Returns the result of select(2). */
static int select_call_end(const struct select_call *call, int ret)
{
	const struct pollfd *fds = call->fds;

	if (ret < 0)
		return ret;
	for (nfds_t i = 0; i < call->nr_fds; i++) {
		if (fds[i].revents & POLLNVAL) {
			errno = EBADF;
			return -1;
		}
	}
	return set_from_poll(call->reads, fds, call->nr_fds, POLLIN,
			     POLLIN | POLLHUP | POLLERR) +
	       set_from_poll(call->writes, fds, call->nr_fds, POLLOUT,
			     POLLOUT | POLLERR) +
	       set_from_poll(call->excepts, fds, call->nr_fds, POLLPRI,
			     POLLPRI);
}

static int select_timeout_to_ms(const struct timeval *timeout)
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
	struct select_call call;

	if (!select_call_begin(&call, nr, reads, writes, excepts) ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
		return preload_libc_get()->select(nr, reads, writes, excepts,
						  timeout);
	return select_call_end(
		&call, poll_rsockets(call.fds, call.nr_fds,
				     select_timeout_to_ms(timeout), NULL));
}

int pselect(int nr, fd_set *reads, fd_set *writes, fd_set *excepts,
	    const struct timespec *timeout, const sigset_t *mask)
{
	struct select_call call;
	int ret;

	if (!select_call_begin(&call, nr, reads, writes, excepts) ||
	    !preload_timeout_is_valid(timeout))
		return preload_libc_get()->pselect(nr, reads, writes, excepts,
						   timeout, mask);
	ret = poll_rsockets_masked(call.fds, call.nr_fds,
				   preload_timeout_to_ms(timeout), mask);
	return select_call_end(&call, ret);
}
