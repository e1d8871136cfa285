/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls on memory files, for rings, MR directories and shares. */
#include "uroce/shm/uroce_memfd.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/nocancel.h"

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* vm.memfd_noexec=2 requires MFD_NOEXEC_SEAL, and older kernels reject it. */
static int make_memfd(void)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("uroce", flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("uroce", flags);
	return fd < 0 ? -errno : fd;
}

int uroce_memfd_create(size_t size)
{
	int fd = make_memfd();
	int ret;

	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)size)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_memfd_check(int fd, size_t size)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat stat;

	if (seals < 0 || (seals & UROCE_MEMFD_SEALS) != UROCE_MEMFD_SEALS)
		return -EPROTO;
	if (fstat(fd, &stat))
		return -errno;
	return stat.st_size == (off_t)size ? 0 : -EPROTO;
}

/* The check of the file system excludes huge pages, which are in hugetlbfs. */
int uroce_memfd_size(int fd, uint64_t *ret_bytes)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs statfs;
	struct stat stat;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) ||
	    (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
		return -EPROTO;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode) || stat.st_size <= 0 ||
	    fstatfs(fd, &statfs) || statfs.f_type != TMPFS_MAGIC)
		return -EPROTO;
	*ret_bytes = (uint64_t)stat.st_size;
	return 0;
}

int uroce_memfd_map(int fd, size_t size, int prot, void **ret_memory)
{
	void *memory = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	int ret;

	if (memory == MAP_FAILED)
		return -errno;
	if (madvise(memory, size, MADV_DONTFORK)) {
		ret = -errno;
		(void)munmap(memory, size);
		return ret;
	}
	*ret_memory = memory;
	return 0;
}
