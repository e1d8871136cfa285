/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The other side of an inbox is out of its mind. Whatever it writes, and
 * whenever, what is taken lies within the inbox and is a packet, or is refused.
 */
#include "uroce/local/uroce_inbox.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/local/uroce_inbox_layout.h"
#include "uroce/wire/uroce_wire.h"

#define NR_RACES 2000000

static struct uroce_inbox_sender sender;
static struct uroce_inbox_receiver receiver;
static uint8_t data[UROCE_CHANNEL_MTU];

static struct uroce_inbox_memory *inbox(void)
{
	return receiver.memory;
}

static int open_inbox(void **state)
{
	int fd = uroce_inbox_create();

	assert_true(fd >= 0);
	assert_int_equal(uroce_inbox_open_receiver(fd, &receiver), 0);
	sender = (struct uroce_inbox_sender){ .memory = receiver.memory };
	return close(fd);
}

static int close_inbox(void **state)
{
	uroce_inbox_close_receiver(&receiver);
	return 0;
}

static void put(uint8_t opcode, uint32_t len)
{
	struct uroce_packet packet = { .opcode = opcode, .payload_len = len };
	struct iovec iov = { data, len };

	uroce_inbox_put(&sender, &packet, &iov, 1);
}

/* What must be true of a packet, whoever has sent it. */
static void check(const struct uroce_packet *packet)
{
	const uint8_t *begin = receiver.memory;
	uint8_t headers[UROCE_MAX_HEADER];

	assert_true(packet->payload >= begin + sizeof(inbox()->status));
	assert_true(packet->payload_len <= UROCE_CHANNEL_MTU);
	assert_true(packet->payload + packet->payload_len <=
		    begin + sizeof(*inbox()));
	assert_int_equal(packet->traits, uroce_wire_traits(packet->opcode));
	assert_true(packet->traits != 0);
	assert_true(!packet->payload_len || packet->traits & UROCE_T_PAYLOAD);
	assert_true(uroce_wire_encode(packet, headers) >= UROCE_BTH_LEN);
	assert_null(packet->seal);
}

/* The slot that is taken next; it was put by the caller. */
static struct uroce_inbox_slot *next_slot(void)
{
	return &inbox()->slots[receiver.tail % UROCE_INBOX_SLOTS];
}

static int take(void)
{
	struct uroce_packet packet;
	int ret = uroce_inbox_take(&receiver, &packet);

	if (ret == 1)
		check(&packet);
	else
		assert_true(ret == 0 || ret == -EBADMSG);
	return ret;
}

/* With each byte of a slot having each value; all of it, or refused. */
static void each_byte_of_a_slot_may_have_any_value(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t len;
	} packets[] = {
		{ UROCE_SEND_ONLY, 8 },
		{ UROCE_SEND_ONLY_IMM, 8192 },
		{ UROCE_WRITE_ONLY_IMM, 3 },
		{ UROCE_ACKNOWLEDGE, 0 },
		{ UROCE_CMP_SWAP, 0 },
		{ UROCE_FLUSH, 0 },
		{ UROCE_ATOMIC_ACK, 0 },
		{ UROCE_UD | UROCE_SEND_ONLY, 100 },
	};
	struct uroce_inbox_slot good;

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		put(packets[i].opcode, packets[i].len);
		good = *next_slot();
		for (unsigned int byte = 4; byte < sizeof(good); byte++)
			for (unsigned int value = 0; value < 256; value++) {
				struct uroce_inbox_receiver before = receiver;

				((uint8_t *)next_slot())[byte] = (uint8_t)value;
				(void)take();
				receiver = before;
				*next_slot() = good;
			}
		assert_int_equal(take(), 1);
	}
}

static void an_unknown_opcode_is_refused(void **state)
{
	put(UROCE_SEND_ONLY, 8);
	next_slot()->bytes[0] = 0x15;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->bytes[0] = 0xff;
	assert_int_equal(take(), -EBADMSG);
	/* and nothing was taken */
	next_slot()->bytes[0] = UROCE_SEND_ONLY;
	assert_int_equal(take(), 1);
}

