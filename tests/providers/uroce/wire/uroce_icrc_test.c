/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ICRC compared with independently computed values, detection of errors,
 * and the search for the IP identification.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"

static const struct uroce_path path_v4 = {
	.sgid = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	.dgid = { [10] = 0xff, 0xff, 198, 51, 100, 7 },
	.sport = 0xc123,
};
static const struct uroce_path path_v6 = {
	.sgid = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 },
	.dgid = { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 },
	.sport = 0xc123,
};

struct datagram {
	uint8_t bytes[UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN];
	size_t len;
};

/* Builds a packet as it is sent, with a payload of 0, 1, 2, ... */
static void build(struct datagram *datagram, const struct uroce_path *path,
		  uint16_t ip_id, uint32_t payload_len)
{
	struct uroce_packet packet = {
		.opcode = UROCE_RC | UROCE_SEND_ONLY,
		.mig_req = true,
		.ack_req = true,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = 0x11,
		.psn = 0xfffffe,
		.payload_len = payload_len,
	};
	uint32_t rest_len = payload_len + uroce_wire_pad(payload_len);
	uint32_t reg;
	int ret;

	uroce_icrc_init();
	ret = uroce_wire_encode(&packet, datagram->bytes);
	assert_int_equal(ret, UROCE_BTH_LEN);
	for (uint32_t i = 0; i < rest_len; i++)
		datagram->bytes[ret + (int)i] = i < payload_len ? (uint8_t)i
								: 0;
	reg = uroce_icrc_start(path, ip_id, datagram->bytes, (uint32_t)ret,
			       rest_len);
	reg = uroce_crc32(reg, datagram->bytes + ret, rest_len);
	datagram->len = (size_t)ret + rest_len;
	uroce_icrc_end(reg, datagram->bytes + datagram->len);
	datagram->len += UROCE_ICRC_LEN;
}

/* The vectors are from zlib's crc32() over hand-written headers. */
static void icrc_known_vectors_match(void **state)
{
	static const uint8_t v4[] = { 0xf3, 0xfc, 0xb8, 0x6b };
	static const uint8_t v6[] = { 0xfe, 0x1e, 0xef, 0xa6 };
	static const uint8_t v4_id[] = { 0x2e, 0xe2, 0x76, 0x24 };
	struct datagram datagram;

	build(&datagram, &path_v4, 0, 64);
	assert_int_equal(datagram.len, 80);
	assert_memory_equal(datagram.bytes + 76, v4, 4);
	build(&datagram, &path_v6, 0, 64);
	assert_memory_equal(datagram.bytes + 76, v6, 4);
	build(&datagram, &path_v4, 0xbeef, 64);
	assert_memory_equal(datagram.bytes + 76, v4_id, 4);
}

static uint64_t clock_at_0(void)
{
	return 0;
}

/* Verifies as the first packet of a source that is not known. */
static int verify_unknown(const struct uroce_path *path, uint16_t guess,
			  const struct datagram *datagram, uint16_t *ret_ip_id)
{
	struct uroce_ip_id_latest latest = {};
	struct uroce_ip_id_table *table =
		uroce_ip_id_new_table(clock_at_0, &latest);
	struct uroce_icrc_path base;
	struct uroce_packet packet;
	struct uroce_icrc icrc;
	int ret;

	assert_non_null(table);
	uroce_icrc_path(path, &base);
	base.source = uroce_ip_id_find(table, path);
	assert_int_equal(
		uroce_wire_decode(datagram->bytes, datagram->len - 4, &packet),
		0);
	assert_int_equal(uroce_icrc_open_next(&icrc, &base, guess,
					      datagram->bytes, datagram->len,
					      &packet),
			 0);
	*ret_ip_id = uroce_icrc_solve(&icrc);
	ret = icrc.check.finish(&icrc.check);
	assert_int_equal(icrc.ip_id, ret ? guess : *ret_ip_id);
	free(table);
	return ret;
}

