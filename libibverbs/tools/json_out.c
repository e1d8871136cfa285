// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes JSON as a stream: see json_out.h. For each nesting level, the state
 * contains the closing bracket and whether the level is still empty, which
 * decides about the comma.
 */
#include "tools/json_out.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

void json_begin(struct json_out *out, FILE *file)
{
	*out = (struct json_out){ .file = file };
	out->level[0].empty = true;
}

int json_end(struct json_out *out)
{
	assert(out->depth == 0 && !out->level[0].empty);
	fputc('\n', out->file);
	if (fflush(out->file) != 0 || ferror(out->file))
		return -EIO;
	return 0;
}

static void json_new_line(struct json_out *out)
{
	fprintf(out->file, "\n%*s", 2 * out->depth, "");
}

/*
 * Returns the length in bytes of the UTF-8 sequence at @text, or 0 if there is
 * no valid one. Overlong forms, surrogates and code points above U+10FFFF are
 * invalid (Unicode 15, table 3-7).
 */
static int json_utf8_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	int length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	/* the terminating NUL is not a continuation byte either */
	for (int i = 2; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static void json_write_string(FILE *file, const char *value)
{
	const unsigned char *text = (const unsigned char *)value;

	fputc('"', file);
	while (*text) {
		int length = json_utf8_length(text);

		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (*text == '\n')
			fputs("\\n", file);
		else if (*text == '\t')
			fputs("\\t", file);
		else if (*text < 0x20 || *text == 0x7f)
			fprintf(file, "\\u%04x", *text);
		else if (length == 0)
			fputs("\\ufffd", file);
		else
			fwrite(text, 1, length, file);
		text += length ? length : 1;
	}
	fputc('"', file);
}

/* Writes the text that precedes a value: comma, line break and key. */
static void json_begin_value(struct json_out *out, const char *key)
{
	bool *empty = &out->level[out->depth].empty;

	assert((out->level[out->depth].closing == '}') == (key != NULL));
	assert(out->depth > 0 || *empty); /* a document contains one value */
	if (!*empty)
		fputc(',', out->file);
	if (out->depth > 0)
		json_new_line(out);
	*empty = false;
	if (key) {
		json_write_string(out->file, key);
		fputs(": ", out->file);
	}
}

static void json_open_level(struct json_out *out, const char *key, char opening,
			    char closing)
{
	json_begin_value(out, key);
	assert(out->depth < JSON_MAX_DEPTH);
	fputc(opening, out->file);
	out->depth++;
	out->level[out->depth].closing = closing;
	out->level[out->depth].empty = true;
}

static void json_close_level(struct json_out *out, char closing)
{
	bool empty = out->level[out->depth].empty;

	assert(out->depth > 0 && out->level[out->depth].closing == closing);
	out->depth--;
	if (!empty)
		json_new_line(out);
	fputc(closing, out->file);
}

void json_object(struct json_out *out, const char *key)
{
	json_open_level(out, key, '{', '}');
}

void json_object_end(struct json_out *out)
{
	json_close_level(out, '}');
}

void json_array(struct json_out *out, const char *key)
{
	json_open_level(out, key, '[', ']');
}

void json_array_end(struct json_out *out)
{
	json_close_level(out, ']');
}

void json_string(struct json_out *out, const char *key, const char *value)
{
	json_begin_value(out, key);
	if (value)
		json_write_string(out->file, value);
	else
		fputs("null", out->file);
}

void json_format(struct json_out *out, const char *key, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_string(out, key, text);
}

void json_uint(struct json_out *out, const char *key, uint64_t value)
{
	json_begin_value(out, key);
	fprintf(out->file, "%" PRIu64, value);
}

void json_int(struct json_out *out, const char *key, int64_t value)
{
	json_begin_value(out, key);
	fprintf(out->file, "%" PRId64, value);
}

void json_bool(struct json_out *out, const char *key, bool value)
{
	json_begin_value(out, key);
	fputs(value ? "true" : "false", out->file);
}

void json_null(struct json_out *out, const char *key)
{
	json_begin_value(out, key);
	fputs("null", out->file);
}
