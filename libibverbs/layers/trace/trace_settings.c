/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See trace_settings.h. */
#include "layers/trace/trace_settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "layers/layers_settings.h"
#include "layers/trace/trace_format.h"

#define DEFAULT_FILE  "verbs-trace.%p"
#define DEFAULT_BYTES (1U << 20)
#define MIN_BYTES     (UINT64_C(1) << 12)
#define MAX_BYTES     (UINT64_C(1) << 28)

void trace_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	layers_settings_warn("VERBS_TRACE", fmt, args);
	va_end(args);
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

/* @arg: the settings. */
static bool settings_parse_one(const char *setting, void *arg)
{
	struct trace_settings *ret = arg;

	if (strncmp(setting, "file=", 5) == 0)
		return layers_settings_copy_path(setting + 5, ret->file);
	return strncmp(setting, "size=", 5) == 0 &&
	       settings_parse_size(setting + 5, &ret->ring_records);
}

static void trace_warn_setting(const char *setting)
{
	trace_warn("\"%s\" is none of file=NAME and size=BYTES (4K to 256M); "
		   "no trace is written",
		   setting);
}

bool trace_settings_parse(const char *text, struct trace_settings *ret)
{
	memcpy(ret->file, DEFAULT_FILE, sizeof(DEFAULT_FILE));
	ret->ring_records = DEFAULT_BYTES / sizeof(struct trace_record);
	return layers_settings_parse(text, settings_parse_one, ret,
				     trace_warn_setting);
}
