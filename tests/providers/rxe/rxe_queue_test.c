/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ring arithmetic, and what is refused when a ring is mapped.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <sys/mman.h>

#include "rxe/rxe_queue.h"

static struct fake_ring shared;
static struct rxe_ring ring;

static int map(enum rxe_ring_side side)
{
	return rxe_ring_map(fake_context(), &shared.info, 64, side, &ring);
}

static int setup(void **state)
{
	ring = (struct rxe_ring){};
	return fake_setup(state);
}

static int teardown(void **state)
{
	rxe_ring_unmap(&ring);
	fake_ring_unmap(&shared);
	return fake_teardown(state);
}

/* -- arithmetic -- */

static void producer_fills_all_slots_but_one(void **state)
{
	uint32_t index;
	unsigned int nr = 0;

	fake_ring_make(&shared, 7, 6);
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	for (index = ring.index; !rxe_ring_full(&ring, index); nr++)
		index = rxe_ring_next(&ring, index);
	assert_int_equal(nr, 7);

	rxe_ring_publish(&ring, index);
	assert_int_equal(shared.buf->producer_index, 7);
	assert_true(rxe_ring_full(&ring, ring.index));
}

static void producer_wraps_around(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	for (uint32_t i = 0; i < 11; i++) {
		assert_false(rxe_ring_full(&ring, ring.index));
		assert_ptr_equal((uint8_t *)rxe_ring_elem(&ring, ring.index) -
					 ring.data,
				 (void *)(uintptr_t)(i % 4 * 64));
		rxe_ring_publish(&ring, rxe_ring_next(&ring, ring.index));
		assert_int_equal(shared.buf->producer_index, (i + 1) % 4);
		shared.buf->consumer_index = (i + 1) % 4;
	}
}

static void full_producer_sees_what_the_kernel_consumed(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	rxe_ring_publish(&ring, 3);
	assert_true(rxe_ring_full(&ring, ring.index));
	shared.buf->consumer_index = 1;
	assert_false(rxe_ring_full(&ring, ring.index));
	assert_true(rxe_ring_full(&ring, rxe_ring_next(&ring, ring.index)));
}

static void consumer_takes_what_was_produced(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(map(RXE_RING_CONSUMER), 0);
	assert_true(rxe_ring_empty(&ring, ring.index));

	shared.buf->producer_index = 2;
	assert_false(rxe_ring_empty(&ring, 0));
	assert_false(rxe_ring_empty(&ring, 1));
	assert_true(rxe_ring_empty(&ring, 2));
	rxe_ring_consume(&ring, 2);
	assert_int_equal(shared.buf->consumer_index, 2);

	shared.buf->producer_index = 1; /* wrapped: 2, 3, 0 */
	assert_false(rxe_ring_empty(&ring, 2));
	assert_false(rxe_ring_empty(&ring, 0));
	assert_true(rxe_ring_empty(&ring, 1));
}

static void index_of_the_kernel_is_masked(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(map(RXE_RING_CONSUMER), 0);
	shared.buf->producer_index = 0xfffffffe;
	assert_false(rxe_ring_empty(&ring, 0));
	assert_false(rxe_ring_empty(&ring, 1));
	assert_true(rxe_ring_empty(&ring, 2));
}

static void own_index_does_not_come_back_from_shared_memory(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	rxe_ring_publish(&ring, 1);
	shared.buf->producer_index = 0xdeadbeef;
	assert_int_equal(ring.index, 1);
	rxe_ring_publish(&ring, rxe_ring_next(&ring, ring.index));
	assert_int_equal(shared.buf->producer_index, 2);
}

static void ring_of_one_slot_is_always_full(void **state)
{
	fake_ring_make(&shared, 0, 6);
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	assert_true(rxe_ring_full(&ring, ring.index));
}

static void indices_of_a_filled_ring_are_taken_over(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->producer_index = 5;
	shared.buf->consumer_index = 3;
	assert_int_equal(map(RXE_RING_PRODUCER), 0);
	assert_int_equal(ring.index, 5);
	assert_int_equal(ring.peer_index, 3);
	rxe_ring_unmap(&ring);
	assert_int_equal(map(RXE_RING_CONSUMER), 0);
	assert_int_equal(ring.index, 3);
	assert_int_equal(ring.peer_index, 5);
}

/* -- geometry -- */

static void mask_that_is_no_power_of_two_is_refused(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->index_mask = 6;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
	assert_null(ring.buf);
}

static void mask_beyond_the_mapping_is_refused(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->index_mask = 1023;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
	shared.buf->index_mask = UINT32_MAX;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
}

static void element_size_beyond_reason_is_refused(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->log2_elem_size = 17;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
	shared.buf->log2_elem_size = 0xffffffff;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
}

static void element_that_is_too_small_is_refused(void **state)
{
	fake_ring_make(&shared, 7, 6);
	assert_int_equal(rxe_ring_map(fake_context(), &shared.info, 65,
				      RXE_RING_PRODUCER, &ring),
			 -EIO);
	shared.buf->log2_elem_size = 5;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
}

static void mapping_shorter_than_its_header_is_refused(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.info.size = sizeof(struct rxe_queue_buf) - 1;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
	shared.info.size = 0;
	assert_int_equal(map(RXE_RING_PRODUCER), -EIO);
}

static void offset_that_is_no_offset_is_refused(void **state)
{
	struct mminfo info;

	fake_ring_make(&shared, 7, 6);
	info = shared.info;
	info.offset = UINT64_MAX;
	assert_int_equal(rxe_ring_map(fake_context(), &info, 64,
				      RXE_RING_PRODUCER, &ring),
			 -EIO);
}

static void error_of_mmap_is_returned(void **state)
{
	struct mminfo info;

	fake_ring_make(&shared, 7, 6);
	info = shared.info;
	info.offset += 1;
	assert_int_equal(rxe_ring_map(fake_context(), &info, 64,
				      RXE_RING_PRODUCER, &ring),
			 -EINVAL);
}

static void unmapping_no_ring_does_nothing(void **state)
{
	rxe_ring_unmap(&ring);
	assert_null(ring.buf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(producer_fills_all_slots_but_one),
		TEST(producer_wraps_around),
		TEST(full_producer_sees_what_the_kernel_consumed),
		TEST(consumer_takes_what_was_produced),
		TEST(index_of_the_kernel_is_masked),
		TEST(own_index_does_not_come_back_from_shared_memory),
		TEST(ring_of_one_slot_is_always_full),
		TEST(indices_of_a_filled_ring_are_taken_over),
		TEST(mask_that_is_no_power_of_two_is_refused),
		TEST(mask_beyond_the_mapping_is_refused),
		TEST(element_size_beyond_reason_is_refused),
		TEST(element_that_is_too_small_is_refused),
		TEST(mapping_shorter_than_its_header_is_refused),
		TEST(offset_that_is_no_offset_is_refused),
		TEST(error_of_mmap_is_returned),
		TEST(unmapping_no_ring_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
