/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rings: packets arrive in order, for any size, and neither side waits
 * forever. Both ends are in this process, on one mapping, so that the thread
 * sanitizer sees the shared memory.
 */
#include "uroce/shm/uroce_shm_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_ring_layout.h"

#define NR_THREADED  30000
#define PART_PACKETS (UROCE_CHANNEL_CHUNK / UROCE_CHANNEL_MTU)

static struct uroce_shm_ring_sender sender;
static struct uroce_shm_ring_receiver receiver;
static uint8_t data[UROCE_CHANNEL_MTU + 256];

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
	(void)close(fd);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
	return 0;
}

static int close_ring(void **state)
{
	uroce_shm_ring_close_receiver(&receiver);
	assert_null(receiver.memory);
	return 0;
}

/* The payload depends on the number of the packet, and has two SGEs. */
static void put(uint32_t number, uint32_t len)
{
	struct uroce_packet packet = {
		.opcode = UROCE_SEND_MIDDLE,
		.dest_qpn = 0x020001,
		.psn = number & UROCE_PSN_MASK,
		.payload_len = len,
	};
	uint32_t cut = number % (len + 1);
	uint8_t *from = data + number % 251;
	struct iovec iov[2] = {
		{ from, cut },
		{ from + cut, len - cut },
	};

	assert_true(uroce_shm_ring_has_room(&sender));
	uroce_shm_ring_put(&sender, &packet, iov, 2);
}

static void take(uint32_t number, uint32_t len)
{
	struct uroce_packet packet;

	assert_int_equal(uroce_shm_ring_take(&receiver, &packet), 1);
	assert_int_equal(packet.psn, number & UROCE_PSN_MASK);
	assert_int_equal(packet.dest_qpn, 0x020001);
	assert_int_equal(packet.payload_len, len);
	assert_null(packet.icrc_check);
	assert_int_equal(packet.nr_absent, 0);
	assert_memory_equal(packet.payload, data + number % 251, len);
}

static void assert_empty(void)
{
	struct uroce_packet packet;

	assert_int_equal(uroce_shm_ring_take(&receiver, &packet), 0);
}

static void ring_passes_every_header_field(void **state)
{
	struct uroce_packet sent = {
		.opcode = UROCE_WRITE_ONLY_IMM,
		.solicited = true,
		.ack_req = true,
		.mig_req = true,
		.pkey = 0xffff,
		.dest_qpn = 0x123456,
		.psn = 0xfedcba,
		.va = 0x1122334455667788,
		.rkey = 0x99aabbcc,
		.dma_len = 3,
		.imm = 0x01020304,
		.payload_len = 3,
	};
	struct iovec iov = { data, 3 };
	struct uroce_packet got;

	assert_empty();
	uroce_shm_ring_put(&sender, &sent, &iov, 1);
	assert_int_equal(uroce_shm_ring_take(&receiver, &got), 1);
	assert_memory_equal(got.payload, data, 3);
	sent.payload = got.payload;
	sent.traits = got.traits;
	assert_true(got.traits & UROCE_T_RETH);
	assert_int_equal(got.opcode, sent.opcode);
	assert_true(got.solicited && got.ack_req && got.mig_req);
	assert_false(got.fecn || got.becn);
	assert_int_equal(got.pkey, sent.pkey);
	assert_int_equal(got.dest_qpn, sent.dest_qpn);
	assert_int_equal(got.psn, sent.psn);
	assert_true(got.va == sent.va);
	assert_int_equal(got.rkey, sent.rkey);
	assert_int_equal(got.dma_len, sent.dma_len);
	assert_int_equal(got.imm, sent.imm);
	assert_int_equal(got.payload_len, 3);
	assert_empty();
}

static void ring_short_packet_uses_single_entry(void **state)
{
	uint8_t *area = ring()->area;

	put(1, 8);
	put(2, 33);
	put(3, 36);
	assert_int_equal(sender.area_head, 0);
	take(1, 8);
	take(2, 33);
	take(3, 36);
	put(4, 37);
	assert_int_equal(sender.area_head, UROCE_SHM_RING_LINE);
	assert_memory_equal(area, data + 4, 37);
	take(4, 37);
}

/* The same packet; if @more, others follow at once. */
static void put_eager(uint32_t number, bool more)
{
	struct uroce_eager_entry eager = {
		.header_len = UROCE_BTH_LEN,
		.payload_len = 8,
		.more = more,
		.payload = data + number % 251,
		.header = { UROCE_SEND_MIDDLE, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0,
			    (uint8_t)number },
	};

	assert_true(uroce_shm_ring_has_room(&sender));
	uroce_shm_ring_put_eager(&sender, &eager);
}

