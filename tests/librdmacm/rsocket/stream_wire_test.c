/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Setup data and entries, with the bytes of a captured connection. */
#include "rsocket/stream_wire.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The request of rstream, between x86 hosts */
static const uint8_t captured[STREAM_SETUP_LEN] = {
	0x01, 0x02, 0x01, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x55, 0xcf, 0x55, 0xef, 0x80, 0x00, 0x00, 0x00, 0x07, 0xb2,
	0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x7f, 0x30, 0x3b, 0x78,
	0x30, 0x00, 0x00, 0x00, 0x08, 0x61, 0x00, 0x08, 0x00, 0x00,
};

static void setup_captured_has_values_of_sender(void **state)
{
	struct stream_setup setup;

	assert_int_equal(
		stream_setup_decode(captured, sizeof(captured), &setup), 0);
	assert_false(setup.is_big_endian);
	assert_int_equal(setup.credits, 384);
	assert_int_equal(setup.nr_iomaps, 0);
	assert_true(setup.sgl_address == 0x55cf55ef8000);
	assert_int_equal(setup.sgl_rkey, 0x7b2);
	assert_true(setup.data_address == 0x7f303b783000);
	assert_int_equal(setup.data_rkey, 0x861);
	assert_int_equal(setup.data_len, 0x80000);
}

static void setup_encoded_equals_captured_bytes(void **state)
{
	uint8_t bytes[STREAM_SETUP_LEN];
	struct stream_setup setup;

	assert_int_equal(
		stream_setup_decode(captured, sizeof(captured), &setup), 0);
	stream_setup_encode(&setup, bytes);
	assert_memory_equal(bytes, captured, sizeof(captured));
}

static void setup_of_big_endian_host_has_flag(void **state)
{
	struct stream_setup setup = { .is_big_endian = true,
				      .credits = 1,
				      .nr_iomaps = 512,
				      .data_len = 1 };
	uint8_t bytes[STREAM_SETUP_LEN];

	stream_setup_encode(&setup, bytes);
	assert_int_equal(bytes[1], 3);
	assert_int_equal(bytes[7], 0x82);
	memset(&setup, 0, sizeof(setup));
	assert_int_equal(stream_setup_decode(bytes, sizeof(bytes), &setup), 0);
	assert_true(setup.is_big_endian);
	assert_int_equal(setup.nr_iomaps, 512);
}

static void setup_of_unknown_version_fails_with_enotsup(void **state)
{
	uint8_t bytes[STREAM_SETUP_LEN];
	struct stream_setup setup;

	memcpy(bytes, captured, sizeof(bytes));
	bytes[0] = 2;
	assert_int_equal(stream_setup_decode(bytes, sizeof(bytes), &setup),
			 -ENOTSUP);
}

static void setup_invalid_fails_with_eproto(void **state)
{
	/* Credits, number of SGEs, length of the half: offset and length */
	static const size_t zeroed[][2] = { { 2, 2 }, { 20, 4 }, { 36, 4 } };
	uint8_t bytes[STREAM_SETUP_LEN];
	struct stream_setup setup;

	for (size_t len = 0; len < STREAM_SETUP_LEN; len++)
		assert_int_equal(stream_setup_decode(captured, len, &setup),
				 -EPROTO);
	for (size_t i = 0; i < 3; i++) {
		memcpy(bytes, captured, sizeof(bytes));
		memset(&bytes[zeroed[i][0]], 0, zeroed[i][1]);
		assert_int_equal(
			stream_setup_decode(bytes, sizeof(bytes), &setup),
			-EPROTO);
	}
	memcpy(bytes, captured, sizeof(bytes));
	bytes[23] = 3;
	assert_int_equal(stream_setup_decode(bytes, sizeof(bytes), &setup),
			 -EPROTO);
}

static void word_decoded_has_byte_order_of_sender(void **state)
{
	const uint8_t bytes[STREAM_WORD_LEN] = { 0x80, 0, 0, 5 };

	assert_int_equal(stream_word_decode(bytes, true), 0x80000005);
	assert_int_equal(stream_word_decode(bytes, false), 0x05000080);
}

static void iomaps_rounded_are_never_more(void **state)
{
	assert_int_equal(stream_iomaps_round(0), 0);
	assert_int_equal(stream_iomaps_round(128), 128);
	assert_int_equal(stream_iomaps_round(255), 128);
	assert_int_equal(stream_iomaps_round(256), 256);
	assert_int_equal(stream_iomaps_round(1000), 768);
	assert_int_equal(stream_iomaps_round(UINT32_MAX), STREAM_MAX_IOMAPS);
}

static void sge_captured_has_second_half(void **state)
{
	static const uint8_t bytes[STREAM_SGE_LEN] = {
		0x00, 0x30, 0x80, 0x3b, 0x30, 0x7f, 0x00, 0x00,
		0x61, 0x08, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00,
	};
	struct stream_sge sge = { .address = 0x7f303b803000,
				  .rkey = 0x861,
				  .len = 0x80000 };
	uint8_t encoded[STREAM_SGE_LEN];

	stream_sge_encode(&sge, false, encoded);
	assert_memory_equal(encoded, bytes, sizeof(bytes));
}

static void sge_for_big_endian_host_is_swapped(void **state)
{
	struct stream_sge sge = { .address = 0x0102030405060708,
				  .rkey = 0x090a0b0c,
				  .len = 0x0d0e0f10 };
	uint8_t bytes[STREAM_SGE_LEN];

	stream_sge_encode(&sge, true, bytes);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], i + 1);
}

static void iomap_for_own_host_decodes_to_same_values(void **state)
{
	struct stream_iomap iomap = { .offset = 0x123456789abcdef0,
				      .sge = { 0xfedcba9876543210, 7, 9 } };
	uint8_t bytes[STREAM_IOMAP_LEN];
	struct stream_iomap decoded;

	stream_iomap_encode(&iomap, stream_host_is_big_endian(), bytes);
	stream_iomap_decode(bytes, &decoded);
	assert_true(decoded.offset == iomap.offset);
	assert_true(decoded.sge.address == iomap.sge.address);
	assert_int_equal(decoded.sge.rkey, 7);
	assert_int_equal(decoded.sge.len, 9);
}

static void imm_has_op_in_upper_bits(void **state)
{
	assert_int_equal(stream_imm(STREAM_SGL, 0x180), 0x80000180);
	assert_int_equal(stream_imm(STREAM_CTRL, 0), 0xe0000000);
	assert_int_equal(stream_imm(STREAM_DATA, 2048), 0x800);
	assert_int_equal(stream_imm_op(0xc0000005), STREAM_IOMAP);
	assert_int_equal(stream_imm_data(0xc0000005), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setup_captured_has_values_of_sender),
		cmocka_unit_test(setup_encoded_equals_captured_bytes),
		cmocka_unit_test(setup_of_big_endian_host_has_flag),
		cmocka_unit_test(setup_of_unknown_version_fails_with_enotsup),
		cmocka_unit_test(setup_invalid_fails_with_eproto),
		cmocka_unit_test(word_decoded_has_byte_order_of_sender),
		cmocka_unit_test(iomaps_rounded_are_never_more),
		cmocka_unit_test(sge_captured_has_second_half),
		cmocka_unit_test(sge_for_big_endian_host_is_swapped),
		cmocka_unit_test(iomap_for_own_host_decodes_to_same_values),
		cmocka_unit_test(imm_has_op_in_upper_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
