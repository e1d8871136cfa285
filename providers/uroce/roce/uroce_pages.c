/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_pages.h"

#include <sys/mman.h>

/* Blocks of a kind that an engine keeps: QPs need them again and again. */
#define MAX_KEPT 8

void *uroce_pages_new(size_t bytes)
{
	void *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ptr == MAP_FAILED ? NULL : ptr;
}

void uroce_pages_free(void *ptr, size_t bytes)
{
	if (ptr)
		(void)munmap(ptr, bytes);
}

void *uroce_pages_take(struct uroce_pages *pages, size_t bytes)
{
	void **block = pages->first;

	if (!block)
		return uroce_pages_new(bytes);
	pages->first = *block;
	pages->nr--;
	*block = NULL;
	return block;
}

void uroce_pages_keep(struct uroce_pages *pages, void *ptr, size_t bytes)
{
	void **block = ptr;

	if (pages->nr == MAX_KEPT) {
		uroce_pages_free(ptr, bytes);
		return;
	}
	*block = pages->first;
	pages->first = block;
	pages->bytes = bytes;
	pages->nr++;
}

void uroce_pages_fini(struct uroce_pages *pages)
{
	while (pages->first)
		uroce_pages_free(uroce_pages_take(pages, pages->bytes),
				 pages->bytes);
}