static void ring_publish_reveals_packets_together(void **state)
{
	assert_false(uroce_shm_ring_has_any(&receiver));
	for (uint32_t i = 0; i < 3; i++)
		put_eager(i, true);
	assert_false(uroce_shm_ring_has_any(&receiver));
	assert_empty();
	uroce_shm_ring_publish(&sender);
	assert_true(uroce_shm_ring_has_any(&receiver));
	for (uint32_t i = 0; i < 3; i++)
		take(i, 8);
	assert_empty();
	/* nothing to publish */
	uroce_shm_ring_publish(&sender);
	assert_empty();
	/* the last packet publishes itself */
	put_eager(3, true);
	put_eager(4, false);
	take(3, 8);
	take(4, 8);
	put_eager(5, false);
	take(5, 8);
	/* a packet put by put() publishes, too */
	put_eager(6, true);
	put(7, 3000);
	take(6, 8);
	take(7, 3000);
	assert_empty();
}

/* At most as many as the receiver can process during the next puts. */
static void ring_long_batch_is_published_in_parts(void **state)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < 100; i++) {
		put_eager(i, true);
		for (; uroce_shm_ring_has_any(&receiver); seen++)
			take(seen, 8);
		assert_true(i + 1 - seen < 32);
	}
	assert_true(seen > 60);
	uroce_shm_ring_publish(&sender);
	for (; seen < 100; seen++)
		take(seen, 8);
	assert_empty();
}

/* So many full packets in one; the payload is at @source, or at its target. */
static void put_absent(uint32_t number, uint32_t nr_packets, uint64_t source)
{
	const struct uroce_packet packet = {
		.opcode = UROCE_SEND_MIDDLE,
		.dest_qpn = 0x020001,
		.psn = number & UROCE_PSN_MASK,
		.payload_len = nr_packets * UROCE_CHANNEL_MTU,
		.nr_absent = nr_packets,
		.source = source,
	};

	assert_true(uroce_shm_ring_has_room(&sender));
	uroce_shm_ring_put(&sender, &packet, NULL, 0);
}

static void assert_absent(const struct uroce_packet *packet, uint32_t number,
			  uint32_t nr_packets, uint64_t source)
{
	assert_int_equal(packet->opcode, UROCE_SEND_MIDDLE);
	assert_int_equal(packet->dest_qpn, 0x020001);
	assert_int_equal(packet->psn, number & UROCE_PSN_MASK);
	assert_int_equal(packet->payload_len, nr_packets * UROCE_CHANNEL_MTU);
	assert_int_equal(packet->nr_absent, nr_packets);
	assert_true(packet->source == source);
}

static void take_absent(uint32_t number, uint32_t nr_packets, uint64_t source)
{
	struct uroce_packet packet;

	assert_int_equal(uroce_shm_ring_take(&receiver, &packet), 1);
	assert_absent(&packet, number, nr_packets, source);
}

static void ring_passes_source_of_absent_payload(void **state)
{
	const uint64_t source = UINT64_C(0x7fff12345678);
	struct uroce_packet packet;
	struct uroce_eager_entry eager;

	put_absent(1, PART_PACKETS, source);
	put_absent(2, PART_PACKETS, 0);
	put_absent(3, 4, source + 1);
	take_absent(1, PART_PACKETS, source);
	take_absent(2, PART_PACKETS, 0);
	assert_int_equal(uroce_shm_ring_take_eager(&receiver, &eager), 1);
	assert_int_equal(eager.nr_absent, 4);
	assert_true(eager.source == source + 1);
	assert_int_equal(eager.header_len, UROCE_BTH_LEN);
	assert_int_equal(eager.payload_len, 4 * UROCE_CHANNEL_MTU);
	assert_int_equal(uroce_shm_ring_decode(&eager, &packet), 0);
	assert_absent(&packet, 3, 4, source + 1);
	assert_empty();
}

/* The ring has no packet length: the count is 1, or very large. */
static void ring_absent_payload_size_is_limited_to_part(void **state)
{
	static const uint32_t sizes[] = { 1,
					  255,
					  256,
					  UINT16_MAX,
					  UINT16_MAX + 1,
					  UROCE_CHANNEL_CHUNK - 1,
					  UROCE_CHANNEL_CHUNK };
	struct uroce_packet packet = { .opcode = UROCE_SEND_MIDDLE };
	struct uroce_packet got;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		packet.payload_len = sizes[i];
		packet.nr_absent = i % 2 ? 1 : sizes[i];
		uroce_shm_ring_put(&sender, &packet, NULL, 0);
		assert_int_equal(uroce_shm_ring_take(&receiver, &got), 1);
		assert_int_equal(got.payload_len, sizes[i]);
		assert_int_equal(got.nr_absent, packet.nr_absent);
		assert_true(got.source == 0);
	}
}

