/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into the test programs of another machine: removes single tests
 * from a group before cmocka runs it. run_cross writes the removed tests from
 * left_out.txt to the file $CROSS_LEFT_OUT, in "program test" lines. Each
 * removed test is appended to $CROSS_LEFT_OUT.seen, so that run_cross can
 * detect lines about missing tests.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* last: cmocka.h needs <setjmp.h>, <stdarg.h>, <stddef.h> and <stdint.h> */
#include <cmocka.h>

#define MAX_NAME 200 /* of a program or a test */

static void fail_program(const char *what)
{
	(void)fprintf(stderr, "left_out: %s\n", what);
	abort();
}

static void record_removed_test(const char *path, const char *test)
{
	char seen[4096];
	FILE *file;

	(void)snprintf(seen, sizeof(seen), "%s.seen",
		       path); /* if truncated, fopen fails */
	file = fopen(seen, "ae");
	if (!file)
		fail_program("cannot write the tests that are left out");
	/*
	 * one write(2) per line, because other programs append to the file too
	 */
	(void)fprintf(file, "%s %s\n", program_invocation_short_name, test);
	if (fclose(file))
		fail_program("cannot write the tests that are left out");
}

static bool is_left_out(const char *path, const char *test)
{
	char program[MAX_NAME + 1], name[MAX_NAME + 1];
	FILE *file = fopen(path, "re");
	bool found = false;

	if (!file)
		fail_program("cannot read the list of $CROSS_LEFT_OUT");
	while (!found && fscanf(file, "%200s %200s", program, name) == 2)
		found = !strcmp(program, program_invocation_short_name) &&
			!strcmp(name, test);
	(void)fclose(file); /* only read */
	return found;
}

/* cmocka_run_group_tests() and its variants are macros around this function. */
__attribute__((visibility("default"))) int
_cmocka_run_group_tests(const char *group_name,
			const struct CMUnitTest *const tests,
			const size_t num_tests, CMFixtureFunction setup,
			CMFixtureFunction teardown)
{
	const char *path = getenv("CROSS_LEFT_OUT");
	struct CMUnitTest *kept;
	size_t nr_kept = 0;
	int (*run)(const char *name, const struct CMUnitTest *tests,
		   size_t num_tests, CMFixtureFunction setup,
		   CMFixtureFunction teardown);
	int ret;

	*(void **)&run = dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
	kept = calloc(num_tests + 1, sizeof(*kept));
	if (!run || !path || !kept)
		fail_program("cannot run the tests");
	for (size_t i = 0; i < num_tests; i++) {
		if (is_left_out(path, tests[i].name))
			record_removed_test(path, tests[i].name);
		else
			kept[nr_kept++] = tests[i];
	}
	ret = run(group_name, kept, nr_kept, setup, teardown);
	free(kept);
	return ret;
}
