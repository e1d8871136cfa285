/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A folder that stands for /sys, and one that stands for /dev/infiniband. Both
 * are real folders below $TMPDIR or /tmp; a test fills them.
 */
#ifndef SUPPORT_FAKE_SYSFS_H
#define SUPPORT_FAKE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

struct fake_sysfs {
	char root[256];
	char sysfs[288]; /* root/sys */
	char dev[288];	 /* root/dev */
};

/* Makes an empty tree: neither class, no node. */
void fake_sysfs_init(struct fake_sysfs *fake);

/* Removes everything. */
void fake_sysfs_fini(struct fake_sysfs *fake);

/* Makes the class folder and its file abi_version. */
void fake_sysfs_class(struct fake_sysfs *fake, const char *abi);

/*
 * Writes a file below root, making the folders on the way. @len: bytes at
 * @text. NULL for @text makes a folder.
 */
void fake_sysfs_write_bytes(struct fake_sysfs *fake, const char *path,
			    const void *text, size_t len);
void fake_sysfs_write(struct fake_sysfs *fake, const char *path,
		      const char *text);

/* Removes a file or a folder with all that is in it. */
void fake_sysfs_remove(struct fake_sysfs *fake, const char *path);

/* A device of driver rxe: rxe<n>, uverbs<n>, 231:<192 + n>, ABI 2, type CA. */
void fake_sysfs_device(struct fake_sysfs *fake, unsigned int n);

/* The folder <ibdev>/device/infiniband_verbs, as a device with a parent has. */
void fake_sysfs_parent(struct fake_sysfs *fake, const char *ibdev,
		       const char *uverbs, const char *dev, const char *abi);

/* Its node: an ordinary file, since only existence counts. */
void fake_sysfs_node(struct fake_sysfs *fake, const char *uverbs);

#endif
