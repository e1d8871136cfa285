/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of modules, before the dynamic linker opens them. */
#ifndef CORE_MODULE_FILE_H
#define CORE_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * verbs_module_file_check() - check whether this process can load a file
 * @ret_problem: set on -ENOEXEC: the end of a sentence that begins with the
 *	name of the file
 *
 * The dynamic linker maps the segments that the file's headers describe. A
 * process is killed when it touches a page behind the end of the file, so this
 * function checks the length of the file first.
 *
 * Return: 0, -ENOENT if there is no such file, -ENOEXEC.
 */
int verbs_module_file_check(const char *path, const char **ret_problem);

/**
 * verbs_module_search() - find a file as the dynamic linker does
 * @file: name without a slash
 * @buf, @size: receives the path
 *
 * Searches LD_LIBRARY_PATH and the linker's default folders, but not its
 * cache.
 *
 * Return: whether there is such a file.
 */
bool verbs_module_search(const char *file, char *buf, size_t size);

/**
 * verbs_module_folder_beside() - get the folder of modules beside the library
 * @buf, @size: receives the path of "libibverbs" in the library's own folder
 *
 * Return: whether the path is known and fits.
 */
bool verbs_module_folder_beside(char *buf, size_t size);

#endif
