/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of files: chunks of pointers, which are allocated on first use and
 * never freed. Descriptors of the C library are recognized without the lock.
 */
#include "preload/preload_file.h"

#include "preload/preload_libc.h"

#include <errno.h>
#include <rdma/rsocket.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_CHUNK_LEN 256
#define FILE_NR_CHUNKS 4096

struct file_chunk {
	struct preload_file *files[FILE_CHUNK_LEN];
};

/* Held for a few instructions; no other lock is taken under it. */
static struct verbs_mutex file_mutex = VERBS_MUTEX_INIT;
/* Chunks and files are written with the lock, and read without as well. */
static struct file_chunk *file_chunks[FILE_NR_CHUNKS];

static pthread_once_t file_once = PTHREAD_ONCE_INIT;
/* The process of the files; a child of vfork(2) has another id. */
static pid_t file_pid;

static void file_lock_all(void) LOCK_ATTRIBUTE(acquire_capability(file_mutex))
{
	verbs_mutex_lock(&file_mutex);
}

static void file_unlock_all(void) LOCK_ATTRIBUTE(release_capability(file_mutex))
{
	verbs_mutex_unlock(&file_mutex);
}

static void file_begin_child(void)
	LOCK_ATTRIBUTE(release_capability(file_mutex))
{
	file_pid = getpid();
	verbs_mutex_unlock(&file_mutex);
}

/* A child of fork() must not find the lock of a thread that it lacks. */
static void file_register_fork(void)
{
	file_pid = getpid();
	(void)pthread_atfork(file_lock_all, file_unlock_all, file_begin_child);
}

struct preload_file *preload_file_new(enum preload_kind kind, int domain,
				      int type, int protocol)
{
	struct preload_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	(void)pthread_once(&file_once, file_register_fork);
	file->nr_refs = 1;
	(void)pthread_mutex_init(&file->lock.mutex, NULL);
	file->kind = kind;
	file->rsocket = -1;
	file->domain = domain;
	file->type = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
	file->protocol = protocol;
	return file;
}

/* The place of a descriptor; NULL: there is none. */
static struct preload_file **file_place(int fd)
{
	struct file_chunk *chunk;

	if (fd < 0 || fd >= FILE_CHUNK_LEN * FILE_NR_CHUNKS)
		return NULL;
	/* Pairs with the release in preload_file_add(). */
	chunk = __atomic_load_n(&file_chunks[fd / FILE_CHUNK_LEN],
				__ATOMIC_ACQUIRE);
	return chunk ? &chunk->files[fd % FILE_CHUNK_LEN] : NULL;
}

int preload_file_add(int fd, struct preload_file *file)
{
	struct file_chunk *chunk;
	int ret = 0;

	if (fd >= FILE_CHUNK_LEN * FILE_NR_CHUNKS) {
		errno = EMFILE;
		return -1;
	}
	verbs_mutex_lock(&file_mutex);
	chunk = file_chunks[fd / FILE_CHUNK_LEN];
	if (!chunk)
		chunk = calloc(1, sizeof(*chunk));
	if (chunk) {
		__atomic_store_n(&file_chunks[fd / FILE_CHUNK_LEN], chunk,
				 __ATOMIC_RELEASE);
		file->nr_refs++;
		__atomic_store_n(&chunk->files[fd % FILE_CHUNK_LEN], file,
				 __ATOMIC_RELAXED);
	} else {
		ret = -1;
	}
	verbs_mutex_unlock(&file_mutex);
	return ret;
}

void preload_file_put(struct preload_file *file)
{
	int saved_errno = errno;
	bool is_last;

	verbs_mutex_lock(&file_mutex);
	is_last = --file->nr_refs == 0;
	verbs_mutex_unlock(&file_mutex);
	if (!is_last)
		return;
	if (file->rsocket >= 0) {
		preload_enter();
		(void)rclose(file->rsocket);
		preload_leave();
	}
	(void)pthread_mutex_destroy(&file->lock.mutex);
	free(file);
	errno = saved_errno;
}

static void file_remove(int fd)
{
	struct preload_file **place = file_place(fd);
	struct preload_file *file;

	verbs_mutex_lock(&file_mutex);
	file = *place;
	__atomic_store_n(place, NULL, __ATOMIC_RELAXED);
	verbs_mutex_unlock(&file_mutex);
	if (file)
		preload_file_put(file);
}

void preload_file_remove(unsigned int first, unsigned int last)
{
	int fd = preload_file_next(first, last);

	if (fd < 0 || preload_file_is_of_parent())
		return;
	for (; fd >= 0; fd = preload_file_next((unsigned int)fd + 1, last))
		file_remove(fd);
}

int preload_file_next(unsigned int first, unsigned int last)
{
	unsigned int fd = first;

	while (fd <= last && fd < FILE_CHUNK_LEN * FILE_NR_CHUNKS) {
		struct preload_file **place = file_place((int)fd);

		if (!place)
			fd += FILE_CHUNK_LEN - fd % FILE_CHUNK_LEN;
		else if (__atomic_load_n(place, __ATOMIC_RELAXED))
			return (int)fd;
		else
			fd++;
	}
	return -1;
}

bool preload_file_is_of_parent(void)
{
	return file_pid && getpid() != file_pid;
}

struct preload_file *preload_file_get(int fd)
{
	struct preload_file **place;
	struct preload_file *file;

	if (preload_is_inside())
		return NULL;
	place = file_place(fd);
	/* A thread knows the descriptor only after it was added. */
	if (!place || !__atomic_load_n(place, __ATOMIC_RELAXED))
		return NULL;
	verbs_mutex_lock(&file_mutex);
	file = *place;
	if (file)
		file->nr_refs++;
	verbs_mutex_unlock(&file_mutex);
	return file;
}

enum preload_kind preload_file_kind(const struct preload_file *file)
{
	return __atomic_load_n(&file->kind, __ATOMIC_ACQUIRE);
}

void preload_file_set_kind(struct preload_file *file, enum preload_kind kind)
{
	__atomic_store_n(&file->kind, kind, __ATOMIC_RELEASE);
}
