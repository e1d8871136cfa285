/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See layers_settings.h. */
#include "layers/layers_settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool layers_settings_parse(const char *text,
			   bool (*parse_one)(const char *setting, void *arg),
			   void *arg, void (*warn)(const char *setting))
{
	char *copy, *setting, *next;
	bool good = true;

	if (!text || !*text)
		return true;
	copy = strdup(text);
	if (!copy)
		return false;
	for (setting = strtok_r(copy, ",", &next); setting && good;
	     setting = strtok_r(NULL, ",", &next)) {
		good = parse_one(setting, arg);
		if (!good)
			warn(setting);
	}
	free(copy);
	return good;
}

bool layers_settings_copy_path(const char *value, char *ret_path)
{
	size_t len = strlen(value);

	if (len == 0 || len >= PATH_MAX)
		return false;
	memcpy(ret_path, value, len + 1);
	return true;
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

bool layers_settings_expand(const char *pattern, char *ret_path, size_t size)
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

void layers_settings_warn(const char *variable, const char *fmt, va_list args)
{
	char text[640];
	size_t len = (size_t)snprintf(text, sizeof(text),
				      "libibverbs: %s: ", variable);

	/* One place remains for the new line. */
	(void)vsnprintf(text + len, sizeof(text) - len - 1, fmt, args);
	len = strlen(text);
	text[len++] = '\n';
	/* There is no other place for an error of standard error. */
	if (write(STDERR_FILENO, text, len) < 0)
		return;
}
