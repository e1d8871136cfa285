/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_settings.h. */
#include "layers/validate/validate_settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "layers/layers_settings.h"
#include "layers/validate/validate_rules.h"

#define DEFAULT_LIMIT 10U

void validate_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	layers_settings_warn("VERBS_VALIDATE", fmt, args);
	va_end(args);
}

/* @name: "AV-QP-001", or "AV-QP" for a group. Return: whether it exists. */
static bool settings_disable(const char *name, struct validate_settings *ret)
{
	size_t len = strlen(name);
	bool exists = false;

	for (int i = 0; i < LAYERS_NR_RULES; i++) {
		const char *id = validate_rules[i].id;

		if (!id || strncmp(id, name, len) != 0 ||
		    (id[len] != '\0' && id[len] != '-'))
			continue;
		ret->is_off[i] = true;
		exists = true;
	}
	return exists;
}

static bool settings_parse_limit(const char *value,
				 struct validate_settings *ret)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno || end == value || *end || *value == '-' || number > UINT_MAX)
		return false;
	ret->limit = (unsigned int)number;
	return true;
}

static bool settings_parse_hints(const char *value,
				 struct validate_settings *ret)
{
	ret->hints = strcmp(value, "on") == 0;
	return ret->hints || strcmp(value, "off") == 0;
}

/* A rule without a key continues the list of off=. */
static bool settings_parse_rule(const char *setting,
				struct validate_settings *ret)
{
	if (strncmp(setting, "off=", 4) == 0)
		setting += 4;
	return settings_disable(setting, ret);
}

/* @arg: the settings. */
static bool settings_parse_setting(const char *setting, void *arg)
{
	struct validate_settings *ret = arg;

	if (strncmp(setting, "log=", 4) == 0)
		return layers_settings_copy_path(setting + 4, ret->log);
	if (strncmp(setting, "json=", 5) == 0)
		return layers_settings_copy_path(setting + 5, ret->json);
	if (strncmp(setting, "limit=", 6) == 0)
		return settings_parse_limit(setting + 6, ret);
	if (strncmp(setting, "hints=", 6) == 0)
		return settings_parse_hints(setting + 6, ret);
	return settings_parse_rule(setting, ret);
}

static void validate_warn_setting(const char *setting)
{
	validate_warn("\"%s\" is none of log=FILE, json=FILE, limit=NUMBER, "
		      "off=RULE and hints=on; nothing is validated",
		      setting);
}

bool validate_settings_parse(const char *text, struct validate_settings *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->limit = DEFAULT_LIMIT;
	return layers_settings_parse(text, settings_parse_setting, ret,
				     validate_warn_setting);
}
