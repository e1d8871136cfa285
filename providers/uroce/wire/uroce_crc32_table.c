/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CRC-32: the portable method, and polynomial arithmetic.
 *
 * Slicing by 8: tables[k][b] is the register, initially 0, after byte b and k
 * zero bytes. The CRC is linear, so the effects of eight bytes are looked up
 * independently and added.
 */
#include "uroce/wire/uroce_crc32_method.h"

#include <endian.h>
#include <string.h>

/* IEEE 802.3, 3.2.9: 0x04c11db7; the highest bit is the lowest power. */
#define POLYNOMIAL 0xedb88320u
#define SLICES	   8

static uint32_t tables[SLICES][256];

/* Multiplies the register by x. */
static uint32_t shift(uint32_t reg)
{
	return reg >> 1 ^ (reg & 1 ? POLYNOMIAL : 0);
}

uint32_t uroce_crc32_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		if (a & UROCE_CRC32_ONE)
			product ^= b;
		b = shift(b);
	}
	return product;
}

uint32_t uroce_crc32_x_power(uint32_t n)
{
	uint32_t power = UROCE_CRC32_ONE;
	uint32_t square = UROCE_CRC32_ONE >> 1; /* x */

	for (; n; n >>= 1) {
		if (n & 1)
			power = uroce_crc32_multiply(power, square);
		square = uroce_crc32_multiply(square, square);
	}
	return power;
}

uint32_t uroce_crc32_table(uint32_t reg, uint8_t *dst, const uint8_t *src,
			   size_t len)
{
	for (; len >= 8; len -= 8, src += 8) {
		uint64_t word;

		memcpy(&word, src, 8);
		if (dst) {
			memcpy(dst, &word, 8);
			dst += 8;
		}
		word = le64toh(word) ^ reg;
		reg = tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^
		      tables[5][word >> 16 & 0xff] ^
		      tables[4][word >> 24 & 0xff] ^
		      tables[3][word >> 32 & 0xff] ^
		      tables[2][word >> 40 & 0xff] ^
		      tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
	}
	if (len >= 4) {
		uint32_t word;

		memcpy(&word, src, 4);
		if (dst) {
			memcpy(dst, &word, 4);
			dst += 4;
		}
		word = le32toh(word) ^ reg;
		reg = tables[3][word & 0xff] ^ tables[2][word >> 8 & 0xff] ^
		      tables[1][word >> 16 & 0xff] ^ tables[0][word >> 24];
		src += 4;
		len -= 4;
	}
	for (; len; len--, src++) {
		if (dst)
			*dst++ = *src;
		reg = reg >> 8 ^ tables[0][(reg ^ *src) & 0xff];
	}
	return reg;
}

void uroce_crc32_make_tables(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t reg = byte;

		for (int bit = 0; bit < 8; bit++)
			reg = shift(reg);
		tables[0][byte] = reg;
	}
	for (int k = 1; k < SLICES; k++) {
		for (int byte = 0; byte < 256; byte++) {
			uint32_t reg = tables[k - 1][byte];

			tables[k][byte] = reg >> 8 ^ tables[0][reg & 0xff];
		}
	}
}

uint32_t uroce_crc32_word(const uint8_t *src)
{
	return tables[3][src[0]] ^ tables[2][src[1]] ^ tables[1][src[2]] ^
	       tables[0][src[3]];
}
