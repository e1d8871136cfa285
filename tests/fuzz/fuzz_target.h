/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Interface of a fuzz target: one function, named by libFuzzer, that takes any
 * bytes and must not crash, hang, leak, or violate an assertion.
 */
#ifndef FUZZ_FUZZ_TARGET_H
#define FUZZ_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A failed assertion is a crash, so that libFuzzer keeps the input. */
#define fuzz_assert(condition)    \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* Reads an input from front to end; after the end all bytes are 0. */
struct fuzz_reader {
	const uint8_t *data;
	size_t len;
};

static inline uint8_t fuzz_take_u8(struct fuzz_reader *reader)
{
	if (!reader->len)
		return 0;
	reader->len--;
	return *reader->data++;
}

/* Little-endian, so that all machines can use the same corpus. */
static inline uint16_t fuzz_take_u16(struct fuzz_reader *reader)
{
	uint8_t low = fuzz_take_u8(reader);

	return (uint16_t)(low | fuzz_take_u8(reader) << 8);
}

/* Returns up to @len bytes; fewer at the end of the input. */
static inline const uint8_t *fuzz_take(struct fuzz_reader *reader, size_t len,
				       size_t *ret_len)
{
	const uint8_t *data = reader->data;

	if (len > reader->len)
		len = reader->len;
	reader->data += len;
	reader->len -= len;
	*ret_len = len;
	return data;
}

#endif
