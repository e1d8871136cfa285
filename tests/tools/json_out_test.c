// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of libibverbs/tools/json_out.c: compare the written text byte by byte.
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

struct document {
	struct json_out json;
	FILE *file;
	char *text;
	size_t size;
};

static void document_begin(struct document *document)
{
	*document = (struct document){};
	document->file = open_memstream(&document->text, &document->size);
	assert_non_null(document->file);
	json_begin(&document->json, document->file);
}

static void document_end_equals(struct document *document, const char *expected)
{
	assert_int_equal(json_end(&document->json), 0);
	fclose(document->file);
	assert_string_equal(document->text, expected);
	free(document->text);
}

static void json_nested_values_are_indented_and_separated(void **state)
{
	struct document document;

	document_begin(&document);
	json_object(&document.json, NULL);
	json_array(&document.json, "a");
	json_uint(&document.json, NULL, 1);
	json_uint(&document.json, NULL, 2);
	json_array_end(&document.json);
	json_object(&document.json, "b");
	json_bool(&document.json, "c", true);
	json_bool(&document.json, "d", false);
	json_object_end(&document.json);
	json_null(&document.json, "e");
	json_object_end(&document.json);
	document_end_equals(&document, "{\n"
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

static void json_empty_object_and_array_have_no_line_break(void **state)
{
	struct document document;

	document_begin(&document);
	json_object(&document.json, NULL);
	json_array(&document.json, "none");
	json_array_end(&document.json);
	json_object(&document.json, "nothing");
	json_object_end(&document.json);
	json_object_end(&document.json);
	document_end_equals(&document,
			    "{\n  \"none\": [],\n  \"nothing\": {}\n}\n");
}

static void json_numbers_keep_64_bits(void **state)
{
	struct document document;

	document_begin(&document);
	json_array(&document.json, NULL);
	json_uint(&document.json, NULL, UINT64_MAX);
	json_int(&document.json, NULL, INT64_MIN);
	json_array_end(&document.json);
	document_end_equals(&document, "[\n  18446744073709551615,\n"
				       "  -9223372036854775808\n]\n");
}

/* Writes a document that contains one string. */
static void assert_string_written_as(const char *value, const char *expected)
{
	struct document document;

	document_begin(&document);
	json_string(&document.json, NULL, value);
	document_end_equals(&document, expected);
}

static void json_string_special_characters_are_escaped(void **state)
{
	assert_string_written_as("a\"b\\c", "\"a\\\"b\\\\c\"\n");
	assert_string_written_as("\n\t\x01\x7f", "\"\\n\\t\\u0001\\u007f\"\n");
	assert_string_written_as("", "\"\"\n");
	assert_string_written_as(NULL, "null\n");
}

static void json_string_valid_utf8_is_unchanged(void **state)
{
	assert_string_written_as("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7",
				 "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\"\n");
}

static void json_string_invalid_utf8_becomes_replacement_character(void **state)
{
	assert_string_written_as("a\x80z", "\"a\\ufffdz\"\n");
	/* truncated sequence */
	assert_string_written_as("\xe2\x82", "\"\\ufffd\\ufffd\"\n");
	/* overlong '/', a surrogate, above U+10FFFF */
	assert_string_written_as("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");
	assert_string_written_as("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n");
	assert_string_written_as("\xf4\x90\x80\x80",
				 "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

static void json_format_writes_escaped_string(void **state)
{
	struct document document;

	document_begin(&document);
	json_object(&document.json, NULL);
	json_format(&document.json, "key \"1\"", "%d-%s", 7, "x\"");
	json_object_end(&document.json);
	document_end_equals(&document,
			    "{\n  \"key \\\"1\\\"\": \"7-x\\\"\"\n}\n");
}

static void json_end_on_full_disk_returns_eio(void **state)
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
		cmocka_unit_test(json_nested_values_are_indented_and_separated),
		cmocka_unit_test(
			json_empty_object_and_array_have_no_line_break),
		cmocka_unit_test(json_numbers_keep_64_bits),
		cmocka_unit_test(json_string_special_characters_are_escaped),
		cmocka_unit_test(json_string_valid_utf8_is_unchanged),
		cmocka_unit_test(
			json_string_invalid_utf8_becomes_replacement_character),
		cmocka_unit_test(json_format_writes_escaped_string),
		cmocka_unit_test(json_end_on_full_disk_returns_eio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
