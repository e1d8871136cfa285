/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies structs of which newer releases have more members: the caller's may
 * be shorter or longer.
 */
#ifndef API_SIZED_COPY_H
#define API_SIZED_COPY_H

#include <stddef.h>
#include <string.h>

/**
 * api_copy_sized() - copy a struct to the caller
 * @dst, @dst_size: the caller's struct; bytes behind @src_size become 0
 * @src, @src_size: the library's struct; bytes behind @dst_size are not copied
 */
static inline void api_copy_sized(void *dst, size_t dst_size, const void *src,
				  size_t src_size)
{
	size_t common;

	/* the common case is a copy of constant length */
	if (dst_size == src_size) {
		memcpy(dst, src, src_size);
		return;
	}
	common = dst_size < src_size ? dst_size : src_size;

	memcpy(dst, src, common);
	memset((char *)dst + common, 0, dst_size - common);
}

#endif
