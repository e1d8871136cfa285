/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads small text files such as those of sysfs. */
#ifndef UTIL_TEXT_FILE_H
#define UTIL_TEXT_FILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * text_file_read_at() - read a small file as a string
 * @dirfd: directory of a relative @path, or AT_FDCWD
 * @path: file
 * @buf: receives the text and a NUL; one trailing newline is removed
 * @size: bytes at @buf, > 0
 *
 * Return: length of the text; -EOVERFLOW if it does not fit; or -errno. @buf
 * is undefined after a failure.
 */
ssize_t text_file_read_at(int dirfd, const char *path, char *buf, size_t size);

#endif
