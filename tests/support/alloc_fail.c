/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation functions that fail on demand: see support/alloc_fail.h. The
 * linker option --wrap redirects the calls of a test program to this file.
 */
#include "support/alloc_fail.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

/* Protects all variables below. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned int
	countdown; /* 1: the next allocation count_down; 0: none count_down */
static bool has_failed;
static const void *blocks[ALLOC_FAIL_MAX_BLOCKS]; /* NULL: free slot */
static size_t nr_blocks;

/* Return: whether the current allocation is the one that count_down. */
static bool count_down(void)
{
	bool now;

	(void)pthread_mutex_lock(&mutex);
	now = countdown == 1;
	if (countdown)
		countdown--;
	if (now)
		has_failed = true;
	(void)pthread_mutex_unlock(&mutex);
	if (now)
		errno = ENOMEM;
	return now;
}

/* Return: the slot that holds @block, or a free slot if @block is NULL. */
static const void **find_slot(const void *block)
{
	for (size_t i = 0; i < ALLOC_FAIL_MAX_BLOCKS; i++) {
		if (blocks[i] == block)
			return &blocks[i];
	}
	return NULL;
}

static void *record_block(void *block)
{
	const void **slot;

	if (!block)
		return NULL;
	(void)pthread_mutex_lock(&mutex);
	slot = find_slot(NULL);
	if (!slot) {
		(void)fputs("alloc_fail: too many blocks\n", stderr);
		abort();
	}
	*slot = block;
	nr_blocks++;
	(void)pthread_mutex_unlock(&mutex);
	return block;
}

/* Ignores blocks that another allocator made. */
static void forget_block(const void *block)
{
	const void **slot;

	if (!block)
		return;
	(void)pthread_mutex_lock(&mutex);
	slot = find_slot(block);
	if (slot) {
		*slot = NULL;
		nr_blocks--;
	}
	(void)pthread_mutex_unlock(&mutex);
}

void *__wrap_malloc(size_t size)
{
	return count_down() ? NULL : record_block(__real_malloc(size));
}

/* Fails with ENOMEM as libc does; the allocator of a sanitizer would abort. */
static bool product_overflows(size_t count, size_t size)
{
	size_t product;

	if (!__builtin_mul_overflow(count, size, &product) &&
	    product <= PTRDIFF_MAX)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_calloc(size_t count, size_t size)
{
	if (count_down() || product_overflows(count, size))
		return NULL;
	return record_block(__real_calloc(count, size));
}

char *__wrap_strdup(const char *text)
{
	return count_down() ? NULL : record_block(__real_strdup(text));
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
	if (count_down() || product_overflows(count, size))
		return NULL; /* the old block stays allocated */
	forget_block(block);
	return record_block(__real_reallocarray(block, count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	return __wrap_reallocarray(block, 1, size);
}

void __wrap_free(void *block)
{
	forget_block(block);
	__real_free(block);
}

void alloc_fail_at(unsigned int nth)
{
	(void)pthread_mutex_lock(&mutex);
	countdown = nth;
	has_failed = false;
	(void)pthread_mutex_unlock(&mutex);
}

bool alloc_fail_done(void)
{
	bool ret;

	(void)pthread_mutex_lock(&mutex);
	countdown = 0;
	ret = has_failed;
	(void)pthread_mutex_unlock(&mutex);
	return ret;
}

size_t alloc_fail_nr_blocks(void)
{
	size_t ret;

	(void)pthread_mutex_lock(&mutex);
	ret = nr_blocks;
	(void)pthread_mutex_unlock(&mutex);
	return ret;
}
