/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selection of an address for the page of the nonce, and its mapping. */
#include "uroce/shm/uroce_nonce.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/shm/uroce_pairing.h"
#include "util/nocancel.h"

/*
 * Address ranges that processes do not use. The first one has 2^32 pages, which
 * are far from programs, heaps, stacks and libraries, and also from the shadow
 * memory of sanitizers. The second one is for systems without such addresses,
 * and for valgrind and ThreadSanitizer, which reserve the first one. 32-bit
 * machines have no such range.
 */
static const struct {
	uint64_t start;
	uint64_t bytes; /* a power of two */
} ranges[] = {
	{ UINT64_C(1) << 46, UINT64_C(1) << 44 },
	{ UINT64_C(1) << 38, UINT64_C(1) << 38 },
};

/* The token may be a time and a pid, so all of its bits are mixed. */
static uint64_t random_offset(uint64_t bytes)
{
	return uroce_pairing_token() * UINT64_C(0x9e3779b97f4a7c15) >> 16 &
	       (bytes - 1);
}

/* Return: the page, at @hint if it is free; or NULL, with errno. */
static void *map_page(uint64_t hint, size_t size)
{
	void *page = mmap((void *)(uintptr_t)hint, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int saved;

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, MADV_DONTFORK)) {
		saved = errno;
		(void)munmap(page, size);
		errno = saved;
		return NULL;
	}
	return page;
}

/* Return: a page at a random address of a range, or NULL. */
static void *map_unique_page(size_t size)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t hint =
			ranges[i].start +
			(random_offset(ranges[i].bytes) & -(uint64_t)size);
		void *page;

		if (hint > UINTPTR_MAX)
			continue;
		page = map_page(hint, size);
		if ((uintptr_t)page == hint)
			return page;
		if (page)
			(void)munmap(page, size);
	}
	return NULL;
}

int uroce_nonce_open(uint64_t value, struct uroce_nonce *ret_nonce)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t *page = map_unique_page(size);
	bool is_unique = page;

	if (!page)
		page = map_page(0, size);
	if (!page)
		return -errno;
	*page = value;
	*ret_nonce = (struct uroce_nonce){
		.value = value,
		.address = (uintptr_t)page,
		.is_unique = is_unique,
	};
	return 0;
}

void uroce_nonce_close(struct uroce_nonce *nonce)
{
	if (nonce->address)
		(void)munmap((void *)(uintptr_t)nonce->address,
			     (size_t)sysconf(_SC_PAGESIZE));
	*nonce = (struct uroce_nonce){};
}
