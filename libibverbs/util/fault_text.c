/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_text.h. */
#include "util/fault_text.h"

#include <string.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static bool text_is_blank(char letter)
{
	return letter == ' ' || letter == '\t' || letter == '\r';
}

struct fault_text fault_text_trim(struct fault_text text)
{
	while (text.len && text_is_blank(text.start[0])) {
		text.start++;
		text.len--;
	}
	while (text.len && text_is_blank(text.start[text.len - 1]))
		text.len--;
	return text;
}

struct fault_text fault_text_cut(struct fault_text *rest, char separator)
{
	const char *end = memchr(rest->start, separator, rest->len);
	struct fault_text part = *rest;

	if (end)
		part.len = (size_t)(end - rest->start);
	rest->start += part.len + (end != NULL);
	rest->len -= part.len + (end != NULL);
	return fault_text_trim(part);
}

struct fault_items fault_items_begin(const char *text)
{
	return (struct fault_items){ .rest = { text, strlen(text) } };
}

bool fault_items_next(struct fault_items *items, struct fault_text *ret_item)
{
	ret_item->len = 0;
	while (ret_item->len == 0) {
		struct fault_text line;

		if (items->line.len) {
			*ret_item = fault_text_cut(&items->line, ';');
			continue;
		}
		if (items->rest.len == 0)
			return false;
		items->line_start = items->rest.start;
		items->line_nr++;
		line = fault_text_cut(&items->rest, '\n');
		items->line = fault_text_cut(&line, '#');
	}
	return true;
}

struct fault_setting fault_text_split(struct fault_text text)
{
	struct fault_setting setting = { .value = text };

	setting.key = fault_text_cut(&setting.value, '=');
	setting.value = fault_text_trim(setting.value);
	return setting;
}

bool fault_text_is(struct fault_text text, const char *word)
{
	return text.len == strlen(word) &&
	       strncmp(text.start, word, text.len) == 0;
}

bool fault_text_copy(struct fault_text text, char *to, size_t size)
{
	if (text.len == 0 || text.len >= size)
		return false;
	memcpy(to, text.start, text.len);
	to[text.len] = '\0';
	return true;
}

/* Removes decimal digits, at least one. */
static bool number_cut(struct fault_text *text, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t len = 0;

	for (; len < text->len; len++) {
		unsigned int digit = (unsigned char)text->start[len] - '0';

		if (digit > 9)
			break;
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	text->start += len;
	text->len -= len;
	*ret_number = number;
	return len > 0;
}

bool fault_parse_number(struct fault_text text, uint64_t *ret_number)
{
	return number_cut(&text, ret_number) && text.len == 0;
}

bool fault_parse_positive(struct fault_text text, uint64_t *ret_number)
{
	return fault_parse_number(text, ret_number) && *ret_number > 0;
}

bool fault_parse_u32(struct fault_text text, uint32_t *ret_number)
{
	uint64_t number;

	if (!fault_parse_positive(text, &number) || number > INT32_MAX)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

struct text_unit {
	const char *name;
	uint64_t factor;
};

static bool number_parse_unit(struct fault_text text,
			      const struct text_unit *units, size_t nr,
			      uint64_t *ret_number)
{
	if (!number_cut(&text, ret_number))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (fault_text_is(text, units[i].name))
			return !__builtin_mul_overflow(
				*ret_number, units[i].factor, ret_number);
	return false;
}

bool fault_parse_time(struct fault_text text, uint64_t *ret_ns)
{
	static const struct text_unit units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
	};

	return number_parse_unit(text, units, NR(units), ret_ns);
}

bool fault_parse_rate(struct fault_text text, uint64_t *ret_rate)
{
	static const struct text_unit units[] = {
		{ "kbit", 1000 },
		{ "mbit", 1000000 },
		{ "gbit", 1000000000 },
	};

	return number_parse_unit(text, units, NR(units), ret_rate);
}

bool fault_parse_times(struct fault_text text, uint64_t *ret_min_ns,
		       uint64_t *ret_max_ns)
{
	const char *dots = memmem(text.start, text.len, "..", 2);
	struct fault_text min = text, max = text;

	if (dots) {
		min.len = (size_t)(dots - text.start);
		max.start = dots + 2;
		max.len = text.len - min.len - 2;
	}
	return fault_parse_time(min, ret_min_ns) &&
	       fault_parse_time(max, ret_max_ns) && *ret_min_ns <= *ret_max_ns;
}

bool fault_parse_bytes(struct fault_text text, uint64_t *ret_min,
		       uint64_t *ret_max)
{
	struct fault_text max = text;
	struct fault_text min = fault_text_cut(&max, '-');

	if (!memchr(text.start, '-', text.len))
		max = min;
	return fault_parse_number(min, ret_min) &&
	       fault_parse_number(max, ret_max) && *ret_min <= *ret_max;
}

bool fault_parse_p(struct fault_text text, double *ret_p)
{
	uint64_t whole, part = 0;
	double scale = 1;

	if (!number_cut(&text, &whole))
		return false;
	if (text.len && text.start[0] == '.') {
		const char *start = ++text.start;

		text.len--;
		if (!number_cut(&text, &part) || text.start - start > 9)
			return false;
		for (ptrdiff_t i = text.start - start; i > 0; i--)
			scale *= 10;
	}
	*ret_p = (double)whole + (double)part / scale;
	if (fault_text_is(text, "%")) {
		*ret_p /= 100;
		text.len = 0;
	}
	return text.len == 0 && *ret_p <= 1;
}
