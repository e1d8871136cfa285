/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Environment variables. Variables that contain a path or a provider name must
 * be read by env_path(), which ignores them in set-uid and set-gid programs.
 */
#ifndef UTIL_ENV_H
#define UTIL_ENV_H

#include <stdbool.h>

/** env_path() - get @name; NULL if unset or in a set-uid or set-gid program */
const char *env_path(const char *name);

/** env_on() - check whether @name is set to any value except "0" */
bool env_on(const char *name);

/**
 * env_long() - get the number in @name, in C notation
 * @fallback: result if @name is unset or not a number
 */
long env_long(const char *name, long fallback);

#endif
