/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that changes while it is read: see hostile.h. In a libFuzzer program
 * the compiler calls a function before each load (trace-loads), and that may
 * change what is loaded; so one that is made twice can find two values, and
 * does so again with the same input. Elsewhere nothing changes.
 */
#include "fuzz/hostile.h"

#define ONE_OF 4 /* loads is of something new */

static uint8_t *memory; /* NULL: nothing is scribbled on */
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
static UNTRACED uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static UNTRACED void before_load(uint8_t *at, uint32_t bytes)
{
	if (!memory || at < memory || at >= memory + memory_bytes ||
	    next() % ONE_OF)
		return;
	at[next() % bytes] ^= (uint8_t)(1 << (next() & 7));
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
