/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CRC-32 with the CRC instructions of arm64: optional in version 8.0 of the
 * architecture, mandatory from 8.1 on.
 */
#ifdef __aarch64__
#include <endian.h>
#include <string.h>
#include <sys/auxv.h>

#include "uroce/wire/uroce_crc32_method.h"

/* HWCAP_CRC32 of the kernel's asm/hwcap.h, which conflicts with libc here */
#define HAS_CRC32 (1ul << 7)

/* Assembly, because the names of the intrinsics depend on the compiler. */
static inline uint32_t take_word(uint32_t reg, uint64_t word)
{
	__asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %x1"
		: "+r"(reg)
		: "r"(word));
	return reg;
}

static inline uint32_t take_byte(uint32_t reg, uint32_t byte)
{
	__asm__(".arch_extension crc\n\tcrc32b %w0, %w0, %w1"
		: "+r"(reg)
		: "r"(byte));
	return reg;
}

static uint32_t crc_arm64(uint32_t reg, uint8_t *dst, const uint8_t *src,
			  size_t len)
{
	for (; len >= 8; len -= 8, src += 8) {
		uint64_t word;

		memcpy(&word, src, 8);
		if (dst) {
			memcpy(dst, &word, 8);
			dst += 8;
		}
		reg = take_word(reg, le64toh(word));
	}
	for (; len; len--, src++) {
		if (dst)
			*dst++ = *src;
		reg = take_byte(reg, *src);
	}
	return reg;
}

uroce_crc32_fn *uroce_crc32_arm64_find(enum uroce_crc32_method method)
{
	if (method == UROCE_CRC32_ARM64 && (getauxval(AT_HWCAP) & HAS_CRC32))
		return crc_arm64;
	return NULL;
}
#endif
