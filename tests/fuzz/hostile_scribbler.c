/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that changes while it is read: see hostile.h. In a libFuzzer program
 * the compiler calls a function before each load (trace-loads), which may
 * change the loaded bytes. So two loads of the same address can return two
 * values, and do so again with the same input. In other builds no memory
 * changes.
 */
#include "fuzz/hostile.h"

#define ONE_OF 4 /* one of so many loads returns a new value */

static uint8_t *memory; /* NULL: no memory changes */
static size_t memory_bytes;
static uint32_t state;

void scribbler_start(void *at, size_t bytes, uint32_t seed)
{
	memory = at;
	memory_bytes = bytes;
	state = seed | 1;
}

void scribbler_stop(void)
{
	memory = NULL;
}

#ifdef FUZZ_TRACE_LOADS

#define UNTRACED __attribute__((no_sanitize("coverage")))

/* xorshift32 */
static UNTRACED uint32_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static UNTRACED void before_load(uint8_t *at, uint32_t bytes)
{
	if (!memory || at < memory || at >= memory + memory_bytes ||
	    next_random() % ONE_OF)
		return;
	at[next_random() % bytes] ^= (uint8_t)(1 << (next_random() & 7));
}

#define HOOK(bits, bytes)                                             \
	void __sanitizer_cov_load##bytes(uint##bits##_t *at);         \
	UNTRACED void __sanitizer_cov_load##bytes(uint##bits##_t *at) \
	{                                                             \
		before_load((uint8_t *)at, bytes);                    \
	}

typedef __uint128_t uint128_t;

HOOK(8, 1)
HOOK(16, 2)
HOOK(32, 4)
HOOK(64, 8)
HOOK(128, 16)

#endif
