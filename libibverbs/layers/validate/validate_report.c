/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_report.h. */
#include "layers/validate/validate_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layers/trace/trace_settings.h"
#include "layers/validate/validate_rules.h"
#include "util/cancel.h"

/* A file that this layer has created. */
struct report_file {
	int fd; /* -1: there is no file */
	dev_t device;
	ino_t inode;
};

/* Constant after the start. */
static struct validate_settings settings;
static struct report_file log_file = { .fd = -1 };
static struct report_file json_file = { .fd = -1 };

static atomic_uint nr_found[LAYERS_NR_RULES];

void validate_report_forked(void)
{
	for (int i = 0; i < LAYERS_NR_RULES; i++)
		atomic_store(&nr_found[i], 0);
}

bool validate_wants(enum layers_rule rule)
{
	return validate_rules[rule].id && !settings.is_off[rule] &&
	       (settings.hints ||
		validate_rules[rule].severity != VALIDATE_HINT);
}

/* ------------------------------------------------------------------------ */
/* Files                                                                     */
/* ------------------------------------------------------------------------ */

/* Files are private, and no existing file is changed. */
static bool report_create(struct report_file *file, const char *path)
{
	struct stat stat;

	file->fd = open(path,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW |
				O_CLOEXEC,
			0600);
	if (file->fd < 0 || fstat(file->fd, &stat) != 0)
		return false;
	file->device = stat.st_dev;
	file->inode = stat.st_ino;
	return true;
}

static void report_open(struct report_file *file, const char *pattern)
{
	char path[PATH_MAX];

	if (!*pattern)
		return;
	if (!trace_settings_expand(pattern, path, sizeof(path)))
		validate_warn("the name %s is too long", pattern);
	else if (!report_create(file, path))
		validate_warn("cannot create %s: %s", path, strerror(errno));
}

void validate_report_start(const struct validate_settings *from)
{
	settings = *from;
	report_open(&log_file, settings.log);
	report_open(&json_file, settings.json);
}

/* A program may close descriptors that it does not know, and reuse them. */
static bool report_file_is_open(const struct report_file *file)
{
	struct stat stat;

	return file->fd >= 0 && fstat(file->fd, &stat) == 0 &&
	       stat.st_dev == file->device && stat.st_ino == file->inode;
}

static int report_text_fd(void)
{
	return report_file_is_open(&log_file) ? log_file.fd : STDERR_FILENO;
}

/* Each line is one write(2), so that lines of processes do not mix. */
static void report_write(int fd, struct explain_text *line)
{
	if (line->len == sizeof(line->buf) - 1)
		line->len--;
	line->buf[line->len++] = '\n';
	/* There is no other place for an error of the output. */
	if (write(fd, line->buf, line->len) < 0)
		errno = 0;
}

/* ------------------------------------------------------------------------ */
/* Lines                                                                     */
/* ------------------------------------------------------------------------ */

static void report_add_json_string(struct explain_text *line, const char *text)
{
	explain_add(line, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			explain_add(line, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			explain_add(line, "\\u%04x", (unsigned char)*text);
		else
			explain_add(line, "%c", *text);
	}
	explain_add(line, "\"");
}

/* Long messages are truncated, so that a line of JSON is always complete. */
static void report_write_json(const struct validate_rule *rule,
			      const struct ibv_context *ctx,
			      const struct explain_text *text)
{
	struct explain_text line = {}, message = {};

	explain_add(&message, "%.700s.", text->buf);
	explain_add(&line,
		    "{\"schema\": 1, \"id\": \"%s\", \"severity\": \"%s\", "
		    "\"process\": %ld, \"device\": ",
		    rule->id, validate_severity_name(rule->severity),
		    (long)getpid());
	report_add_json_string(&line, ctx->device->name);
	explain_add(&line, ", \"message\": ");
	report_add_json_string(&line, message.buf);
	explain_add(&line, "}");
	report_write(json_file.fd, &line);
}

static void report_write_text(const struct validate_rule *rule,
			      const struct explain_text *text, bool is_last)
{
	struct explain_text line = {};

	explain_add(&line, "verbs-validate: %s %s: %.900s.%s", rule->id,
		    validate_severity_name(rule->severity), text->buf,
		    is_last ? " (This was the last message of this rule.)"
			    : "");
	report_write(report_text_fd(), &line);
}

void validate_report(enum layers_rule rule, const struct ibv_context *ctx,
		     const struct explain_text *text)
{
	unsigned int count;
	int saved = errno;
	int state;

	if (!validate_wants(rule))
		return;
	count = atomic_fetch_add(&nr_found[rule], 1);
	if (count >= settings.limit)
		return;
	state = cancel_disable();
	report_write_text(&validate_rules[rule], text,
			  count + 1 == settings.limit);
	if (report_file_is_open(&json_file))
		report_write_json(&validate_rules[rule], ctx, text);
	cancel_restore(state);
	errno = saved;
}

/* ------------------------------------------------------------------------ */
/* The end of the process                                                    */
/* ------------------------------------------------------------------------ */

static void report_add_count(struct explain_text *line, unsigned int count,
			     const char *name)
{
	if (count)
		explain_add(line, "%s%u %s%s", line->len ? ", " : "", count,
			    name, count == 1 ? "" : "s");
}

/* Runs at exit(3): the module is never unloaded. */
__attribute__((destructor)) static void report_print_summary(void)
{
	unsigned int counts[VALIDATE_NR_SEVERITIES] = {}, unprinted = 0;
	struct explain_text line = {}, numbers = {};

	for (int i = 0; i < LAYERS_NR_RULES; i++) {
		unsigned int nr = atomic_load(&nr_found[i]);

		counts[validate_rules[i].severity] += nr;
		if (nr > settings.limit)
			unprinted += nr - settings.limit;
	}
	for (int i = 0; i < VALIDATE_NR_SEVERITIES; i++)
		report_add_count(&numbers, counts[i],
				 validate_severity_name(i));
	if (!numbers.len)
		return;
	explain_add(&line, "verbs-validate: %s", numbers.buf);
	if (unprinted)
		explain_add(&line, "; %u were not printed", unprinted);
	report_write(report_text_fd(), &line);
}
