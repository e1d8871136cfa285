/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FetchAdd and CmpSwap on memory of this host (IBTA 9.4.5). They are atomic
 * with respect to the CPU as well, so operands are in host byte order.
 */
#ifndef UROCE_ATOMIC_H
#define UROCE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#define UROCE_ATOMIC_BYTES 8 /* size and alignment of the operand */

/* Both functions return the original value. */
static inline uint64_t uroce_atomic_add(uint8_t *to, uint64_t summand)
{
	return __atomic_fetch_add((uint64_t *)(void *)to, summand,
				  __ATOMIC_SEQ_CST);
}

static inline uint64_t uroce_atomic_swap(uint8_t *to, uint64_t expected,
					 uint64_t number)
{
	/* on failure, @expected receives the original value */
	(void)__atomic_compare_exchange_n((uint64_t *)(void *)to, &expected,
					  number, false, __ATOMIC_SEQ_CST,
					  __ATOMIC_SEQ_CST);
	return expected;
}

#endif
