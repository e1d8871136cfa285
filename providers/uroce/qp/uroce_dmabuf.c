/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps and synchronizes dma-bufs. Called by verbs/uroce_dmabuf_mr.c, and by
 * uroce_memory.c for each access.
 */
#include "uroce/qp/uroce_dmabuf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not close(2), a cancellation point. No write to @fd can have failed. */
static void dmabuf_close(int fd)
{
	(void)syscall(SYS_close, fd);
}

static int dmabuf_sync(const struct uroce_dmabuf *dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags | dmabuf->sync };
	int ret;

	do {
		ret = ioctl(dmabuf->fd, DMA_BUF_IOCTL_SYNC, &sync);
	} while (ret != 0 && (errno == EINTR || errno == EAGAIN));
	return ret ? -errno : 0;
}

int uroce_dmabuf_begin(struct uroce_dmabuf *dmabuf)
{
	return dmabuf_sync(dmabuf, DMA_BUF_SYNC_START);
}

void uroce_dmabuf_end(struct uroce_dmabuf *dmabuf)
{
	/* no caller depends on the result or can handle an error */
	(void)dmabuf_sync(dmabuf, DMA_BUF_SYNC_END);
}

/* Other files reject the ioctl with ENOTTY. */
static int check_is_dmabuf(struct uroce_dmabuf *dmabuf)
{
	int ret = uroce_dmabuf_begin(dmabuf);

	if (ret)
		return ret == -ENOTTY ? -EINVAL : ret;
	uroce_dmabuf_end(dmabuf);
	return 0;
}

static int check_range(int fd, uint64_t offset, size_t length)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint64_t end;

	if (size < 0)
		return -EOPNOTSUPP;
	if (!length || __builtin_add_overflow(offset, length, &end) ||
	    end > (uint64_t)size)
		return -EINVAL;
	return 0;
}

static int map_pages(struct uroce_dmabuf *dmabuf, uint64_t offset,
		     size_t length, bool write)
{
	uint64_t in_page = offset % (uint64_t)sysconf(_SC_PAGESIZE);

	dmabuf->map_bytes = in_page + length;
	dmabuf->map = mmap(NULL, dmabuf->map_bytes,
			   write ? PROT_READ | PROT_WRITE : PROT_READ,
			   MAP_SHARED, dmabuf->fd, (off_t)(offset - in_page));
	if (dmabuf->map == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EOPNOTSUPP;
	dmabuf->base = (uint8_t *)dmabuf->map + in_page;
	return 0;
}

int uroce_dmabuf_map(int fd, uint64_t offset, size_t length, bool write,
		     struct uroce_dmabuf **ret_dmabuf)
{
	struct uroce_dmabuf *dmabuf = calloc(1, sizeof(*dmabuf));
	int ret;

	if (!dmabuf)
		return -ENOMEM;
	dmabuf->sync = write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ;
	dmabuf->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (dmabuf->fd < 0) {
		ret = -errno;
		goto err_free;
	}
	ret = check_is_dmabuf(dmabuf);
	if (ret == 0)
		ret = check_range(dmabuf->fd, offset, length);
	if (ret == 0)
		ret = map_pages(dmabuf, offset, length, write);
	if (ret)
		goto err_close;
	*ret_dmabuf = dmabuf;
	return 0;

err_close:
	dmabuf_close(dmabuf->fd);
err_free:
	free(dmabuf);
	return ret;
}

void uroce_dmabuf_unmap(struct uroce_dmabuf *dmabuf)
{
	if (!dmabuf)
		return;
	(void)munmap(dmabuf->map, dmabuf->map_bytes); /* the range is mapped */
	dmabuf_close(dmabuf->fd);
	free(dmabuf);
}
