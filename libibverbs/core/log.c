/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log file, which the environment enables, and warnings on standard error
 * with IBV_SHOW_WARNINGS. Without these variables the library prints nothing.
 */
#include "core/log.h"

#include <errno.h>
#include <provider/log.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cancel.h"
#include "util/env.h"

/* Longest line; the rest is cut. */
#define LINE_LEN 512

/* Written by verbs_log_init() only, before any thread reads them. */
static long log_level;
static FILE *log_file;

static atomic_uint nr_warnings;

void verbs_log_init(void)
{
	long level = env_long("VERBS_LOG_LEVEL", VERBS_LOG_NONE);
	const char *path = env_path("VERBS_LOG_FILE");

	if (log_file || level <= VERBS_LOG_NONE || !path)
		return;

	log_file = fopen(path, "ae");
	if (!log_file)
		return;
	/* One write per line, so that processes can share the file. */
	(void)setvbuf(log_file, NULL, _IOLBF, LINE_LEN);
	log_level = level;
}

static const char *log_device_name(const struct ibv_context *ctx)
{
	return ctx && ctx->device ? ctx->device->name : "libibverbs";
}

/* verbs_vlog() adds a newline to every line. */
static void log_cut_newline(char *line)
{
	size_t len = strlen(line);

	if (len > 0 && line[len - 1] == '\n')
		line[len - 1] = '\0';
}

void verbs_vlog(const char *prefix, enum verbs_log_level level, const char *fmt,
		va_list args)
{
	int saved_errno = errno;
	int cancel_state;
	char line[LINE_LEN];

	if (!log_file || (long)level > log_level)
		return;

	(void)vsnprintf(line, sizeof(line), fmt, args);
	log_cut_newline(line);
	/* the caller may have a lock */
	cancel_state = cancel_disable();
	(void)fprintf(log_file, "%s%s%s\n", prefix ?: "", prefix ? ": " : "",
		      line);
	cancel_restore(cancel_state);
	errno = saved_errno;
}

void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	verbs_vlog(log_device_name(ctx), level, fmt, args);
	va_end(args);
}

void verbs_warn(const char *fmt, ...)
{
	int saved_errno = errno;
	int cancel_state;
	char line[LINE_LEN];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);

	(void)atomic_fetch_add(&nr_warnings, 1);
	cancel_state = cancel_disable();
	if (getenv("IBV_SHOW_WARNINGS"))
		(void)fprintf(stderr, "libibverbs: Warning: %s\n", line);
	cancel_restore(cancel_state);
	verbs_log(NULL, VERBS_LOG_WARN, "%s", line);
	errno = saved_errno;
}

unsigned int verbs_nr_warnings(void)
{
	return atomic_load(&nr_warnings);
}
