/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that is needed only after a loss. The engine must not call malloc(): a
 * thread of the application may be stopped while it holds the lock of the heap,
 * and its peers must still be served.
 */
#ifndef UROCE_PAGES_H
#define UROCE_PAGES_H

#include <stddef.h>

/**
 * uroce_pages_new() - allocate zeroed memory
 * @bytes: its size; pages that are never touched need no memory
 *
 * Return: memory aligned to a page, for uroce_pages_free(); NULL: none is left.
 */
void *uroce_pages_new(size_t bytes);

/** uroce_pages_free() - free memory of @bytes; nothing if @ptr is NULL */
void uroce_pages_free(void *ptr, size_t bytes);

#endif
