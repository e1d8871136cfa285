/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CRC of Ethernet (IEEE 802.3, 3.2.9), which the ICRC uses as well (IBTA
 * 7.8.1), over segments of any length, with or without a copy of the data.
 *
 * The functions take and return the bare shift register. The common CRC-32
 * starts with 0xffffffff and inverts the result. The lowest bit is the
 * coefficient of the highest power of x, so 0x80000000 is the polynomial 1.
 */
#ifndef UROCE_CRC32_H
#define UROCE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define UROCE_CRC32_ONE 0x80000000u /* the polynomial 1 */

enum uroce_crc32_method {
	UROCE_CRC32_TABLE,	/* slicing by 8; any CPU */
	UROCE_CRC32_PCLMUL,	/* x86-64: carry-less multiplication */
	UROCE_CRC32_VPCLMUL,	/* with 256-bit registers */
	UROCE_CRC32_VPCLMUL512, /* with 512-bit registers */
	UROCE_CRC32_ARM64,	/* CRC-32 instructions */
	UROCE_CRC32_NR_METHODS,
};

/**
 * uroce_crc32_init() - build the tables and select the fastest method
 *
 * Must return, in any thread, before any other function of this header is
 * called. Further calls do nothing.
 */
void uroce_crc32_init(void);

/**
 * uroce_crc32_use() - select a method
 * @method: method, also one that the CPU may not support
 *
 * For tests. No other thread may compute a CRC at the same time.
 *
 * Return: 0, or -EOPNOTSUPP if the CPU does not support @method.
 */
int uroce_crc32_use(enum uroce_crc32_method method);

/** uroce_crc32() - add @len bytes at @src to the register @reg */
uint32_t uroce_crc32(uint32_t reg, const void *src, size_t len);

/** uroce_crc32_word() - add the 4 bytes at @src to a register of 0 */
uint32_t uroce_crc32_word(const uint8_t *src);

/** uroce_crc32_copy() - add @len bytes at @src to @reg, copy them to @dst */
uint32_t uroce_crc32_copy(uint32_t reg, void *dst, const void *src, size_t len);

/** uroce_crc32_multiply() - multiply modulo the CRC polynomial */
uint32_t uroce_crc32_multiply(uint32_t a, uint32_t b);

/**
 * uroce_crc32_x_power() - compute x^@n modulo the CRC polynomial
 *
 * The product of a register and x^@n is the register after @n zero bits. The
 * polynomial is primitive: powers repeat after 2^32 - 1.
 */
uint32_t uroce_crc32_x_power(uint32_t n);

#endif
