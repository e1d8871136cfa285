/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that is needed at times only: after a loss, and to gather data. The
 * engine must not call malloc(): a thread of the application may be stopped
 * while it holds the lock of the heap, and its peers must still be served. To
 * map memory takes as long as to process many packets, so an engine keeps some
 * blocks.
 */
#ifndef UROCE_PAGES_H
#define UROCE_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Blocks of one size that are not in use. All 0: none. */
struct uroce_pages {
	void *first; /* each block begins with the address of the next one */
	uint32_t nr;
	size_t bytes; /* of a block */
};

/**
 * uroce_pages_new() - allocate zeroed memory
 * @bytes: its size; pages that are never touched need no memory
 *
 * Return: memory aligned to a page, for uroce_pages_free(); NULL: none is left.
 */
void *uroce_pages_new(size_t bytes);

/** uroce_pages_free() - free memory of @bytes; nothing if @ptr is NULL */
void uroce_pages_free(void *ptr, size_t bytes);

/**
 * uroce_pages_take() - allocate memory, if possible a block that is kept
 * @pages: the blocks
 * @bytes: size of each of them
 *
 * Return: zeroed memory, or a block as uroce_pages_keep() got it, but with a
 * pointer of 0 at its begin; NULL: no memory is left.
 */
void *uroce_pages_take(struct uroce_pages *pages, size_t bytes);

/**
 * uroce_pages_keep() - keep a block for uroce_pages_take()
 * @pages: the blocks
 * @ptr: the block; it is freed if @pages has enough of them
 * @bytes: its size, that of all blocks
 */
void uroce_pages_keep(struct uroce_pages *pages, void *ptr, size_t bytes);

/** uroce_pages_fini() - free the blocks that are kept */
void uroce_pages_fini(struct uroce_pages *pages);

#endif
