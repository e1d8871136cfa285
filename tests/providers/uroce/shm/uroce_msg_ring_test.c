/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Message rings: entries arrive in order, for any size, and neither side waits
 * forever. Both ends use one mapping, so that the thread sanitizer sees the
 * shared memory.
 */
#include "uroce/shm/uroce_msg_ring.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/shm/uroce_memfd.h"

#define WHOLE	    (UROCE_MSG_FIRST | UROCE_MSG_LAST)
#define NR_THREADED 20000

static struct uroce_msg_sender sender;
static struct uroce_msg_receiver receiver;

static int open_ring(void **state)
{
	int fd = uroce_msg_ring_create();

	assert_true(fd >= 0);
	assert_int_equal(uroce_msg_ring_open_receiver(fd, &receiver), 0);
	sender = (struct uroce_msg_sender){ .memory = receiver.memory };
	assert_int_equal(close(fd), 0);
	return 0;
}

static int close_ring(void **state)
{
	uroce_msg_ring_close_receiver(&receiver);
	assert_null(receiver.memory);
	return 0;
}

/* The payload depends on the number. */
static void put(uint32_t number, uint32_t bytes, bool more)
{
	struct uroce_msg_entry *entry = uroce_msg_ring_begin(&sender);

	entry->type = UROCE_MSG_SEND;
	entry->flags = WHOLE;
	entry->qpn = number & 0xffffff;
	entry->msn = 0;
	entry->ack_msn = 0;
	memset(uroce_msg_ring_begin_payload(&sender, entry, bytes),
	       (int)number & 0xff, bytes);
	uroce_msg_ring_commit(&sender, entry, more);
}

static void take(uint32_t number, uint32_t bytes)
{
	struct uroce_msg_received in;

	assert_int_equal(uroce_msg_ring_take(&receiver, &in), 1);
	assert_int_equal(in.entry.qpn, number & 0xffffff);
	assert_int_equal(in.entry.bytes, bytes);
	for (uint32_t i = 0; i < bytes; i++)
		assert_int_equal(in.payload[i], number & 0xff);
	uroce_msg_ring_done(&receiver);
}

static void take_nothing(void)
{
	struct uroce_msg_received in;

	assert_int_equal(uroce_msg_ring_take(&receiver, &in), 0);
}

static void entries_of_every_size_arrive(void **state)
{
	take_nothing();
	for (uint32_t bytes = 0; bytes <= UROCE_MSG_FRAGMENT; bytes++) {
		assert_true(uroce_msg_ring_has_room(&sender));
		put(bytes, bytes, false);
		take(bytes, bytes);
	}
	take_nothing();
}

static void ring_full_of_entries_has_no_room(void **state)
{
	for (uint32_t i = 0; i < UROCE_MSG_ENTRIES; i++) {
		assert_true(uroce_msg_ring_has_room(&sender));
		put(i, 8, false);
	}
	assert_false(uroce_msg_ring_has_room(&sender));
	for (uint32_t i = 0; i < UROCE_MSG_ENTRIES; i++)
		take(i, 8);
	assert_true(uroce_msg_ring_has_room(&sender));
}

static void ring_full_of_payloads_has_no_room(void **state)
{
	uint32_t nr = 0;

	while (uroce_msg_ring_has_room(&sender))
		put(nr++, UROCE_MSG_FRAGMENT, false);
	assert_int_equal(nr, UROCE_MSG_AREA_BYTES / UROCE_MSG_FRAGMENT);
	for (uint32_t i = 0; i < nr; i++)
		take(i, UROCE_MSG_FRAGMENT);
	assert_true(uroce_msg_ring_has_room(&sender));
}

static void payload_does_not_cross_end_of_area(void **state)
{
	/* 31 fragments and a line: the next fragment begins at the front */
	for (uint32_t lap = 0; lap < 5; lap++) {
		for (uint32_t i = 0; i < 31; i++) {
			assert_true(uroce_msg_ring_has_room(&sender));
			put(i, UROCE_MSG_FRAGMENT, false);
			take(i, UROCE_MSG_FRAGMENT);
		}
		put(lap, 41, false);
		take(lap, 41);
	}
}

static void first_entry_of_batch_is_published_last(void **state)
{
	put(1, 8, true);
	put(2, 8, true);
	take_nothing();
	put(3, 8, false);
	for (uint32_t i = 1; i <= 3; i++)
		take(i, 8);
	put(4, 8, true);
	take_nothing();
	uroce_msg_ring_publish(&sender);
	take(4, 8);
}

static void batch_without_end_is_published_in_time(void **state)
{
	for (uint32_t i = 0; i < 16; i++)
		put(i, 8, true);
	for (uint32_t i = 0; i < 16; i++)
		take(i, 8);
}

static void counts_wrap_at_32_bits(void **state)
{
	const uint32_t start = UINT32_MAX - 100;

	sender.head = sender.consumed = start;
	receiver.tail = receiver.published = start;
	receiver.memory->status.consumed = start;
	for (uint32_t i = 0; i < 2 * UROCE_MSG_ENTRIES; i++) {
		assert_true(uroce_msg_ring_has_room(&sender));
		put(i, 100, false);
		take(i, 100);
	}
}