static void icrc_unknown_source_solves_ip_id_for_every_length(void **state)
{
	struct datagram datagram;
	uint16_t solved;

	for (uint32_t len = 0; len <= UROCE_MAX_MTU; len += 3) {
		uint16_t ip_id = (uint16_t)(len * 40503u);

		build(&datagram, &path_v4, ip_id, len);
		assert_int_equal(
			verify_unknown(&path_v4, 0, &datagram, &solved), 0);
		assert_int_equal(solved, ip_id);
	}
}

/* Without a source only numbers of segments are accepted. */
static void icrc_verify_accepts_segment_numbers_only(void **state)
{
	struct datagram datagram;

	for (uint32_t ip_id = 0; ip_id <= UINT16_MAX; ip_id++) {
		build(&datagram, &path_v4, (uint16_t)ip_id, 8);
		assert_int_equal(uroce_icrc_verify(&path_v4, datagram.bytes,
						   datagram.len),
				 ip_id < UROCE_IP_ID_NR_SEGMENTS ? 0
								 : -EBADMSG);
	}
}

/* Any expected id gives the same result, for good and damaged packets. */
static void icrc_wrong_ip_id_guess_changes_no_result(void **state)
{
	static const uint16_t guesses[] = { 0, 0xbeef, 0xbeee, 0xffff };
	struct datagram datagram;
	uint16_t solved;

	build(&datagram, &path_v4, 0xbeef, 100);
	for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
		for (int wrong = 0; wrong < 2; wrong++) {
			datagram.bytes[50] ^= (uint8_t)wrong;
			assert_int_equal(verify_unknown(&path_v4, guesses[i],
							&datagram, &solved),
					 wrong ? -EBADMSG : 0);
			assert_int_equal(solved, wrong ? guesses[i] : 0xbeef);
			datagram.bytes[50] ^= (uint8_t)wrong;
		}
	}
}

/* A sender that permits fragmentation by routers has DF clear. */
static void icrc_clear_df_flag_is_accepted(void **state)
{
	struct datagram datagram;
	uint8_t headers[8 + 20 + 8];
	uint16_t solved;
	uint32_t reg;
	size_t at;

	build(&datagram, &path_v4, 0, 256);
	at = datagram.len - UROCE_ICRC_LEN;
	/* computed by hand: dummy, IPv4 without DF, UDP, packet */
	memset(headers, 0xff, sizeof(headers));
	headers[8] = 0x45;
	headers[10] = (uint8_t)((28 + datagram.len) >> 8);
	headers[11] = (uint8_t)(28 + datagram.len);
	headers[12] = 0x12;
	headers[13] = 0x34;
	headers[14] = 0;
	headers[15] = 0;
	headers[17] = 17;
	memcpy(headers + 20, path_v4.sgid + 12, 4);
	memcpy(headers + 24, path_v4.dgid + 12, 4);
	headers[28] = 0xc1;
	headers[29] = 0x23;
	headers[30] = 4791 >> 8;
	headers[31] = 4791 & 0xff;
	headers[32] = (uint8_t)((8 + datagram.len) >> 8);
	headers[33] = (uint8_t)(8 + datagram.len);
	reg = uroce_crc32(UINT32_MAX, headers, sizeof(headers));
	datagram.bytes[4] = 0xff;
	reg = uroce_crc32(reg, datagram.bytes, at);
	datagram.bytes[4] = 0;
	uroce_icrc_end(reg, datagram.bytes + at);
	assert_int_equal(verify_unknown(&path_v4, 0, &datagram, &solved), 0);
	assert_int_equal(solved, 0x1234);
}

static void icrc_ignores_mutable_fields(void **state)
{
	struct datagram datagram;
	struct uroce_path path = path_v6;

	build(&datagram, &path_v6, 0, 100);
	path.tclass = 3;
	path.hop_limit = 17;
	path.flow_label = 0x12345;
	datagram.bytes[4] = 0xc0; /* FECN and BECN */
	assert_int_equal(uroce_icrc_verify(&path, datagram.bytes, datagram.len),
			 0);
}

