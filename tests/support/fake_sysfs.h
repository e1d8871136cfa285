/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces /sys and /dev/infiniband by folders below $TMPDIR or /tmp, which a
 * test fills.
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

/* Makes an empty tree: no class folder, no device node. */
void fake_sysfs_init(struct fake_sysfs *fake);

/* Removes the tree. */
void fake_sysfs_fini(struct fake_sysfs *fake);

/* Makes the class folder and its file abi_version. */
void fake_sysfs_class(struct fake_sysfs *fake, const char *abi);

/*
 * Writes a file below root and makes the missing folders of its path. @len:
 * bytes at @text. NULL for @text makes a folder.
 */
void fake_sysfs_write_bytes(struct fake_sysfs *fake, const char *path,
			    const void *text, size_t len);
void fake_sysfs_write(struct fake_sysfs *fake, const char *path,
		      const char *text);

/* Removes a file, or a folder with its content. */
void fake_sysfs_remove(struct fake_sysfs *fake, const char *path);

/* A device of driver rxe: rxe<n>, uverbs<n>, 231:<192 + n>, ABI 2, type CA. */
void fake_sysfs_device(struct fake_sysfs *fake, unsigned int n);

/*
 * Makes the folder <ibdev>/device/infiniband_verbs, which a device with a
 * parent has.
 */
void fake_sysfs_parent(struct fake_sysfs *fake, const char *ibdev,
		       const char *uverbs, const char *dev, const char *abi);

/*
 * Makes the device node of @uverbs: an ordinary file, since only its existence
 * matters.
 */
void fake_sysfs_node(struct fake_sysfs *fake, const char *uverbs);

#endif
