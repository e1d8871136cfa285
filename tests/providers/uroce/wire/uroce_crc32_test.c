/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each CRC method compared with a bitwise reference, and the arithmetic that
 * the ICRC uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/wire/uroce_crc32.h"

#define BYTES 5000

static uint32_t by_bits(uint32_t reg, const uint8_t *src, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		reg ^= src[i];
		for (int bit = 0; bit < 8; bit++)
			reg = reg & 1 ? reg >> 1 ^ 0xedb88320u : reg >> 1;
	}
	return reg;
}

static void fill(uint8_t *bytes, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

/* A method that the CPU lacks is skipped; the table always works. */
static bool use(int method)
{
	int ret = uroce_crc32_use((enum uroce_crc32_method)method);

	if (method == UROCE_CRC32_TABLE)
		assert_int_equal(ret, 0);
	return ret == 0;
}

static void check_length(const uint8_t *src, size_t len, uint32_t start)
{
	static uint8_t copy[BYTES + 1];
	uint32_t expected = by_bits(start, src, len);

	assert_int_equal(uroce_crc32(start, src, len), expected);
	memset(copy, 0xa5, len + 1);
	assert_int_equal(uroce_crc32_copy(start, copy, src, len), expected);
	assert_memory_equal(copy, src, len);
	assert_int_equal(copy[len], 0xa5);
}

static void crc32_every_method_matches_bitwise_reference(void **state)
{
	static uint8_t bytes[BYTES];

	fill(bytes, sizeof(bytes), 1);
	for (int method = 0; method < UROCE_CRC32_NR_METHODS; method++) {
		if (!use(method))
			continue;
		for (size_t len = 0; len < 1100; len++)
			check_length(bytes + len % 37, len,
				     0x12345678u * (uint32_t)len);
		for (size_t len = 4000; len < 4200; len += 3)
			check_length(bytes + len % 5, len, UINT32_MAX);
	}
}

static void crc32_check_values_match(void **state)
{
	for (int method = 0; method < UROCE_CRC32_NR_METHODS; method++) {
		if (!use(method))
			continue;
		/* check value of CRC-32 in catalogues of CRCs */
		assert_int_equal(~uroce_crc32(UINT32_MAX, "123456789", 9),
				 0xcbf43926u);
		assert_int_equal(uroce_crc32(77, "", 0), 77);
	}
}

static void crc32_of_segments_equals_crc32_of_whole(void **state)
{
	static uint8_t bytes[BYTES];

	fill(bytes, sizeof(bytes), 2);
	for (int method = 0; method < UROCE_CRC32_NR_METHODS; method++) {
		if (!use(method))
			continue;
		for (size_t cut = 0; cut <= 2000; cut += 61) {
			uint32_t reg = uroce_crc32(UINT32_MAX, bytes, cut);

			reg = uroce_crc32(reg, bytes + cut, 2000 - cut);
			assert_int_equal(reg, by_bits(UINT32_MAX, bytes, 2000));
		}
	}
}

static void crc32_multiply_by_x_appends_zero_bit(void **state)
{
	static const uint8_t zeros[64];

	uroce_crc32_init();
	for (uint32_t n = 0; n <= 64; n++) {
		uint32_t power = uroce_crc32_x_power(8 * n);

		assert_int_equal(uroce_crc32_multiply(0xdeadbeef, power),
				 by_bits(0xdeadbeef, zeros, n));
		assert_int_equal(uroce_crc32_multiply(power, 0xdeadbeef),
				 by_bits(0xdeadbeef, zeros, n));
	}
}

static void crc32_powers_of_x_are_invertible(void **state)
{
	for (uint32_t n = 1; n < 40000; n += 997) {
		uint32_t there = uroce_crc32_x_power(n);
		uint32_t back = uroce_crc32_x_power(UINT32_MAX - n);

		assert_int_equal(uroce_crc32_multiply(there, back),
				 UROCE_CRC32_ONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc32_every_method_matches_bitwise_reference),
		cmocka_unit_test(crc32_check_values_match),
		cmocka_unit_test(crc32_of_segments_equals_crc32_of_whole),
		cmocka_unit_test(crc32_multiply_by_x_appends_zero_bit),
		cmocka_unit_test(crc32_powers_of_x_are_invertible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
