/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked to misuse_foreign_test.c: the layer validate reports each call with an
 * object of another context that the library refuses, and no other call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libibverbs/api/misuse_foreign.h"
#include "libibverbs/layers/validate_requested.h"

void misuse_foreign_called(bool is_refused)
{
	static const char prefix[] = "verbs-validate: AV-LT-008 error: ibv_";
	const char *text = validate_requested_take();
	size_t nr = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		assert_non_null(strchr(line, '\n'));
		if (strncmp(line, prefix, strlen(prefix)) != 0)
			fail_msg("\"%s\"", line);
		nr++;
	}
	assert_int_equal(nr, is_refused ? 1 : 0);
}
