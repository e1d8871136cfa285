/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of shares, and the search for descriptors of their files. */
#include "uroce/shm/uroce_share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uroce/shm/uroce_memfd.h"
#include "util/nocancel.h"

void uroce_shares_init(struct uroce_shares *shares)
{
	*shares = (struct uroce_shares){ .maps = -1 };
	(void)pthread_mutex_init(&shares->mutex.mutex, NULL);
	for (uint32_t i = 0; i < UROCE_SHARES; i++)
		shares->share[i].fd = -1;
}

void uroce_shares_open(struct uroce_shares *shares)
{
	shares->maps = uroce_vma_open();
}

void uroce_shares_fini(struct uroce_shares *shares)
{
	for (uint32_t i = 0; i < UROCE_SHARES; i++)
		if (shares->share[i].fd >= 0)
			(void)close(shares->share[i].fd);
	if (shares->maps >= 0)
		(void)close(shares->maps);
	uroce_shares_init(shares);
}

static bool share_is_of(const struct stat *stat, const struct uroce_span *span)
{
	return stat->st_dev == span->dev && stat->st_ino == span->inode;
}

/*
 * Opens the file by its name in /proc: another thread can close the descriptor
 * and reuse its number at any time. The new descriptor permits writes by peers.
 */
static int share_take(int dir, const char *name, const struct uroce_span *span,
		      uint64_t *ret_bytes)
{
	struct stat stat;
	int fd;

	if (fstatat(dir, name, &stat, 0) || !share_is_of(&stat, span))
		return -ENOENT;
	fd = openat(dir, name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &stat) && share_is_of(&stat, span) &&
	    !uroce_memfd_size(fd, ret_bytes))
		return fd;
	(void)close(fd);
	return -ENOENT;
}

static int share_find(const struct uroce_span *span, uint64_t *ret_bytes)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int fd = -ENOENT;

	if (!dir)
		return -errno;
	while (fd < 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fd = share_take(dirfd(dir), entry->d_name, span,
					ret_bytes);
	(void)closedir(dir);
	return fd;
}

int uroce_share_open(const struct uroce_span *span, uint64_t *ret_bytes)
{
	int state = cancel_disable();
	int fd = share_find(span, ret_bytes);

	cancel_restore(state);
	return fd;
}

uint64_t uroce_shares_use(struct uroce_shares *shares,
			  const struct uroce_span *span, uint64_t bytes)
{
	for (uint32_t i = 0; i < UROCE_SHARES; i++) {
		struct uroce_share *share = &shares->share[i];

		/* the file may have grown since it was added */
		if (!share->id || share->dev != span->dev ||
		    share->inode != span->inode ||
		    span->offset > share->bytes ||
		    bytes > share->bytes - span->offset)
			continue;
		share->uses++;
		return share->id;
	}
	return 0;
}

uint64_t uroce_shares_add(struct uroce_shares *shares,
			  const struct uroce_span *span, int fd, uint64_t bytes)
{
	for (uint32_t i = 0; i < UROCE_SHARES; i++) {
		struct uroce_share *share = &shares->share[i];

		if (share->id)
			continue;
		*share = (struct uroce_share){
			.id = ++shares->nr * UROCE_SHARES + i,
			.fd = fd,
			.dev = span->dev,
			.inode = span->inode,
			.bytes = bytes,
			.uses = 1,
		};
		return share->id;
	}
	return 0;
}

static const struct uroce_share *
share_find_id(const struct uroce_shares *shares, uint64_t id)
{
	const struct uroce_share *share = &shares->share[id % UROCE_SHARES];

	return id && share->id == id ? share : NULL;
}

/* Another thread may have added the file meanwhile. Takes ownership of @fd. */
static uint64_t share_add(struct uroce_shares *shares,
			  const struct uroce_span *span, uint64_t bytes, int fd,
			  uint64_t file_bytes)
{
	uint64_t id;

	verbs_mutex_lock(&shares->mutex);
	id = uroce_shares_use(shares, span, bytes);
	if (!id) {
		id = uroce_shares_add(shares, span, fd, file_bytes);
		if (id)
			fd = -1;
	}
	verbs_mutex_unlock(&shares->mutex);
	if (fd >= 0)
		(void)close(fd);
	return id;
}

static uint64_t share_open(struct uroce_shares *shares,
			   const struct uroce_span *span, uint64_t bytes)
{
	uint64_t file_bytes = 0;
	int fd = uroce_share_open(span, &file_bytes);

	if (fd < 0)
		return 0;
	if (span->offset > file_bytes || bytes > file_bytes - span->offset) {
		(void)close(fd);
		return 0;
	}
	return share_add(shares, span, bytes, fd, file_bytes);
}

void uroce_shares_get(struct uroce_shares *shares, const void *memory,
		      uint64_t bytes, uint64_t *ret_share, uint64_t *ret_offset)
{
	struct uroce_span span;
	uint64_t id;

	if (shares->maps < 0 ||
	    uroce_vma_find(shares->maps, (uintptr_t)memory, bytes, &span))
		return;
	verbs_mutex_lock(&shares->mutex);
	id = uroce_shares_use(shares, &span, bytes);
	verbs_mutex_unlock(&shares->mutex);
	if (!id)
		id = share_open(shares, &span, bytes);
	*ret_share = id;
	*ret_offset = id ? span.offset : 0;
}

bool uroce_shares_put(struct uroce_shares *shares, uint64_t id)
{
	struct uroce_share *share = &shares->share[id % UROCE_SHARES];
	bool is_last;

	verbs_mutex_lock(&shares->mutex);
	is_last = share_find_id(shares, id) && !--share->uses;
	if (is_last) {
		(void)close(share->fd);
		*share = (struct uroce_share){ .fd = -1 };
	}
	verbs_mutex_unlock(&shares->mutex);
	return is_last;
}

int uroce_shares_fd(const struct uroce_shares *shares, uint64_t id)
{
	const struct uroce_share *share = share_find_id(shares, id);

	return share ? share->fd : -ENOENT;
}