/* Counts the single-bit errors that are not detected. */
static unsigned int count_missed_bits(const struct uroce_path *path,
				      uint32_t payload_len)
{
	struct datagram datagram;
	unsigned int nr_missed = 0;

	build(&datagram, path, 0, payload_len);
	for (size_t bit = 0; bit < 8 * datagram.len; bit++) {
		if (bit / 8 == 4) /* not covered */
			continue;
		datagram.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (uroce_icrc_verify(path, datagram.bytes, datagram.len) == 0)
			nr_missed++;
		datagram.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	return nr_missed;
}

static void icrc_detects_single_bit_errors(void **state)
{
	assert_int_equal(count_missed_bits(&path_v6, 4096), 0);
	assert_int_equal(count_missed_bits(&path_v4, 96), 0);
	assert_int_equal(count_missed_bits(&path_v4, 256), 0);
	assert_int_equal(count_missed_bits(&path_v4, 4096), 0);
}

/* 26 bits are verified of a source of which nothing is known. */
static void icrc_rejects_random_values(void **state)
{
	struct datagram datagram;
	unsigned int nr_passed = 0;
	uint32_t seed = 1;

	build(&datagram, &path_v4, 0, 32);
	for (int i = 0; i < 65536; i++) {
		seed = seed * 1664525u + 1013904223u;
		uroce_icrc_end(seed ^ seed >> 15, datagram.bytes + 44);
		if (uroce_icrc_verify(&path_v4, datagram.bytes, datagram.len) ==
		    0)
			nr_passed++;
	}
	assert_int_equal(nr_passed, 0);
}

static void icrc_covers_addresses_and_ports(void **state)
{
	struct datagram datagram;
	struct uroce_path path;

	build(&datagram, &path_v6, 0, 16);
	for (size_t i = 0; i < UROCE_GID_LEN; i++) {
		path = path_v6;
		path.sgid[i] ^= 1;
		assert_int_equal(
			uroce_icrc_verify(&path, datagram.bytes, datagram.len),
			-EBADMSG);
		path = path_v6;
		path.dgid[i] ^= 1;
		assert_int_equal(
			uroce_icrc_verify(&path, datagram.bytes, datagram.len),
			-EBADMSG);
	}
	path = path_v6;
	path.sport++;
	assert_int_equal(uroce_icrc_verify(&path, datagram.bytes, datagram.len),
			 -EBADMSG);
}

static void icrc_verify_bad_length_returns_ebadmsg(void **state)
{
	struct datagram datagram;

	build(&datagram, &path_v4, 0, 64);
	for (size_t len = 0; len < 16; len++)
		assert_int_equal(
			uroce_icrc_verify(&path_v4, datagram.bytes, len),
			-EBADMSG);
	for (size_t len = 77; len < 80; len++)
		assert_int_equal(
			uroce_icrc_verify(&path_v4, datagram.bytes, len),
			-EBADMSG);
	/* not read: larger than any packet */
	assert_int_equal(uroce_icrc_verify(&path_v4, datagram.bytes, 4144),
			 -EBADMSG);
}

static void icrc_seal_copies_and_verifies(void **state)
{
	static uint8_t copy[1000];
	struct datagram datagram;
	struct uroce_packet packet;
	struct uroce_icrc icrc;

	build(&datagram, &path_v6, 0, 1000);
	assert_int_equal(
		uroce_wire_decode(datagram.bytes, datagram.len - 4, &packet),
		0);
	for (size_t cut = 0; cut <= 1000; cut += 111) {
		assert_int_equal(uroce_icrc_open(&icrc, &path_v6,
						 datagram.bytes, datagram.len,
						 &packet),
				 0);
		memset(copy, 0xff, sizeof(copy));
		icrc.check.copy(&icrc.check, copy, cut);
		icrc.check.copy(&icrc.check, NULL, 7); /* skipped, checked */
		icrc.check.copy(&icrc.check, copy + cut, 5000); /* the rest */
		assert_memory_equal(copy, packet.payload, cut);
		if (cut < 993)
			assert_memory_equal(copy + cut,
					    packet.payload + cut + 7,
					    993 - cut);
		assert_int_equal(icrc.check.finish(&icrc.check), 0);
	}
	datagram.bytes[500] ^= 1;
	assert_int_equal(uroce_icrc_open(&icrc, &path_v6, datagram.bytes,
					 datagram.len, &packet),
			 0);
	icrc.check.copy(&icrc.check, copy, 300);
	assert_int_equal(icrc.check.finish(&icrc.check), -EBADMSG);
}

static void icrc_is_equal_for_every_crc_method(void **state)
{
	struct datagram expected, datagram;

	assert_int_equal(uroce_crc32_use(UROCE_CRC32_TABLE), 0);
	build(&expected, &path_v4, 3, 4096);
	for (int method = 1; method < UROCE_CRC32_NR_METHODS; method++) {
		if (uroce_crc32_use((enum uroce_crc32_method)method))
			continue; /* not supported by the CPU */
		build(&datagram, &path_v4, 3, 4096);
		assert_memory_equal(expected.bytes, datagram.bytes,
				    expected.len);
	}
}

/* The cache of previous packets changes no result. */
static void icrc_is_independent_of_previous_packets(void **state)
{
	static const uint8_t opcodes[] = { UROCE_SEND_ONLY, UROCE_ACKNOWLEDGE,
					   UROCE_SEND_ONLY, UROCE_WRITE_MIDDLE,
					   UROCE_READ_RESP_ONLY };
	static const struct uroce_path *const paths[] = { &path_v4, &path_v6 };
	struct uroce_icrc_path base;
	uint8_t header[UROCE_MAX_HEADER];

	uroce_icrc_init();
	for (uint32_t i = 0; i < 4000; i++) {
		const struct uroce_path *path = paths[i / 2000];
		struct uroce_packet packet = {
			.opcode = opcodes[i % 5],
			.ack_req = i & 1,
			.solicited = i % 7 == 0,
			.fecn = i % 11 == 0,
			.pkey = (uint16_t)(i % 3),
			.dest_qpn = i % 13,
			.psn = i * 77777 & UROCE_PSN_MASK,
		};
		uint32_t len = UROCE_BTH_LEN + i % 100 * 4;
		uint16_t ip_id = (uint16_t)(i % 17 * 4111);

		if (i % 2000 == 0)
			uroce_icrc_path(path, &base);
		assert_int_equal(
			uroce_wire_encode(&packet, header) >= UROCE_BTH_LEN, 1);
		assert_int_equal(uroce_icrc_begin(&base, ip_id, header,
						  UROCE_BTH_LEN, len),
				 uroce_icrc_start(path, ip_id, header,
						  UROCE_BTH_LEN,
						  len - UROCE_BTH_LEN));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(icrc_known_vectors_match),
		cmocka_unit_test(
			icrc_unknown_source_solves_ip_id_for_every_length),
		cmocka_unit_test(icrc_verify_accepts_segment_numbers_only),
		cmocka_unit_test(icrc_wrong_ip_id_guess_changes_no_result),
		cmocka_unit_test(icrc_clear_df_flag_is_accepted),
		cmocka_unit_test(icrc_ignores_mutable_fields),
		cmocka_unit_test(icrc_detects_single_bit_errors),
		cmocka_unit_test(icrc_rejects_random_values),
		cmocka_unit_test(icrc_covers_addresses_and_ports),
		cmocka_unit_test(icrc_verify_bad_length_returns_ebadmsg),
		cmocka_unit_test(icrc_seal_copies_and_verifies),
		cmocka_unit_test(icrc_is_equal_for_every_crc_method),
		cmocka_unit_test(icrc_is_independent_of_previous_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
