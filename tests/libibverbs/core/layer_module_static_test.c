/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Test of libibverbs/core/layer_module_static.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/layer_load.h"

static void layer_module_static_program_has_reason(void **state)
{
	const char *reason = NULL;

	assert_null(verbs_layer_module_load(&reason));
	assert_non_null(strstr(reason, "static library"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layer_module_static_program_has_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
