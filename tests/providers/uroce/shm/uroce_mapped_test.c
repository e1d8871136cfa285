/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access of one process to memory that another one shares with it, with and
 * without CMA: reading and writing, while the owner deregisters the memory, and
 * after the owner has died.
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

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_place.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_cma_rig.h"

#define PAGE  4096
#define BYTES (16 * PAGE)
#define BASE  PAGE /* of the region, in the file */
#define SUMS  200000

struct right {
	struct side side;
	struct uroce_channel *channel;
	uint8_t *file;	 /* the whole file */
	uint8_t *memory; /* of the region */
	struct uroce_published_region region;
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
	/* may be closed only now: see right_share() */
	CHECK(dup2(fd, 900) == 900);
	(void)close(fd);
	return memory;
}

static void right_put_share(struct right *right)
{
	CHECK(uroce_shares_put(&right->side.shares, right->region.share));
	uroce_shm_share_gone(right->side.shm, right->region.share);
}

static void right_share(struct right *right)
{
	right->region.share = 0;
	uroce_shares_get(&right->side.shares, right->memory, BYTES,
			 &right->region.share, &right->region.share_offset);
	CHECK(right->region.share);
	CHECK(right->region.share_offset == BASE);
}

/* Publishes its memory, and the QP of the left process. */
static void right_open(struct right *right, struct node *node, uint32_t kinds)
{
	const uint32_t access = READ_RIGHT | WRITE_RIGHT | ATOMIC_RIGHT;
	const struct uroce_published_qp qp = right_qp(access);

	*right = (struct right){ .file = make_file() };
	right->memory = right->file + BASE;
	right->region = right_region(right->memory, BYTES, access);
	cma_try_open(&right->side, RIGHT, kinds);
	right->channel = right_meet(&right->side, node);
	right_share(right);
	(void)close(900);
	uroce_shm_publish_region(right->side.shm, &right->region);
	uroce_shm_publish_qp(right->side.shm, &qp, right->channel);
}

static void right_withdraw(struct right *right)
{
	const struct uroce_published_region none = { .key = KEY };

	uroce_shm_publish_region(right->side.shm, &none);
	right_quiesce(&right->side);
}

static void right_close(struct right *right)
{
	uroce_shm_put_channel(right->side.shm, right->channel);
	side_close(&right->side);
	(void)munmap(right->file, BASE + BYTES);
}

/* Right: does nothing, and then checks a pattern. */
static void right_stay_idle(struct node *node, uint32_t kinds)
{
	struct right right;

	right_open(&right, node, kinds);
	node_go(node);
	node_wait(node);
	for (uint32_t i = 0; i < BYTES; i++)
		CHECK(right.memory[i] == (uint8_t)(i * 7));
	CHECK(right.file[BASE - 1] == 0);
	right_close(&right);
}

static struct uroce_direct_access wish(uint32_t access, uint64_t offset,
				       uint32_t bytes)
{
	return (struct uroce_direct_access){
		.access = access,
		.qpn = LEFT << 16 | 2,
		.dest_qpn = RIGHT << 16 | 2,
		.rkey = KEY,
		.va = IOVA + offset,
		.bytes = bytes,
		.chunk = bytes,
	};
}

static void see_news(struct side *side)
{
	static struct got got;

	(void)side_take(side, &got);
}

/* Requests the share, and waits until it is mapped. */
static void wait_until_mapped(struct side *side, struct uroce_channel *channel)
{
	const struct uroce_direct_access copy = wish(WRITE_RIGHT, 0, 1);

	see_news(side);
	while (!channel->direct_begin(channel, &copy)) {
		(void)sched_yield();
		see_news(side);
	}
	channel->direct_end(channel);
}

static bool put(struct uroce_channel *channel, uint64_t offset,
		const uint8_t *from, uint32_t bytes)
{
	const struct uroce_direct_access copy =
		wish(WRITE_RIGHT, offset, bytes);
	uint8_t *there = channel->direct_begin(channel, &copy);

	if (!there)
		return false;
	uroce_place(there, from, bytes);
	channel->direct_end(channel);
	return true;
}

static uint32_t nr_mapped(void)
{
	return nr_mappings_of("mapped_test");
}