/* Such a packet carries an ACK as well. */
static void ring_longest_headers_fit_with_source_and_ack(void **state)
{
	const struct uroce_packet sent = {
		.opcode = UROCE_WRITE_ONLY_IMM,
		.va = 0x1122334455667788,
		.rkey = 0x99aabbcc,
		.dma_len = UROCE_CHANNEL_CHUNK,
		.imm = 0x01020304,
		.payload_len = UROCE_CHANNEL_CHUNK,
		.carries_ack = true,
		.carried_psn = 0xfedcba,
		.nr_absent = PART_PACKETS,
		.source = UINT64_MAX - 1,
	};
	struct uroce_packet got;

	uroce_shm_ring_put(&sender, &sent, NULL, 0);
	assert_int_equal(uroce_shm_ring_take(&receiver, &got), 1);
	assert_true(got.va == sent.va);
	assert_int_equal(got.rkey, sent.rkey);
	assert_int_equal(got.dma_len, sent.dma_len);
	assert_int_equal(got.imm, sent.imm);
	assert_int_equal(got.payload_len, UROCE_CHANNEL_CHUNK);
	assert_true(got.carries_ack);
	assert_int_equal(got.carried_psn, 0xfedcba);
	assert_int_equal(got.nr_absent, PART_PACKETS);
	assert_true(got.source == UINT64_MAX - 1);
}

/* A lap of packets of which not one would fit with its payload. */
static void ring_absent_payload_uses_no_area(void **state)
{
	uint32_t nr = 0;

	while (uroce_shm_ring_has_room(&sender))
		put_absent(nr++, PART_PACKETS, 0);
	assert_int_equal(nr, UROCE_SHM_RING_ENTRIES);
	assert_int_equal(sender.area_head, 0);
	for (uint32_t i = 0; i < nr; i++)
		take_absent(i, PART_PACKETS, 0);
	uroce_shm_ring_done(&receiver);
	/* the entries are reusable, also for ordinary packets */
	put(nr, UROCE_CHANNEL_MTU);
	put_eager(9, false);
	put_absent(nr + 2, 7, 1);
	take(nr, UROCE_CHANNEL_MTU);
	take(9, 8);
	take_absent(nr + 2, 7, 1);
	assert_int_equal(sender.area_head, UROCE_CHANNEL_MTU);
}

/* Only area that a packet uses is worth an early update. */
static void ring_consumed_update_is_deferred_for_absent_payloads(void **state)
{
	for (uint32_t i = 0; i < 40; i++) {
		put_absent(i, PART_PACKETS, 0);
		take_absent(i, PART_PACKETS, 0);
		uroce_shm_ring_done(&receiver);
	}
	assert_int_equal(ring()->status.consumed, 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(ring()->status.consumed, 0);
		put(i, UROCE_CHANNEL_MTU);
		take(i, UROCE_CHANNEL_MTU);
		uroce_shm_ring_done(&receiver);
	}
	assert_int_equal(ring()->status.consumed, 42);
}

static void ring_passes_every_payload_size(void **state)
{
	for (uint32_t len = 0; len <= UROCE_CHANNEL_MTU; len++) {
		put(len, len);
		take(len, len);
		uroce_shm_ring_done(&receiver);
	}
	assert_empty();
}

static void ring_full_entries_are_reusable_after_done(void **state)
{
	uint32_t nr = 0;

	while (uroce_shm_ring_has_room(&sender))
		put(nr++, 1);
	assert_int_equal(nr, UROCE_SHM_RING_ENTRIES);
	for (uint32_t i = 0; i < nr; i++) {
		/* only done() releases entries */
		assert_false(uroce_shm_ring_has_room(&sender));
		take(i, 1);
	}
	assert_empty();
	uroce_shm_ring_done(&receiver);
	for (uint32_t i = 0; i < nr; i++)
		put(nr + i, 2);
	assert_false(uroce_shm_ring_has_room(&sender));
	for (uint32_t i = 0; i < nr; i++)
		take(nr + i, 2);
}

