/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mapped part of a dma-buf. The exporter must know when the CPU accesses the
 * memory (DMA_BUF_IOCTL_SYNC), so each access is between uroce_dmabuf_begin()
 * and uroce_dmabuf_end().
 */
#ifndef UROCE_DMABUF_H
#define UROCE_DMABUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uroce_dmabuf {
	int fd;
	void *map; /* whole pages */
	size_t map_bytes;
	uint8_t *base; /* of the part */
	uint64_t sync; /* DMA_BUF_SYNC_READ or DMA_BUF_SYNC_RW */
	bool open;     /* between begin and end */
	struct uroce_dmabuf *next_open;
};

/**
 * uroce_dmabuf_map() - map a part of a dma-buf
 * @fd: of the dma-buf; the caller may close it afterwards
 * @offset: of the part, bytes
 * @length: of the part, bytes; > 0
 * @write: whether the CPU writes to the part
 * @ret_dmabuf: receives the mapping; uroce_dmabuf_unmap() frees it
 *
 * Return: 0; -EBADF; -EINVAL if @fd is no dma-buf, or the part is not inside;
 * -EOPNOTSUPP if the exporter does not support mapping; -EMFILE, -ENFILE,
 * -ENOMEM.
 */
int uroce_dmabuf_map(int fd, uint64_t offset, size_t length, bool write,
		     struct uroce_dmabuf **ret_dmabuf);

/** uroce_dmabuf_unmap() - unmap after the last access; NULL is allowed */
void uroce_dmabuf_unmap(struct uroce_dmabuf *dmabuf);

/**
 * uroce_dmabuf_begin() - begin an access of the CPU
 *
 * Waits for devices that use the memory, if the exporter does.
 *
 * Return: 0, or -errno of the exporter.
 */
int uroce_dmabuf_begin(struct uroce_dmabuf *dmabuf);

/** uroce_dmabuf_end() - end an access of the CPU */
void uroce_dmabuf_end(struct uroce_dmabuf *dmabuf);

#endif
