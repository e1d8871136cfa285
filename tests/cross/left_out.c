/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into the test programs of another machine: takes single tests out
 * of a group before cmocka runs it. Which ones is said by run_cross, from
 * left_out.txt, in the file $CROSS_LEFT_OUT: "program test" lines. Each test
 * that was taken out is written to $CROSS_LEFT_OUT.seen, so that run_cross can
 * tell which lines are about nothing.
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

/* last: it needs <setjmp.h>, <stdarg.h>, <stddef.h> and <stdint.h> */
#include <cmocka.h>

#define MAX_NAME 200 /* of a program or a test */

static void give_up(const char *what)
{
	(void)fprintf(stderr, "left_out: %s\n", what);
	abort();
}

static void note(const char *path, const char *test)
{
	char seen[4096];
	FILE *file;

	(void)snprintf(seen, sizeof(seen), "%s.seen",
		       path); /* cut: fopen fails */
	file = fopen(seen, "ae");
	if (!file)
		give_up("cannot write the tests that are left out");
	/* one write(2) a line: other programs append to it as well */
	(void)fprintf(file, "%s %s\n", program_invocation_short_name, test);
	if (fclose(file))
		give_up("cannot write the tests that are left out");
}

static bool is_left_out(const char *path, const char *test)
{
	char program[MAX_NAME + 1], name[MAX_NAME + 1];
	FILE *file = fopen(path, "re");
	bool found = false;

	if (!file)
		give_up("cannot read the list of $CROSS_LEFT_OUT");
	while (!found && fscanf(file, "%200s %200s", program, name) == 2)
		found = !strcmp(program, program_invocation_short_name) &&
			!strcmp(name, test);
	(void)fclose(file); /* was read only */
	return found;
}

/* cmocka's cmocka_run_group_tests() and its relatives are macros around this.
 */
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
		give_up("cannot run the tests");
	for (size_t i = 0; i < num_tests; i++) {
		if (is_left_out(path, tests[i].name))
			note(path, tests[i].name);
		else
			kept[nr_kept++] = tests[i];
	}
	ret = run(group_name, kept, nr_kept, setup, teardown);
	free(kept);
	return ret;
}
