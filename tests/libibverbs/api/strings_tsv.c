/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads tests/abi/strings.tsv: see strings_tsv.h. */
#include "strings_tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE_LEN 256

/*
 * Split a line of three columns. Returns the name of the function, or NULL for
 * a comment and the header of the table.
 */
static char *parse_row(char *line, struct strings_tsv_row *ret_row)
{
	char *function = strsep(&line, "\t");
	char *argument = strsep(&line, "\t");
	char *end;

	if (!function || function[0] == '#' ||
	    strcmp(function, "function") == 0)
		return NULL;
	if (!argument || !line)
		fail_msg("not three columns: %s", function);

	ret_row->argument = (int)strtol(argument, &end, 10);
	assert_true(end != argument && *end == '\0');
	ret_row->result = line;
	return function;
}

size_t strings_tsv_for_each(const char *function,
			    void (*check)(const struct strings_tsv_row *row))
{
	FILE *file = fopen(STRINGS_TSV, "re");
	struct strings_tsv_row row;
	char line[LINE_LEN];
	size_t nr_rows = 0;

	if (!file)
		fail_msg("cannot open %s", STRINGS_TSV);
	while (fgets(line, sizeof(line), file)) {
		char *name;

		line[strcspn(line, "\n")] = '\0';
		name = parse_row(line, &row);
		if (!name || strcmp(name, function) != 0)
			continue;
		check(&row);
		nr_rows++;
	}
	(void)fclose(file); /* opened for reading only */
	return nr_rows;
}
