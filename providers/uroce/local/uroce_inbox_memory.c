/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an inbox comes from: memfd_create(2), with a sealed size. What is done
 * with it is uroce_inbox.c.
 */
#include "uroce/local/uroce_inbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uroce/local/uroce_inbox_layout.h"

#define SIZE  sizeof(struct uroce_inbox_memory)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Some kernels want to be told that it is no program, older ones refuse it. */
static int make_memfd(void)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("uroce", flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("uroce", flags);
	return fd < 0 ? -errno : fd;
}

int uroce_inbox_create(void)
{
	int fd = make_memfd();
	int ret;

	if (fd < 0)
		return fd;
	if (ftruncate(fd, SIZE) || fcntl(fd, F_ADD_SEALS, SEALS)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

static int map(int fd, void **ret_memory)
{
	void *memory;
	int ret;

	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	if (madvise(memory, SIZE, MADV_DONTFORK)) {
		ret = -errno;
		(void)munmap(memory, SIZE);
		return ret;
	}
	*ret_memory = memory;
	return 0;
}

int uroce_inbox_open_receiver(int fd, struct uroce_inbox_receiver *ret_end)
{
	struct uroce_inbox_receiver end = {};
	int ret = map(fd, &end.memory);

	if (!ret)
		*ret_end = end;
	return ret;
}

int uroce_inbox_open_sender(int fd, struct uroce_inbox_sender *ret_end)
{
	struct stat stat;
	void *memory;
	int seals, ret;

	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EPROTO;
	if (fstat(fd, &stat))
		return -errno;
	if (stat.st_size != (off_t)SIZE)
		return -EPROTO;
	ret = map(fd, &memory);
	if (!ret)
		*ret_end = (struct uroce_inbox_sender){ .memory = memory };
	return ret;
}

void uroce_inbox_close_receiver(struct uroce_inbox_receiver *end)
{
	if (end->memory)
		(void)munmap(end->memory, SIZE);
	end->memory = NULL;
}

void uroce_inbox_close_sender(struct uroce_inbox_sender *end)
{
	if (end->memory)
		(void)munmap(end->memory, SIZE);
	uroce_inbox_forget_sender(end);
}
