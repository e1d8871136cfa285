/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the settings of the layers have in common. */
#ifndef LAYERS_SETTINGS_H
#define LAYERS_SETTINGS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * layers_settings_parse() - read "SETTING,SETTING"
 * @text: or NULL, as the empty text: no settings
 * @parse_one: returns whether a setting is correct
 * @arg: for @parse_one
 * @warn: called with the first incorrect setting, which ends the function
 *
 * Return: whether all settings are correct and there was enough memory.
 */
bool layers_settings_parse(const char *text,
			   bool (*parse_one)(const char *setting, void *arg),
			   void *arg, void (*warn)(const char *setting));

/**
 * layers_settings_copy_path() - copy the name of a file
 * @ret_path: PATH_MAX bytes
 *
 * Return: whether it is not empty and fits.
 */
bool layers_settings_copy_path(const char *value, char *ret_path);

/**
 * layers_settings_expand() - make the name of a file of this process
 * @pattern: %p: number of the process, %e: name of the program, %%: %
 *
 * Return: whether it fits.
 */
bool layers_settings_expand(const char *pattern, char *ret_path, size_t size);

/**
 * layers_settings_warn() - print "libibverbs: VARIABLE: ..." on standard error
 *
 * Context: any thread; uses no stream, since it may be in a signal handler.
 */
void layers_settings_warn(const char *variable, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