static void headers_must_be_as_long_as_the_opcode_says(void **state)
{
	put(UROCE_SEND_ONLY, 8);
	for (uint32_t len = 0; len < 256; len++) {
		next_slot()->header_len = (uint8_t)len;
		if (len != UROCE_BTH_LEN)
			assert_int_equal(take(), -EBADMSG);
	}
	next_slot()->header_len = UROCE_BTH_LEN;
	assert_int_equal(take(), 1);
}

static void a_payload_must_be_in_the_area(void **state)
{
	const uint32_t last =
		(UROCE_INBOX_AREA - UROCE_CHANNEL_MTU) / UROCE_INBOX_LINE;

	put(UROCE_SEND_ONLY, UROCE_CHANNEL_MTU);
	for (uint32_t place = last + 1; place <= UINT16_MAX; place++) {
		next_slot()->place = (uint16_t)place;
		assert_int_equal(take(), -EBADMSG);
	}
	next_slot()->place = (uint16_t)last;
	next_slot()->payload_len = UROCE_CHANNEL_MTU + 1;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->place = 0;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->payload_len = UINT16_MAX;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->payload_len = UROCE_CHANNEL_MTU;
	next_slot()->place = (uint16_t)last;
	assert_int_equal(take(), 1);
}

static void what_has_no_payload_may_not_bring_one(void **state)
{
	put(UROCE_ACKNOWLEDGE, 0);
	next_slot()->payload_len = 1;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->payload_len = 1000;
	assert_int_equal(take(), -EBADMSG);
	next_slot()->payload_len = 0;
	assert_int_equal(take(), 1);
}

static void a_slot_of_another_lap_is_not_there(void **state)
{
	static const uint32_t wrong[] = { 0, 2, 512, 513, 1025, UINT32_MAX };

	put(UROCE_SEND_ONLY, 8);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		next_slot()->sequence = wrong[i];
		assert_int_equal(take(), 0);
	}
	next_slot()->sequence = 1;
	assert_int_equal(take(), 1);
	assert_int_equal(take(), 0);
}

struct writer {
	struct uroce_inbox_slot *slot;
	bool stop;
};

/* Now this, now that: each word is good in one of the two. */
static void *keep_writing(void *arg)
{
	struct writer *writer = arg;
	struct uroce_inbox_slot slots[2];
	uint32_t seed = 1;

	slots[0] = *writer->slot;
	slots[1] = slots[0];
	slots[1].payload_len = UINT16_MAX;
	slots[1].place = UINT16_MAX;
	slots[1].header_len = 255;
	memset(slots[1].bytes, 0x11, sizeof(slots[1].bytes));
	while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED)) {
		const uint8_t *from;

		seed = seed * 1664525 + 1013904223;
		from = (const uint8_t *)&slots[seed >> 31];
		for (size_t i = 4; i < sizeof(slots[0]); i++)
			__atomic_store_n((uint8_t *)writer->slot + i, from[i],
					 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void a_slot_may_change_while_it_is_read(void **state)
{
	struct writer writer = {};
	struct uroce_inbox_receiver before;
	uint32_t nr_good = 0, nr_bad = 0;
	pthread_t thread;

	put(UROCE_SEND_ONLY, 8192);
	writer.slot = next_slot();
	before = receiver;
	assert_int_equal(pthread_create(&thread, NULL, keep_writing, &writer),
			 0);
	for (uint32_t i = 0; i < NR_RACES || !nr_good || !nr_bad; i++) {
		if (take() == 1)
			nr_good++;
		else
			nr_bad++;
		receiver = before;
	}
	__atomic_store_n(&writer.stop, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

#define WITH_INBOX(test) \
	cmocka_unit_test_setup_teardown(test, open_inbox, close_inbox)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_INBOX(each_byte_of_a_slot_may_have_any_value),
		WITH_INBOX(an_unknown_opcode_is_refused),
		WITH_INBOX(headers_must_be_as_long_as_the_opcode_says),
		WITH_INBOX(a_payload_must_be_in_the_area),
		WITH_INBOX(what_has_no_payload_may_not_bring_one),
		WITH_INBOX(a_slot_of_another_lap_is_not_there),
		WITH_INBOX(a_slot_may_change_while_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
