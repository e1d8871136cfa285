/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory files of a peer (uroce_share.h) that this process has mapped. The
 * table has an entry for each file that the peer can share at the same time.
 *
 * Two threads use it: the data path, with the engine lock, has the table and
 * decides when a file is unmapped; the thread in uroce_shm_serve() maps the
 * files that the peer sends, and queues them for the data path.
 */
#ifndef UROCE_MAPPING_H
#define UROCE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/shm/uroce_share.h"

struct uroce_mapping {
	uint64_t share;	 /* 0: none */
	uint8_t *memory; /* NULL: requested */
	uint64_t bytes;
};

struct uroce_mapping_news;

struct uroce_mappings {
	/* The data path. */
	struct uroce_mapping *table; /* UROCE_SHARES of them; NULL: none */

	/* Atomic. */
	uint32_t asked;			 /* requests */
	struct uroce_mapping_news *news; /* queue, the last one first */

	/* The thread in uroce_shm_serve(). */
	uint32_t nr_messages; /* FILE and FILE_GONE */
};

/** uroce_mappings_open() - allocate the table; 0, or -ENOMEM */
int uroce_mappings_open(struct uroce_mappings *mappings);

/** uroce_mappings_close() - unmap all; no thread serves the peer any more */
void uroce_mappings_close(struct uroce_mappings *mappings);

/**
 * uroce_mappings_forget() - free the table in a child of fork()
 *
 * The child does not inherit the mappings.
 */
void uroce_mappings_forget(struct uroce_mappings *mappings);

/* The data path. */

/**
 * uroce_mappings_want() - reserve the entry of a share
 *
 * Unmaps an older share that still has the entry: the peer has reused the
 * index, so that share has ended, even if no message has reported its end.
 *
 * Return: whether to request the share: true once for each share.
 */
bool uroce_mappings_want(struct uroce_mappings *mappings, uint64_t share);

/** uroce_mappings_update() - move queued messages to the table */
void uroce_mappings_update(struct uroce_mappings *mappings);

/** uroce_mappings_find() - find memory of a share; NULL if the range is not
 * mapped
 */
static inline uint8_t *
uroce_mappings_find(const struct uroce_mappings *mappings, uint64_t share,
		    uint64_t offset, uint64_t bytes)
{
	const struct uroce_mapping *mapping =
		&mappings->table[share % UROCE_SHARES];

	/* a requested share has 0 bytes */
	if (mapping->share != share || offset > mapping->bytes ||
	    bytes > mapping->bytes - offset || !bytes)
		return NULL;
	return mapping->memory + offset;
}

/** uroce_mappings_has_news() - check the queue; any thread */
static inline bool
uroce_mappings_has_news(const struct uroce_mappings *mappings)
{
	return __atomic_load_n(&mappings->news, __ATOMIC_RELAXED);
}

/*
 * The thread in uroce_shm_serve(). Both return 0, or -EPROTO if more messages
 * arrive than requests allow.
 */

/**
 * uroce_mappings_given() - map a share that was requested
 * @fd: of its file, checked here; the caller closes it
 */
int uroce_mappings_given(struct uroce_mappings *mappings, uint64_t share,
			 int fd);

/** uroce_mappings_gone() - queue the end of a share, mapped or requested */
int uroce_mappings_gone(struct uroce_mappings *mappings, uint64_t share);

#endif
