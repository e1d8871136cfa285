/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The device directory is the root of a fake sysfs: see sysfs_tree.h. */
#include "libibverbs/kernel/sysfs_tree.h"

#include <errno.h>
#include <string.h>

#include "support/fake_sysfs.h"

static struct fake_sysfs tree;

int sysfs_tree_setup(void **state)
{
	struct kernel_test *t;

	if (kernel_test_setup(state))
		return -1;
	t = *state;
	fake_sysfs_init(&tree);
	memcpy(t->device.ibdev_path, tree.root, sizeof(tree.root));
	errno = TEST_ERRNO;
	return 0;
}

int sysfs_tree_teardown(void **state)
{
	int saved_errno = errno;

	fake_sysfs_fini(&tree);
	errno = saved_errno;
	return kernel_test_teardown(state);
}

void sysfs_tree_write(const char *path, const char *text)
{
	sysfs_tree_write_bytes(path, text, strlen(text));
}

void sysfs_tree_write_bytes(const char *path, const void *bytes, size_t len)
{
	int saved_errno = errno;

	fake_sysfs_write_bytes(&tree, path, bytes, len);
	errno = saved_errno;
}