/* Needs no permission of the system. */
static void mapped_memory_is_written_and_read(void **state)
{
	static uint8_t memory[BYTES];

	for (uint32_t i = 0; i < BYTES; i++)
		memory[i] = (uint8_t)(i * 7);
	for (unsigned int kinds = 0; kinds <= 3; kinds += 3) {
		struct uroce_direct_access copy = wish(READ_RIGHT, 0, BYTES);
		struct uroce_shm_counters counters;
		struct uroce_channel *channel;
		struct side left;
		struct node right;
		uint8_t *there;

		channel = cma_rig_connect(&left, &right, right_stay_idle, kinds,
					  kinds);
		assert_true(uroce_channel_is_shared(channel));
		if (!kinds)
			assert_null(channel->direct_copy);
		assert_null(channel->direct_begin(
			channel, &copy)); /* requests the share */
		wait_until_mapped(&left, channel);
		assert_int_equal(nr_mapped(), 1);
		assert_true(put(channel, 0, memory, BYTES));
		there = channel->direct_begin(channel, &copy);
		assert_non_null(there);
		assert_memory_equal(there, memory, BYTES);
		channel->direct_end(channel);
		/* a part is at its offset */
		copy.offset = 100;
		copy.chunk = 50;
		assert_ptr_equal(channel->direct_begin(channel, &copy),
				 there + 100);
		channel->direct_end(channel);
		uroce_shm_counters(left.shm, &counters);
		assert_int_equal(counters.mapped, 4);
		assert_int_equal(counters.copied_bytes, 0);
		assert_int_equal(left.shm->directory.memory != NULL, 1);
		node_go(&right);
		node_end(&right);
		side_close(&left);
		assert_int_equal(nr_mapped(), 0);
	}
}

static void mapped_invalid_access_is_refused(void **state)
{
	struct uroce_direct_access copy;
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	channel = cma_rig_connect(&left, &right, right_stay_idle, 0, 0);
	wait_until_mapped(&left, channel);
	copy = wish(WRITE_RIGHT, BYTES - 8, 9);
	assert_null(channel->direct_begin(channel, &copy));
	copy = wish(WRITE_RIGHT, UINT64_MAX - IOVA, 8);
	assert_null(channel->direct_begin(channel, &copy));
	copy = wish(16, 0, 8);
	assert_null(channel->direct_begin(channel, &copy));
	copy = wish(WRITE_RIGHT, 0, 8);
	copy.rkey++;
	assert_null(channel->direct_begin(channel, &copy));
	copy.rkey--;
	copy.qpn++;
	assert_null(channel->direct_begin(channel, &copy));
	copy.qpn--;
	assert_non_null(channel->direct_begin(channel, &copy));
	channel->direct_end(channel);
	node_kill(&right);
	side_close(&left);
}

/* Right: adds to the same word with its own CPU. */
static void right_add_atomically(struct node *node, uint32_t kinds)
{
	struct right right;

	right_open(&right, node, kinds);
	node_go(node);
	node_wait(node);
	for (uint32_t i = 0; i < SUMS; i++)
		__atomic_fetch_add((uint64_t *)(void *)right.memory, 1,
				   __ATOMIC_RELAXED);
	node_go(node);
	node_wait(node);
	CHECK(*(uint64_t *)(void *)right.memory == SUMS * UINT64_C(1000003));
	right_close(&right);
}

