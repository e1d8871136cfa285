/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares allocated blocks and open descriptors before and after a part of a
 * test. The blocks are those that support/alloc_fail.h counts, so a test that
 * links this file links support/alloc_fail.c as well.
 */
#ifndef SUPPORT_LEAK_CHECK_H
#define SUPPORT_LEAK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors from 0 up to this limit are compared. */
#define LEAK_CHECK_MAX_FD 256

struct leak_check {
	size_t nr_blocks;
	bool open[LEAK_CHECK_MAX_FD];
};

/**
 * leak_check_begin() - record the current blocks and descriptors
 */
void leak_check_begin(struct leak_check *ret_check);

/**
 * leak_check_difference() - compare with the current state
 * @text: receives a description of the difference
 *
 * Return: false if there is no difference.
 */
bool leak_check_difference(const struct leak_check *check, char *text,
			   size_t size);

/**
 * leak_check_end() - fail the test if there is a difference
 */
void leak_check_end(const struct leak_check *check);

#endif
