/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system state that the checks read: files in sysfs, /dev, /proc, /etc and
 * /lib/modules. ibv_doctor reads files only through these functions, so that a
 * test can substitute another root folder. Paths are printf() formats of
 * absolute paths. A path below /sys is resolved in the sysfs folder of the
 * library (SYSFS_PATH). File contents are not trusted: texts are truncated to
 * the caller's buffer and reduced to printable ASCII.
 */
#ifndef TOOLS_DOCTOR_SYSTEM_H
#define TOOLS_DOCTOR_SYSTEM_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The library truncates SYSFS_PATH to this length. */
#define DOCTOR_SYSFS_LEN 257

struct doctor_system {
	char root[256];		      /* prefix of all paths outside /sys; "" */
	char sysfs[DOCTOR_SYSFS_LEN]; /* replaces "/sys" */
};

#define DOCTOR_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))

/**
 * doctor_system_init() - use the running system, and SYSFS_PATH if it is set
 */
void doctor_system_init(struct doctor_system *system);

/** doctor_system_path() - return the path of a file; false if it is too long */
DOCTOR_FORMAT(3, 4)
bool doctor_system_path(const struct doctor_system *system,
			char ret_path[PATH_MAX], const char *fmt, ...);

/**
 * doctor_system_read() - read the first line of a file
 * @buf: receives a string; "" after a failure
 *
 * Return: 0, or -errno.
 */
DOCTOR_FORMAT(4, 5)
int doctor_system_read(const struct doctor_system *system, char *buf,
		       size_t size, const char *fmt, ...);

/**
 * doctor_system_read_number() - read the number at the start of a file
 *
 * Accepts the number formats of C.
 *
 * Return: 0, -EINVAL if the file does not start with a number, or -errno.
 */
DOCTOR_FORMAT(3, 4)
int doctor_system_read_number(const struct doctor_system *system,
			      unsigned long *ret_number, const char *fmt, ...);

/** doctor_system_exists() - return whether a file or folder exists */
DOCTOR_FORMAT(2, 3)
bool doctor_system_exists(const struct doctor_system *system, const char *fmt,
			  ...);

/** doctor_system_read_link() - read the last component of a link's target */
DOCTOR_FORMAT(4, 5)
bool doctor_system_read_link(const struct doctor_system *system, char *buf,
			     size_t size, const char *fmt, ...);

/** The entries of a folder, sorted by name; numbers in names sort by value. */
struct doctor_dir_list {
	struct dirent **entries;
	int count;
};

/**
 * doctor_system_list() - list a folder without . and ..; empty after a failure
 */
DOCTOR_FORMAT(3, 4)
void doctor_system_list(const struct doctor_system *system,
			struct doctor_dir_list *ret_names, const char *fmt,
			...);
void doctor_dir_list_free(struct doctor_dir_list *names);

/**
 * doctor_system_for_each_line() - call @visit for each line of a file
 * @visit: receives the line without its line break; returns false to stop
 *
 * Lines of more than 4095 bytes are skipped.
 *
 * Return: 0, or -errno if the file cannot be opened.
 */
DOCTOR_FORMAT(4, 5)
int doctor_system_for_each_line(const struct doctor_system *system,
				bool (*visit)(void *arg, char *line), void *arg,
				const char *fmt, ...);

/**
 * doctor_make_ascii() - replace tabs by blanks, and other bytes that are not
 * printable ASCII by "?"
 */
void doctor_make_ascii(char *text);

/** doctor_shell_quote() - write @text as one shell word, quoted if necessary */
const char *doctor_shell_quote(char *buf, size_t size, const char *text);

#endif
