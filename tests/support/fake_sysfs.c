/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes folders that replace /sys and /dev/infiniband: see fake_sysfs.h. */
#include "support/fake_sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void format_full_path(const struct fake_sysfs *fake, const char *path,
			     char ret_path[PATH_MAX])
{
	int len = snprintf(ret_path, PATH_MAX, "%s/%s", fake->root, path);

	assert_in_range(len, 1, PATH_MAX - 1);
}

void fake_sysfs_init(struct fake_sysfs *fake)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(fake->root, sizeof(fake->root), "%s/fake_sysfs.XXXXXX",
		 tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(fake->root));
	snprintf(fake->sysfs, sizeof(fake->sysfs), "%s/sys", fake->root);
	snprintf(fake->dev, sizeof(fake->dev), "%s/dev", fake->root);
	assert_int_equal(mkdir(fake->sysfs, 0755), 0);
	assert_int_equal(mkdir(fake->dev, 0755), 0);
}

static int remove_entry(const char *path, const struct stat *st, int flag,
			struct FTW *ftw)
{
	return remove(path);
}

static void remove_tree(const char *path)
{
	assert_int_equal(nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void fake_sysfs_fini(struct fake_sysfs *fake)
{
	remove_tree(fake->root);
}

void fake_sysfs_remove(struct fake_sysfs *fake, const char *path)
{
	char full[PATH_MAX];

	format_full_path(fake, path, full);
	remove_tree(full);
}

static void make_folders(char *path, size_t skip)
{
	for (char *slash = strchr(path + skip, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

void fake_sysfs_write_bytes(struct fake_sysfs *fake, const char *path,
			    const void *text, size_t len)
{
	char full[PATH_MAX];
	int fd;

	format_full_path(fake, path, full);
	make_folders(full, strlen(fake->root) + 1);
	if (!text) {
		assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
		return;
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(close(fd), 0);
}

void fake_sysfs_write(struct fake_sysfs *fake, const char *path,
		      const char *text)
{
	fake_sysfs_write_bytes(fake, path, text, text ? strlen(text) : 0);
}

void fake_sysfs_class(struct fake_sysfs *fake, const char *abi)
{
	fake_sysfs_write(fake, "sys/class/infiniband_verbs/abi_version", abi);
}

void fake_sysfs_device(struct fake_sysfs *fake, unsigned int n)
{
	char path[128], text[64];

	snprintf(path, sizeof(path),
		 "sys/class/infiniband_verbs/uverbs%u/ibdev", n);
	snprintf(text, sizeof(text), "rxe%u\n", n);
	fake_sysfs_write(fake, path, text);
	snprintf(path, sizeof(path), "sys/class/infiniband_verbs/uverbs%u/dev",
		 n);
	snprintf(text, sizeof(text), "231:%u\n", 192 + n);
	fake_sysfs_write(fake, path, text);
	snprintf(path, sizeof(path),
		 "sys/class/infiniband_verbs/uverbs%u/abi_version", n);
	fake_sysfs_write(fake, path, "2\n");
	snprintf(path, sizeof(path), "sys/class/infiniband/rxe%u/node_type", n);
	fake_sysfs_write(fake, path, "1: CA\n");
}

void fake_sysfs_parent(struct fake_sysfs *fake, const char *ibdev,
		       const char *uverbs, const char *dev, const char *abi)
{
	char path[512];
	int len;

	len = snprintf(path, sizeof(path),
		       "sys/class/infiniband/%s/device/infiniband_verbs/%s/",
		       ibdev, uverbs);
	snprintf(path + len, sizeof(path) - (size_t)len, "dev");
	fake_sysfs_write(fake, path, dev);
	if (!abi)
		return;
	snprintf(path + len, sizeof(path) - (size_t)len, "abi_version");
	fake_sysfs_write(fake, path, abi);
}

void fake_sysfs_node(struct fake_sysfs *fake, const char *uverbs)
{
	char path[128];

	snprintf(path, sizeof(path), "dev/%s", uverbs);
	fake_sysfs_write(fake, path, "");
}
