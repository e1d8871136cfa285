/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machine as files show it: sysfs, /dev, /proc, /etc, /lib/modules. All
 * that ibv_doctor reads goes through here, so that a test can put another tree
 * in its place. Paths are printf() formats of absolute paths; what begins with
 * /sys is looked for where the library looks for sysfs. Nothing that is read is
 * trusted: texts are cut to the caller's buffer and reduced to printable ASCII.
 */
#ifndef TOOLS_DOCTOR_SYSTEM_H
#define TOOLS_DOCTOR_SYSTEM_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The same as in the library, which cuts SYSFS_PATH at this length. */
#define DOCTOR_SYSFS_LEN 257

struct doctor_system {
	char root[256];		      /* in front of all but sysfs; "" */
	char sysfs[DOCTOR_SYSFS_LEN]; /* "/sys" */
};

#define DOCTOR_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))

/** doctor_system_init() - the machine itself, with sysfs where SYSFS_PATH says
 */
void doctor_system_init(struct doctor_system *system);

/** doctor_system_path() - where a file really is; false if that is too long */
DOCTOR_FORMAT(3, 4)
bool doctor_system_path(const struct doctor_system *system,
			char ret_path[PATH_MAX], const char *fmt, ...);

/**
 * doctor_system_read() - the first line of a file
 * @buf: receives a string, also after a failure ("")
 *
 * Return: 0, or -errno.
 */
DOCTOR_FORMAT(4, 5)
int doctor_system_read(const struct doctor_system *system, char *buf,
		       size_t size, const char *fmt, ...);

/**
 * doctor_system_read_number() - the number at the start of a file, in C
 * notation
 *
 * Return: 0; -EINVAL if there is none; or -errno.
 */
DOCTOR_FORMAT(3, 4)
int doctor_system_read_number(const struct doctor_system *system,
			      unsigned long *ret_number, const char *fmt, ...);

/** doctor_system_exists() - whether there is such a file or folder */
DOCTOR_FORMAT(2, 3)
bool doctor_system_exists(const struct doctor_system *system, const char *fmt,
			  ...);

/** doctor_system_read_link() - last part of what a symbolic link points to */
DOCTOR_FORMAT(4, 5)
bool doctor_system_read_link(const struct doctor_system *system, char *buf,
			     size_t size, const char *fmt, ...);

/** A listing of a folder, by name; numbers in names count as numbers. */
struct doctor_dir_list {
	struct dirent **entries;
	int count;
};

/** doctor_system_list() - names in a folder but . and ..; none if it fails */
DOCTOR_FORMAT(3, 4)
void doctor_system_list(const struct doctor_system *system,
			struct doctor_dir_list *ret_names, const char *fmt,
			...);
void doctor_dir_list_free(struct doctor_dir_list *names);

/**
 * doctor_system_for_each_line() - call @visit for each line of a file
 * @visit: gets a line without its end; returns false to stop
 *
 * Lines of more than 4095 bytes are passed over.
 *
 * Return: 0, or -errno if the file cannot be opened.
 */
DOCTOR_FORMAT(4, 5)
int doctor_system_for_each_line(const struct doctor_system *system,
				bool (*visit)(void *arg, char *line), void *arg,
				const char *fmt, ...);

/** doctor_make_ascii() - turn tabs into blanks, and what is no ASCII text into
 * "?"
 */
void doctor_make_ascii(char *text);

/** doctor_shell_quote() - @text as one word for a shell, quoted if need be */
const char *doctor_shell_quote(char *buf, size_t size, const char *text);

#endif
