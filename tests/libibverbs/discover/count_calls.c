/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts the file system calls of discovery: see count_calls.h. */
#include "libibverbs/discover/count_calls.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fake_netlink.h"

struct count_calls count_calls;

void count_calls_reset(void)
{
	memset(&count_calls, 0, sizeof(count_calls));
	count_calls.now.tv_sec = 2000000000;
}

static bool fails(const char *path)
{
	size_t len = strlen(path), end;

	if (!count_calls.fail_path)
		return false;
	end = strlen(count_calls.fail_path);
	if (len < end || strcmp(path + len - end, count_calls.fail_path) != 0)
		return false;
	errno = count_calls.fail_errno;
	return true;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	fake_calls++;
	count_calls.nr_opens++;
	if (!count_calls.fail_stat_only && fails(path))
		return -1;
	return __real_open(path, flags, 0644);
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	fake_calls++;
	count_calls.nr_opens++;
	if (!count_calls.fail_stat_only && fails(path))
		return -1;
	return __real_openat(dirfd, path, flags);
}

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	fake_calls++;
	return __real_read(fd, buf, len);
}

ssize_t __real_getdents64(int fd, void *buf, size_t len);
ssize_t __wrap_getdents64(int fd, void *buf, size_t len);
ssize_t __wrap_getdents64(int fd, void *buf, size_t len)
{
	fake_calls++;
	count_calls.nr_getdents++;
	if (count_calls.getdents_errno) {
		errno = count_calls.getdents_errno;
		return -1;
	}
	return __real_getdents64(fd, buf, len);
}

static void set_time(struct stat *st)
{
	if (S_ISDIR(st->st_mode) && count_calls.modified.tv_sec)
		st->st_mtim = count_calls.modified;
}

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
	int ret;

	fake_calls++;
	count_calls.nr_stats++;
	if (fails(path))
		return -1;
	ret = __real_stat(path, st);
	if (!ret)
		set_time(st);
	return ret;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	int ret;

	fake_calls++;
	ret = __real_fstat(fd, st);
	if (!ret)
		set_time(st);
	return ret;
}

/* The vDSO needs no system call, so this is not counted. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	*now = count_calls.now;
	return 0;
}
