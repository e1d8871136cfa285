/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the CRC share: the form of a method, and the portable one,
 * with which the others finish. Not for anybody else.
 */
#ifndef UROCE_CRC32_METHOD_H
#define UROCE_CRC32_METHOD_H

#include "uroce/wire/uroce_crc32.h"

/* Takes @len bytes into @reg; copies them too unless !@dst. */
typedef uint32_t uroce_crc32_fn(uint32_t reg, uint8_t *dst, const uint8_t *src,
				size_t len);

/** uroce_crc32_table() - the portable method, slicing by 8 */
uint32_t uroce_crc32_table(uint32_t reg, uint8_t *dst, const uint8_t *src,
			   size_t len);

/**
 * uroce_crc32_x86_find() - a method of this CPU
 * @method: other than UROCE_CRC32_TABLE
 *
 * Makes its constants; needs nothing but uroce_crc32_x_power().
 *
 * Return: the method, or NULL if the CPU does not have it.
 */
uroce_crc32_fn *uroce_crc32_x86_find(enum uroce_crc32_method method);

/** uroce_crc32_arm64_find() - likewise; needs nothing */
uroce_crc32_fn *uroce_crc32_arm64_find(enum uroce_crc32_method method);

#endif