static void mapped_concurrent_atomics_are_exact(void **state)
{
	const struct uroce_direct_access copy = wish(ATOMIC_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side left;
	struct node right;
	uint8_t *there;

	channel = cma_rig_connect(&left, &right, right_add_atomically, 0, 0);
	wait_until_mapped(&left, channel);
	node_go(&right);
	for (uint32_t i = 0; i < SUMS; i++) {
		there = channel->direct_begin(channel, &copy);
		assert_non_null(there);
		/* alternates between the two kinds of atomics */
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
		channel->direct_end(channel);
	}
	node_wait(&right);
	node_go(&right);
	node_end(&right);
	side_close(&left);
}

/*
 * Right: deregisters its memory repeatedly, and checks that no process writes
 * to it.
 */
static void right_dereg_repeatedly(struct node *node, uint32_t kinds)
{
	struct right right;

	right_open(&right, node, kinds);
	node_go(node);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t before = board_look(&board->copies);

		/* sometimes a new share, which left must request */
		if (round % 8 == 0) {
			right_withdraw(&right);
			right_put_share(&right);
			(void)munmap(right.file, BASE + BYTES);
			right.file = make_file();
			right.memory = right.file + BASE;
			right.region.base = (uintptr_t)right.memory;
			right_share(&right);
			(void)close(900);
		}
		uroce_shm_publish_region(right.side.shm, &right.region);
		board_await(&board->copies, before + 1);
		right_withdraw(&right);
		right_check_left_alone(right.memory, BYTES);
	}
	__atomic_store_n(&board->done, 1, __ATOMIC_RELEASE);
	node_wait(node);
	right_close(&right);
}

/* The left process, with its channel to the right one. */
struct writer {
	struct side left;
	struct uroce_channel *channel;
};

static int write_once(void *arg)
{
	static const uint8_t memory[BYTES];
	struct writer *writer = arg;

	see_news(&writer->left);
	return put(writer->channel, 0, memory, BYTES) ? 0 : -EACCES;
}

static void mapped_dereg_waits_for_access(void **state)
{
	struct writer writer;
	struct node right;

	memset(board, 0, sizeof(*board));
	writer.channel = cma_rig_connect(&writer.left, &right,
					 right_dereg_repeatedly, 0, 0);
	cma_rig_copy_until_done(&right, write_once, &writer);
	assert_true(nr_mapped() <= 1);
	node_go(&right);
	node_end(&right);
	side_close(&writer.left);
}

/* Right: removes all regions of the share. */
static void right_remove_regions(struct node *node, uint32_t kinds)
{
	struct right right;

	right_open(&right, node, kinds);
	node_go(node);
	node_wait(node);
	right_withdraw(&right);
	right_put_share(&right);
	node_go(node);
	node_wait(node);
	right_close(&right);
}

static void mapped_share_without_region_is_unmapped(void **state)
{
	const struct uroce_direct_access copy = wish(WRITE_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	channel = cma_rig_connect(&left, &right, right_remove_regions, 0, 0);
	wait_until_mapped(&left, channel);
	assert_int_equal(nr_mapped(), 1);
	node_go(&right);
	node_wait(&right);
	while (nr_mapped()) {
		see_news(&left);
		(void)sched_yield();
	}
	assert_null(channel->direct_begin(channel, &copy));
	assert_false(uroce_channel_is_shared(channel));
	node_go(&right);
	node_end(&right);
	side_close(&left);
}

static void mapped_share_of_dead_peer_is_unmapped(void **state)
{
	static struct got got;
	struct uroce_direct_access copy = wish(WRITE_RIGHT, 0, 8);
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	channel = cma_rig_connect(&left, &right, right_stay_idle, 0, 0);
	wait_until_mapped(&left, channel);
	node_kill(&right);
	/* the death is noticed without receiving */
	while (channel->direct_begin(channel, &copy)) {
		channel->direct_end(channel);
		(void)sched_yield();
	}
	assert_ptr_equal(side_wait_lost(&left, &got), channel);
	assert_int_equal(nr_mapped(), 0);
	assert_false(uroce_channel_is_shared(channel));
	uroce_shm_put_channel(left.shm, channel);
	side_close(&left);
}

static void mapped_child_after_fork_has_no_mapping(void **state)
{
	struct uroce_channel *channel;
	struct side left;
	struct node right;
	int pid, status;

	channel = cma_rig_connect(&left, &right, right_stay_idle, 0, 0);
	wait_until_mapped(&left, channel);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		uint64_t share = 0, offset;

		CHECK(nr_mapped() == 0);
		uroce_shm_abandon(left.shm);
		uroce_shares_fini(&left.shares);
		CHECK(!uroce_channel_is_shared(channel));
		uroce_shares_get(&left.shares, &share, 8, &share, &offset);
		CHECK(!uroce_shares_put(&left.shares, 1));
		CHECK(share == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	node_kill(&right);
	side_close(&left);
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
