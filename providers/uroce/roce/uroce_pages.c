/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_pages.h"

#include <sys/mman.h>

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
