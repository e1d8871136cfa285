/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sender of a ring writes arbitrary data at arbitrary times. Everything
 * that the receiver takes lies within the ring and is a valid packet; the rest
 * is refused.
 */
#include "uroce/shm/uroce_shm_ring.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/wire/uroce_wire.h"

#define NR_RACES 2000000

static struct uroce_shm_ring_sender sender;
static struct uroce_shm_ring_receiver receiver;
static uint8_t data[UROCE_CHANNEL_MTU];

static struct uroce_shm_ring_memory *ring(void)
{
	return receiver.memory;
}

static int open_ring(void **state)
{
	int fd = uroce_shm_ring_create();

	assert_true(fd >= 0);
	assert_int_equal(uroce_shm_ring_open_receiver(fd, &receiver), 0);
	sender = (struct uroce_shm_ring_sender){ .memory = receiver.memory };
	return close(fd);
}

static int close_ring(void **state)
{
	uroce_shm_ring_close_receiver(&receiver);
	return 0;
}

static void put(uint8_t opcode, uint32_t len)
{
	struct uroce_packet packet = { .opcode = opcode, .payload_len = len };
	struct iovec iov = { data, len };

	uroce_shm_ring_put(&sender, &packet, &iov, 1);
}

/* Puts a packet with an absent payload. */
static void put_absent(uint8_t opcode, uint32_t len)
{
	const struct uroce_packet packet = {
		.opcode = opcode,
		.payload_len = len,
		.nr_absent = 1,
		.source = UINT64_MAX,
	};

	uroce_shm_ring_put(&sender, &packet, NULL, 0);
}

/* Checks what must hold for any packet. */
static void check(const struct uroce_packet *packet)
{
	const uint8_t *begin = receiver.memory;
	uint8_t headers[UROCE_MAX_HEADER];

	assert_int_equal(packet->traits, uroce_wire_traits(packet->opcode));
	assert_true(packet->traits != 0);
	assert_true(!packet->payload_len || packet->traits & UROCE_T_PAYLOAD);
	assert_true(uroce_wire_encode(packet, headers) >= UROCE_BTH_LEN);
	assert_null(packet->icrc_check);
	if (packet->nr_absent) {
		assert_true(packet->opcode < UROCE_UC);
		assert_in_range(packet->payload_len, 1, UROCE_CHANNEL_CHUNK);
		return;
	}
	/* no value of an earlier packet remains */
	assert_true(packet->source == 0);
	assert_true(packet->payload >= begin + sizeof(ring()->status));
	assert_true(packet->payload_len <= UROCE_CHANNEL_MTU);
	assert_true(packet->payload + packet->payload_len <=
		    begin + sizeof(*ring()));
}

/* The entry that is taken next; the caller has put it. */
static struct uroce_shm_ring_entry *next_entry(void)
{
	return &ring()->entries[receiver.tail % UROCE_SHM_RING_ENTRIES];
}

static int take(void)
{
	struct uroce_packet packet;
	int ret = uroce_shm_ring_take(&receiver, &packet);

	if (ret == 1)
		check(&packet);
	else
		assert_true(ret == 0 || ret == -EBADMSG);
	return ret;
}

