/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists the names in a directory with as few system calls as possible. */
#ifndef DISCOVER_DIR_NAMES_H
#define DISCOVER_DIR_NAMES_H

#include <provider/device.h>
#include <stddef.h>

struct verbs_dir_entry {
	char name[VERBS_DEVICE_NAME_LEN];
	unsigned char type; /* DT_*, as reported by the file system */
};

struct verbs_dir_names {
	struct verbs_dir_entry *entries;
	size_t count;
};

/**
 * verbs_dir_names_read() - read the names in a directory, unsorted
 * @dirfd: open directory, at its start
 * @ret_names: the caller frees it with verbs_dir_names_free()
 *
 * Skips names that cannot belong to a device: those that begin with a dot or do
 * not fit into a record.
 *
 * Return: 0, -ENOMEM, or -errno of the read.
 */
int verbs_dir_names_read(int dirfd, struct verbs_dir_names *ret_names);

void verbs_dir_names_free(struct verbs_dir_names *names);

#endif
