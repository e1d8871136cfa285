/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Setting up the log that include/provider/log.h writes to. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

/**
 * verbs_log_init() - read VERBS_LOG_LEVEL and VERBS_LOG_FILE
 *
 * A level above 0 without a usable file switches logging off. To be called
 * once, before other threads log. Privileged programs ignore VERBS_LOG_FILE.
 */
void verbs_log_init(void);

/**
 * verbs_warn() - tell the user about a device or provider that is unusable
 *
 * Printed to standard error if IBV_SHOW_WARNINGS is set, and logged with level
 * VERBS_LOG_WARN. A newline is added.
 */
void verbs_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
