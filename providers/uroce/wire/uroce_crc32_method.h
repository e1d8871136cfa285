/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private to the uroce_crc32*.c files: the type of a method, the portable
 * method, with which the x86 methods add their last bytes, and the selection.
 */
#ifndef UROCE_CRC32_METHOD_H
#define UROCE_CRC32_METHOD_H

#include "uroce/wire/uroce_crc32.h"

/* Adds @len bytes at @src to @reg; copies them to @dst unless it is NULL. */
typedef uint32_t uroce_crc32_fn(uint32_t reg, uint8_t *dst, const uint8_t *src,
				size_t len);

/** uroce_crc32_table() - compute a CRC with the portable method */
uint32_t uroce_crc32_table(uint32_t reg, uint8_t *dst, const uint8_t *src,
			   size_t len);

/** uroce_crc32_make_tables() - prepare uroce_crc32_table() */
void uroce_crc32_make_tables(void);

/**
 * uroce_crc32_x86_find() - find the function of a method
 * @method: other than UROCE_CRC32_TABLE
 *
 * Computes the constants of the methods; depends on uroce_crc32_x_power() only.
 *
 * Return: the function, or NULL if the CPU does not support the method.
 */
uroce_crc32_fn *uroce_crc32_x86_find(enum uroce_crc32_method method);

/** uroce_crc32_arm64_find() - as uroce_crc32_x86_find(), without constants */
uroce_crc32_fn *uroce_crc32_arm64_find(enum uroce_crc32_method method);

#endif
