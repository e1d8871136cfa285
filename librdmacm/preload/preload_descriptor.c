/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptors: functions of unistd.h, fcntl.h and sys/ioctl.h. */
#include "preload/preload_call.h"
#include "preload/preload_libc.h"
#include "preload/preload_set.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <rdma/rsocket.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

int close(int fd)
{
	if (!preload_is_inside()) {
		preload_set_forget((unsigned int)fd, (unsigned int)fd);
		preload_file_remove((unsigned int)fd, (unsigned int)fd);
	}
	return preload_libc_get()->close(fd);
}

/* glibc has these since 2.34. */
#if !__GLIBC_PREREQ(2, 34)
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int first);
#endif

int close_range(unsigned int first, unsigned int last, int flags)
{
	const unsigned int flag_cloexec = 1u << 2; /* CLOSE_RANGE_CLOEXEC */

	if (first <= last && !((unsigned int)flags & flag_cloexec) &&
	    !preload_is_inside()) {
		preload_set_forget(first, last);
		preload_file_remove(first, last);
	}
	return (int)syscall(SYS_close_range, first, last, flags);
}

void closefrom(int first)
{
	unsigned int from = first < 0 ? 0 : (unsigned int)first;
	long nr = sysconf(_SC_OPEN_MAX);

	if (close_range(from, UINT_MAX, 0) == 0)
		return;
	/* a kernel before 5.9 */
	for (int fd = (int)from; fd < nr; fd++)
		(void)preload_libc_get()->close(fd);
}

/* @copy: a new descriptor for the file of @fd, or -1 */
static int descriptor_share(int fd, int copy)
{
	struct preload_file *file;
	int ret = copy;

	if (copy < 0 || preload_file_is_of_parent())
		return copy;
	file = preload_file_get(fd);
	if (!file)
		return copy;
	if (preload_file_add(copy, file) != 0) {
		(void)preload_libc_get()->close(copy);
		ret = -1;
	}
	preload_file_put(file);
	return ret;
}

int dup(int fd)
{
	return descriptor_share(fd, preload_libc_get()->dup(fd));
}

int dup3(int fd, int to, int flags)
{
	int copy = preload_libc_get()->dup3(fd, to, flags);

	if (copy >= 0 && !preload_is_inside()) {
		preload_set_forget((unsigned int)to, (unsigned int)to);
		preload_file_remove((unsigned int)to, (unsigned int)to);
	}
	return descriptor_share(fd, copy);
}

int dup2(int fd, int to)
{
	if (fd == to)
		return preload_libc_get()->fcntl(fd, F_GETFD) < 0 ? -1 : to;
	return dup3(fd, to, 0);
}

/* Commands that are not those of an rsocket mean the descriptor. */
static int descriptor_control(int fd, int cmd, void *arg)
{
	struct preload_file *file = NULL;

	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		return descriptor_share(
			fd, preload_libc_get()->fcntl(fd, cmd, arg));
	if (cmd == F_GETFL || cmd == F_SETFL)
		file = preload_begin(fd);
	if (!file)
		return preload_libc_get()->fcntl(fd, cmd, arg);
	return (int)preload_end(file, rfcntl(file->rsocket, cmd, arg));
}

int fcntl(int fd, int cmd, ... /* arg */)
{
	va_list args;
	void *arg;

	/* As the C library, it reads an argument of any command. */
	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	return descriptor_control(fd, cmd, arg);
}

int fcntl64(int fd, int cmd, ... /* arg */)
{
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	return descriptor_control(fd, cmd, arg);
}

static int nonblocking_set(const struct preload_file *file, const int *is_on)
{
	if (is_on)
		return rfcntl(file->rsocket, F_SETFL, *is_on ? O_NONBLOCK : 0);
	errno = EFAULT;
	return -1;
}

int ioctl(int fd, unsigned long request, ... /* arg */)
{
	struct preload_file *file = NULL;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == FIONBIO)
		file = preload_begin(fd);
	if (!file)
		return preload_libc_get()->ioctl(fd, request, arg);
	return (int)preload_end(file, nonblocking_set(file, arg));
}
