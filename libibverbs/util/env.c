/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Environment variables: see util/env.h. */
#include "util/env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *env_path(const char *name)
{
	return secure_getenv(name);
}

bool env_on(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") != 0;
}

long env_long(const char *name, long fallback)
{
	const char *value = getenv(name);
	char *end;
	long number;

	if (!value)
		return fallback;

	errno = 0;
	number = strtol(value, &end, 0);
	if (errno || end == value || *end)
		return fallback;
	return number;
}
