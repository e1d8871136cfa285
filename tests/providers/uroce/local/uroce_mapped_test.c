/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One process in memory that another one shares with it, whether or not the
 * system lets it into other memory: what is found there, while the other one
 * takes it back, and when it is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/engine/uroce_atomic.h"
#include "uroce/engine/uroce_place.h"
#include "uroce/local/uroce_local_state.h"
#include "uroce_local_reach.h"
#include "uroce_netns.h"

#define PAGE  4096
#define BYTES (16 * PAGE)
#define BASE  PAGE /* of the region, in the file */
#define SUMS  200000

struct bob {
	struct side side;
	struct uroce_channel *channel;
	uint8_t *file;	 /* all of it */
	uint8_t *memory; /* of the region */
	struct uroce_shown_region region;
};

static uint8_t *make_file(void)
{
	int fd = memfd_create("mapped_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint8_t *memory;

	CHECK(fd >= 0);
	CHECK(ftruncate(fd, BASE + BYTES) == 0);
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	memory = mmap(NULL, BASE + BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	CHECK(memory != MAP_FAILED);
	/* only now may it be closed: see bob_share() */
	CHECK(dup2(fd, 900) == 900);
	(void)close(fd);
	return memory;
}

static void bob_share(struct bob *bob)
{
	bob->region.share = 0;
	uroce_local_get_share(bob->side.local, bob->memory, BYTES,
			      &bob->region.share, &bob->region.share_offset);
	CHECK(bob->region.share);
	CHECK(bob->region.share_offset == BASE);
}

/* Shows his memory, and the QP of Alice. */
static void bob_open(struct bob *bob, struct node *node, uint32_t ways)
{
	const uint32_t access = READ_RIGHT | WRITE_RIGHT | ATOMIC_RIGHT;
	const struct uroce_shown_qp qp = bob_qp(access);

	*bob = (struct bob){ .file = make_file() };
	bob->memory = bob->file + BASE;
	bob->region = bob_region(bob->memory, BYTES, access);
	reach_open(&bob->side, BOB, ways);
	bob->channel = bob_meet(&bob->side, node);
	bob_share(bob);
	(void)close(900);
	uroce_local_show_region(bob->side.local, &bob->region);
	uroce_local_show_qp(bob->side.local, &qp, bob->channel);
}

static void bob_hide(struct bob *bob)
{
	const struct uroce_shown_region none = { .key = KEY };

	uroce_local_show_region(bob->side.local, &none);
	bob_settle(&bob->side);
}

static void bob_close(struct bob *bob)
{
	uroce_local_put_channel(bob->side.local, bob->channel);
	side_close(&bob->side);
	(void)munmap(bob->file, BASE + BYTES);
}

/* Bob: does nothing, and then finds a pattern. */
static void be_deaf(struct node *node, uint32_t ways)
{
	struct bob bob;

	bob_open(&bob, node, ways);
	node_go(node);
	node_wait(node);
	for (uint32_t i = 0; i < BYTES; i++)
		CHECK(bob.memory[i] == (uint8_t)(i * 7));
	CHECK(bob.file[BASE - 1] == 0);
	bob_close(&bob);
}

static struct uroce_copy wish(uint32_t access, uint64_t offset, uint32_t bytes)
{
	return (struct uroce_copy){
		.access = access,
		.qpn = ALICE << 16 | 2,
		.dest_qpn = BOB << 16 | 2,
		.rkey = KEY,
		.va = IOVA + offset,
		.bytes = bytes,
		.part = bytes,
	};
}

static void see_news(struct side *side)
{
	static struct got got;

	(void)side_take(side, &got);
}

/* Asks for it, and waits until it is there; leaves again. */
static void wait_until_mapped(struct side *side, struct uroce_channel *channel)
{
	const struct uroce_copy copy = wish(WRITE_RIGHT, 0, 1);

	see_news(side);
	while (!channel->enter(channel, &copy)) {
		(void)sched_yield();
		see_news(side);
	}
	channel->leave(channel);
}

static bool put(struct uroce_channel *channel, uint64_t offset,
		const uint8_t *from, uint32_t bytes)
{
	const struct uroce_copy copy = wish(WRITE_RIGHT, offset, bytes);
	uint8_t *there = channel->enter(channel, &copy);

	if (!there)
		return false;
	uroce_place(there, from, bytes);
	channel->leave(channel);
	return true;
}

static uint32_t nr_mapped(void)
{
	return nr_mappings_of("mapped_test");
}

/* No right of the system is needed. */
static void mapped_memory_is_written_and_read(void **state)
{
	static uint8_t memory[BYTES];

	for (uint32_t i = 0; i < BYTES; i++)
		memory[i] = (uint8_t)(i * 7);
	for (unsigned int ways = 0; ways <= 3; ways += 3) {
		struct uroce_copy copy = wish(READ_RIGHT, 0, BYTES);
		struct uroce_local_counters counters;
		struct uroce_channel *channel;
		struct side alice;
		struct node bob;
		uint8_t *there;

		channel = reach_meet(&alice, &bob, be_deaf, ways, ways);
		assert_true(uroce_channel_is_shared(channel));
		if (!ways)
			assert_null(channel->copy);
		assert_null(channel->enter(channel, &copy)); /* asks */
		wait_until_mapped(&alice, channel);
		assert_int_equal(nr_mapped(), 1);
		assert_true(put(channel, 0, memory, BYTES));
		there = channel->enter(channel, &copy);
		assert_non_null(there);
		assert_memory_equal(there, memory, BYTES);
		channel->leave(channel);
		/* a part is found in its place */
		copy.offset = 100;
		copy.part = 50;
		assert_ptr_equal(channel->enter(channel, &copy), there + 100);
		channel->leave(channel);
		uroce_local_counters(alice.local, &counters);
		assert_int_equal(counters.mapped, 4);
		assert_int_equal(counters.copied_bytes, 0);
		assert_int_equal(alice.local->tables.memory != NULL, 1);
		node_go(&bob);
		node_end(&bob);
		side_close(&alice);
		assert_int_equal(nr_mapped(), 0);
	}
}

static void mapped_invalid_access_is_refused(void **state)
{
	struct uroce_copy copy;
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;

	channel = reach_meet(&alice, &bob, be_deaf, 0, 0);
	wait_until_mapped(&alice, channel);
	copy = wish(WRITE_RIGHT, BYTES - 8, 9);
	assert_null(channel->enter(channel, &copy));
	copy = wish(WRITE_RIGHT, UINT64_MAX - IOVA, 8);
	assert_null(channel->enter(channel, &copy));
	copy = wish(16, 0, 8);
	assert_null(channel->enter(channel, &copy));
	copy = wish(WRITE_RIGHT, 0, 8);
	copy.rkey++;
	assert_null(channel->enter(channel, &copy));
	copy.rkey--;
	copy.qpn++;
	assert_null(channel->enter(channel, &copy));
	copy.qpn--;
	assert_non_null(channel->enter(channel, &copy));
	channel->leave(channel);
	node_kill(&bob);
	side_close(&alice);
}

/* Bob: adds to the same word, with his own CPU. */
static void add_up(struct node *node, uint32_t ways)
{
	struct bob bob;

	bob_open(&bob, node, ways);
	node_go(node);
	node_wait(node);
	for (uint32_t i = 0; i < SUMS; i++)
		__atomic_fetch_add((uint64_t *)(void *)bob.memory, 1,
				   __ATOMIC_RELAXED);
	node_go(node);
	node_wait(node);
	CHECK(*(uint64_t *)(void *)bob.memory == SUMS * UINT64_C(1000003));
	bob_close(&bob);
}

static void mapped_concurrent_atomics_are_exact(void **state)
{
	const struct uroce_copy copy = wish(ATOMIC_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;
	uint8_t *there;

	channel = reach_meet(&alice, &bob, add_up, 0, 0);
	wait_until_mapped(&alice, channel);
	node_go(&bob);
	for (uint32_t i = 0; i < SUMS; i++) {
		there = channel->enter(channel, &copy);
		assert_non_null(there);
		/* each second one by the other kind */
		if (i % 2) {
			(void)uroce_atomic_add(there, 1000002);
		} else {
			uint64_t old = __atomic_load_n(
				(uint64_t *)(void *)there, __ATOMIC_RELAXED);
			uint64_t seen;

			while ((seen = uroce_atomic_swap(there, old,
							 old + 1000002)) != old)
				old = seen;
		}
		channel->leave(channel);
	}
	node_wait(&bob);
	node_go(&bob);
	node_end(&bob);
	side_close(&alice);
}

/* Bob: takes his memory back, again and again, and looks if it is his. */
static void take_back(struct node *node, uint32_t ways)
{
	struct bob bob;

	bob_open(&bob, node, ways);
	node_go(node);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t before = board_look(&board->copies);

		/* at times a new share, which she has to ask for */
		if (round % 8 == 0) {
			bob_hide(&bob);
			uroce_local_put_share(bob.side.local, bob.region.share);
			(void)munmap(bob.file, BASE + BYTES);
			bob.file = make_file();
			bob.memory = bob.file + BASE;
			bob.region.base = (uintptr_t)bob.memory;
			bob_share(&bob);
			(void)close(900);
		}
		uroce_local_show_region(bob.side.local, &bob.region);
		board_await(&board->copies, before + 1);
		bob_hide(&bob);
		bob_check_left_alone(bob.memory, BYTES);
	}
	__atomic_store_n(&board->done, 1, __ATOMIC_RELEASE);
	node_wait(node);
	bob_close(&bob);
}

static void mapped_dereg_waits_for_access(void **state)
{
	static const uint8_t memory[BYTES];
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;

	memset(board, 0, sizeof(*board));
	channel = reach_meet(&alice, &bob, take_back, 0, 0);
	while (!__atomic_load_n(&board->done, __ATOMIC_ACQUIRE)) {
		see_news(&alice);
		if (put(channel, 0, memory, BYTES)) {
			__atomic_fetch_add(&board->copies, 1, __ATOMIC_RELAXED);
			continue;
		}
		/* he ends only if something is wrong there */
		assert_int_equal(waitpid(bob.pid, NULL, WNOHANG), 0);
		__atomic_fetch_add(&board->refusals, 1, __ATOMIC_RELAXED);
	}
	assert_true(board->copies >= ROUNDS);
	assert_true(nr_mapped() <= 1);
	node_go(&bob);
	node_end(&bob);
	side_close(&alice);
}

/* Bob: has no region in it any more. */
static void let_go(struct node *node, uint32_t ways)
{
	struct bob bob;

	bob_open(&bob, node, ways);
	node_go(node);
	node_wait(node);
	bob_hide(&bob);
	uroce_local_put_share(bob.side.local, bob.region.share);
	node_go(node);
	node_wait(node);
	bob_close(&bob);
}

static void mapped_share_without_region_is_unmapped(void **state)
{
	const struct uroce_copy copy = wish(WRITE_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;

	channel = reach_meet(&alice, &bob, let_go, 0, 0);
	wait_until_mapped(&alice, channel);
	assert_int_equal(nr_mapped(), 1);
	node_go(&bob);
	node_wait(&bob);
	while (nr_mapped()) {
		see_news(&alice);
		(void)sched_yield();
	}
	assert_null(channel->enter(channel, &copy));
	assert_false(uroce_channel_is_shared(channel));
	node_go(&bob);
	node_end(&bob);
	side_close(&alice);
}

static void mapped_share_of_dead_peer_is_unmapped(void **state)
{
	static struct got got;
	struct uroce_copy copy = wish(WRITE_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;

	channel = reach_meet(&alice, &bob, be_deaf, 0, 0);
	wait_until_mapped(&alice, channel);
	node_kill(&bob);
	/* it is noticed, whether or not anything is received */
	while (channel->enter(channel, &copy)) {
		channel->leave(channel);
		(void)sched_yield();
	}
	assert_ptr_equal(side_wait_lost(&alice, &got), channel);
	assert_int_equal(nr_mapped(), 0);
	assert_false(uroce_channel_is_shared(channel));
	uroce_local_put_channel(alice.local, channel);
	side_close(&alice);
}

static void mapped_child_after_fork_has_no_mapping(void **state)
{
	struct uroce_channel *channel;
	struct side alice;
	struct node bob;
	int pid, status;

	channel = reach_meet(&alice, &bob, be_deaf, 0, 0);
	wait_until_mapped(&alice, channel);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		uint64_t share = 0, offset;

		CHECK(nr_mapped() == 0);
		uroce_local_abandon(alice.local);
		CHECK(!uroce_channel_is_shared(channel));
		uroce_local_get_share(alice.local, &share, 8, &share, &offset);
		uroce_local_put_share(alice.local, 1);
		CHECK(share == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	node_kill(&bob);
	side_close(&alice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapped_memory_is_written_and_read),
		cmocka_unit_test(mapped_invalid_access_is_refused),
		cmocka_unit_test(mapped_concurrent_atomics_are_exact),
		cmocka_unit_test(mapped_dereg_waits_for_access),
		cmocka_unit_test(mapped_share_without_region_is_unmapped),
		cmocka_unit_test(mapped_share_of_dead_peer_is_unmapped),
		cmocka_unit_test(mapped_child_after_fork_has_no_mapping),
	};

	if (!board_open())
		return 1;
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
