/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A context whose device has a directory in sysfs, initially empty. */
#ifndef SYSFS_TREE_H
#define SYSFS_TREE_H

#include "libibverbs/kernel/kernel_test.h"

/* Setup and teardown of cmocka; they call those of kernel_test.h. */
int sysfs_tree_setup(void **state);
int sysfs_tree_teardown(void **state);

#define SYSFS_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, sysfs_tree_setup, \
					sysfs_tree_teardown)

/** sysfs_tree_write() - write a file "ports/1/..." of the device directory */
void sysfs_tree_write(const char *path, const char *text);
/** sysfs_tree_write_bytes() - write a file that may contain any bytes */
void sysfs_tree_write_bytes(const char *path, const void *bytes, size_t len);

#endif
