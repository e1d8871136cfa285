/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CRC-32: selection of a method. The portable one is in uroce_crc32_table.c,
 * those of one architecture in uroce_crc32_x86.c and uroce_crc32_arm64.c.
 */
#include "uroce/wire/uroce_crc32.h"

#include <errno.h>
#include <pthread.h>

#include "uroce/wire/uroce_crc32_method.h"

static uroce_crc32_fn *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uroce_crc32_fn *find_method(enum uroce_crc32_method method)
{
	if (method == UROCE_CRC32_TABLE)
		return uroce_crc32_table;
#if defined(__x86_64__)
	return uroce_crc32_x86_find(method);
#elif defined(__aarch64__)
	return uroce_crc32_arm64_find(method);
#else
	return NULL;
#endif
}

static void crc32_init_once(void)
{
	int method = UROCE_CRC32_NR_METHODS;

	uroce_crc32_make_tables();
	while (!chosen)
		chosen = find_method((enum uroce_crc32_method)-- method);
}

void uroce_crc32_init(void)
{
	(void)pthread_once(&once, crc32_init_once); /* cannot fail */
}

int uroce_crc32_use(enum uroce_crc32_method method)
{
	uroce_crc32_fn *found;

	uroce_crc32_init();
	found = find_method(method);
	if (!found)
		return -EOPNOTSUPP;
	chosen = found;
	return 0;
}

uint32_t uroce_crc32(uint32_t reg, const void *src, size_t len)
{
	return chosen(reg, NULL, src, len);
}

uint32_t uroce_crc32_copy(uint32_t reg, void *dst, const void *src, size_t len)
{
	return chosen(reg, dst, src, len);
}
