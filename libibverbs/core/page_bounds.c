/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds ranges to whole pages. Memory of huge pages can only be advised by
 * whole huge pages. /proc/self/smaps contains their size: for each mapping a
 * line with its addresses, and below it lines "Name: value", one of which is
 * the page size. core/fork_guard.c calls this file.
 */
#include "core/page_bounds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The lines that are parsed fit; longer lines end with a file name. */
#define LINE_BYTES 128

#define SIZE_NAME "KernelPageSize:"

/* The largest pages of any architecture so far have 16 GiB. */
#define MAX_PAGE_KB (UINT64_C(64) << 20)

/* A mapping: [begin, end). */
struct mapping {
	uintptr_t begin;
	uintptr_t end;
};

/*
 * Reads a line and drops the part that does not fit. No line of the kernel
 * begins with a blank, so a cut line cannot be mistaken for another one.
 */
static bool smaps_read_line(FILE *file, char *line, size_t size)
{
	size_t len;
	int c;

	if (!fgets(line, (int)size, file))
		return false;
	len = strlen(line);
	if (len && line[len - 1] != '\n') {
		do {
			c = getc(file);
		} while (c != EOF && c != '\n');
	}
	return true;
}

static bool smaps_is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "7f12a000-7f12b000 rw-p ..." */
static bool smaps_parse_mapping(const char *line, struct mapping *ret_mapping)
{
	unsigned long long begin, end;
	char *rest;

	if (!smaps_is_hex_digit(line[0]))
		return false;
	begin = strtoull(line, &rest, 16);
	if (rest[0] != '-' || !smaps_is_hex_digit(rest[1]))
		return false;
	end = strtoull(rest + 1, &rest, 16);
	if (rest[0] != ' ' || begin >= end || end > UINTPTR_MAX)
		return false;
	*ret_mapping = (struct mapping){ (uintptr_t)begin, (uintptr_t)end };
	return true;
}

/* "KernelPageSize:     2048 kB"; 0 for any other line. */
static size_t smaps_parse_page_size(const char *line)
{
	unsigned long long kb;
	char *rest;

	if (strncmp(line, SIZE_NAME, strlen(SIZE_NAME)) != 0)
		return 0;
	line += strlen(SIZE_NAME);
	line += strspn(line, " \t");
	if (line[0] < '0' || line[0] > '9')
		return 0;
	kb = strtoull(line, &rest, 10);
	if (strncmp(rest, " kB", 3) != 0 || kb > MAX_PAGE_KB ||
	    (kb & (kb - 1)) != 0 || kb > SIZE_MAX / 1024)
		return 0;
	return (size_t)kb * 1024;
}

static bool smaps_mapping_contains(const struct mapping *mapping,
				   uintptr_t addr)
{
	return addr >= mapping->begin && addr < mapping->end;
}

/*
 * Finds the sizes of the pages at two addresses, @first <= @last. On entry
 * both sizes are the base page size; no page is smaller.
 */
static void smaps_find_page_sizes(FILE *smaps, uintptr_t first, uintptr_t last,
				  size_t *first_size, size_t *last_size)
{
	const size_t base_size = *first_size;
	struct mapping mapping = {};
	char line[LINE_BYTES];

	while (smaps_read_line(smaps, line, sizeof(line))) {
		size_t size;

		if (smaps_parse_mapping(line, &mapping)) {
			/* mappings are in the order of their addresses */
			if (mapping.begin > last)
				return;
			continue;
		}
		size = smaps_parse_page_size(line);
		if (size < base_size)
			continue;
		if (smaps_mapping_contains(&mapping, first))
			*first_size = size;
		if (smaps_mapping_contains(&mapping, last)) {
			*last_size = size;
			return;
		}
	}
}

int verbs_page_bounds(FILE *smaps, uintptr_t base, size_t size, size_t page,
		      uintptr_t *ret_begin, uintptr_t *ret_end)
{
	size_t first_size = page, last_size = page;
	uintptr_t last;

	if (__builtin_add_overflow(base, size - 1, &last))
		return -EINVAL;
	if (smaps)
		smaps_find_page_sizes(smaps, base, last, &first_size,
				      &last_size);
	return verbs_page_round(base, size, first_size, last_size, ret_begin,
				ret_end);
}
