/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes an allocation of the code under test fail, and counts the blocks that
 * the code has not freed. Link with WRAP ${ALLOC_FAIL_WRAP}. Calls that libc
 * makes itself are not intercepted.
 *
 * The usual loop, which makes each allocation of a function fail once:
 *
 * 	for (unsigned int n = 1;; n++) {
 * 		alloc_fail_at(n);
 * 		ret = function_under_test();
 * 		if (!alloc_fail_done())
 * 			break;
 * 		assert_int_equal(ret, -ENOMEM);
 * 	}
 */
#ifndef SUPPORT_ALLOC_FAIL_H
#define SUPPORT_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/* The test program aborts if it holds more blocks than this at a time. */
#define ALLOC_FAIL_MAX_BLOCKS 4096

/**
 * alloc_fail_at() - make one allocation fail
 * @nth: 1 is the next allocation; 0 disables failures
 */
void alloc_fail_at(unsigned int nth);

/**
 * alloc_fail_done() - let all allocations work again
 *
 * Return: whether the failure that alloc_fail_at() requested has occurred.
 */
bool alloc_fail_done(void);

/**
 * alloc_fail_nr_blocks() - count the blocks that were allocated and not freed
 */
size_t alloc_fail_nr_blocks(void);

#endif
