/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stores the payload of a WRITE in memory that the application may poll. Many
 * applications poll the last byte or word and take its change as the end of the
 * message. memcpy() guarantees no order; that of glibc stores the first bytes
 * last.
 */
#ifndef UROCE_PLACE_H
#define UROCE_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stores up to 8 bytes of one aligned word, if possible with a single store. */
static inline void uroce_place_word(uint8_t *to, const uint8_t *from,
				    size_t bytes)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (bytes == 8) {
		memcpy(&u64, from, 8);
		__atomic_store_n((uint64_t *)(void *)to, u64, __ATOMIC_RELEASE);
	} else if (bytes == 4 && (uintptr_t)to % 4 == 0) {
		memcpy(&u32, from, 4);
		__atomic_store_n((uint32_t *)(void *)to, u32, __ATOMIC_RELEASE);
	} else if (bytes == 2 && (uintptr_t)to % 2 == 0) {
		memcpy(&u16, from, 2);
		__atomic_store_n((uint16_t *)(void *)to, u16, __ATOMIC_RELEASE);
	} else {
		for (size_t i = 0; i < bytes; i++)
			__atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
	}
}

/*
 * uroce_place() - memcpy() that stores the last word after all other bytes. A
 * last word of 1, 2, 4 or 8 bytes with that alignment is stored at once, so a
 * reader never sees a part of it. Neither pointer may be NULL.
 */
static inline void uroce_place(uint8_t *to, const uint8_t *from, size_t bytes)
{
	size_t last = bytes ? ((uintptr_t)(to + bytes) - 1) % 8 + 1 : 0;

	if (last > bytes)
		last = bytes;
	memcpy(to, from, bytes - last);
	uroce_place_word(to + bytes - last, from + bytes - last, last);
}

#endif
