/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock of the layer trace: the time stamp counter if its rate is constant,
 * otherwise CLOCK_MONOTONIC. ibv_trace(1) reads the clock of a running program.
 */
#ifndef LAYERS_TRACE_CLOCK_H
#define LAYERS_TRACE_CLOCK_H

#include <stdint.h>

#include "layers/trace/trace_format.h"
#include "util/clock.h"

/* Written before the layer is enabled. */
extern struct trace_clock trace_clock;

/** trace_clock_start() - measure the rate of the counter; time 0 is now */
void trace_clock_start(void);

static inline uint64_t trace_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

/** trace_clock_read() - return the time since the start of a clock in ns */
static inline uint64_t trace_clock_read(const struct trace_clock *clock)
{
	uint64_t ticks;

	if (clock->multiplier == 0)
		return verbs_now_ns() - clock->start;
	ticks = trace_ticks() - clock->start;
	return ((ticks >> 32) * clock->multiplier << (32 - TRACE_CLOCK_SHIFT)) +
	       ((ticks & UINT32_MAX) * clock->multiplier >> TRACE_CLOCK_SHIFT);
}

/** trace_now() - return the time since trace_clock_start() in ns */
static inline uint64_t trace_now(void)
{
	return trace_clock_read(&trace_clock);
}

#endif
