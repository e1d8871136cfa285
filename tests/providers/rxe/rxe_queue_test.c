/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ring arithmetic, and the geometry checks when a ring is mapped. */
#include "rxe_fake.h"

#include <errno.h>
#include <sys/mman.h>

#include "rxe/rxe_queue.h"

static struct fake_ring shared;
static struct rxe_ring ring;

static int ring_map(enum rxe_ring_side side)
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

static void rxe_ring_producer_leaves_last_slot_free(void **state)
{
	uint32_t index;
	unsigned int nr = 0;

	fake_ring_make(&shared, 7, 6);
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
	for (index = ring.index; !rxe_ring_full(&ring, index); nr++)
		index = rxe_ring_next(&ring, index);
	assert_int_equal(nr, 7);

	rxe_ring_publish(&ring, index);
	assert_int_equal(shared.buf->producer_index, 7);
	assert_true(rxe_ring_full(&ring, ring.index));
}

static void rxe_ring_producer_wraps_around(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
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

static void rxe_ring_full_reloads_consumer_index(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
	rxe_ring_publish(&ring, 3);
	assert_true(rxe_ring_full(&ring, ring.index));
	shared.buf->consumer_index = 1;
	assert_false(rxe_ring_full(&ring, ring.index));
	assert_true(rxe_ring_full(&ring, rxe_ring_next(&ring, ring.index)));
}

static void rxe_ring_consumer_reads_up_to_producer_index(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(ring_map(RXE_RING_CONSUMER), 0);
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

static void rxe_ring_masks_kernel_index(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(ring_map(RXE_RING_CONSUMER), 0);
	shared.buf->producer_index = 0xfffffffe;
	assert_false(rxe_ring_empty(&ring, 0));
	assert_false(rxe_ring_empty(&ring, 1));
	assert_true(rxe_ring_empty(&ring, 2));
}

static void rxe_ring_own_index_ignores_shared_memory(void **state)
{
	fake_ring_make(&shared, 3, 6);
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
	rxe_ring_publish(&ring, 1);
	shared.buf->producer_index = 0xdeadbeef;
	assert_int_equal(ring.index, 1);
	rxe_ring_publish(&ring, rxe_ring_next(&ring, ring.index));
	assert_int_equal(shared.buf->producer_index, 2);
}

static void rxe_ring_with_single_slot_is_always_full(void **state)
{
	fake_ring_make(&shared, 0, 6);
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
	assert_true(rxe_ring_full(&ring, ring.index));
}

static void rxe_ring_map_adopts_indices_of_filled_ring(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->producer_index = 5;
	shared.buf->consumer_index = 3;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), 0);
	assert_int_equal(ring.index, 5);
	assert_int_equal(ring.kernel_index, 3);
	rxe_ring_unmap(&ring);
	assert_int_equal(ring_map(RXE_RING_CONSUMER), 0);
	assert_int_equal(ring.index, 3);
	assert_int_equal(ring.kernel_index, 5);
}

/* -- geometry -- */

static void rxe_ring_map_bad_mask_returns_eio(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->index_mask = 6;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
	assert_null(ring.buf);
}

static void rxe_ring_map_mask_beyond_mapping_returns_eio(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->index_mask = 1023;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
	shared.buf->index_mask = UINT32_MAX;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
}

static void rxe_ring_map_huge_element_returns_eio(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.buf->log2_elem_size = 17;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
	shared.buf->log2_elem_size = 0xffffffff;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
}

static void rxe_ring_map_small_element_returns_eio(void **state)
{
	fake_ring_make(&shared, 7, 6);
	assert_int_equal(rxe_ring_map(fake_context(), &shared.info, 65,
				      RXE_RING_PRODUCER, &ring),
			 -EIO);
	shared.buf->log2_elem_size = 5;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
}

static void rxe_ring_map_shorter_than_header_returns_eio(void **state)
{
	fake_ring_make(&shared, 7, 6);
	shared.info.size = sizeof(struct rxe_queue_buf) - 1;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
	shared.info.size = 0;
	assert_int_equal(ring_map(RXE_RING_PRODUCER), -EIO);
}

static void rxe_ring_map_bad_offset_returns_eio(void **state)
{
	struct mminfo info;

	fake_ring_make(&shared, 7, 6);
	info = shared.info;
	info.offset = UINT64_MAX;
	assert_int_equal(rxe_ring_map(fake_context(), &info, 64,
				      RXE_RING_PRODUCER, &ring),
			 -EIO);
}

static void rxe_ring_map_mmap_error_is_returned(void **state)
{
	struct mminfo info;

	fake_ring_make(&shared, 7, 6);
	info = shared.info;
	info.offset += 1;
	assert_int_equal(rxe_ring_map(fake_context(), &info, 64,
				      RXE_RING_PRODUCER, &ring),
			 -EINVAL);
}

static void rxe_ring_unmap_empty_struct_does_nothing(void **state)
{
	rxe_ring_unmap(&ring);
	assert_null(ring.buf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rxe_ring_producer_leaves_last_slot_free),
		TEST(rxe_ring_producer_wraps_around),
		TEST(rxe_ring_full_reloads_consumer_index),
		TEST(rxe_ring_consumer_reads_up_to_producer_index),
		TEST(rxe_ring_masks_kernel_index),
		TEST(rxe_ring_own_index_ignores_shared_memory),
		TEST(rxe_ring_with_single_slot_is_always_full),
		TEST(rxe_ring_map_adopts_indices_of_filled_ring),
		TEST(rxe_ring_map_bad_mask_returns_eio),
		TEST(rxe_ring_map_mask_beyond_mapping_returns_eio),
		TEST(rxe_ring_map_huge_element_returns_eio),
		TEST(rxe_ring_map_small_element_returns_eio),
		TEST(rxe_ring_map_shorter_than_header_returns_eio),
		TEST(rxe_ring_map_bad_offset_returns_eio),
		TEST(rxe_ring_map_mmap_error_is_returned),
		TEST(rxe_ring_unmap_empty_struct_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