static void receiver_that_claims_too_much_is_broken(void **state)
{
	while (uroce_msg_ring_has_room(&sender))
		put(0, 8, false);
	receiver.memory->status.consumed = UROCE_MSG_ENTRIES + 1;
	assert_false(uroce_msg_ring_has_room(&sender));
	assert_true(sender.broken);
	receiver.memory->status.consumed = UROCE_MSG_ENTRIES;
	assert_false(uroce_msg_ring_has_room(&sender));
}

static void receiver_that_takes_back_is_broken(void **state)
{
	for (uint32_t i = 0; i < UROCE_MSG_ENTRIES; i++)
		put(i, 8, false);
	receiver.memory->status.consumed = UROCE_MSG_ENTRIES;
	assert_true(uroce_msg_ring_has_room(&sender));
	for (uint32_t i = 0; i < UROCE_MSG_ENTRIES; i++)
		put(i, 8, false);
	receiver.memory->status.consumed = UROCE_MSG_ENTRIES - 1;
	assert_false(uroce_msg_ring_has_room(&sender));
	assert_true(sender.broken);
}

static void malformed_entry_is_refused(void **state)
{
	struct uroce_msg_received in;

	put(1, 8, false);
	receiver.memory->entries[0].flags |= UROCE_MSG_AREA;
	memset(receiver.memory->entries[0].body, 0xff, UROCE_MSG_BODY);
	assert_int_equal(uroce_msg_ring_take(&receiver, &in), -EBADMSG);
}

static void doorbell_is_needed_once_per_sleep(void **state)
{
	/* new memory: the receiver sleeps */
	put(1, 8, false);
	assert_true(uroce_msg_ring_needs_bell(&sender));
	assert_false(uroce_msg_ring_needs_bell(&sender));
	assert_true(uroce_msg_ring_arm(&receiver, true));
	take(1, 8);
	assert_false(uroce_msg_ring_arm(&receiver, true));
	/* nothing new was put */
	assert_false(uroce_msg_ring_needs_bell(&sender));
	put(2, 8, false);
	assert_true(uroce_msg_ring_needs_bell(&sender));
	take(2, 8);
	assert_false(uroce_msg_ring_arm(&receiver, false));
	assert_false(uroce_msg_ring_needs_bell(&sender));
}

static void arming_frees_consumed_entries(void **state)
{
	for (uint32_t i = 0; i < UROCE_MSG_ENTRIES; i++)
		put(i, 8, false);
	take(0, 8);
	assert_false(uroce_msg_ring_has_room(&sender));
	(void)uroce_msg_ring_arm(&receiver, true);
	assert_true(uroce_msg_ring_has_room(&sender));
}

static void ring_of_wrong_size_is_not_mapped(void **state)
{
	struct uroce_msg_sender end;
	int fd = uroce_memfd_create(4096);

	assert_true(fd >= 0);
	assert_int_equal(uroce_msg_ring_open_sender(fd, &end), -EPROTO);
	assert_int_equal(close(fd), 0);
	fd = uroce_memfd_create(sizeof(struct uroce_msg_ring_memory));
	assert_true(fd >= 0);
	/* not sealed */
	assert_int_equal(uroce_msg_ring_open_sender(fd, &end), -EPROTO);
	assert_int_equal(close(fd), 0);
}

static void *put_all(void *arg)
{
	for (uint32_t i = 0; i < NR_THREADED; i++) {
		while (!uroce_msg_ring_has_room(&sender))
			(void)sched_yield();
		put(i, i % 300, i % 3);
		if (i % 3 == 2)
			uroce_msg_ring_publish(&sender);
	}
	uroce_msg_ring_publish(&sender);
	return NULL;
}

static void entries_of_thread_arrive_in_order(void **state)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, put_all, NULL), 0);
	for (uint32_t i = 0; i < NR_THREADED; i++) {
		while (!uroce_msg_ring_has_any(&receiver))
			(void)sched_yield();
		take(i, i % 300);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
}

#define RING(test) cmocka_unit_test_setup_teardown(test, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING(entries_of_every_size_arrive),
		RING(ring_full_of_entries_has_no_room),
		RING(ring_full_of_payloads_has_no_room),
		RING(payload_does_not_cross_end_of_area),
		RING(first_entry_of_batch_is_published_last),
		RING(batch_without_end_is_published_in_time),
		RING(counts_wrap_at_32_bits),
		RING(receiver_that_claims_too_much_is_broken),
		RING(receiver_that_takes_back_is_broken),
		RING(malformed_entry_is_refused),
		RING(doorbell_is_needed_once_per_sleep),
		RING(arming_frees_consumed_entries),
		RING(ring_of_wrong_size_is_not_mapped),
		RING(entries_of_thread_arrive_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
