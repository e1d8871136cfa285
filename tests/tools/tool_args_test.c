// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests of libibverbs/tools/tool_args.c: valid and invalid command lines. */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/tool_args.h"

struct parsed_options {
	bool events;
	const char *device;
	uint32_t size;
	const char *host;
};

/* Parses NULL-terminated words. The defaults differ from all parsed values. */
static int parse_words(struct parsed_options *parsed_options, char **words)
{
	const struct tool_option options[] = {
		{ 'e', "events", .help = "x", .flag = &parsed_options->events },
		{ 'd', "ib-dev", "DEVICE", "x",
		  .text = &parsed_options->device },
		{ 's', "size", "SIZE", "x", .number = &parsed_options->size,
		  .min = 2, .max = 4096 },
		{ 0, "long-size", "SIZE", .number = &parsed_options->size,
		  .min = 2, .max = 4096 },
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
	*parsed_options =
		(struct parsed_options){ .device = "default", .size = 7 };
	optind = 0; /* restart getopt */
	return tool_parse_options(&program, count, words,
				  &parsed_options->host);
}

#define WORDS(...) ((char *[]){ (char *)"tool", __VA_ARGS__, NULL })

static void tool_parse_options_empty_line_keeps_defaults(void **state)
{
	struct parsed_options parsed_options;

	assert_int_equal(parse_words(&parsed_options,
				     (char *[]){ (char *)"tool", NULL }),
			 0);
	assert_false(parsed_options.events);
	assert_string_equal(parsed_options.device, "default");
	assert_int_equal(parsed_options.size, 7);
	assert_null(parsed_options.host);
}

static void tool_parse_options_short_and_long_forms_are_equal(void **state)
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
		struct parsed_options parsed_options;

		assert_int_equal(parse_words(&parsed_options, lines[i]), 0);
		assert_true(parsed_options.events);
		assert_string_equal(parsed_options.device, "rxe0");
		assert_int_equal(parsed_options.size, 64);
		assert_string_equal(parsed_options.host, "host");
	}
}

static void tool_parse_options_invalid_line_returns_einval(void **state)
{
	char **lines[] = {
		WORDS((char *)"-s", (char *)"1"),
		WORDS((char *)"-s", (char *)"4097"),
		WORDS((char *)"-s", (char *)"-3"),
		WORDS((char *)"-s", (char *)" 3"),
		WORDS((char *)"-s", (char *)"3k"),
		WORDS((char *)"-s", (char *)""),
		WORDS((char *)"-s", (char *)"99999999999999999999999"),
		WORDS((char *)"-s", (char *)"4294967300"), /* 2^32 + 4 */
		WORDS((char *)"-s"),
		WORDS((char *)"--ib-dev"),
		WORDS((char *)"--events=1"),
		WORDS((char *)"--nonsense"),
		WORDS((char *)"-x"),
		WORDS((char *)"host", (char *)"another"),
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct parsed_options parsed_options;

		assert_int_equal(parse_words(&parsed_options, lines[i]),
				 -EINVAL);
		assert_int_equal(parsed_options.size, 7);
	}
}

static void tool_parse_options_help_returns_1(void **state)
{
	struct parsed_options parsed_options;

	assert_int_equal(parse_words(&parsed_options, WORDS((char *)"-h")), 1);
	assert_int_equal(parse_words(&parsed_options, WORDS((char *)"--help")),
			 1);
}

static void tool_parse_number_invalid_text_returns_error(void **state)
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
		cmocka_unit_test(tool_parse_options_empty_line_keeps_defaults),
		cmocka_unit_test(
			tool_parse_options_short_and_long_forms_are_equal),
		cmocka_unit_test(
			tool_parse_options_invalid_line_returns_einval),
		cmocka_unit_test(tool_parse_options_help_returns_1),
		cmocka_unit_test(tool_parse_number_invalid_text_returns_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
