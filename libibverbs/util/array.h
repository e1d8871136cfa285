/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays that grow, without a member for their capacity. */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/**
 * array_grow() - make room for one more element
 * @array: of @nr elements; NULL if @nr is 0. If an array has always grown by
 *	this function, it has room for the next power of two.
 * @size: bytes of an element
 *
 * Return: the array, which replaces @array; NULL if there is no memory, and
 * @array is unchanged.
 */
static inline void *array_grow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return reallocarray(array, nr ? 2 * nr : 1, size);
}

#endif
