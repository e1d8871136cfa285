/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structs that grew: the caller's may be older (shorter) or newer (longer). */
#ifndef API_SIZED_COPY_H
#define API_SIZED_COPY_H

#include <stddef.h>
#include <string.h>

/**
 * api_copy_sized() - hand a struct of ours to the caller
 * @dst, @dst_size: the caller's, written whole: what we do not know is 0
 * @src, @src_size: ours; what the caller does not know is left out
 */
static inline void api_copy_sized(void *dst, size_t dst_size, const void *src,
				  size_t src_size)
{
	size_t common;

	/* mostly equal, and then it is a copy of constant length */
	if (dst_size == src_size) {
		memcpy(dst, src, src_size);
		return;
	}
	common = dst_size < src_size ? dst_size : src_size;

	memcpy(dst, src, common);
	memset((char *)dst + common, 0, dst_size - common);
}

#endif
