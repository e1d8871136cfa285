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

struct clock_pair {
	uint64_t ns, ticks;
};

/*
 * The thread may lose the processor between the two clocks, so this takes the
 * pair that was read fastest.
 */
static struct clock_pair clock_read_pair(void)
{
	struct clock_pair best = {};
	uint64_t best_ns = UINT64_MAX;

	for (unsigned int i = 0; i < 16; i++) {
		uint64_t before = verbs_now_ns();
		uint64_t ticks = trace_ticks();
		uint64_t after = verbs_now_ns();

		if (after - before >= best_ns)
			continue;
		best_ns = after - before;
		best = (struct clock_pair){ before + best_ns / 2, ticks };
	}
	return best;
}

/* Return: the multiplier, or 0 if the rate is out of the possible range. */
static uint64_t clock_measure(void)
{
	struct clock_pair begin = clock_read_pair(), end;
	uint64_t ns, ticks;

	do
		end = clock_read_pair();
	while (end.ns - begin.ns < CLOCK_MEASURE_NS);
	ns = end.ns - begin.ns;
	ticks = end.ticks - begin.ticks;
	/* 1 MHz to 100 GHz; a processor may have been taken away for long. */
	if (end.ticks <= begin.ticks || ns > UINT64_C(1) << 36 ||
	    ticks / ns > 100 || ns / ticks > 1000)
		return 0;
	return (ns << TRACE_CLOCK_SHIFT) / ticks;
}

void trace_clock_start(void)
{
	trace_clock.multiplier = clock_counter_is_constant() ? clock_measure()
							     : 0;
	trace_clock.start = trace_clock.multiplier ? trace_ticks()
						   : verbs_now_ns();
}
