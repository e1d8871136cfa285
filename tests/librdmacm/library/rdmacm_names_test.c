/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that loads the shared library finds every name of its ABI. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void library_loaded_has_every_name_of_table(void **state)
{
	void *library = dlopen(RDMACM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	FILE *table = fopen(RDMACM_SYMBOLS, "re");
	unsigned int nr = 0;
	char line[512];

	assert_non_null(library);
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		char name[64], node[64];

		if (line[0] == '#' ||
		    sscanf(line, "%63s %63s", name, node) != 2 ||
		    strncmp(node, "RDMACM_", 7) != 0)
			continue;
		nr++;
		if (!dlvsym(library, name, node) ||
		    dlsym(library, name) != dlvsym(library, name, node))
			fail_msg("%s@@%s", name, node);
	}
	assert_int_equal(nr, 74);
	(void)fclose(table);
	(void)dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_loaded_has_every_name_of_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