static void ring_full_area_is_reusable_after_done(void **state)
{
	uint32_t put_nr = 0, taken = 0;

	for (int lap = 0; lap < 20; lap++) {
		uint32_t nr = put_nr;

		/*
		 * never a multiple of the area, so payloads must skip its end
		 */
		while (uroce_shm_ring_has_room(&sender))
			put(put_nr++, UROCE_CHANNEL_MTU - 65);
		assert_in_range(put_nr - nr, 13, 16);
		while (taken < put_nr)
			take(taken++, UROCE_CHANNEL_MTU - 65);
		uroce_shm_ring_done(&receiver);
	}
}

/* Pseudo-random numbers, the same in each run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static uint32_t length_of(uint32_t number)
{
	uint32_t seed = number;
	uint32_t random = next_random(&seed);

	if (random % 4 == 0)
		return UROCE_CHANNEL_MTU - random / 4 % 100;
	return random / 4 % (random % 4 == 1 ? 2000 : 60);
}

static void ring_emptied_by_receiver_has_room(void **state)
{
	uint32_t seed = 1, nr_put = 0, nr_taken = 0;

	while (nr_put < 100000) {
		uint32_t want = next_random(&seed) % 100;

		while (want-- && uroce_shm_ring_has_room(&sender)) {
			put(nr_put, length_of(nr_put));
			nr_put++;
		}
		want = next_random(&seed) % 100;
		while (want-- && nr_taken < nr_put) {
			take(nr_taken, length_of(nr_taken));
			nr_taken++;
			uroce_shm_ring_done(&receiver);
		}
		if (nr_taken == nr_put) {
			assert_empty();
			assert_true(uroce_shm_ring_has_room(&sender));
		}
	}
}

static void ring_entry_numbers_wrap(void **state)
{
	const uint64_t start = UINT64_C(0xffffffff) - 599;

	sender.head = sender.consumed = start;
	receiver.tail = receiver.published = start;
	ring()->status.consumed = (uint32_t)start;
	for (uint32_t i = 0; i < 2000; i++) {
		put(i, 8);
		take(i, 8);
		uroce_shm_ring_done(&receiver);
		/* not before the first lap, because memory starts with zeros */
		if (i > UROCE_SHM_RING_ENTRIES)
			assert_empty();
	}
	assert_true(sender.head > UINT64_C(0x100000000));
}

static void ring_watched_receiver_is_woken_once(void **state)
{
	/* the receiver has not polled yet: the first packet must wake it */
	put(0, 1);
	assert_true(uroce_shm_ring_is_watched(&sender));
	assert_false(uroce_shm_ring_is_watched(&sender));
	/* a packet has arrived */
	assert_true(uroce_shm_ring_watch(&receiver, true));
	take(0, 1);
	assert_false(uroce_shm_ring_watch(&receiver, true));
	assert_true(uroce_shm_ring_is_watched(&sender));
	assert_false(uroce_shm_ring_is_watched(&sender));
	assert_false(uroce_shm_ring_watch(&receiver, true));
	assert_false(uroce_shm_ring_watch(&receiver, false));
	assert_false(uroce_shm_ring_is_watched(&sender));
}

static void ring_watch_publishes_consumed_entries(void **state)
{
	for (uint32_t i = 0; uroce_shm_ring_has_room(&sender); i++)
		put(i, 1);
	take(0, 1);
	uroce_shm_ring_done(&receiver);
	assert_false(uroce_shm_ring_has_room(&sender));
	assert_true(uroce_shm_ring_watch(&receiver, true));
	assert_true(uroce_shm_ring_has_room(&sender));
}

struct bells {
	int bell;
	uint32_t nr_bells;
};

static void *send_many(void *arg)
{
	struct bells *bells = arg;
	uint64_t one = 1;

	for (uint32_t i = 0; i < NR_THREADED; i++) {
		while (!uroce_shm_ring_has_room(&sender))
			(void)sched_yield();
		put(i, length_of(i) % 600);
		if (uroce_shm_ring_is_watched(&sender)) {
			bells->nr_bells++;
			(void)!write(bells->bell, &one, sizeof(one));
		}
	}
	return NULL;
}

static bool is_there(uint32_t number)
{
	const struct uroce_shm_ring_entry *entry =
		&ring()->entries[number % UROCE_SHM_RING_ENTRIES];

	return __atomic_load_n(&entry->sequence, __ATOMIC_ACQUIRE) ==
	       number + 1;
}

