/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The log that include/provider/log.h writes to, and warnings. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <provider/log.h>
#include <stdarg.h>

/**
 * verbs_log_init() - read VERBS_LOG_LEVEL and VERBS_LOG_FILE
 *
 * Without a usable file the log is off. Call it once, before other threads
 * log. Privileged programs ignore VERBS_LOG_FILE.
 */
void verbs_log_init(void);

/**
 * verbs_vlog() - verbs_log() with a va_list
 * @prefix: start of the line, or NULL for none
 */
void verbs_vlog(const char *prefix, enum verbs_log_level level, const char *fmt,
		va_list args) __attribute__((format(printf, 3, 0)));

/**
 * verbs_warn() - report an unusable device or provider to the user
 *
 * Printed to standard error if IBV_SHOW_WARNINGS is set, and logged with level
 * VERBS_LOG_WARN. A newline is added.
 */
void verbs_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * verbs_nr_warnings() - return the number of warnings, printed or not
 *
 * A caller uses it to find out whether a function below it has warned already.
 */
unsigned int verbs_nr_warnings(void);

#endif
