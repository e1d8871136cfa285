/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Entries that another process has filled: which are accepted, which not. */
#include "uroce/shm/uroce_msg_entry.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define WHOLE (UROCE_MSG_FIRST | UROCE_MSG_LAST)

static const uint8_t area[UROCE_MSG_AREA_BYTES];

static int check(const struct uroce_msg_entry *entry)
{
	const uint8_t *payload = NULL;

	return uroce_msg_entry_check(entry, area, &payload);
}

static void set_place(struct uroce_msg_entry *entry, uint32_t place)
{
	entry->flags |= UROCE_MSG_AREA;
	memcpy(entry->body + uroce_msg_payload_at(entry->type), &place,
	       sizeof(place));
}

static void every_type_is_accepted(void **state)
{
	for (uint8_t type = 1; type < UROCE_MSG_SEND_CHUNK; type++) {
		const struct uroce_msg_entry entry = {
			.type = type,
			.flags = WHOLE,
			.qpn = 0xffffff,
			.msn = 0xffffff,
		};

		assert_int_equal(check(&entry), 0);
	}
}

static struct uroce_msg_entry make_chunk(uint8_t type, uint64_t source,
					 uint32_t bytes)
{
	const struct uroce_msg_chunk chunk = { .source = source,
					       .bytes = bytes };
	struct uroce_msg_entry entry = { .type = type,
					 .flags = UROCE_MSG_FIRST };

	memcpy(entry.body + uroce_msg_payload_at(type), &chunk, sizeof(chunk));
	return entry;
}

static void chunk_with_address_is_accepted(void **state)
{
	struct uroce_msg_entry entry =
		make_chunk(UROCE_MSG_SEND_CHUNK, 1, UROCE_MSG_CHUNK);

	assert_int_equal(check(&entry), 0);
	entry.flags = WHOLE | UROCE_MSG_IMM;
	assert_int_equal(check(&entry), 0);
	entry = make_chunk(UROCE_MSG_WRITE_CHUNK, 1, 1);
	assert_int_equal(check(&entry), 0);
}

static void chunk_of_invalid_length_is_rejected(void **state)
{
	struct uroce_msg_entry entry =
		make_chunk(UROCE_MSG_SEND_CHUNK, 1, UROCE_MSG_CHUNK + 1);

	assert_int_equal(check(&entry), -EBADMSG);
	entry = make_chunk(UROCE_MSG_SEND_CHUNK, 1, 0);
	assert_int_equal(check(&entry), -EBADMSG);
	entry = make_chunk(UROCE_MSG_SEND_CHUNK, 1, 8);
	entry.bytes = 8;
	assert_int_equal(check(&entry), -EBADMSG);
}

static void chunk_without_address_is_rejected(void **state)
{
	struct uroce_msg_entry entry =
		make_chunk(UROCE_MSG_WRITE_CHUNK, 0, 4096);

	assert_int_equal(check(&entry), -EBADMSG);
}

static void last_chunk_of_write_is_rejected(void **state)
{
	struct uroce_msg_entry entry =
		make_chunk(UROCE_MSG_WRITE_CHUNK, 1, 4096);

	entry.flags = WHOLE;
	assert_int_equal(check(&entry), -EBADMSG);
}

static void unknown_type_is_rejected(void **state)
{
	for (unsigned int type = UROCE_MSG_NR_TYPES; type < 256; type++) {
		const struct uroce_msg_entry entry = { .type = (uint8_t)type,
						       .flags = WHOLE };

		assert_int_equal(check(&entry), -EBADMSG);
	}
	assert_int_equal(check(&(struct uroce_msg_entry){ .flags = WHOLE }),
			 -EBADMSG);
}

static void number_of_more_than_24_bits_is_rejected(void **state)
{
	struct uroce_msg_entry entry = { .type = UROCE_MSG_SEND,
					 .flags = WHOLE };

	entry.qpn = 1 << 24;
	assert_int_equal(check(&entry), -EBADMSG);
	entry.qpn = 0;
	entry.msn = 1 << 24;
	assert_int_equal(check(&entry), -EBADMSG);
	entry.msn = 0;
	entry.ack_msn = 1 << 24;
	assert_int_equal(check(&entry), -EBADMSG);
}

static void payload_is_found_in_body(void **state)
{
	static const struct {
		uint8_t type, at;
	} rows[] = {
		{ UROCE_MSG_SEND, 0 },
		{ UROCE_MSG_WRITE, 16 },
		{ UROCE_MSG_READ_RESP, 8 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uroce_msg_entry entry = { .type = rows[i].type,
						 .flags = WHOLE };
		const uint8_t *payload;

		entry.bytes = (uint16_t)(UROCE_MSG_BODY - rows[i].at);
		assert_int_equal(uroce_msg_entry_check(&entry, area, &payload),
				 0);
		assert_ptr_equal(payload, entry.body + rows[i].at);
		entry.bytes++;
		assert_int_equal(check(&entry), -EBADMSG);
	}
}

static void payload_outside_area_is_rejected(void **state)
{
	const uint32_t lines = UROCE_MSG_AREA_BYTES / UROCE_MSG_LINE;
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_WRITE,
		.flags = WHOLE,
		.bytes = 65,
	};
	const uint8_t *payload;

	set_place(&entry, lines - 2);
	assert_int_equal(uroce_msg_entry_check(&entry, area, &payload), 0);
	assert_ptr_equal(payload, area + sizeof(area) - 128);
	set_place(&entry, lines - 1);
	assert_int_equal(check(&entry), -EBADMSG);
	set_place(&entry, lines);
	assert_int_equal(check(&entry), -EBADMSG);
	/* place * 64 would overflow to 0 */
	set_place(&entry, UINT32_C(1) << 26);
	assert_int_equal(check(&entry), -EBADMSG);
	set_place(&entry, UINT32_MAX);
	assert_int_equal(check(&entry), -EBADMSG);
}

