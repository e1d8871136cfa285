/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation functions that fail on demand: see support/alloc_fail.h. The
 * linker leads the calls of a test program here (--wrap).
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

/* Protects everything below. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned int countdown; /* 1: the next allocation fails; 0: none */
static bool has_failed;
static const void *blocks[ALLOC_FAIL_MAX_BLOCKS]; /* NULL: free slot */
static size_t nr_blocks;

/* Whether this allocation is the one that fails. */
static bool fails(void)
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

/* Slot that holds @block, or a free one for NULL. */
static const void **slot_of(const void *block)
{
	for (size_t i = 0; i < ALLOC_FAIL_MAX_BLOCKS; i++) {
		if (blocks[i] == block)
			return &blocks[i];
	}
	return NULL;
}

static void *remember(void *block)
{
	const void **slot;

	if (!block)
		return NULL;
	(void)pthread_mutex_lock(&mutex);
	slot = slot_of(NULL);
	if (!slot) {
		(void)fputs("alloc_fail: too many blocks\n", stderr);
		abort();
	}
	*slot = block;
	nr_blocks++;
	(void)pthread_mutex_unlock(&mutex);
	return block;
}

/* Blocks that came from elsewhere are passed over. */
static void forget(const void *block)
{
	const void **slot;

	if (!block)
		return;
	(void)pthread_mutex_lock(&mutex);
	slot = slot_of(block);
	if (slot) {
		*slot = NULL;
		nr_blocks--;
	}
	(void)pthread_mutex_unlock(&mutex);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : remember(__real_malloc(size));
}

/* As libc does; a sanitizer's allocator would end the program. */
static bool overflows(size_t count, size_t size)
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
	if (fails() || overflows(count, size))
		return NULL;
	return remember(__real_calloc(count, size));
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : remember(__real_strdup(text));
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
	if (fails() || overflows(count, size))
		return NULL; /* and the old block stays */
	forget(block);
	return remember(__real_reallocarray(block, count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	return __wrap_reallocarray(block, 1, size);
}

void __wrap_free(void *block)
{
	forget(block);
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
