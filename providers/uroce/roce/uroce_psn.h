/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arithmetic of packet sequence numbers (PSN) modulo 2^24. A PSN is later than
 * another if it is less than 2^23 ahead (IBTA 9.7.2, 9.7.1). Message sequence
 * numbers (MSN) use the same arithmetic.
 */
#ifndef UROCE_PSN_H
#define UROCE_PSN_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

/** uroce_psn_add() - the PSN @n packets after @psn; @n may be negative */
static inline uint32_t uroce_psn_add(uint32_t psn, int64_t n)
{
	return (uint32_t)(psn + (uint64_t)n) & UROCE_PSN_MASK;
}

/**
 * uroce_psn_diff() - number of packets from @b to @a
 *
 * Return: from -2^23 to 2^23 - 1; > 0 if @a is later, 0 if they are equal.
 */
static inline int32_t uroce_psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/** uroce_psn_before() - whether @a comes before @b */
static inline bool uroce_psn_before(uint32_t a, uint32_t b)
{
	return uroce_psn_diff(a, b) < 0;
}

#endif
