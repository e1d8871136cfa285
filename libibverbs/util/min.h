/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Minimum of two numbers. */
#ifndef UTIL_MIN_H
#define UTIL_MIN_H

#include <stdint.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif
