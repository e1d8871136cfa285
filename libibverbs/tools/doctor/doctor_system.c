/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the system state for the checks: see doctor_system.h. */
#include "tools/doctor/doctor_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of the line buffer, including the terminating NUL. */
#define DOCTOR_SYSTEM_LINE_LEN 4096

void doctor_system_init(struct doctor_system *system)
{
	const char *sysfs_path = secure_getenv("SYSFS_PATH");
	size_t len;

	*system = (struct doctor_system){ .sysfs = "/sys" };
	if (!sysfs_path || !*sysfs_path)
		return;
	len = strnlen(sysfs_path, sizeof(system->sysfs) - 1);
	memcpy(system->sysfs, sysfs_path, len);
	while (len > 0 && system->sysfs[len - 1] == '/')
		len--;
	system->sysfs[len] = '\0';
}

static bool doctor_system_is_sysfs_path(const char *path)
{
	return strncmp(path, "/sys", 4) == 0 &&
	       (path[4] == '/' || path[4] == '\0');
}

__attribute__((format(printf, 3, 0))) static bool
doctor_system_make_path(const struct doctor_system *system, char *path,
			const char *fmt, va_list args)
{
	char name[PATH_MAX];
	int len;

	len = vsnprintf(name, sizeof(name), fmt, args);
	if (len < 0 || (size_t)len >= sizeof(name))
		return false;
	if (doctor_system_is_sysfs_path(name))
		len = snprintf(path, PATH_MAX, "%s%s", system->sysfs, name + 4);
	else
		len = snprintf(path, PATH_MAX, "%s%s", system->root, name);
	return len >= 0 && len < PATH_MAX;
}

bool doctor_system_path(const struct doctor_system *system,
			char ret_path[PATH_MAX], const char *fmt, ...)
{
	va_list args;
	bool fits;

	va_start(args, fmt);
	fits = doctor_system_make_path(system, ret_path, fmt, args);
	va_end(args);
	return fits;
}

void doctor_make_ascii(char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			*text = ' ';
		else if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

/* One read returns the whole content of a file in sysfs or /proc. */
static int doctor_system_read_line(const char *path, char *buf, size_t size)
{
	ssize_t len;
	int fd, ret;

	/* O_NONBLOCK: do not wait for the writer of a FIFO */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	ret = len < 0 ? -errno : 0;
	(void)close(fd); /* nothing was written */
	if (ret)
		return ret;
	buf[len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	doctor_make_ascii(buf);
	return 0;
}

__attribute__((format(printf, 4, 0))) static int
doctor_system_read_path(const struct doctor_system *system, char *buf,
			size_t size, const char *fmt, va_list args)
{
	char path[PATH_MAX];

	if (!doctor_system_make_path(system, path, fmt, args))
		return -ENAMETOOLONG;
	return doctor_system_read_line(path, buf, size);
}

int doctor_system_read(const struct doctor_system *system, char *buf,
		       size_t size, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = doctor_system_read_path(system, buf, size, fmt, args);
	va_end(args);
	if (ret)
		*buf = '\0';
	return ret;
}

int doctor_system_read_number(const struct doctor_system *system,
			      unsigned long *ret_number, const char *fmt, ...)
{
	char text[64] = "", *end;
	unsigned long number;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = doctor_system_read_path(system, text, sizeof(text), fmt, args);
	va_end(args);
	if (ret)
		return ret;
	if (*text < '0' || *text > '9')
		return -EINVAL;
	number = strtoul(text, &end, 0);
	*ret_number = number;
	return 0;
}

bool doctor_system_exists(const struct doctor_system *system, const char *fmt,
			  ...)
{
	char path[PATH_MAX];
	struct stat st;
	va_list args;
	bool fits;

	va_start(args, fmt);
	fits = doctor_system_make_path(system, path, fmt, args);
	va_end(args);
	return fits && stat(path, &st) == 0;
}

bool doctor_system_read_link(const struct doctor_system *system, char *buf,
			     size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	va_list args;
	ssize_t len;
	bool fits;

	va_start(args, fmt);
	fits = doctor_system_make_path(system, path, fmt, args);
	va_end(args);
	len = fits ? readlink(path, target, sizeof(target) - 1) : -1;
	if (len <= 0)
		return false;
	target[len] = '\0';
	slash = strrchr(target, '/');
	(void)snprintf(buf, size, "%s", slash ? slash + 1 : target);
	doctor_make_ascii(buf);
	return *buf != '\0';
}

static int doctor_system_is_entry_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

void doctor_system_list(const struct doctor_system *system,
			struct doctor_dir_list *ret_names, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	bool fits;

	*ret_names = (struct doctor_dir_list){};
	va_start(args, fmt);
	fits = doctor_system_make_path(system, path, fmt, args);
	va_end(args);
	if (!fits)
		return;
	ret_names->count = scandir(path, &ret_names->entries,
				   doctor_system_is_entry_name, versionsort);
	if (ret_names->count < 0)
		*ret_names = (struct doctor_dir_list){};
}

void doctor_dir_list_free(struct doctor_dir_list *names)
{
	for (int i = 0; i < names->count; i++)
		free(names->entries[i]);
	free(names->entries);
	*names = (struct doctor_dir_list){};
}

/* Skips the rest of a line that exceeds the buffer. */
static void doctor_system_skip_line(FILE *file)
{
	int c;

	do
		c = getc(file);
	while (c != EOF && c != '\n');
}

int doctor_system_for_each_line(const struct doctor_system *system,
				bool (*visit)(void *arg, char *line), void *arg,
				const char *fmt, ...)
{
	char path[PATH_MAX], line[DOCTOR_SYSTEM_LINE_LEN];
	bool fits, go_on = true;
	va_list args;
	FILE *file;
	int fd;

	va_start(args, fmt);
	fits = doctor_system_make_path(system, path, fmt, args);
	va_end(args);
	if (!fits)
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	file = fdopen(fd, "re");
	if (!file) {
		(void)close(fd);
		return -ENOMEM;
	}
	while (go_on && fgets(line, sizeof(line), file)) {
		size_t len = strcspn(line, "\n");

		if (line[len] != '\n' && len == sizeof(line) - 1) {
			doctor_system_skip_line(file);
			continue;
		}
		line[len] = '\0';
		doctor_make_ascii(line);
		go_on = visit(arg, line);
	}
	(void)fclose(file); /* nothing was written */
	return 0;
}

const char *doctor_shell_quote(char *buf, size_t size, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:@%+=,-";
	size_t used = 0;

	if (*text && text[strspn(text, plain)] == '\0') {
		(void)snprintf(buf, size, "%s", text);
		return buf;
	}
	/* leave room for an escaped quote, the closing quote and the NUL */
	buf[used++] = '\'';
	for (; *text && used + 6 < size; text++) {
		if (*text == '\'') {
			memcpy(buf + used, "'\\''", 4);
			used += 4;
		} else {
			buf[used++] = *text;
		}
	}
	buf[used++] = '\'';
	buf[used] = '\0';
	return buf;
}
