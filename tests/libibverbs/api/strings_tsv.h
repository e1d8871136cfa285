/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The observed results of the table functions, row by row. */
#ifndef STRINGS_TSV_H
#define STRINGS_TSV_H

#include <stddef.h>

struct strings_tsv_row {
	int argument;
	const char *result;
};

/**
 * strings_tsv_for_each() - run a check on all rows about one function
 *
 * Fails the test if the file cannot be read or has a row that is none.
 *
 * Return: number of rows.
 */
size_t strings_tsv_for_each(const char *function,
			    void (*check)(const struct strings_tsv_row *row));

#endif
