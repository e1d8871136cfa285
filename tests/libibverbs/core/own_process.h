/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs tests in processes of their own: for code that does something once in a
 * process, or that keeps what it has learned for ever.
 */
#ifndef CORE_TEST_OWN_PROCESS_H
#define CORE_TEST_OWN_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* last: it needs those above */
#include <cmocka.h>

/**
 * own_process_group() - run each test of a group in a child
 *
 * Return: how many failed, for main() to return.
 */
int own_process_group(const struct CMUnitTest *tests, size_t count);

/**
 * own_process_fails() - run a test that ought to fail, without its output
 *
 * Return: whether it failed by itself, that is, was neither passed nor killed.
 */
bool own_process_fails(CMUnitTestFunction test);

/* For an array of tests. */
#define own_process_run_group_tests(tests) \
	own_process_group(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
