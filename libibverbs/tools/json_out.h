/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes one JSON document (RFC 8259) as a stream, without a tree in memory.
 *
 *	struct json_out json;
 *
 *	json_begin(&json, stdout);
 *	json_object(&json, NULL);
 *	json_string(&json, "name", "rxe0");
 *	json_array(&json, "ports");
 *	json_uint(&json, NULL, 1);
 *	json_array_end(&json);
 *	json_object_end(&json);
 *	ret = json_end(&json);
 *
 * Pass a key inside an object, and NULL inside an array and for the outermost
 * value. The writer adds commas, line breaks and indentation. All functions may
 * be called after a failed write; json_end() reports the failure. Assertions
 * catch caller errors: a key inside an array, an end function that does not
 * match, more than JSON_MAX_DEPTH levels.
 */
#ifndef TOOLS_JSON_OUT_H
#define TOOLS_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Maximum nesting depth of objects and arrays. */
#define JSON_MAX_DEPTH 16

/** State of one document; the caller provides the memory. */
struct json_out {
	FILE *file;
	int depth;
	struct {
		char closing; /* '}' or ']' */
		bool empty;
	} level[JSON_MAX_DEPTH + 1];
};

/**
 * json_begin() - begin a document
 * @out: state to initialize; needs no cleanup
 * @file: receives the text; the caller still owns it
 */
void json_begin(struct json_out *out, FILE *file);

/**
 * json_end() - end a document with a line break, and flush the file
 *
 * Return: 0, or -EIO when writing any part of the text failed.
 */
int json_end(struct json_out *out);

/** json_object() - open an object: member @key, or an array element (NULL) */
void json_object(struct json_out *out, const char *key);
/** json_object_end() - close the innermost level, which must be an object */
void json_object_end(struct json_out *out);
/** json_array() - open an array: member @key, or an array element (NULL) */
void json_array(struct json_out *out, const char *key);
/** json_array_end() - close the innermost level, which must be an array */
void json_array_end(struct json_out *out);

/**
 * json_string() - write a string
 * @value: any bytes; each invalid UTF-8 byte becomes U+FFFD. NULL writes null.
 */
void json_string(struct json_out *out, const char *key, const char *value);

/**
 * json_format() - write a string that a printf() format produces
 *
 * The string is truncated to 1023 bytes.
 */
__attribute__((format(printf, 3, 4))) void
json_format(struct json_out *out, const char *key, const char *format, ...);

/** json_uint() - write an unsigned 64-bit number in decimal */
void json_uint(struct json_out *out, const char *key, uint64_t value);
/** json_int() - write a signed 64-bit number in decimal */
void json_int(struct json_out *out, const char *key, int64_t value);
/** json_bool() - write true or false */
void json_bool(struct json_out *out, const char *key, bool value);
/** json_null() - write null: the value was queried and does not exist */
void json_null(struct json_out *out, const char *key);

#endif
