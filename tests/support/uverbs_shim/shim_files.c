/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces open(), stat(), fstat(), access() and their variants: a folder of
 * the configuration replaces /dev/infiniband, and its nodes look like character
 * devices. Opening a node makes a memory file, which the shim recognises by its
 * inode, so duplicates of the descriptor work without further code.
 *
 * All other files go to the kernel. This file makes system calls by number,
 * since libc's function names lead here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

#define DEV_DIR	     "/dev/infiniband"
#define DEV_CHAR_DIR "/dev/char/"
#define UVERBS_MAJOR 231
#define MAX_FILES    64

struct shim_file {
	ino_t inode; /* 0: free */
	dev_t dev;
	const struct shim_device *device;
	struct shim_objects objects;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct shim_file files[MAX_FILES];
static size_t nr_files; /* slots that were ever used; read without the mutex */

void shim_lock(void)
{
	(void)pthread_mutex_lock(&mutex); /* cannot fail: not recursive */
}

void shim_unlock(void)
{
	(void)pthread_mutex_unlock(&mutex); /* the calling thread holds it */
}

int shim_real_stat(int dirfd, const char *path, struct stat *st, int flags)
{
#ifdef SYS_newfstatat
	return (int)syscall(SYS_newfstatat, dirfd, path, st, flags);
#else
	return (int)syscall(SYS_fstatat64, dirfd, path, st, flags);
#endif
}

static int real_fstat(int fd, struct stat *st)
{
	return shim_real_stat(fd, "", st, AT_EMPTY_PATH);
}

/* ------------------------------------------------------------------------ */
/* Contexts                                                                  */
/* ------------------------------------------------------------------------ */

static struct shim_file *find_file(const struct stat *st)
{
	for (size_t i = 0; i < nr_files; i++)
		if (files[i].inode == st->st_ino && files[i].dev == st->st_dev)
			return &files[i];
	return NULL;
}

struct shim_file *shim_file_of_fd(int fd)
{
	int saved = errno;
	struct stat st;
	struct shim_file *file = NULL;

	if (nr_files && fd >= 0 && real_fstat(fd, &st) == 0)
		file = find_file(&st);
	errno = saved;
	return file;
}

const struct shim_device *shim_file_device(const struct shim_file *file)
{
	return file->device;
}

struct shim_objects *shim_file_objects(struct shim_file *file)
{
	return &file->objects;
}

int shim_quiet_fd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

/*
 * Return: the slot of an inode. If the inode is in use again, its old file was
 * closed.
 */
static struct shim_file *find_slot(const struct stat *st)
{
	struct shim_file *file = find_file(st);

	if (file)
		return file;
	return nr_files < MAX_FILES ? &files[nr_files++] : NULL;
}

static int open_node(const struct shim_device *device, int flags)
{
	struct shim_file *file;
	struct stat st;
	int fd = memfd_create("uverbs_shim",
			      flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -1;
	shim_lock();
	file = real_fstat(fd, &st) == 0 ? find_slot(&st) : NULL;
	if (file) {
		*file = (struct shim_file){
			.inode = st.st_ino,
			.dev = st.st_dev,
			.device = device,
		};
		shim_log("file OPEN %s", device->uverbs);
	}
	shim_unlock();
	if (file)
		return fd;
	(void)syscall(SYS_close, fd); /* the memory file has no data */
	errno = EMFILE;
	return -1;
}

/* ------------------------------------------------------------------------ */
/* Paths                                                                     */
/* ------------------------------------------------------------------------ */

/* The object that a path leads to. */
struct target {
	const struct shim_device *device; /* a node, or NULL */
	const char *path;
	char buf[PATH_MAX];
};

static void find_target(const char *path, struct target *ret)
{
	const char *rest;
	unsigned int major_number, minor_number;

	ret->device = NULL;
	ret->path = path;
	if (!path || !shim_config()->is_there)
		return;
	if (sscanf(path, DEV_CHAR_DIR "%u:%u", &major_number, &minor_number) ==
		    2 &&
	    major_number == UVERBS_MAJOR) {
		ret->device = shim_device_of_minor(minor_number);
		return;
	}
	if (strncmp(path, DEV_DIR, strlen(DEV_DIR)) != 0)
		return;
	rest = path + strlen(DEV_DIR);
	if (*rest != '\0' && *rest != '/')
		return;
	(void)snprintf(ret->buf, sizeof(ret->buf), "%s%s", shim_config()->nodes,
		       rest);
	ret->path = ret->buf;
	/* A node exists as long as the folder contains it. */
	if (*rest == '/' &&
	    syscall(SYS_faccessat, AT_FDCWD, ret->buf, F_OK, 0) == 0)
		ret->device = shim_device_of_node(rest + 1);
}

static int open_any(int dirfd, const char *path, int flags, mode_t mode)
{
	struct target target;

	find_target(path, &target);
	if (target.device)
		return open_node(target.device, flags);
	return (int)syscall(SYS_openat, dirfd, target.path, flags, mode);
}

static mode_t mode_argument(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                         \
	EXPORT int name(const char *path, int flags, ...)  \
	{                                                  \
		va_list args;                              \
		int fd;                                    \
                                                           \
		va_start(args, flags);                     \
		fd = open_any(AT_FDCWD, path, flags,       \
			      mode_argument(flags, args)); \
		va_end(args);                              \
		return fd;                                 \
	}
#define OPENAT(name)                                                           \
	EXPORT int name(int dirfd, const char *path, int flags, ...)           \
	{                                                                      \
		va_list args;                                                  \
		int fd;                                                        \
                                                                               \
		va_start(args, flags);                                         \
		fd = open_any(dirfd, path, flags, mode_argument(flags, args)); \
		va_end(args);                                                  \
		return fd;                                                     \
	}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

OPEN(open)
OPENAT(openat)
#if SHIM_HAS_TWO_NAMES
OPEN(open64)
OPENAT(openat64)
#endif

EXPORT int __open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

EXPORT int __open64_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
	return open_any(dirfd, path, flags, 0);
}

EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
	return open_any(dirfd, path, flags, 0);
}

/* ------------------------------------------------------------------------ */
/* stat                                                                      */
/* ------------------------------------------------------------------------ */

static void look_like_node(const struct shim_device *device, struct stat *st)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_rdev = makedev(UVERBS_MAJOR, device->minor_number);
	st->st_size = 0;
}

