/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking at a module's file before the dynamic linker does. */
#ifndef CORE_MODULE_FILE_H
#define CORE_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * verbs_module_file_check() - whether a file can be a module for this process
 * @ret_problem: set on -ENOEXEC: the end of a sentence that begins with the
 *	file's name
 *
 * The dynamic linker maps what the file's headers promise. A process that then
 * touches a page behind the end of the file is killed, so the file's length is
 * checked first.
 *
 * Return: 0, -ENOENT if there is no such file, -ENOEXEC.
 */
int verbs_module_file_check(const char *path, const char **ret_problem);

/**
 * verbs_module_search() - where the dynamic linker would find a name
 * @file: name without a slash
 * @buf, @size: receives the path
 *
 * Knows LD_LIBRARY_PATH and the linker's own folders, but not its cache.
 *
 * Return: whether there is such a file.
 */
bool verbs_module_search(const char *file, char *buf, size_t size);

#endif
