/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures standard error, and compares it with expected messages. Each test
 * runs in its own process, since messages are limited for each process.
 */
#ifndef EXPLAIN_FIXTURE_H
#define EXPLAIN_FIXTURE_H

#include "libibverbs/core/own_process.h"

/** explain_capture_start() - from now on, standard error is captured */
void explain_capture_start(void);

/** explain_capture_take() - return the text since the last call */
const char *explain_capture_take(void);

/** assert_explained() - exactly one message, which contains all texts */
void assert_explained(const char *first, ...) __attribute__((sentinel));

/** assert_silent() - no message since the last check */
void assert_silent(void);

/* For cmocka: fixture_setup() of verbs_fixture.h, with captured output. */
int explain_setup(void **state);
int explain_teardown(void **state);

#define explain_test(function)                                   \
	cmocka_unit_test_setup_teardown(function, explain_setup, \
					explain_teardown)

#endif
