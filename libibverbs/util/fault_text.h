/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts and numbers of the language of faults, which the layer fault and the
 * provider uroce read (util/fault_choice.h): items that semicolons or newlines
 * separate, and comments from "#" to the end of the line.
 */
#ifndef UTIL_FAULT_TEXT_H
#define UTIL_FAULT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the settings. */
struct fault_text {
	const char *start;
	size_t len;
};

/* A key with a value, "key=value"; without "=", the key is empty. */
struct fault_setting {
	struct fault_text key, value;
};

/* Position in the settings, for fault_items_next(). */
struct fault_items {
	struct fault_text rest; /* lines that follow */
	struct fault_text line; /* items that follow in the line */
	const char *line_start;
	unsigned int line_nr; /* from 1 */
};

/** fault_items_begin() - @text: is not copied */
struct fault_items fault_items_begin(const char *text);

/** fault_items_next() - return whether there is another item, which has text */
bool fault_items_next(struct fault_items *items, struct fault_text *ret_item);

/** fault_text_trim() - remove the blanks around a text */
struct fault_text fault_text_trim(struct fault_text text);

/**
 * fault_text_cut() - remove the part before the first @separator from @rest
 *
 * Without a separator, @rest becomes empty.
 *
 * Return: that part, without blanks around it.
 */
struct fault_text fault_text_cut(struct fault_text *rest, char separator);

/** fault_text_split() - split at the first "=" */
struct fault_setting fault_text_split(struct fault_text text);

/** fault_text_is() - compare with a string */
bool fault_text_is(struct fault_text text, const char *word);

/** fault_text_copy() - copy; Return: whether it is not empty and fits */
bool fault_text_copy(struct fault_text text, char *to, size_t size);

/* Each function returns whether the text is correct. */
bool fault_parse_number(struct fault_text text, uint64_t *ret_number);
bool fault_parse_positive(struct fault_text text, uint64_t *ret_number);
bool fault_parse_u32(struct fault_text text, uint32_t *ret_number); /* > 0 */

/** fault_parse_time() - "50us" */
bool fault_parse_time(struct fault_text text, uint64_t *ret_ns);

/** fault_parse_times() - "50us" or "50us..2ms" */
bool fault_parse_times(struct fault_text text, uint64_t *ret_min_ns,
		       uint64_t *ret_max_ns);

/** fault_parse_rate() - "200mbit", in bits per second */
bool fault_parse_rate(struct fault_text text, uint64_t *ret_rate);

/** fault_parse_bytes() - "8" or "1-4096" */
bool fault_parse_bytes(struct fault_text text, uint64_t *ret_min,
		       uint64_t *ret_max);

/** fault_parse_p() - "0.01" or "1%", at most 9 digits after the point */
bool fault_parse_p(struct fault_text text, double *ret_p);

#endif
