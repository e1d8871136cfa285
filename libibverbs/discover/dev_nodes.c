/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Removes devices without a node in /dev/infiniband from the records of a
 * scan. Called by discover.c as the last step. Uses the cheapest method that
 * works: stat() of the only node, the cached listing of the directory, a new
 * listing, or stat() of each node if the directory may be searched but not
 * read.
 */
#include "discover/dev_nodes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two ticks of the coarsest kernel clock, which has HZ=100. */
#define MTIME_GRANULARITY_NS 20000000
#define NS_PER_S	     1000000000

static bool dev_nodes_time_before(const struct timespec *a,
				  const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec;
	return a->tv_nsec < b->tv_nsec;
}

bool verbs_nodes_mtime_is_reliable(const struct timespec *modified,
				   const struct timespec *listed)
{
	struct timespec limit = *modified;

	limit.tv_nsec += MTIME_GRANULARITY_NS;
	if (limit.tv_nsec >= NS_PER_S) {
		limit.tv_nsec -= NS_PER_S;
		limit.tv_sec++;
	}
	return dev_nodes_time_before(&limit, listed);
}

/* The clock of file timestamps. The vDSO needs no system call for it. */
static struct timespec dev_nodes_file_clock(void)
{
	struct timespec now = {};

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now); /* cannot fail */
	return now;
}

static int dev_nodes_compare_entries(const void *a, const void *b)
{
	const struct verbs_dir_entry *left = a, *right = b;

	return strcmp(left->name, right->name);
}

void verbs_node_listing_free(struct verbs_node_listing *listing)
{
	verbs_dir_names_free(&listing->names);
	*listing = (struct verbs_node_listing){};
}

static bool node_listing_is_current(const char *dir,
				    const struct verbs_node_listing *listing)
{
	struct timespec now;
	struct stat st;

	if (!listing->mtime_reliable)
		return false;
	now = dev_nodes_file_clock();
	if (dev_nodes_time_before(&now, &listing->listed))
		return false; /* the clock was set back */
	if (stat(dir, &st))
		return false;
	return st.st_dev == listing->dev && st.st_ino == listing->ino &&
	       st.st_mtim.tv_sec == listing->modified.tv_sec &&
	       st.st_mtim.tv_nsec == listing->modified.tv_nsec;
}

static int node_listing_read(const char *dir,
			     struct verbs_node_listing *listing)
{
	struct verbs_node_listing fresh = { .listed = dev_nodes_file_clock() };
	struct stat st;
	int ret;
	int fd;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	/*
	 * Read the modification time before the names, so that a change in
	 * between makes the listing outdated.
	 */
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret)
		ret = verbs_dir_names_read(fd, &fresh.names);
	(void)close(fd); /* nothing was written */
	if (ret)
		return ret;

	if (fresh.names.count > 1)
		qsort(fresh.names.entries, fresh.names.count,
		      sizeof(*fresh.names.entries), dev_nodes_compare_entries);
	fresh.dev = st.st_dev;
	fresh.ino = st.st_ino;
	fresh.modified = st.st_mtim;
	fresh.mtime_reliable =
		verbs_nodes_mtime_is_reliable(&fresh.modified, &fresh.listed);

	verbs_node_listing_free(listing);
	*listing = fresh;
	return 0;
}

/* Return: 0 if the node exists, or -errno. */
static int dev_node_stat(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int len;

	len = snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return stat(path, &st) ? -errno : 0;
}

/* @listing: NULL to call stat() for the node */
static int dev_node_exists(const char *dir,
			   const struct verbs_node_listing *listing,
			   const char *name)
{
	struct verbs_dir_entry key = {};
	const struct verbs_dir_entry *entry;

	if (!listing)
		return dev_node_stat(dir, name);
	if (listing->names.count == 0)
		return -ENOENT;

	memcpy(key.name, name, sizeof(key.name));
	entry = bsearch(&key, listing->names.entries, listing->names.count,
			sizeof(key), dev_nodes_compare_entries);
	if (!entry)
		return -ENOENT;
	/* The listing does not contain the target of a symbolic link. */
	return entry->type == DT_LNK ? dev_node_stat(dir, name) : 0;
}

int verbs_nodes_filter(const char *dir, struct verbs_node_listing *listing,
		       struct verbs_device_records *records)
{
	const struct verbs_node_listing *use = listing;
	size_t kept = 0;
	int ret;

	if (records->count <= 1) {
		use = NULL;
	} else if (!node_listing_is_current(dir, listing)) {
		ret = node_listing_read(dir, listing);
		if (ret == -ENOMEM)
			return ret;
		if (ret == -ENOENT || ret == -ENOTDIR) {
			records->count = 0;
			return 0;
		}
		if (ret)
			use = NULL;
	}

	for (size_t i = 0; i < records->count; i++) {
		const struct verbs_kernel_device *device = &records->devices[i];

		ret = dev_node_exists(dir, use, device->uverbs_name);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			continue;
		if (kept != i)
			records->devices[kept] = *device;
		kept++;
	}
	records->count = kept;
	return 0;
}
