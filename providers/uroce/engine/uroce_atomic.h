/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FetchAdd and CmpSwap on memory of this machine (IBTA 9.4.5): atomic with the
 * CPU as well, so numbers are in its byte order.
 */
#ifndef UROCE_ATOMIC_H
#define UROCE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#define UROCE_ATOMIC_BYTES 8 /* at a multiple of that */

/* What was there before is returned by both. */
static inline uint64_t uroce_atomic_add(uint8_t *to, uint64_t summand)
{
	return __atomic_fetch_add((uint64_t *)(void *)to, summand,
				  __ATOMIC_SEQ_CST);
}

static inline uint64_t uroce_atomic_swap(uint8_t *to, uint64_t expected,
					 uint64_t number)
{
	/* what was there is put into it unless it was exchanged */
	(void)__atomic_compare_exchange_n((uint64_t *)(void *)to, &expected,
					  number, false, __ATOMIC_SEQ_CST,
					  __ATOMIC_SEQ_CST);
	return expected;
}

#endif
