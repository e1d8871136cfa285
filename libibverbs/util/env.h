/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Environment variables. What names a path or a provider goes through
 * env_path(), which a set-uid or set-gid program does not see.
 */
#ifndef UTIL_ENV_H
#define UTIL_ENV_H

#include <stdbool.h>

/** env_path() - value of @name, or NULL if unset or in a privileged program */
const char *env_path(const char *name);

/** env_on() - whether @name is set to anything but exactly "0" */
bool env_on(const char *name);

/**
 * env_long() - number in @name, in C notation
 * @fallback: result if it is unset or not a number
 */
long env_long(const char *name, long fallback);

#endif