static void payload_longer_than_fragment_is_rejected(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_SEND,
		.flags = WHOLE,
		.bytes = UROCE_MSG_FRAGMENT,
	};

	set_place(&entry, 0);
	assert_int_equal(check(&entry), 0);
	entry.bytes++;
	assert_int_equal(check(&entry), -EBADMSG);
}

static void fragment_that_is_not_full_is_rejected(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_SEND,
		.flags = UROCE_MSG_FIRST,
		.bytes = UROCE_MSG_FRAGMENT,
	};

	set_place(&entry, 0);
	assert_int_equal(check(&entry), 0);
	entry.bytes--;
	assert_int_equal(check(&entry), -EBADMSG);
}

static void empty_last_fragment_is_rejected(void **state)
{
	struct uroce_msg_entry entry = { .type = UROCE_MSG_SEND,
					 .flags = UROCE_MSG_LAST };

	assert_int_equal(check(&entry), -EBADMSG);
	entry.bytes = 1;
	assert_int_equal(check(&entry), 0);
}

static void request_without_payload_rejects_bytes(void **state)
{
	static const uint8_t types[] = {
		UROCE_MSG_READ_REQ,    UROCE_MSG_FLUSH, UROCE_MSG_ATOMIC_REQ,
		UROCE_MSG_ATOMIC_RESP, UROCE_MSG_RESP,
	};

	for (size_t i = 0; i < sizeof(types); i++) {
		const struct uroce_msg_entry entry = { .type = types[i],
						       .flags = WHOLE,
						       .bytes = 1 };

		assert_int_equal(check(&entry), -EBADMSG);
	}
}

static void flags_of_wrong_type_are_rejected(void **state)
{
	static const struct {
		uint8_t type, flags;
	} rows[] = {
		{ UROCE_MSG_SEND, WHOLE | UROCE_MSG_IMM | UROCE_MSG_INV },
		{ UROCE_MSG_SEND, WHOLE | UROCE_MSG_UC | UROCE_MSG_INV },
		{ UROCE_MSG_SEND, WHOLE | UROCE_MSG_UC | UROCE_MSG_ACK },
		{ UROCE_MSG_WRITE, WHOLE | UROCE_MSG_INV },
		{ UROCE_MSG_READ_REQ, WHOLE | UROCE_MSG_UC },
		{ UROCE_MSG_READ_REQ, WHOLE | UROCE_MSG_AREA },
		{ UROCE_MSG_READ_REQ, UROCE_MSG_FIRST },
		{ UROCE_MSG_ATOMIC_REQ, UROCE_MSG_LAST },
		{ UROCE_MSG_ATOMIC_WRITE, WHOLE | UROCE_MSG_AREA },
		{ UROCE_MSG_READ_RESP, WHOLE | UROCE_MSG_ACK },
		{ UROCE_MSG_RESP, WHOLE | UROCE_MSG_SOLICITED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct uroce_msg_entry entry = { .type = rows[i].type,
						       .flags = rows[i].flags };

		assert_int_equal(check(&entry), -EBADMSG);
	}
}

static void immediate_before_last_fragment_is_rejected(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_SEND,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_IMM,
		.bytes = UROCE_MSG_FRAGMENT,
	};

	set_place(&entry, 0);
	assert_int_equal(check(&entry), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_accepted),
		cmocka_unit_test(chunk_with_address_is_accepted),
		cmocka_unit_test(chunk_of_invalid_length_is_rejected),
		cmocka_unit_test(chunk_without_address_is_rejected),
		cmocka_unit_test(last_chunk_of_write_is_rejected),
		cmocka_unit_test(unknown_type_is_rejected),
		cmocka_unit_test(number_of_more_than_24_bits_is_rejected),
		cmocka_unit_test(payload_is_found_in_body),
		cmocka_unit_test(payload_outside_area_is_rejected),
		cmocka_unit_test(payload_longer_than_fragment_is_rejected),
		cmocka_unit_test(fragment_that_is_not_full_is_rejected),
		cmocka_unit_test(empty_last_fragment_is_rejected),
		cmocka_unit_test(request_without_payload_rejects_bytes),
		cmocka_unit_test(flags_of_wrong_type_are_rejected),
		cmocka_unit_test(immediate_before_last_fragment_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
