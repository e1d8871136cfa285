/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of the cache, asked for before they are needed. */
#ifndef UTIL_FETCH_H
#define UTIL_FETCH_H

/**
 * fetch_to_write() - a line is going to be written
 * @line: any address, of memory or of none
 *
 * To take it away from another CPU takes as long as half of the way of what is
 * written to that one; and of several lines at a time as long as of one.
 */
static inline void fetch_to_write(const void *line)
{
#if defined(__x86_64__) /* nothing, on those that do not have it */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

#endif
