/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that a confidential virtual machine shares with its host and its
 * devices. Each buffer is a dma-buf from a heap of the kernel, and is mapped.
 * Foreign providers of v64 and later call these functions as
 * ibv_dmabuf_heap_*().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"

#define CC_SHARED_HEAP "/dev/dma_heap/system_cc_shared"

struct foreign_heap {
	int fd;
};

struct foreign_heap *foreign_heap_cc_shared_init(void)
{
	struct foreign_heap *heap = malloc(sizeof(*heap));
	int err;

	if (!heap)
		return foreign_null(-ENOMEM);
	heap->fd = open(CC_SHARED_HEAP, O_RDWR | O_CLOEXEC);
	if (heap->fd >= 0)
		return heap;
	err = errno;
	free(heap);
	return foreign_null(-err);
}
FOREIGN_EXPORT_FROM_64(foreign_heap_cc_shared_init,
		       ibv_dmabuf_heap_cc_shared_init)

void foreign_heap_destroy(struct foreign_heap *heap)
{
	if (!heap)
		return;
	(void)close(heap->fd); /* no data was written */
	free(heap);
}
FOREIGN_EXPORT_FROM_64(foreign_heap_destroy, ibv_dmabuf_heap_destroy)

void *foreign_heap_alloc(struct foreign_heap *heap, size_t size, int *dmabuf_fd)
{
	struct dma_heap_allocation_data data = {
		.len = size,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	void *buf;
	int err;

	if (ioctl(heap->fd, DMA_HEAP_IOCTL_ALLOC, &data) < 0)
		return NULL;
	buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)data.fd,
		   0);
	if (buf != MAP_FAILED) {
		*dmabuf_fd = (int)data.fd;
		return buf;
	}
	err = errno;
	(void)close((int)data.fd); /* unusable without the mapping */
	return foreign_null(-err);
}
FOREIGN_EXPORT_FROM_64(foreign_heap_alloc, ibv_dmabuf_heap_alloc)

void foreign_heap_free(void *buf, size_t size, int dmabuf_fd)
{
	/* Both fail only if the arguments are not from foreign_heap_alloc(). */
	(void)munmap(buf, size);
	(void)close(dmabuf_fd);
}
FOREIGN_EXPORT_FROM_64(foreign_heap_free, ibv_dmabuf_heap_free)
