/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which pages a piece of memory lies in, where pages have different sizes. */
#ifndef CORE_PAGE_BOUNDS_H
#define CORE_PAGE_BOUNDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * verbs_page_bounds() - round a range to whole pages
 * @smaps: text in the form of /proc/self/smaps, read until the range is found;
 *	NULL: all pages have the usual size
 * @base, @size: the range, @size > 0
 * @page: the usual size of a page; for memory that @smaps does not know, too
 * @ret_begin, @ret_end: the pages
 *
 * Return: 0, or -EINVAL if the pages do not end before the address space does.
 */
int verbs_page_bounds(FILE *smaps, uintptr_t base, size_t size, size_t page,
		      uintptr_t *ret_begin, uintptr_t *ret_end);

#endif
