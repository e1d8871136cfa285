/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of function pointers: ops of contexts, and functions of QPs. */
#ifndef LAYERS_REPLACE_H
#define LAYERS_REPLACE_H

/*
 * LAYERS_REPLACE() - if @table has the function, replace it by @prefix_function
 *
 * A function that the provider or the program does not have stays NULL.
 */
#define LAYERS_REPLACE(table, prefix, function)                  \
	do {                                                     \
		if ((table)->function)                           \
			(table)->function = prefix##_##function; \
	} while (0)

#endif
