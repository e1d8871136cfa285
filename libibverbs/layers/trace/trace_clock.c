/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See trace_clock.h. */
#include "layers/trace/trace_clock.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CLOCK_MEASURE_NS 2000000U

struct trace_clock trace_clock;

static bool clock_counter_is_constant(void)
{
#if defined(__x86_64__)
	unsigned int eax, ebx, ecx, edx;

	/* AMD64 manual, volume 3, E.4.7: bit 8 is TscInvariant. */
	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 &&
	       (edx & (1U << 8));
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

/* Return: the multiplier, or 0 if the rate is out of the possible range. */
static uint64_t clock_measure(void)
{
	uint64_t begin_ns = trace_monotonic_ns(CLOCK_MONOTONIC);
	uint64_t begin = trace_ticks(), end, end_ns;

	do {
		end_ns = trace_monotonic_ns(CLOCK_MONOTONIC);
		end = trace_ticks();
	} while (end_ns - begin_ns < CLOCK_MEASURE_NS);
	/* 1 MHz to 100 GHz; a processor may have been taken away for long. */
	if (end <= begin || end_ns - begin_ns > UINT64_C(1) << 36 ||
	    (end - begin) / (end_ns - begin_ns) > 100 ||
	    (end_ns - begin_ns) / (end - begin) > 1000)
		return 0;
	return ((end_ns - begin_ns) << TRACE_CLOCK_SHIFT) / (end - begin);
}

void trace_clock_start(void)
{
	trace_clock.multiplier = clock_counter_is_constant() ? clock_measure()
							     : 0;
	trace_clock.start = trace_clock.multiplier
				    ? trace_ticks()
				    : trace_monotonic_ns(CLOCK_MONOTONIC);
}
