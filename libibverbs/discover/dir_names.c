/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the names in a directory. Called for /dev/infiniband and for
 * directories of sysfs. Uses getdents64(): opendir() needs one more system
 * call, and its buffer is too small for a machine with hundreds of devices.
 */
/* musl since 1.2.4 defines struct dirent64 only with this macro. */
#ifndef _LARGEFILE64_SOURCE
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _LARGEFILE64_SOURCE 1
#endif
#include "discover/dir_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "discover/records.h"
#include "util/array.h"

/* About a thousand short names in one call. */
#define READ_BYTES ((size_t)32 * 1024)

static int dir_names_add(struct verbs_dir_names *names,
			 const struct dirent64 *from)
{
	struct verbs_dir_entry entry = { .type = from->d_type };
	struct verbs_dir_entry *entries;

	if (from->d_name[0] == '.' ||
	    !verbs_record_name(from->d_name, strlen(from->d_name), entry.name))
		return 0;

	entries = array_grow(names->entries, names->count, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	names->entries = entries;
	names->entries[names->count++] = entry;
	return 0;
}

static int dir_names_add_all(struct verbs_dir_names *names, const char *buf,
			     size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		const struct dirent64 *from = (const void *)(buf + pos);
		int ret;

		ret = dir_names_add(names, from);
		if (ret)
			return ret;
		pos += from->d_reclen;
	}
	return 0;
}

int verbs_dir_names_read(int dirfd, struct verbs_dir_names *ret_names)
{
	struct verbs_dir_names names = {};
	void *buf; /* musl's getdents64() takes a struct dirent */
	int ret;

	buf = malloc(READ_BYTES); /* aligned for any struct */
	if (!buf)
		return -ENOMEM;

	for (;;) {
		ssize_t len = getdents64(dirfd, buf, READ_BYTES);

		if (len <= 0) {
			ret = len < 0 ? -errno : 0;
			break;
		}
		ret = dir_names_add_all(&names, buf, (size_t)len);
		if (ret)
			break;
	}

	free(buf);
	if (ret)
		verbs_dir_names_free(&names);
	else
		*ret_names = names;
	return ret;
}

void verbs_dir_names_free(struct verbs_dir_names *names)
{
	free(names->entries);
	*names = (struct verbs_dir_names){};
}
