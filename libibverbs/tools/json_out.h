/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes one JSON document (RFC 8259) as it is made, without a tree in memory.
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
 * A key is given inside an object, and is NULL inside an array and for the
 * outermost value. Commas, line breaks and indentation come by themselves. All
 * functions may be called after a failed write; json_end() tells of it.
 *Mistakes of the caller (a key where none belongs, an end that does not match,
 *more than JSON_MAX_DEPTH levels) are assertions.
 */
#ifndef TOOLS_JSON_OUT_H
#define TOOLS_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** How deep objects and arrays may nest. */
#define JSON_MAX_DEPTH 16

/** A document that is being written; memory of the caller. */
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
 * @out: memory of the caller; there is nothing to free
 * @file: where the text goes; stays the caller's
 */
void json_begin(struct json_out *out, FILE *file);

/**
 * json_end() - end a document with a line break, and flush the file
 *
 * Return: 0, -EIO when the file could not take all of the text.
 */
int json_end(struct json_out *out);

/** json_object() - open an object, as the member @key or (NULL) an element */
void json_object(struct json_out *out, const char *key);
/** json_object_end() - close the innermost level, which is an object */
void json_object_end(struct json_out *out);
/** json_array() - open an array, as the member @key or (NULL) an element */
void json_array(struct json_out *out, const char *key);
/** json_array_end() - close the innermost level, which is an array */
void json_array_end(struct json_out *out);

/**
 * json_string() - write a string
 * @value: any bytes; what is not UTF-8 becomes U+FFFD. NULL writes null.
 */
void json_string(struct json_out *out, const char *key, const char *value);

/**
 * json_format() - write a string that is put together as printf() does
 *
 * It is cut off after 1023 bytes.
 */
__attribute__((format(printf, 3, 4))) void
json_format(struct json_out *out, const char *key, const char *format, ...);

/** json_uint() - write a number; all 64 bits, as decimal digits */
void json_uint(struct json_out *out, const char *key, uint64_t value);
/** json_int() - write a number that may be negative */
void json_int(struct json_out *out, const char *key, int64_t value);
/** json_bool() - write true or false */
void json_bool(struct json_out *out, const char *key, bool value);
/** json_null() - write null: asked, and there is no answer */
void json_null(struct json_out *out, const char *key);

#endif
