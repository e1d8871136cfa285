/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output lines of provider_walk and of vendor_*: device, step, result. */
#include "step_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *device_name = "-";

void walk_set_device(const char *name)
{
	device_name = name;
}

/*
 * Short enough for a column. Names that differ between glibc versions are left
 * out.
 */
static const char *error_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "?";
}

void walk_say(const char *step, const char *fmt, ...)
{
	va_list args;

	printf("%s %s: ", device_name, step);
	va_start(args, fmt);
	(void)vprintf(fmt, args);
	va_end(args);
	(void)putchar('\n');
	(void)fflush(stdout); /* a crash must not lose lines */
}

bool walk_made(const char *step, const void *object)
{
	int err = errno;

	if (object)
		walk_say(step, "ok");
	else
		walk_say(step, "%s", error_name(err));
	return object != NULL;
}

bool walk_done(const char *step, int ret)
{
	int err = errno;

	if (ret == 0)
		walk_say(step, "ok");
	else if (ret > 0)
		walk_say(step, "%s", error_name(ret));
	else
		walk_say(step, "%d %s", ret, error_name(err));
	return ret == 0;
}

void walk_skip(const char *step)
{
	walk_say(step, "-");
}
