/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See trace_settings.h. */
#include "layers/trace/trace_settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers/trace/trace_format.h"

#define DEFAULT_FILE  "verbs-trace.%p"
#define DEFAULT_BYTES (1U << 20)
#define MIN_BYTES     (UINT64_C(1) << 12)
#define MAX_BYTES     (UINT64_C(1) << 28)

void trace_warn(const char *fmt, ...)
{
	static const char prefix[] = "libibverbs: VERBS_TRACE: ";
	char text[sizeof(prefix) + 256];
	size_t len = sizeof(prefix) - 1;
	va_list args;

	memcpy(text, prefix, len);
	va_start(args, fmt);
	/* One place remains for the new line. */
	(void)vsnprintf(text + len, sizeof(text) - len - 1, fmt, args);
	va_end(args);
	len = strlen(text);
	text[len++] = '\n';
	/* There is no other place for an error of standard error. */
	if (write(STDERR_FILENO, text, len) < 0)
		return;
}

/* Return: whether @text is a number with an optional unit, in the range. */
static bool settings_parse_size(const char *text, uint32_t *ret_records)
{
	unsigned long long bytes;
	uint32_t records = 1;
	char *end;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	if (errno || end == text || *text == '-')
		return false;
	if (*end == 'K' || *end == 'M') {
		if (bytes > MAX_BYTES)
			return false;
		bytes <<= *end == 'K' ? 10 : 20;
		end++;
	}
	if (*end || bytes < MIN_BYTES || bytes > MAX_BYTES)
		return false;
	while (records * 2 * sizeof(struct trace_record) <= bytes)
		records *= 2;
	*ret_records = records;
	return true;
}

static bool settings_parse_one(const char *setting, struct trace_settings *ret)
{
	if (strncmp(setting, "file=", 5) == 0) {
		size_t len = strlen(setting + 5);

		if (len == 0 || len >= sizeof(ret->file))
			return false;
		memcpy(ret->file, setting + 5, len + 1);
		return true;
	}
	return strncmp(setting, "size=", 5) == 0 &&
	       settings_parse_size(setting + 5, &ret->ring_records);
}

bool trace_settings_parse(const char *text, struct trace_settings *ret)
{
	char *copy, *setting, *next;
	bool good = true;

	memcpy(ret->file, DEFAULT_FILE, sizeof(DEFAULT_FILE));
	ret->ring_records = DEFAULT_BYTES / sizeof(struct trace_record);
	if (!text || !*text)
		return true;
	copy = strdup(text);
	if (!copy)
		return false;
	for (setting = strtok_r(copy, ",", &next); setting && good;
	     setting = strtok_r(NULL, ",", &next)) {
		good = settings_parse_one(setting, ret);
		if (!good)
			trace_warn("\"%s\" is none of file=NAME and size=BYTES "
				   "(4K to 256M); no trace is written",
				   setting);
	}
	free(copy);
	return good;
}

/* Copies the text that stands for a letter. */
static int settings_expand_letter(char letter, char *to, size_t size)
{
	switch (letter) {
	case 'p':
		return snprintf(to, size, "%ld", (long)getpid());
	case 'e':
		return snprintf(to, size, "%s", program_invocation_short_name);
	case '%':
		return snprintf(to, size, "%%");
	default:
		return snprintf(to, size, "%%%c", letter);
	}
}

bool trace_settings_expand(const char *pattern, char *ret_path, size_t size)
{
	size_t len = 0;

	for (; *pattern; pattern++) {
		int nr = 1;

		if (pattern[0] == '%' && pattern[1])
			nr = settings_expand_letter(*++pattern, ret_path + len,
						    size - len);
		else
			ret_path[len] = *pattern;
		if (nr < 0 || (size_t)nr >= size - len)
			return false;
		len += (size_t)nr;
	}
	ret_path[len] = '\0';
	return true;
}
