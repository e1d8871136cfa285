/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pages that a memory range covers, where page sizes differ. */
#ifndef CORE_PAGE_BOUNDS_H
#define CORE_PAGE_BOUNDS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * verbs_page_round() - round a range to pages of known sizes
 * @base, @size: the range; @size > 0
 * @first_size, @last_size: bytes of the pages at its ends
 *
 * Return: 0, or -EINVAL if the range wraps.
 */
static inline int verbs_page_round(uintptr_t base, size_t size,
				   size_t first_size, size_t last_size,
				   uintptr_t *ret_begin, uintptr_t *ret_end)
{
	uintptr_t last, end;

	if (__builtin_add_overflow(base, size - 1, &last) ||
	    __builtin_add_overflow(last | (last_size - 1), 1, &end))
		return -EINVAL;
	*ret_begin = base & ~(uintptr_t)(first_size - 1);
	*ret_end = end;
	return 0;
}

/**
 * verbs_page_bounds() - round a range to whole pages
 * @smaps: text in the form of /proc/self/smaps, read until the range is found;
 *	NULL: all pages have the base size
 * @base, @size: the range, @size > 0
 * @page: base page size, also used for memory that @smaps does not contain
 * @ret_begin, @ret_end: the pages
 *
 * Return: 0, or -EINVAL if the pages do not end before the address space does.
 */
int verbs_page_bounds(FILE *smaps, uintptr_t base, size_t size, size_t page,
		      uintptr_t *ret_begin, uintptr_t *ret_end);

#endif