/* Each byte of an entry gets each value; the packet is valid, or is refused. */
static void ring_hostile_any_entry_byte_is_safe(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t len;
		bool absent;
	} packets[] = {
		{ UROCE_SEND_ONLY, 8, false },
		{ UROCE_SEND_ONLY_IMM, 8192, false },
		{ UROCE_WRITE_ONLY_IMM, 3, false },
		{ UROCE_ACKNOWLEDGE, 0, false },
		{ UROCE_CMP_SWAP, 0, false },
		{ UROCE_FLUSH, 0, false },
		{ UROCE_ATOMIC_ACK, 0, false },
		{ UROCE_UD | UROCE_SEND_ONLY, 100, false },
		{ UROCE_SEND_ONLY, 8, true },
		{ UROCE_SEND_MIDDLE, 8192, true },
		{ UROCE_WRITE_ONLY_IMM, 3, true },
		{ UROCE_READ_RESP_FIRST, UROCE_CHANNEL_CHUNK, true },
	};
	struct uroce_shm_ring_entry good;

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		if (packets[i].absent)
			put_absent(packets[i].opcode, packets[i].len);
		else
			put(packets[i].opcode, packets[i].len);
		good = *next_entry();
		for (unsigned int byte = 4; byte < sizeof(good); byte++)
			for (unsigned int value = 0; value < 256; value++) {
				struct uroce_shm_ring_receiver before =
					receiver;

				((uint8_t *)next_entry())[byte] =
					(uint8_t)value;
				(void)take();
				receiver = before;
				*next_entry() = good;
			}
		assert_int_equal(take(), 1);
	}
}

static void ring_hostile_unknown_opcode_is_refused(void **state)
{
	put(UROCE_SEND_ONLY, 8);
	next_entry()->bytes[0] = 0x15;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->bytes[0] = 0xff;
	assert_int_equal(take(), -EBADMSG);
	/* the entry was not taken */
	next_entry()->bytes[0] = UROCE_SEND_ONLY;
	assert_int_equal(take(), 1);
}

static void ring_hostile_header_length_mismatch_is_refused(void **state)
{
	put(UROCE_SEND_ONLY, 8);
	for (uint32_t len = 0; len < 256; len++) {
		next_entry()->header_len = (uint8_t)len;
		if (len != UROCE_BTH_LEN)
			assert_int_equal(take(), -EBADMSG);
	}
	next_entry()->header_len = UROCE_BTH_LEN;
	assert_int_equal(take(), 1);
}

static void ring_hostile_payload_outside_area_is_refused(void **state)
{
	const uint32_t last =
		(UROCE_SHM_RING_AREA - UROCE_CHANNEL_MTU) / UROCE_SHM_RING_LINE;

	put(UROCE_SEND_ONLY, UROCE_CHANNEL_MTU);
	for (uint32_t place = last + 1; place <= UINT16_MAX; place++) {
		next_entry()->place = (uint16_t)place;
		assert_int_equal(take(), -EBADMSG);
	}
	next_entry()->place = (uint16_t)last;
	next_entry()->payload_len = UROCE_CHANNEL_MTU + 1;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->place = 0;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = UINT16_MAX;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = UROCE_CHANNEL_MTU;
	next_entry()->place = (uint16_t)last;
	assert_int_equal(take(), 1);
}

static void ring_hostile_payload_of_ack_is_refused(void **state)
{
	put(UROCE_ACKNOWLEDGE, 0);
	next_entry()->payload_len = 1;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = 1000;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = 0;
	assert_int_equal(take(), 1);
}

static void ring_hostile_absent_payload_of_uc_is_refused(void **state)
{
	static const uint8_t others[] = { UROCE_UC, UROCE_UD, 0x40, 0xa0 };

	put_absent(UROCE_SEND_ONLY, 100);
	for (size_t i = 0; i < sizeof(others); i++) {
		next_entry()->bytes[0] = others[i] | UROCE_SEND_ONLY;
		assert_int_equal(take(), -EBADMSG);
	}
	next_entry()->bytes[0] = UROCE_SEND_ONLY;
	assert_int_equal(take(), 1);
}

static struct uroce_shm_ring_source source_of_next(void)
{
	const struct uroce_shm_ring_entry *entry = next_entry();
	struct uroce_shm_ring_source source;

	memcpy(&source, entry->bytes + entry->header_len, sizeof(source));
	return source;
}

static void set_source(const struct uroce_shm_ring_source *source)
{
	struct uroce_shm_ring_entry *entry = next_entry();

	memcpy(entry->bytes + entry->header_len, source, sizeof(*source));
}

