/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of uroce_mad.c: owners of MADs, and replies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/gsi/uroce_mad.h"

/* Bytes of the header that are the same in all MADs of the tests. */
static const uint8_t header[16] = {
	1, 7, 2, 3, [8] = 0x00, 0x00, 0x00, 0x02, 0xed, 0x53, 0xa5, 0x47,
};

static uint8_t mad[UROCE_MAD_BYTES], reply[UROCE_MAD_BYTES];

/* Makes a MAD with the first 16 data bytes. */
static void make_mad(uint8_t attribute, const char *data)
{
	memset(mad, 0x5a, sizeof(mad));
	memset(mad + 16, 0, 8);
	memcpy(mad, header, sizeof(header));
	mad[17] = attribute;
	memcpy(mad + 24, data, 16);
}

static void assert_reply(uint8_t attribute, const char *data, size_t len)
{
	uint8_t want[UROCE_MAD_BYTES] = {};

	memset(reply, 0xa5, sizeof(reply));
	assert_true(uroce_mad_reply(mad, reply));
	memcpy(want, header, sizeof(header));
	want[17] = attribute;
	memcpy(want + 24, data, len);
	assert_memory_equal(reply, want, sizeof(want));
}

static const char ids[] = "\x11\x22\x33\x44\x55\x66\x77\x88"
			  "\0\0\0\0\x01\x06\x1b\x5a";

static void mad_key_of_requests_is_service_id(void **state)
{
	static const uint8_t requests[] = { 0x10, 0x17 };

	for (size_t i = 0; i < sizeof(requests); i++) {
		struct uroce_mad_key key;

		make_mad(requests[i], ids);
		key = uroce_mad_read_key(mad);
		assert_int_equal(key.owner, UROCE_MAD_OF_SERVICE);
		assert_int_equal(key.service_id, 0x1061b5a);
	}
}

static void mad_key_of_messages_is_remote_id(void **state)
{
	static const uint8_t messages[] = { 0x11, 0x12, 0x13, 0x14,
					    0x15, 0x16, 0x19, 0x1a };

	for (size_t i = 0; i < sizeof(messages); i++) {
		struct uroce_mad_key key;

		make_mad(messages[i], ids);
		key = uroce_mad_read_key(mad);
		assert_int_equal(key.owner, UROCE_MAD_OF_ID);
		assert_int_equal(key.id, 0x55667788);
	}
}

static void mad_key_of_sidr_rep_is_request_id(void **state)
{
	struct uroce_mad_key key;

	make_mad(0x18, ids);
	key = uroce_mad_read_key(mad);
	assert_int_equal(key.owner, UROCE_MAD_OF_ID);
	assert_int_equal(key.id, 0x11223344);
}

static void mad_key_of_unknown_attribute_is_none(void **state)
{
	for (int attribute = 0; attribute < 256; attribute++) {
		make_mad((uint8_t)attribute, ids);
		assert_int_equal(uroce_mad_read_key(mad).owner ==
					 UROCE_MAD_NO_OWNER,
				 attribute < 0x10 || attribute > 0x1a);
		mad[16] = 1;
		assert_int_equal(uroce_mad_read_key(mad).owner,
				 UROCE_MAD_NO_OWNER);
	}
}

static void mad_key_of_wrong_header_is_none(void **state)
{
	for (int i = 0; i < 4; i++) {
		make_mad(0x10, ids);
		mad[i] ^= 0x80;
		assert_int_equal(uroce_mad_read_key(mad).owner,
				 UROCE_MAD_NO_OWNER);
		assert_false(uroce_mad_reply(mad, reply));
	}
}

static void mad_reply_to_req_is_invalid_service_id(void **state)
{
	make_mad(0x10, ids);
	assert_reply(0x12, "\0\0\0\0\x11\x22\x33\x44\0\0\0\x08", 12);
}

static void mad_reply_to_sidr_req_is_status_1(void **state)
{
	make_mad(0x17, ids);
	assert_reply(0x18,
		     "\x11\x22\x33\x44\x01\0\0\0\0\0\0\0"
		     "\0\0\0\0\x01\x06\x1b\x5a",
		     20);
}

static void mad_reply_to_dreq_is_drep_with_swapped_ids(void **state)
{
	make_mad(0x15, ids);
	assert_reply(0x16, "\x55\x66\x77\x88\x11\x22\x33\x44", 8);
}

static void mad_reply_to_responses_is_none(void **state)
{
	static const uint8_t messages[] = { 0x11, 0x12, 0x13, 0x14, 0x16,
					    0x18, 0x19, 0x1a, 0x1b };

	for (size_t i = 0; i < sizeof(messages); i++) {
		make_mad(messages[i], ids);
		assert_false(uroce_mad_reply(mad, reply));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mad_key_of_requests_is_service_id),
		cmocka_unit_test(mad_key_of_messages_is_remote_id),
		cmocka_unit_test(mad_key_of_sidr_rep_is_request_id),
		cmocka_unit_test(mad_key_of_unknown_attribute_is_none),
		cmocka_unit_test(mad_key_of_wrong_header_is_none),
		cmocka_unit_test(mad_reply_to_req_is_invalid_service_id),
		cmocka_unit_test(mad_reply_to_sidr_req_is_status_1),
		cmocka_unit_test(mad_reply_to_dreq_is_drep_with_swapped_ids),
		cmocka_unit_test(mad_reply_to_responses_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
