/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CRC of Ethernet (IEEE 802.3, 3.2.9), which is also that of the ICRC
 * (IBTA 7.8.1), over pieces of any length, with or without copying them.
 *
 * Functions take and give the bare shift register: whoever starts with
 * 0xffffffff and inverts the result has the usual CRC-32. Its lowest bit is the
 * coefficient of the highest power of x, so 0x80000000 is the polynomial 1.
 */
#ifndef UROCE_CRC32_H
#define UROCE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define UROCE_CRC32_ONE 0x80000000u /* the polynomial 1 */

enum uroce_crc32_method {
	UROCE_CRC32_TABLE,	/* slicing by 8; any machine */
	UROCE_CRC32_PCLMUL,	/* x86-64: carry-less multiplication */
	UROCE_CRC32_VPCLMUL,	/* the same, 256 bits wide */
	UROCE_CRC32_VPCLMUL512, /* and 512 */
	UROCE_CRC32_ARM64,	/* instructions for this very CRC */
	UROCE_CRC32_NR_METHODS,
};

/**
 * uroce_crc32_init() - make the tables and choose the fastest method
 *
 * Must have been called, by any thread, before any other function of this
 * header; further calls do nothing.
 */
void uroce_crc32_init(void);

/**
 * uroce_crc32_use() - choose a method
 * @method: one that the CPU may or may not have
 *
 * For tests. Not while another thread computes.
 *
 * Return: 0, or -EOPNOTSUPP if the CPU cannot.
 */
int uroce_crc32_use(enum uroce_crc32_method method);

/** uroce_crc32() - take @len more bytes into the register @reg */
uint32_t uroce_crc32(uint32_t reg, const void *src, size_t len);

/** uroce_crc32_word() - what the 4 bytes at @src make of a register of 0 */
uint32_t uroce_crc32_word(const uint8_t *src);

/** uroce_crc32_copy() - the same, and copy them to @dst */
uint32_t uroce_crc32_copy(uint32_t reg, void *dst, const void *src, size_t len);

/** uroce_crc32_multiply() - product of two polynomials, modulo the CRC's */
uint32_t uroce_crc32_multiply(uint32_t a, uint32_t b);

/**
 * uroce_crc32_x_power() - x to the power @n, modulo the CRC's polynomial
 *
 * Multiplied with a register it is what @n bits of 0 make of the register. The
 * polynomial is primitive: powers repeat after 2^32 - 1.
 */
uint32_t uroce_crc32_x_power(uint32_t n);

#endif
