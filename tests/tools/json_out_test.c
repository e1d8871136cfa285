// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libibverbs/tools/json_out.c: the text, byte by byte.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/json_out.h"

struct world {
	struct json_out json;
	FILE *file;
	char *text;
	size_t size;
};

static void begin(struct world *world)
{
	*world = (struct world){};
	world->file = open_memstream(&world->text, &world->size);
	assert_non_null(world->file);
	json_begin(&world->json, world->file);
}

static void end_is(struct world *world, const char *expected)
{
	assert_int_equal(json_end(&world->json), 0);
	fclose(world->file);
	assert_string_equal(world->text, expected);
	free(world->text);
}

static void nesting_is_indented_and_separated(void **state)
{
	struct world world;

	begin(&world);
	json_object(&world.json, NULL);
	json_array(&world.json, "a");
	json_uint(&world.json, NULL, 1);
	json_uint(&world.json, NULL, 2);
	json_array_end(&world.json);
	json_object(&world.json, "b");
	json_bool(&world.json, "c", true);
	json_bool(&world.json, "d", false);
	json_object_end(&world.json);
	json_null(&world.json, "e");
	json_object_end(&world.json);
	end_is(&world, "{\n"
		       "  \"a\": [\n"
		       "    1,\n"
		       "    2\n"
		       "  ],\n"
		       "  \"b\": {\n"
		       "    \"c\": true,\n"
		       "    \"d\": false\n"
		       "  },\n"
		       "  \"e\": null\n"
		       "}\n");
}

static void what_is_empty_stays_on_its_line(void **state)
{
	struct world world;

	begin(&world);
	json_object(&world.json, NULL);
	json_array(&world.json, "none");
	json_array_end(&world.json);
	json_object(&world.json, "nothing");
	json_object_end(&world.json);
	json_object_end(&world.json);
	end_is(&world, "{\n  \"none\": [],\n  \"nothing\": {}\n}\n");
}

static void numbers_have_all_64_bits(void **state)
{
	struct world world;

	begin(&world);
	json_array(&world.json, NULL);
	json_uint(&world.json, NULL, UINT64_MAX);
	json_int(&world.json, NULL, INT64_MIN);
	json_array_end(&world.json);
	end_is(&world, "[\n  18446744073709551615,\n"
		       "  -9223372036854775808\n]\n");
}

/* The text of one string, as a document. */
static void string_is(const char *value, const char *expected)
{
	struct world world;

	begin(&world);
	json_string(&world.json, NULL, value);
	end_is(&world, expected);
}

static void strings_are_escaped(void **state)
{
	string_is("a\"b\\c", "\"a\\\"b\\\\c\"\n");
	string_is("\n\t\x01\x7f", "\"\\n\\t\\u0001\\u007f\"\n");
	string_is("", "\"\"\n");
	string_is(NULL, "null\n");
}

static void utf8_passes(void **state)
{
	string_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7",
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\"\n");
}

static void other_bytes_become_the_replacement_character(void **state)
{
	string_is("a\x80z", "\"a\\ufffdz\"\n");
	/* cut off */
	string_is("\xe2\x82", "\"\\ufffd\\ufffd\"\n");
	/* overlong '/', a surrogate, above U+10FFFF */
	string_is("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");
	string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n");
	string_is("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

static void a_format_makes_a_string(void **state)
{
	struct world world;

	begin(&world);
	json_object(&world.json, NULL);
	json_format(&world.json, "key \"1\"", "%d-%s", 7, "x\"");
	json_object_end(&world.json);
	end_is(&world, "{\n  \"key \\\"1\\\"\": \"7-x\\\"\"\n}\n");
}

static void a_file_that_is_full_is_told(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct json_out json;

	assert_non_null(full);
	json_begin(&json, full);
	json_array(&json, NULL);
	for (int i = 0; i < 10000; i++)
		json_uint(&json, NULL, i);
	json_array_end(&json);
	assert_int_equal(json_end(&json), -EIO);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting_is_indented_and_separated),
		cmocka_unit_test(what_is_empty_stays_on_its_line),
		cmocka_unit_test(numbers_have_all_64_bits),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(utf8_passes),
		cmocka_unit_test(other_bytes_become_the_replacement_character),
		cmocka_unit_test(a_format_makes_a_string),
		cmocka_unit_test(a_file_that_is_full_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
