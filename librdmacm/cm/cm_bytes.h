/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Big-endian integers of any number of bytes, unaligned. */
#ifndef CM_CM_BYTES_H
#define CM_CM_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* @len: 1 to 8 */
static inline uint64_t cm_bytes_get(const uint8_t *at, size_t len)
{
	uint64_t value = 0;

	while (len--)
		value = value << 8 | *at++;
	return value;
}

/* @len: 1 to 8; higher bytes of the value are left out. */
static inline void cm_bytes_put(uint8_t *at, size_t len, uint64_t value)
{
	while (len--) {
		at[len] = (uint8_t)value;
		value >>= 8;
	}
}

#endif
