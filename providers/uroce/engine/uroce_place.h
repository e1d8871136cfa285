/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a WRITE brings, put where it belongs while a program may be looking:
 * many take the last byte, or a last word, as the sign that all is there. A
 * memcpy() keeps no order; that of glibc stores the first bytes last.
 */
#ifndef UROCE_PLACE_H
#define UROCE_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of at most 8 bytes of one aligned word: with one store where there is one. */
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
 * uroce_place() - memcpy() that stores the last word when all else is there.
 * Words of 1, 2, 4 and 8 bytes at addresses of that alignment are never seen in
 * parts. Neither pointer may be NULL.
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
