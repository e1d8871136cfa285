/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two exported functions that no installed header declares; connection
 * managers and old tools declare them themselves.
 */
#ifndef API_SYSFS_H
#define API_SYSFS_H

#include <stddef.h>

/** ibv_get_sysfs_path() - return the path of sysfs; see util/sysfs_root.h */
const char *ibv_get_sysfs_path(void);

/**
 * ibv_read_sysfs_file() - read @dir/@file as a string
 * @buf: receives the text with a NUL; one trailing newline is removed
 * @size: bytes at @buf
 *
 * Return: length of the text, or -1 with errno set: EINVAL (no buffer),
 * ENAMETOOLONG, EOVERFLOW (the text does not fit), or the error of open or
 * read. On failure @buf is unchanged.
 */
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf,
			size_t size);

#endif
