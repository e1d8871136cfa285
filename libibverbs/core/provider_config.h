/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the providers that the machine's configuration lists. */
#ifndef CORE_PROVIDER_CONFIG_H
#define CORE_PROVIDER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/**
 * verbs_provider_config_find() - look for one provider
 * @dir: configuration folder
 * @name: "rxe"
 * @ret_text: what stands there: "rxe", or "rxe-rdmav34"
 * @size: bytes at @ret_text
 *
 * Looks at <dir>/<name>.driver, where packages put it, and reads the rest of
 * the folder only if that does not say so.
 *
 * Return: 1 if it is configured, 0 if not, -ENOENT if there is no such folder.
 */
int verbs_provider_config_find(const char *dir, const char *name,
			       char *ret_text, size_t size);

/**
 * verbs_provider_config_each() - call @visit for each configured name
 * @visit: returns false to stop
 *
 * Return: 0, 1 if @visit stopped it, -errno if the folder cannot be read. Such
 * a folder is reported as a warning.
 */
int verbs_provider_config_each(const char *dir,
			       bool (*visit)(void *arg, const char *name),
			       void *arg);

#endif
