/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of a peer that we have mapped: what its shares (uroce_share.h) are
 * here. There is a place for each that it can have at the same time.
 *
 * Two threads have to do with it: the data path, with the engine lock, uses the
 * table and decides when something is unmapped; the thread that serves maps
 * what was given and hands over what it has heard.
 */
#ifndef UROCE_MAPPING_H
#define UROCE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/local/uroce_share.h"

struct uroce_mapping {
	uint64_t share;	 /* 0: none */
	uint8_t *memory; /* NULL: it was asked for */
	uint64_t bytes;
};

struct uroce_mapping_news;

struct uroce_mappings {
	/* The data path. */
	struct uroce_mapping *table; /* UROCE_SHARES of them; NULL: none */

	/* Atomic. */
	uint32_t asked;			 /* so many were */
	struct uroce_mapping_news *news; /* the last one first */

	/* The thread that serves. */
	uint32_t heard; /* so many answers and endings */
};

/** uroce_mappings_open() - 0, or -ENOMEM */
int uroce_mappings_open(struct uroce_mappings *mappings);

/** uroce_mappings_close() - unmap all; nobody serves it any more */
void uroce_mappings_close(struct uroce_mappings *mappings);

/** uroce_mappings_forget() - in a child of fork(), which has not the memory */
void uroce_mappings_forget(struct uroce_mappings *mappings);

/* The data path. */

/**
 * uroce_mappings_want() - whether to ask for a share
 *
 * Once for each. Who asks for one that was not told to be gone knows that what
 * was in its place is gone: that is unmapped.
 */
bool uroce_mappings_want(struct uroce_mappings *mappings, uint64_t share);

/** uroce_mappings_update() - see what was heard */
void uroce_mappings_update(struct uroce_mappings *mappings);

/** uroce_mappings_find() - memory of a share; NULL if it is not mapped, or ends
 * before that
 */
static inline uint8_t *
uroce_mappings_find(const struct uroce_mappings *mappings, uint64_t share,
		    uint64_t offset, uint64_t bytes)
{
	const struct uroce_mapping *mapping =
		&mappings->table[share % UROCE_SHARES];

	/* while it is asked for it has 0 bytes */
	if (mapping->share != share || offset > mapping->bytes ||
	    bytes > mapping->bytes - offset || !bytes)
		return NULL;
	return mapping->memory + offset;
}

/** uroce_mappings_has_news() - any thread */
static inline bool
uroce_mappings_has_news(const struct uroce_mappings *mappings)
{
	return __atomic_load_n(&mappings->news, __ATOMIC_RELAXED);
}

/* The thread that serves. Both: 0, or -EPROTO if nobody can have asked. */

/**
 * uroce_mappings_given() - a share that was asked for
 * @fd: of it, checked here; stays the caller's
 */
int uroce_mappings_given(struct uroce_mappings *mappings, uint64_t share,
			 int fd);

/** uroce_mappings_gone() - a share that was given, or asked for */
int uroce_mappings_gone(struct uroce_mappings *mappings, uint64_t share);

#endif
