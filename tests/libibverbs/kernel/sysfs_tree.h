/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A context whose device has a folder of sysfs: an empty one at first. */
#ifndef SYSFS_TREE_H
#define SYSFS_TREE_H

#include "libibverbs/kernel/kernel_test.h"

/* cmocka's setup and teardown, around those of kernel_test.h. */
int sysfs_tree_setup(void **state);
int sysfs_tree_teardown(void **state);

#define SYSFS_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, sysfs_tree_setup, \
					sysfs_tree_teardown)

/** sysfs_tree_write() - file "ports/1/..." below the device's folder */
void sysfs_tree_write(const char *path, const char *text);
/** sysfs_tree_write_bytes() - the same, with any bytes */
void sysfs_tree_write_bytes(const char *path, const void *bytes, size_t len);

#endif