static int stat_any(int dirfd, const char *path, struct stat *st, int flags)
{
	const struct shim_file *file;
	struct target target;
	int ret;

	find_target(path, &target);
	if (target.device) {
		*st = (struct stat){ .st_nlink = 1 };
		look_like_node(target.device, st);
		return 0;
	}
	ret = shim_real_stat(dirfd, target.path, st, flags);
	if (ret == 0 && S_ISREG(st->st_mode)) {
		file = find_file(st);
		if (file)
			look_like_node(file->device, st);
	}
	return ret;
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one struct");

#define STAT(suffix, type)                                                    \
	EXPORT int stat##suffix(const char *path, struct type *st)            \
	{                                                                     \
		return stat_any(AT_FDCWD, path, (struct stat *)st, 0);        \
	}                                                                     \
	EXPORT int lstat##suffix(const char *path, struct type *st)           \
	{                                                                     \
		return stat_any(AT_FDCWD, path, (struct stat *)st,            \
				AT_SYMLINK_NOFOLLOW);                         \
	}                                                                     \
	EXPORT int fstat##suffix(int fd, struct type *st)                     \
	{                                                                     \
		return stat_any(fd, "", (struct stat *)st, AT_EMPTY_PATH);    \
	}                                                                     \
	EXPORT int fstatat##suffix(int fd, const char *path, struct type *st, \
				   int flags)                                 \
	{                                                                     \
		return stat_any(fd, path, (struct stat *)st, flags);          \
	}
STAT(, stat)
#if SHIM_HAS_TWO_NAMES
STAT(64, stat64)
#endif

/* Names that programs built with glibc before 2.33 call. */
int __xstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __xstat64(int version, const char *path, struct stat *st);
int __fxstat64(int version, int fd, struct stat *st);

EXPORT int __xstat(int version, const char *path, struct stat *st)
{
	return stat_any(AT_FDCWD, path, st, 0);
}

EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	return stat_any(fd, "", st, AT_EMPTY_PATH);
}

EXPORT int __xstat64(int version, const char *path, struct stat *st)
{
	return stat_any(AT_FDCWD, path, st, 0);
}

EXPORT int __fxstat64(int version, int fd, struct stat *st)
{
	return stat_any(fd, "", st, AT_EMPTY_PATH);
}

static int access_any(int dirfd, const char *path, int mode)
{
	struct target target;

	find_target(path, &target);
	if (target.device)
		return 0;
	return (int)syscall(SYS_faccessat, dirfd, target.path, mode);
}

EXPORT int access(const char *path, int mode)
{
	return access_any(AT_FDCWD, path, mode);
}

EXPORT int close(int fd)
{
	struct shim_file *file = shim_file_of_fd(fd);

	if (file) {
		shim_lock();
		shim_log("file CLOSE %s objects=%zu", file->device->uverbs,
			 shim_nr_objects(file));
		shim_unlock();
	}
	return (int)syscall(SYS_close, fd);
}
