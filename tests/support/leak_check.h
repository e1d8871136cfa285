/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares memory blocks and open descriptors before and after a piece of a
 * test. Blocks are those that support/alloc_fail.h sees, so a test that links
 * this links that too.
 */
#ifndef SUPPORT_LEAK_CHECK_H
#define SUPPORT_LEAK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors from 0 on that are looked at. */
#define LEAK_CHECK_MAX_FD 256

struct leak_check {
	size_t nr_blocks;
	bool open[LEAK_CHECK_MAX_FD];
};

/** leak_check_begin() - remember what there is now */
void leak_check_begin(struct leak_check *ret_check);

/**
 * leak_check_difference() - compare with now
 * @text: receives what differs
 *
 * Return: false if nothing does.
 */
bool leak_check_difference(const struct leak_check *check, char *text,
			   size_t size);

/** leak_check_end() - fail the test if something differs */
void leak_check_end(const struct leak_check *check);

#endif
