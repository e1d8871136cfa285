// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libibverbs/tools/tool_args.c: command lines, good and bad.
 */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/tool_args.h"

struct wishes {
	bool events;
	const char *device;
	uint32_t size;
	const char *host;
};

/* parse(NULL-terminated words): with defaults that can be told from values */
static int parse(struct wishes *wishes, char **words)
{
	const struct tool_option options[] = {
		{ 'e', "events", .help = "x", .flag = &wishes->events },
		{ 'd', "ib-dev", "DEVICE", "x", .text = &wishes->device },
		{ 's', "size", "SIZE", "x", .number = &wishes->size, .min = 2,
		  .max = 4096 },
		{ 0, "long-size", "SIZE", .number = &wishes->size, .min = 2,
		  .max = 4096 },
	};
	const struct tool_program program = {
		.name = "tool",
		.operand = "HOST",
		.purpose = "Is tested.",
		.options = options,
		.nr_options = sizeof(options) / sizeof(options[0]),
	};
	int count = 0;

	while (words[count])
		count++;
	*wishes = (struct wishes){ .device = "default", .size = 7 };
	optind = 0; /* from the beginning, once more */
	return tool_parse_options(&program, count, words, &wishes->host);
}

#define WORDS(...) ((char *[]){ (char *)"tool", __VA_ARGS__, NULL })

static void nothing_leaves_the_defaults(void **state)
{
	struct wishes wishes;

	assert_int_equal(parse(&wishes, (char *[]){ (char *)"tool", NULL }), 0);
	assert_false(wishes.events);
	assert_string_equal(wishes.device, "default");
	assert_int_equal(wishes.size, 7);
	assert_null(wishes.host);
}

static void short_and_long_forms_are_the_same(void **state)
{
	char **lines[] = {
		WORDS((char *)"-e", (char *)"-d", (char *)"rxe0", (char *)"-s",
		      (char *)"64", (char *)"host"),
		WORDS((char *)"host", (char *)"--events",
		      (char *)"--ib-dev=rxe0", (char *)"--size=0x40"),
		WORDS((char *)"-edrxe0", (char *)"--long-size", (char *)"64",
		      (char *)"host"),
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct wishes wishes;

		assert_int_equal(parse(&wishes, lines[i]), 0);
		assert_true(wishes.events);
		assert_string_equal(wishes.device, "rxe0");
		assert_int_equal(wishes.size, 64);
		assert_string_equal(wishes.host, "host");
	}
}

static void bad_lines_are_refused(void **state)
{
	char **lines[] = {
		WORDS((char *)"-s", (char *)"1"),
		WORDS((char *)"-s", (char *)"4097"),
		WORDS((char *)"-s", (char *)"-3"),
		WORDS((char *)"-s", (char *)" 3"),
		WORDS((char *)"-s", (char *)"3k"),
		WORDS((char *)"-s", (char *)""),
		WORDS((char *)"-s", (char *)"99999999999999999999999"),
		WORDS((char *)"-s", (char *)"4294967300"), /* 4 and 2^32 */
		WORDS((char *)"-s"),
		WORDS((char *)"--ib-dev"),
		WORDS((char *)"--events=1"),
		WORDS((char *)"--nonsense"),
		WORDS((char *)"-x"),
		WORDS((char *)"host", (char *)"another"),
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct wishes wishes;

		assert_int_equal(parse(&wishes, lines[i]), -EINVAL);
		assert_int_equal(wishes.size, 7);
	}
}

static void help_is_asked_for_in_two_ways(void **state)
{
	struct wishes wishes;

	assert_int_equal(parse(&wishes, WORDS((char *)"-h")), 1);
	assert_int_equal(parse(&wishes, WORDS((char *)"--help")), 1);
}

static void a_number_says_what_is_wrong_with_it(void **state)
{
	uint32_t value = 5;

	assert_int_equal(tool_parse_number("", 0, 9, &value), -EINVAL);
	assert_int_equal(tool_parse_number("+1", 0, 9, &value), -EINVAL);
	assert_int_equal(tool_parse_number("1 ", 0, 9, &value), -EINVAL);
	assert_int_equal(tool_parse_number("10", 0, 9, &value), -ERANGE);
	assert_int_equal(value, 5);
	assert_int_equal(tool_parse_number("4294967295", 0, UINT32_MAX, &value),
			 0);
	assert_int_equal(value, UINT32_MAX);
	assert_int_equal(tool_parse_number("4294967296", 0, UINT32_MAX, &value),
			 -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_leaves_the_defaults),
		cmocka_unit_test(short_and_long_forms_are_the_same),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(help_is_asked_for_in_two_ways),
		cmocka_unit_test(a_number_says_what_is_wrong_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
