/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prefetching of cache lines. */
#ifndef UTIL_PREFETCH_H
#define UTIL_PREFETCH_H

/**
 * prefetch_for_write() - prefetch the cache line of an address for writing
 * @line: any address, also an invalid one
 *
 * Moving a line from the cache of another CPU takes about half of the time in
 * which a write becomes visible to that CPU. Several prefetches in flight
 * together take as long as one.
 */
static inline void prefetch_for_write(const void *line)
{
#if defined(__x86_64__) /* a no-op on CPUs without prefetchw */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

#endif
