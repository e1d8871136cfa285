/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of the layer trace: VERBS_TRACE=file=NAME,size=BYTES. */
#ifndef LAYERS_TRACE_SETTINGS_H
#define LAYERS_TRACE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct trace_settings {
	char file[PATH_MAX];   /* for layers_settings_expand() */
	uint32_t ring_records; /* power of two */
};

/**
 * trace_settings_parse() - read settings
 * @text: or NULL: the defaults
 *
 * Return: whether they are correct; if not, one warning was printed.
 */
bool trace_settings_parse(const char *text, struct trace_settings *ret);

/**
 * trace_warn() - print "libibverbs: VERBS_TRACE: ..."
 *
 * Context: as layers_settings_warn().
 */
void trace_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
