/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that are no cancellation points.
 *
 * pthread_cancel(3) ends a thread inside the functions of the C library that
 * are cancellation points, with the locks that the thread holds. No function of
 * the data path may be one, so a source file that includes this header calls
 * the system directly: each macro below replaces the function of its name.
 * tests/check/cancellation_points.py checks that uroce calls no other ones.
 * Around functions of the C library that are no plain system calls,
 * cancellation is disabled (util/cancel.h).
 *
 * errno and return values are those of the C library's functions. To replace a
 * function in a test, wrap its nocancel_*() function.
 */
#ifndef UTIL_NOCANCEL_H
#define UTIL_NOCANCEL_H

/* Before the macros: these declare what the macros replace. */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "util/cancel.h"

int nocancel_close(int fd);
ssize_t nocancel_read(int fd, void *buf, size_t size);
ssize_t nocancel_write(int fd, const void *buf, size_t size);
ssize_t nocancel_pread(int fd, void *buf, size_t size, off_t offset);
ssize_t nocancel_preadv(int fd, const struct iovec *iov, int nr, off_t offset);
ssize_t nocancel_pwritev(int fd, const struct iovec *iov, int nr, off_t offset);
ssize_t nocancel_splice(int from, loff_t *from_offset, int to,
			loff_t *to_offset, size_t size, unsigned int flags);
/* @mode: for O_CREAT */
int nocancel_openat(int dir, const char *path, int flags, mode_t mode);
int nocancel_poll(struct pollfd *fds, nfds_t nr, int timeout_ms);
/* without a signal mask */
int nocancel_ppoll(struct pollfd *fds, nfds_t nr,
		   const struct timespec *timeout);
int nocancel_epoll_wait(int fd, struct epoll_event *events, int max,
			int timeout_ms);
/* without the time that is left */
int nocancel_nanosleep(const struct timespec *time);
ssize_t nocancel_getrandom(void *buf, size_t size, unsigned int flags);
int nocancel_connect(int fd, const struct sockaddr *addr, socklen_t len);
int nocancel_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
ssize_t nocancel_sendto(int fd, const void *buf, size_t size, int flags,
			const struct sockaddr *addr, socklen_t len);
ssize_t nocancel_recvfrom(int fd, void *buf, size_t size, int flags,
			  struct sockaddr *addr, socklen_t *len);
ssize_t nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t nocancel_recvmsg(int fd, struct msghdr *msg, int flags);
int nocancel_sendmmsg(int fd, struct mmsghdr *messages, unsigned int nr,
		      int flags);
/* without a timeout */
int nocancel_recvmmsg(int fd, struct mmsghdr *messages, unsigned int nr,
		      int flags);

#ifndef NOCANCEL_NO_MACROS
#define close(fd)			nocancel_close(fd)
#define read(fd, buf, n)		nocancel_read(fd, buf, n)
#define write(fd, buf, n)		nocancel_write(fd, buf, n)
#define pread(fd, buf, n, at)		nocancel_pread(fd, buf, n, at)
#define preadv(fd, iov, nr, at)		nocancel_preadv(fd, iov, nr, at)
#define pwritev(fd, iov, nr, at)	nocancel_pwritev(fd, iov, nr, at)
#define splice(fd, at, to, b, n, flags) nocancel_splice(fd, at, to, b, n, flags)
#define NOCANCEL_MODE(flags, mode, ...) flags, mode
#define openat(dir, path, ...) \
	nocancel_openat(dir, path, NOCANCEL_MODE(__VA_ARGS__, 0, 0))
#define open(path, ...)			openat(AT_FDCWD, path, __VA_ARGS__)
#define poll(fds, nr, ms)		nocancel_poll(fds, nr, ms)
#define ppoll(fds, nr, time, mask)	nocancel_ppoll(fds, nr, time)
#define epoll_wait(fd, events, max, ms) nocancel_epoll_wait(fd, events, max, ms)
#define nanosleep(time, left)		nocancel_nanosleep(time)
#define getrandom(buf, n, flags)	nocancel_getrandom(buf, n, flags)
#define connect(fd, addr, len)		nocancel_connect(fd, addr, len)
#define accept4(fd, addr, len, flags)	nocancel_accept4(fd, addr, len, flags)
#define send(fd, buf, n, flags)		nocancel_sendto(fd, buf, n, flags, NULL, 0)
#define sendto(fd, buf, n, flags, addr, len) \
	nocancel_sendto(fd, buf, n, flags, addr, len)
#define recv(fd, buf, n, flags)	      nocancel_recvfrom(fd, buf, n, flags, NULL, NULL)
#define sendmsg(fd, msg, flags)	      nocancel_sendmsg(fd, msg, flags)
#define recvmsg(fd, msg, flags)	      nocancel_recvmsg(fd, msg, flags)
#define sendmmsg(fd, msgs, nr, flags) nocancel_sendmmsg(fd, msgs, nr, flags)
#define recvmmsg(fd, msgs, nr, flags, time) \
	nocancel_recvmmsg(fd, msgs, nr, flags)
#endif

#endif
