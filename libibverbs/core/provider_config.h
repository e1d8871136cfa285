/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the providers in the configuration folder. */
#ifndef CORE_PROVIDER_CONFIG_H
#define CORE_PROVIDER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/**
 * verbs_provider_config_find() - find a provider in the configuration
 * @dir: configuration folder
 * @name: "rxe"
 * @ret_text: the configured text: "rxe", or "rxe-rdmav34"
 * @size: bytes at @ret_text
 *
 * Reads <dir>/<name>.driver, the file that packages install, and the rest of
 * the folder only if that file does not contain the name.
 *
 * Return: 1 if the provider is configured, 0 if not, -ENOENT if there is no
 * such folder.
 */
int verbs_provider_config_find(const char *dir, const char *name,
			       char *ret_text, size_t size);

/**
 * verbs_provider_config_each() - call @visit for each configured name
 * @visit: returns false to stop
 *
 * Return: 0, 1 if @visit stopped it, -errno if the folder cannot be read. A
 * folder that cannot be read is reported as a warning.
 */
int verbs_provider_config_each(const char *dir,
			       bool (*visit)(void *arg, const char *name),
			       void *arg);

#endif
