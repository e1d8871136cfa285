/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the results that releases return for their enum functions. */
#ifndef STRINGS_TSV_H
#define STRINGS_TSV_H

#include <stddef.h>

struct strings_tsv_row {
	int argument;
	const char *result;
};

/**
 * strings_tsv_for_each() - call a check for each row of a function
 *
 * Fails the test if the file cannot be read or has a malformed row.
 *
 * Return: number of rows.
 */
size_t strings_tsv_for_each(const char *function,
			    void (*check)(const struct strings_tsv_row *row));

#endif