static void ring_hostile_part_size_out_of_range_is_refused(void **state)
{
	static const uint32_t wrong[] = { 0, UROCE_CHANNEL_CHUNK + 1,
					  UINT32_MAX / 2 + 1, UINT32_MAX };
	struct uroce_shm_ring_source source;

	put_absent(UROCE_SEND_ONLY, UROCE_CHANNEL_CHUNK);
	source = source_of_next();
	assert_int_equal(source.bytes, UROCE_CHANNEL_CHUNK);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		source.bytes = wrong[i];
		set_source(&source);
		assert_int_equal(take(), -EBADMSG);
	}
	source.bytes = UROCE_CHANNEL_CHUNK;
	set_source(&source);
	assert_int_equal(take(), 1);
}

/* A count of 0 would mean an ordinary packet, with an oversized payload. */
static void ring_hostile_part_without_packets_is_refused(void **state)
{
	struct uroce_shm_ring_source source;

	put_absent(UROCE_SEND_ONLY, UROCE_CHANNEL_CHUNK);
	source = source_of_next();
	assert_int_equal(source.nr_packets, 1);
	source.nr_packets = 0;
	set_source(&source);
	assert_int_equal(take(), -EBADMSG);
	source.bytes = 8;
	set_source(&source);
	assert_int_equal(take(), -EBADMSG);
	source.nr_packets = 1;
	set_source(&source);
	assert_int_equal(take(), 1);
}

/* Only the QP has the packet length, so the QP checks the count. */
static void ring_packet_count_is_passed_unchanged(void **state)
{
	static const uint32_t many[] = { 256, UINT16_MAX + 1, 1 << 24,
					 UINT32_MAX };
	struct uroce_shm_ring_source source;
	struct uroce_packet packet;

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		put_absent(UROCE_SEND_MIDDLE, 8192);
		source = source_of_next();
		source.nr_packets = many[i];
		set_source(&source);
		assert_int_equal(uroce_shm_ring_take(&receiver, &packet), 1);
		check(&packet);
		assert_int_equal(packet.nr_absent, many[i]);
		assert_int_equal(packet.payload_len, 8192);
	}
}

/* BTH and AtomicETH */
#define LONGEST_RC_HEADER (UROCE_BTH_LEN + 28)

/* The headers are longer than those of any packet with a payload. */
static void ring_hostile_source_outside_entry_is_refused(void **state)
{
	put(UROCE_CMP_SWAP, 0);
	assert_int_equal(next_entry()->header_len, LONGEST_RC_HEADER);
	next_entry()->absent = 1;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->absent = 0x80;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->absent = 0;
	assert_int_equal(take(), 1);
	/* this packet just fits */
	put_absent(UROCE_WRITE_ONLY_IMM, 100);
	assert_int_equal(next_entry()->header_len +
				 sizeof(struct uroce_shm_ring_source),
			 sizeof(next_entry()->bytes));
	for (uint32_t len = 0; len < 256; len++) {
		next_entry()->header_len = (uint8_t)len;
		if (len != UROCE_BTH_LEN + 20)
			assert_int_equal(take(), -EBADMSG);
	}
	next_entry()->header_len = UROCE_BTH_LEN + 20;
	assert_int_equal(take(), 1);
}

/* The fields are not used, but they are checked. */
static void
ring_hostile_payload_fields_of_absent_entry_are_checked(void **state)
{
	put_absent(UROCE_SEND_ONLY, UROCE_CHANNEL_MTU);
	assert_int_equal(next_entry()->payload_len, 0);
	next_entry()->payload_len = UROCE_CHANNEL_MTU + 1;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = UROCE_CHANNEL_MTU;
	next_entry()->place = UINT16_MAX;
	assert_int_equal(take(), -EBADMSG);
	next_entry()->payload_len = 0;
	assert_int_equal(take(), 1);
}

