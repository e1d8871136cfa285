/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The log that include/provider/log.h writes to, and warnings. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <provider/log.h>
#include <stdarg.h>

/**
 * verbs_log_init() - read VERBS_LOG_LEVEL and VERBS_LOG_FILE
 *
 * A level above 0 without a usable file switches logging off. To be called
 * once, before other threads log. Privileged programs ignore VERBS_LOG_FILE.
 */
void verbs_log_init(void);

/**
 * verbs_vlog() - verbs_log() with the arguments in a list
 * @who: what the line begins with; NULL: the text says it itself
 */
void verbs_vlog(const char *who, enum verbs_log_level level, const char *fmt,
		va_list args) __attribute__((format(printf, 3, 0)));

/**
 * verbs_warn() - tell the user about a device or provider that is unusable
 *
 * Printed to standard error if IBV_SHOW_WARNINGS is set, and logged with level
 * VERBS_LOG_WARN. A newline is added.
 */
void verbs_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * verbs_nr_warnings() - how many there were, printed or not
 *
 * Lets a caller see whether somebody below it has told the user already.
 */
unsigned int verbs_nr_warnings(void);

#endif
