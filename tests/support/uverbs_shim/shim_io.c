/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces ioctl(), write() and mmap(). Calls on a context are commands and
 * mappings of its device; all other calls go to the kernel.
 */
#include <errno.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

static int command_ioctl(struct shim_file *file, unsigned long request,
			 void *arg)
{
	int ret;

	if (request != RDMA_VERBS_IOCTL ||
	    shim_config()->mode == SHIM_MODE_WRITE) {
		errno = ENOTTY;
		return -1;
	}
	shim_lock();
	ret = shim_ioctl(file, arg);
	shim_unlock();
	if (ret == 0)
		return 0;
	errno = -ret;
	return -1;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct shim_file *file = shim_file_of_fd(fd);
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (file)
		return command_ioctl(file, request, arg);
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

EXPORT ssize_t write(int fd, const void *buf, size_t len)
{
	struct shim_file *file = shim_file_of_fd(fd);
	int ret;

	if (!file)
		return syscall(SYS_write, fd, buf, len);
	shim_lock();
	ret = shim_write(file, buf, len);
	shim_unlock();
	if (ret == 0)
		return (ssize_t)len;
	errno = -ret;
	return -1;
}

static void *real_mmap(void *addr, size_t len, int prot, int flags, int fd,
		       off_t offset)
{
#ifdef __s390x__
	/* System calls of this machine have at most five arguments. */
	const unsigned long args[6] = {
		(uintptr_t)addr,     len,
		(unsigned long)prot, (unsigned long)flags,
		(unsigned long)fd,   (unsigned long)offset,
	};

	return (void *)syscall(SYS_mmap, args);
#elif defined(SYS_mmap2)
	/* In units of 4096 bytes, independent of the page size. */
	return (void *)syscall(SYS_mmap2, addr, len, prot, flags, fd,
			       (long)(offset / 4096));
#else
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
#endif
}

static void *map_device(struct shim_file *file, void *addr, size_t len,
			int prot, uint64_t offset)
{
	const struct shim_driver *driver = shim_file_device(file)->driver;
	void *memory;

	shim_lock();
	shim_log("map MMAP length=%zu prot=%d offset=%#llx", len, prot,
		 (unsigned long long)offset);
	shim_unlock();
	/* Writable first, since the kernel writes to read-only mappings too. */
	memory = real_mmap(addr, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return memory;
	if (driver->fill_map)
		driver->fill_map(memory, len, offset);
	if (!(prot & PROT_WRITE))
		(void)mprotect(
			memory, len,
			prot); /* drops write access that was not requested */
	return memory;
}

static void *map_any(void *addr, size_t len, int prot, int flags, int fd,
		     off_t offset)
{
	struct shim_file *file = flags & MAP_ANONYMOUS ? NULL
						       : shim_file_of_fd(fd);

	if (file)
		return map_device(file, addr, len, prot, (uint64_t)offset);
	return real_mmap(addr, len, prot, flags, fd, offset);
}

EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset)
{
	return map_any(addr, len, prot, flags, fd, offset);
}

#if SHIM_HAS_TWO_NAMES
EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset)
{
	return map_any(addr, len, prot, flags, fd, offset);
}
#endif
