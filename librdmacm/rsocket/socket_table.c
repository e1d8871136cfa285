/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of sockets: chunks of pointers, which are allocated on first use
 * and never freed.
 */
#include "rsocket/socket_table.h"

#include <errno.h>
#include <stdlib.h>

#define TABLE_CHUNK_LEN 256
#define TABLE_NR_CHUNKS 4096

struct table_chunk {
	struct rsocket *sockets[TABLE_CHUNK_LEN];
};

/* Held for a few instructions; no other lock is taken under it. */
static struct verbs_mutex table_mutex = VERBS_MUTEX_INIT;
static struct table_chunk *
	table_chunks[TABLE_NR_CHUNKS] GUARDED_BY(table_mutex);
/* A reference was dropped */
static pthread_cond_t table_changed = PTHREAD_COND_INITIALIZER;

/* The place of a descriptor; NULL: there is none. */
static struct rsocket **table_place_locked(int fd) REQUIRES(table_mutex)
{
	struct table_chunk *chunk;

	if (fd < 0 || fd >= TABLE_CHUNK_LEN * TABLE_NR_CHUNKS)
		return NULL;
	chunk = table_chunks[fd / TABLE_CHUNK_LEN];
	return chunk ? &chunk->sockets[fd % TABLE_CHUNK_LEN] : NULL;
}

int socket_table_add(struct rsocket *socket)
{
	struct table_chunk **chunk;
	int ret = 0;

	if (socket->fd >= TABLE_CHUNK_LEN * TABLE_NR_CHUNKS)
		return -EMFILE;
	verbs_mutex_lock(&table_mutex);
	chunk = &table_chunks[socket->fd / TABLE_CHUNK_LEN];
	if (!*chunk)
		*chunk = calloc(1, sizeof(**chunk));
	if (*chunk)
		(*chunk)->sockets[socket->fd % TABLE_CHUNK_LEN] = socket;
	else
		ret = -ENOMEM;
	verbs_mutex_unlock(&table_mutex);
	return ret;
}

struct rsocket *socket_get(int fd)
{
	struct rsocket *socket = NULL;
	struct rsocket **place;

	verbs_mutex_lock(&table_mutex);
	place = table_place_locked(fd);
	if (place)
		socket = *place;
	if (socket)
		socket->nr_users++;
	verbs_mutex_unlock(&table_mutex);
	return socket;
}

void socket_put(struct rsocket *socket)
{
	verbs_mutex_lock(&table_mutex);
	socket->nr_users--;
	if (!socket->nr_users)
		(void)pthread_cond_broadcast(&table_changed);
	verbs_mutex_unlock(&table_mutex);
}

struct rsocket *socket_table_remove(int fd)
{
	struct rsocket *socket = NULL;
	struct rsocket **place;

	verbs_mutex_lock(&table_mutex);
	place = table_place_locked(fd);
	if (place) {
		socket = *place;
		*place = NULL;
	}
	verbs_mutex_unlock(&table_mutex);
	return socket;
}

void socket_table_wait(const struct rsocket *socket)
{
	verbs_mutex_lock(&table_mutex);
	while (socket->nr_users)
		verbs_mutex_wait(&table_mutex, &table_changed);
	verbs_mutex_unlock(&table_mutex);
}
