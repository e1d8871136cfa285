/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Log of the library and its providers. Off unless VERBS_LOG_LEVEL and
 * VERBS_LOG_FILE are set; see libibverbs(7).
 */
#ifndef PROVIDER_LOG_H
#define PROVIDER_LOG_H

#include <infiniband/verbs.h>

enum verbs_log_level {
	VERBS_LOG_NONE,
	VERBS_LOG_ERR,
	VERBS_LOG_WARN,
	VERBS_LOG_INFO,
	VERBS_LOG_DEBUG,
};

/**
 * verbs_log() - write one line to the log
 * @ctx: context of the message, or NULL
 * @level: importance; the line is dropped if VERBS_LOG_LEVEL is lower
 * @fmt: printf format; a newline is added if it has none
 *
 * Context: any thread; takes no lock of the library; keeps errno.
 */
void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
