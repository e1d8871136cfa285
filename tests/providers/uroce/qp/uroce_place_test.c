/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order in which a WRITE is stored. The last word is in a write-protected
 * page. The test catches the store to it, checks the memory in front, and then
 * permits the store.
 */
#include "uroce/qp/uroce_place.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include <sys/mman.h>

#include <cmocka.h>

#define LONGEST 20000

static uint8_t source[LONGEST + 64];
static uint8_t *memory, *fence; /* the last page starts at @fence */
static size_t page;
static volatile size_t before; /* bytes in front of the fence */
static volatile unsigned int nr_caught;
static volatile bool in_order;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const uint8_t *at = info->si_addr;

	if (at < fence || at >= fence + page)
		_exit(99);
	nr_caught++;
	in_order = true;
	for (size_t i = 0; i < before; i++)
		if (fence[(ptrdiff_t)i - (ptrdiff_t)before] != source[i])
			in_order = false;
	(void)mprotect(fence, page, PROT_READ | PROT_WRITE);
}

static int setup(void **state)
{
	size_t bytes;

	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = (LONGEST / page + 2) * page;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	fence = memory + bytes - page;
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(1 + i % 251);
	return 0;
}

/* Places @bytes, of which the last @behind, 1 to 8, are behind the fence. */
static void place_bytes(size_t bytes, size_t behind, size_t source_offset)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO };

	/* cmocka installs a handler of its own in each test */
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	(void)memset(memory, 0, (size_t)(fence - memory) + page);
	before = bytes - behind;
	nr_caught = 0;
	in_order = false;
	assert_int_equal(mprotect(fence, page, PROT_READ), 0);
	uroce_place(fence - before, source + source_offset, bytes);
	assert_int_equal(nr_caught, 1);
	assert_memory_equal(fence - before, source + source_offset, bytes);
	assert_int_equal(fence[behind], 0);
	assert_true(before == bytes || fence - before == memory ||
		    !fence[-(ptrdiff_t)before - 1]);
}

static void place_stores_last_word_last(void **state)
{
	for (size_t bytes = 1; bytes <= 1200; bytes++) {
		for (size_t behind = 1; behind <= 8 && behind <= bytes;
		     behind++) {
			place_bytes(bytes, behind, 0);
			assert_true(in_order);
		}
	}
	for (size_t bytes = 1200; bytes <= LONGEST; bytes += 397) {
		place_bytes(bytes, 1 + bytes % 8, 0);
		assert_true(in_order);
	}
}

static void place_accepts_any_source_offset(void **state)
{
	for (size_t offset = 0; offset < 16; offset++)
		for (size_t bytes = 8; bytes < 80; bytes++)
			place_bytes(bytes, 1 + bytes % 8, offset);
}

/* No 8-byte word ends here; only the requested bytes may change. */
static void place_short_data_changes_target_bytes_only(void **state)
{
	uint8_t there[32];

	for (size_t at = 0; at < 16; at++) {
		for (size_t bytes = 0; bytes <= 16; bytes++) {
			(void)memset(there, 0, sizeof(there));
			uroce_place(there + at, source, bytes);
			assert_memory_equal(there + at, source, bytes);
			for (size_t i = 0; i < sizeof(there); i++)
				assert_true(i - at < bytes || !there[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_stores_last_word_last),
		cmocka_unit_test(place_accepts_any_source_offset),
		cmocka_unit_test(place_short_data_changes_target_bytes_only),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
