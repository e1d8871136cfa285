/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that are no cancellation points. syscall(2) is none, and costs
 * less than the C library's functions, which change the state of the thread by
 * atomic instructions around the call.
 */
#define NOCANCEL_NO_MACROS
#include "util/nocancel.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* ThreadSanitizer learns the order of threads from the C library's functions.
 */
#if defined(__SANITIZE_THREAD__)
#define USE_LIBC true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define USE_LIBC true
#endif
#endif
#ifndef USE_LIBC
#define USE_LIBC false
#endif

/* musl converts the headers of messages for the kernel. */
#ifdef __GLIBC__
#define USE_LIBC_MESSAGES USE_LIBC
#else
#define USE_LIBC_MESSAGES true
#endif

/* Returns the result of one of two calls; the first is a cancellation point. */
#define RETURN_CALL(type, use_libc, libc, kernel) \
	do {                                      \
		type call_ret;                    \
		int call_state;                   \
                                                  \
		if (!(use_libc))                  \
			return (type)(kernel);    \
		call_state = cancel_disable();    \
		call_ret = (libc);                \
		cancel_restore(call_state);       \
		return call_ret;                  \
	} while (0)

/*
 * The type of the time in calls that are older than 64-bit times on 32-bit
 * machines. All times here are durations.
 */
struct kernel_time {
	long sec;
	long nsec;
};

static struct kernel_time to_kernel_time(const struct timespec *time)
{
	return (struct kernel_time){ (long)time->tv_sec, time->tv_nsec };
}

int nocancel_close(int fd)
{
	RETURN_CALL(int, USE_LIBC, close(fd), syscall(SYS_close, fd));
}

ssize_t nocancel_read(int fd, void *buf, size_t size)
{
	RETURN_CALL(ssize_t, USE_LIBC, read(fd, buf, size),
		    syscall(SYS_read, fd, buf, size));
}

ssize_t nocancel_write(int fd, const void *buf, size_t size)
{
	RETURN_CALL(ssize_t, USE_LIBC, write(fd, buf, size),
		    syscall(SYS_write, fd, buf, size));
}

/* How machines pass a 64-bit offset differs. */
ssize_t nocancel_pread(int fd, void *buf, size_t size, off_t offset)
{
	int state = cancel_disable();
	ssize_t ret = pread(fd, buf, size, offset);

	cancel_restore(state);
	return ret;
}

/* These two take the halves of the offset everywhere; 64-bit kernels ignore
 * the second one. */
ssize_t nocancel_preadv(int fd, const struct iovec *iov, int nr, off_t offset)
{
	return syscall(SYS_preadv, fd, iov, nr, (long)offset,
		       (long)((int64_t)offset >> 32));
}

ssize_t nocancel_pwritev(int fd, const struct iovec *iov, int nr, off_t offset)
{
	return syscall(SYS_pwritev, fd, iov, nr, (long)offset,
		       (long)((int64_t)offset >> 32));
}

ssize_t nocancel_splice(int from, loff_t *from_offset, int to,
			loff_t *to_offset, size_t size, unsigned int flags)
{
	return syscall(SYS_splice, from, from_offset, to, to_offset, size,
		       flags);
}

int nocancel_openat(int dir, const char *path, int flags, mode_t mode)
{
	RETURN_CALL(int, USE_LIBC, openat(dir, path, flags, mode),
		    syscall(SYS_openat, dir, path, flags | O_LARGEFILE, mode));
}

int nocancel_ppoll(struct pollfd *fds, nfds_t nr,
		   const struct timespec *timeout)
{
	struct kernel_time left;

	/* the kernel writes the time that is left */
	if (timeout)
		left = to_kernel_time(timeout);
	return (int)syscall(SYS_ppoll, fds, nr, timeout ? &left : NULL, NULL,
			    0);
}

int nocancel_poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	struct timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};

	return nocancel_ppoll(fds, nr, timeout_ms < 0 ? NULL : &timeout);
}

int nocancel_epoll_wait(int fd, struct epoll_event *events, int max,
			int timeout_ms)
{
	RETURN_CALL(
		int, USE_LIBC, epoll_wait(fd, events, max, timeout_ms),
		syscall(SYS_epoll_pwait, fd, events, max, timeout_ms, NULL, 0));
}

int nocancel_nanosleep(const struct timespec *time)
{
	struct kernel_time duration = to_kernel_time(time);

	return (int)syscall(SYS_nanosleep, &duration, NULL);
}

ssize_t nocancel_getrandom(void *buf, size_t size, unsigned int flags)
{
	return syscall(SYS_getrandom, buf, size, flags);
}

int nocancel_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	RETURN_CALL(int, USE_LIBC, connect(fd, addr, len),
		    syscall(SYS_connect, fd, addr, len));
}

int nocancel_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	RETURN_CALL(int, USE_LIBC, accept4(fd, addr, len, flags),
		    syscall(SYS_accept4, fd, addr, len, flags));
}

ssize_t nocancel_sendto(int fd, const void *buf, size_t size, int flags,
			const struct sockaddr *addr, socklen_t len)
{
	RETURN_CALL(ssize_t, USE_LIBC, sendto(fd, buf, size, flags, addr, len),
		    syscall(SYS_sendto, fd, buf, size, flags, addr, len));
}

ssize_t nocancel_recvfrom(int fd, void *buf, size_t size, int flags,
			  struct sockaddr *addr, socklen_t *len)
{
	RETURN_CALL(ssize_t, USE_LIBC,
		    recvfrom(fd, buf, size, flags, addr, len),
		    syscall(SYS_recvfrom, fd, buf, size, flags, addr, len));
}

ssize_t nocancel_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	RETURN_CALL(ssize_t, USE_LIBC_MESSAGES, sendmsg(fd, msg, flags),
		    syscall(SYS_sendmsg, fd, msg, flags));
}

ssize_t nocancel_recvmsg(int fd, struct msghdr *msg, int flags)
{
	RETURN_CALL(ssize_t, USE_LIBC_MESSAGES, recvmsg(fd, msg, flags),
		    syscall(SYS_recvmsg, fd, msg, flags));
}

int nocancel_sendmmsg(int fd, struct mmsghdr *messages, unsigned int nr,
		      int flags)
{
	RETURN_CALL(int, USE_LIBC_MESSAGES, sendmmsg(fd, messages, nr, flags),
		    syscall(SYS_sendmmsg, fd, messages, nr, flags));
}

int nocancel_recvmmsg(int fd, struct mmsghdr *messages, unsigned int nr,
		      int flags)
{
	RETURN_CALL(int, USE_LIBC_MESSAGES,
		    recvmmsg(fd, messages, nr, flags, NULL),
		    syscall(SYS_recvmmsg, fd, messages, nr, flags, NULL));
}