/* The caller's memory may contain anything. */
static void ring_source_is_set_for_absent_payload_only(void **state)
{
	struct uroce_eager_entry eager;
	struct uroce_packet packet;

	memset(&eager, 0x5a, sizeof(eager));
	put(UROCE_SEND_ONLY, 8);
	assert_int_equal(uroce_shm_ring_take_eager(&receiver, &eager), 1);
	assert_int_equal(eager.nr_absent, 0);
	assert_int_equal(uroce_shm_ring_decode(&eager, &packet), 0);
	check(&packet);
}

/* These headers leave room for a source. */
static void ring_hostile_absent_payload_of_ack_is_refused(void **state)
{
	static const uint8_t opcodes[] = { UROCE_ACKNOWLEDGE, UROCE_ATOMIC_ACK,
					   UROCE_READ_REQUEST, UROCE_FLUSH };
	const struct uroce_shm_ring_source source = {
		.bytes = 1,
		.nr_packets = 1,
	};

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		put(opcodes[i], 0);
		assert_true(next_entry()->header_len + sizeof(source) <=
			    sizeof(next_entry()->bytes));
		next_entry()->absent = 1;
		set_source(&source);
		assert_int_equal(take(), -EBADMSG);
		next_entry()->absent = 0;
		assert_int_equal(take(), 1);
	}
}

static void ring_entry_of_previous_lap_is_empty(void **state)
{
	static const uint32_t wrong[] = { 0, 2, 512, 513, 1025, UINT32_MAX };

	put(UROCE_SEND_ONLY, 8);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		next_entry()->sequence = wrong[i];
		assert_int_equal(take(), 0);
	}
	next_entry()->sequence = 1;
	assert_int_equal(take(), 1);
	assert_int_equal(take(), 0);
}

struct writer {
	struct uroce_shm_ring_entry *entry;
	bool stop;
};

/* Alternates between two values of each word, one of which is valid. */
static void *keep_writing(void *arg)
{
	struct writer *writer = arg;
	struct uroce_shm_ring_entry entries[2];
	uint32_t seed = 1;

	entries[0] = *writer->entry;
	entries[1] = entries[0];
	entries[1].payload_len = UINT16_MAX;
	entries[1].place = UINT16_MAX;
	entries[1].header_len = 255;
	memset(entries[1].bytes, 0x11, sizeof(entries[1].bytes));
	while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED)) {
		const uint8_t *from;

		seed = seed * 1664525 + 1013904223;
		from = (const uint8_t *)&entries[seed >> 31];
		for (size_t i = 4; i < sizeof(entries[0]); i++)
			__atomic_store_n((uint8_t *)writer->entry + i, from[i],
					 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void ring_hostile_concurrent_entry_change_is_safe(void **state)
{
	struct writer writer = {};
	struct uroce_shm_ring_receiver before;
	uint32_t nr_good = 0, nr_bad = 0;
	pthread_t thread;

	put(UROCE_SEND_ONLY, 8192);
	writer.entry = next_entry();
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

#define WITH_RING(test) \
	cmocka_unit_test_setup_teardown(test, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RING(ring_hostile_any_entry_byte_is_safe),
		WITH_RING(ring_hostile_unknown_opcode_is_refused),
		WITH_RING(ring_hostile_header_length_mismatch_is_refused),
		WITH_RING(ring_hostile_payload_outside_area_is_refused),
		WITH_RING(ring_hostile_payload_of_ack_is_refused),
		WITH_RING(ring_hostile_absent_payload_of_uc_is_refused),
		WITH_RING(ring_hostile_part_size_out_of_range_is_refused),
		WITH_RING(ring_hostile_part_without_packets_is_refused),
		WITH_RING(ring_packet_count_is_passed_unchanged),
		WITH_RING(ring_hostile_source_outside_entry_is_refused),
		WITH_RING(
			ring_hostile_payload_fields_of_absent_entry_are_checked),
		WITH_RING(ring_hostile_absent_payload_of_ack_is_refused),
		WITH_RING(ring_source_is_set_for_absent_payload_only),
		WITH_RING(ring_entry_of_previous_lap_is_empty),
		WITH_RING(ring_hostile_concurrent_entry_change_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
