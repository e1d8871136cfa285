/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machine as files show it: sysfs, /dev, /proc, /etc, /lib/modules. All
 * that ibv_doctor reads goes through here, so that a test can put another tree
 * in its place. Paths are printf() formats of absolute paths; what begins with
 * /sys is looked for where the library looks for sysfs. Nothing that is read is
 * trusted: texts are cut to the caller's buffer and reduced to printable ASCII.
 */
#ifndef TOOLS_DOCTOR_WORLD_H
#define TOOLS_DOCTOR_WORLD_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The same as in the library, which cuts SYSFS_PATH at this length. */
#define DOCTOR_SYSFS_LEN 257

struct doctor_world {
	char root[256];		      /* in front of all but sysfs; "" */
	char sysfs[DOCTOR_SYSFS_LEN]; /* "/sys" */
};

#define DOCTOR_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))

/** doctor_world_init() - the machine itself, with sysfs where SYSFS_PATH says
 */
void doctor_world_init(struct doctor_world *world);

/** doctor_world_path() - where a file really is; false if that is too long */
DOCTOR_FORMAT(3, 4)
bool doctor_world_path(const struct doctor_world *world,
		       char ret_path[PATH_MAX], const char *fmt, ...);

/**
 * doctor_world_read() - the first line of a file
 * @buf: receives a string, also after a failure ("")
 *
 * Return: 0, or -errno.
 */
DOCTOR_FORMAT(4, 5)
int doctor_world_read(const struct doctor_world *world, char *buf, size_t size,
		      const char *fmt, ...);

/**
 * doctor_world_number() - the number at the start of a file, in C notation
 *
 * Return: 0; -EINVAL if there is none; or -errno.
 */
DOCTOR_FORMAT(3, 4)
int doctor_world_number(const struct doctor_world *world,
			unsigned long *ret_number, const char *fmt, ...);

/** doctor_world_exists() - whether there is such a file or folder */
DOCTOR_FORMAT(2, 3)
bool doctor_world_exists(const struct doctor_world *world, const char *fmt,
			 ...);

/** doctor_world_link() - last part of what a symbolic link points to */
DOCTOR_FORMAT(4, 5)
bool doctor_world_link(const struct doctor_world *world, char *buf, size_t size,
		       const char *fmt, ...);

/** A listing of a folder, by name; numbers in names count as numbers. */
struct doctor_names {
	struct dirent **entries;
	int count;
};

/** doctor_world_list() - names in a folder but . and ..; none if it fails */
DOCTOR_FORMAT(3, 4)
void doctor_world_list(const struct doctor_world *world,
		       struct doctor_names *ret_names, const char *fmt, ...);
void doctor_names_free(struct doctor_names *names);

/**
 * doctor_world_lines() - call @visit for each line of a file
 * @visit: gets a line without its end; returns false to stop
 *
 * Lines of more than 4095 bytes are passed over.
 *
 * Return: 0, or -errno if the file cannot be opened.
 */
DOCTOR_FORMAT(4, 5)
int doctor_world_lines(const struct doctor_world *world,
		       bool (*visit)(void *arg, char *line), void *arg,
		       const char *fmt, ...);

/** doctor_ascii() - turn tabs into blanks, and what is no ASCII text into "?"
 */
void doctor_ascii(char *text);

/** doctor_quote() - @text as one word for a shell, quoted if need be */
const char *doctor_quote(char *buf, size_t size, const char *text);

#endif
