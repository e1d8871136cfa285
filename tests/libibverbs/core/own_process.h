/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs each test in its own process: for code that runs once in a process, or
 * that keeps state until the process ends.
 */
#ifndef CORE_TEST_OWN_PROCESS_H
#define CORE_TEST_OWN_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

/**
 * own_process_group() - run each test of a group in a child
 *
 * Return: number of failed tests, for main() to return.
 */
int own_process_group(const struct CMUnitTest *tests, size_t count);

/**
 * own_process_fails() - run a test that must fail, without its output
 *
 * Return: whether an assertion failed. False if the test passed or was killed.
 */
bool own_process_fails(CMUnitTestFunction test);

/* For an array of tests. */
#define own_process_run_group_tests(tests) \
	own_process_group(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
