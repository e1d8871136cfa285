/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in a folder, read with as few system calls as possible. */
#ifndef DISCOVER_DIR_NAMES_H
#define DISCOVER_DIR_NAMES_H

#include <provider/device.h>
#include <stddef.h>

struct verbs_dir_entry {
	char name[VERBS_DEVICE_NAME_LEN];
	unsigned char type; /* DT_*, as the file system told it */
};

struct verbs_dir_names {
	struct verbs_dir_entry *entries;
	size_t count;
};

/**
 * verbs_dir_names_read() - names in an open folder, in its own order
 * @dirfd: open folder, at its start
 * @ret_names: the caller frees it with verbs_dir_names_free()
 *
 * Left out is what cannot be a device: names that begin with a dot or do not
 * fit into a record.
 *
 * Return: 0, -ENOMEM, or -errno of the read.
 */
int verbs_dir_names_read(int dirfd, struct verbs_dir_names *ret_names);

void verbs_dir_names_free(struct verbs_dir_names *names);

#endif