/* The test hangs if a packet arrives without a wake-up. */
static void ring_sleeping_receiver_is_woken_for_each_packet(void **state)
{
	struct bells bells = { .bell = eventfd(0, EFD_CLOEXEC) };
	uint32_t seen = 0;
	pthread_t thread;
	uint64_t rings;

	assert_int_equal(pthread_create(&thread, NULL, send_many, &bells), 0);
	while (seen < NR_THREADED) {
		while (seen < NR_THREADED && is_there(seen)) {
			take(seen, length_of(seen) % 600);
			uroce_shm_ring_done(&receiver);
			seen++;
		}
		if (seen < NR_THREADED &&
		    !uroce_shm_ring_watch(&receiver, true))
			assert_int_equal(
				read(bells.bell, &rings, sizeof(rings)), 8);
		(void)uroce_shm_ring_watch(&receiver, false);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(bells.nr_bells > 0);
	assert_empty();
	(void)close(bells.bell);
}

static void assert_broken_by(uint32_t consumed)
{
	for (uint32_t i = 0; uroce_shm_ring_has_room(&sender); i++)
		put(i, 1);
	assert_false(sender.broken);
	ring()->status.consumed = consumed;
	assert_false(uroce_shm_ring_has_room(&sender));
	assert_true(sender.broken);
	/* the error is permanent */
	ring()->status.consumed = (uint32_t)sender.head;
	assert_false(uroce_shm_ring_has_room(&sender));
}

static void ring_consumed_beyond_head_breaks_sender(void **state)
{
	assert_broken_by(UROCE_SHM_RING_ENTRIES + 1);
}

static void ring_consumed_moving_back_breaks_sender(void **state)
{
	for (uint32_t i = 0; i < 1000; i++) {
		put(i, 1);
		take(i, 1);
		uroce_shm_ring_done(&receiver);
	}
	assert_true(sender.consumed > 0);
	assert_broken_by((uint32_t)sender.consumed - 1);
}

static void ring_ends_have_separate_mappings(void **state)
{
	int fd = uroce_shm_ring_create();
	struct uroce_shm_ring_receiver to;
	struct uroce_packet packet;

	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(uroce_shm_ring_open_receiver(fd, &to), 0);
	assert_int_equal(uroce_shm_ring_open_sender(fd, &sender), 0);
	(void)close(fd);
	put(5, 100);
	assert_int_equal(uroce_shm_ring_take(&to, &packet), 1);
	assert_memory_equal(packet.payload, data + 5, 100);
	uroce_shm_ring_close_receiver(&to);
	uroce_shm_ring_close_sender(&sender);
	/* a closed sender has no room either */
	assert_false(uroce_shm_ring_has_room(&sender));
	uroce_shm_ring_close_sender(&sender);
}

static void ring_open_bad_memfd_returns_eproto(void **state)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	const off_t size = sizeof(struct uroce_shm_ring_memory);
	struct uroce_shm_ring_sender end;
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(uroce_shm_ring_open_sender(fd, &end), -EPROTO);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(uroce_shm_ring_open_sender(fd, &end), -EPROTO);
	(void)close(fd);

	fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, size - 1), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	assert_int_equal(uroce_shm_ring_open_sender(fd, &end), -EPROTO);
	(void)close(fd);

	fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	assert_int_equal(uroce_shm_ring_open_sender(fd, &end), -EPROTO);
	(void)close(fd);
}

#define WITH_RING(test) \
	cmocka_unit_test_setup_teardown(test, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RING(ring_passes_every_header_field),
		WITH_RING(ring_short_packet_uses_single_entry),
		WITH_RING(ring_publish_reveals_packets_together),
		WITH_RING(ring_long_batch_is_published_in_parts),
		WITH_RING(ring_passes_source_of_absent_payload),
		WITH_RING(ring_absent_payload_size_is_limited_to_part),
		WITH_RING(ring_longest_headers_fit_with_source_and_ack),
		WITH_RING(ring_absent_payload_uses_no_area),
		WITH_RING(ring_consumed_update_is_deferred_for_absent_payloads),
		WITH_RING(ring_passes_every_payload_size),
		WITH_RING(ring_full_entries_are_reusable_after_done),
		WITH_RING(ring_full_area_is_reusable_after_done),
		WITH_RING(ring_emptied_by_receiver_has_room),
		WITH_RING(ring_entry_numbers_wrap),
		WITH_RING(ring_watched_receiver_is_woken_once),
		WITH_RING(ring_watch_publishes_consumed_entries),
		WITH_RING(ring_sleeping_receiver_is_woken_for_each_packet),
		WITH_RING(ring_consumed_beyond_head_breaks_sender),
		WITH_RING(ring_consumed_moving_back_breaks_sender),
		WITH_RING(ring_ends_have_separate_mappings),
		WITH_RING(ring_open_bad_memfd_returns_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
