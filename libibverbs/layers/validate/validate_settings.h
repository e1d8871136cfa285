/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of the layer validate:
 * VERBS_VALIDATE=log=FILE,json=FILE,limit=N,off=ID,hints=on
 */
#ifndef LAYERS_VALIDATE_SETTINGS_H
#define LAYERS_VALIDATE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>

#include "layers/rules.h"

struct validate_settings {
	char log[PATH_MAX];  /* empty: standard error */
	char json[PATH_MAX]; /* empty: none */
	unsigned int limit;  /* messages of each rule */
	bool hints;
	bool is_off[LAYERS_NR_RULES];
};

/**
 * validate_settings_parse() - read settings
 * @text: or NULL: the defaults
 *
 * Return: whether they are correct; if not, one warning was printed.
 */
bool validate_settings_parse(const char *text, struct validate_settings *ret);

/** validate_warn() - print "libibverbs: VERBS_VALIDATE: ..." */
void validate_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
