/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access of one process to the memory of another one: with each CMA method, for
 * each reason to refuse it, while the owner deregisters the memory, and after
 * the owner has died, when another process may have its pid. On a system
 * without any CMA method the tests end early: every request is sent then, which
 * other tests cover.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_cma_rig.h"

#define BYTES (64 * 1024)
#define BLIND (1u << 8) /* has the methods, but may not use them */

/* Makes a method fail, by number, as a system does. */
static bool no_vm, no_mem;

static pid_t reused_by; /* the process that has the peer's pid; 0: the peer */

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
ssize_t __real_nocancel_preadv(int fd, const struct iovec *iov, int nr,
			       off_t offset);
ssize_t __wrap_nocancel_preadv(int fd, const struct iovec *iov, int nr,
			       off_t offset);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags)
{
	if (no_vm) {
		errno = EPERM;
		return -1;
	}
	return __real_process_vm_readv(reused_by ? reused_by : pid, here,
				       nr_here, there, nr_there, flags);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags)
{
	return __real_process_vm_writev(reused_by ? reused_by : pid, here,
					nr_here, there, nr_there, flags);
}

ssize_t __wrap_nocancel_preadv(int fd, const struct iovec *iov, int nr,
			       off_t offset)
{
	if (no_mem) {
		errno = EACCES;
		return -1;
	}
	return __real_nocancel_preadv(fd, iov, nr, offset);
}

/* Copies the whole memory of the right process, from or to two SGEs. */
static int copy(struct uroce_channel *channel, bool read, uint8_t *memory,
		uint32_t bytes)
{
	const struct iovec iov[] = {
		{ memory, bytes / 3 },
		{ memory + bytes / 3, bytes - bytes / 3 },
	};
	const struct uroce_direct_access wanted = {
		.read = read,
		.access = read ? READ_RIGHT : WRITE_RIGHT,
		.qpn = LEFT << 16 | 2,
		.dest_qpn = RIGHT << 16 | 2,
		.rkey = KEY,
		.va = IOVA,
		.bytes = bytes,
		.chunk = bytes,
		.iov = iov,
		.nr_iov = 2,
	};

	return channel->direct_copy(channel, &wanted);
}

/*
 * Right: publishes its memory, does nothing, and checks that memory with @is.
 */
static void publish_memory(struct node *node, uint32_t kinds, uint8_t first,
			   bool (*is)(const uint8_t *memory))
{
	uint8_t *memory = malloc(BYTES);
	struct uroce_published_region region =
		right_region(memory, BYTES, READ_RIGHT | WRITE_RIGHT);
	struct uroce_published_qp qp = right_qp(READ_RIGHT | WRITE_RIGHT);
	struct uroce_channel *channel;
	struct side side;

	CHECK(memory);
	memset(memory, first, BYTES);
	cma_try_open(&side, RIGHT, kinds);
	channel = right_meet(&side, node);
	uroce_shm_publish_region(side.shm, &region);
	uroce_shm_publish_qp(side.shm, &qp, channel);
	node_go(node);
	node_wait(node);
	CHECK(is(memory));
	uroce_shm_put_channel(side.shm, channel);
	side_close(&side);
	free(memory);
}

static bool is_pattern(const uint8_t *memory)
{
	for (uint32_t i = 0; i < BYTES; i++)
		if (memory[i] != (uint8_t)(i * 7))
			return false;
	return true;
}

static void right_stay_idle(struct node *node, uint32_t kinds)
{
	publish_memory(node, kinds, 1, is_pattern);
}

static void copy_to_right(struct uroce_channel *channel)
{
	static uint8_t memory[BYTES], back[BYTES];

	for (uint32_t i = 0; i < BYTES; i++)
		memory[i] = (uint8_t)(i * 7);
	for (uint32_t bytes = 1; bytes <= BYTES; bytes = bytes * 5 + 3) {
		memset(back, 0, sizeof(back));
		assert_int_equal(copy(channel, false, memory, bytes), 0);
		assert_int_equal(copy(channel, true, back, bytes), 0);
		assert_memory_equal(back, memory, bytes);
	}
	assert_int_equal(copy(channel, false, memory, BYTES), 0);
}

/* Checks that copy_to_right() uses the available or the faster method. */
static void check_kinds(struct uroce_shm *shm, unsigned int kinds)
{
	struct uroce_shm_counters counters;

	uroce_shm_counters(shm, &counters);
	assert_int_equal(counters.copies_vm > 0, !!(kinds & UROCE_CMA_VM));
	assert_int_equal(counters.copies_mem > 0, !!(kinds & UROCE_CMA_MEM));
	assert_true(counters.copies_vm + counters.copies_mem > 10);
	assert_true(counters.copied_bytes > BYTES);
}

static void cma_each_method_reads_and_writes(void **state)
{
	static const unsigned int kinds[] = {
		UROCE_CMA_VM,
		UROCE_CMA_MEM,
		UROCE_CMA_VM | UROCE_CMA_MEM,
	};
	unsigned int there = 0; /* methods that this system has */

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct uroce_channel *channel;
		struct side left;
		struct node right;

		channel = cma_rig_connect(&left, &right, right_stay_idle, 3,
					  kinds[i]);
		if (!channel->direct_copy) {
			node_kill(&right);
			side_close(&left);
			continue;
		}
		if (kinds[i] != (UROCE_CMA_VM | UROCE_CMA_MEM))
			there |= kinds[i];
		copy_to_right(channel);
		check_kinds(left.shm, kinds[i] & there);
		node_go(&right);
		node_end(&right);
		side_close(&left);
	}
}

/* One side disallows it, or the system denies each method. */
static void cma_denied_process_has_no_copy(void **state)
{
	static const struct {
		unsigned int right, left;
		bool no_vm, no_mem;
		bool works;
	} cases[] = {
		{ 3, 0, false, false, false }, { 0, 3, false, false, false },
		{ 3, 3, true, true, false },   { 3, 1, true, false, false },
		{ 3, 2, false, true, false },  { 3, 3, true, false, true },
		{ 3, 3, false, true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uroce_channel *channel;
		struct side left;
		struct node right;

		no_vm = cases[i].no_vm;
		no_mem = cases[i].no_mem;
		channel = cma_rig_connect(&left, &right, right_stay_idle,
					  cases[i].right, cases[i].left);
		if (!cases[i].works)
			assert_null(channel->direct_copy);
		if (channel->direct_copy)
			copy_to_right(channel);
		no_vm = false;
		no_mem = false;
		node_kill(&right);
		side_close(&left);
	}
}

static void cma_invalid_access_is_refused(void **state)
{
	static uint8_t memory[BYTES];
	struct iovec iov = { memory, 100 };
	struct uroce_direct_access wanted = {
		.access = WRITE_RIGHT,
		.qpn = LEFT << 16 | 2,
		.dest_qpn = RIGHT << 16 | 2,
		.rkey = KEY,
		.va = IOVA + BYTES - 99,
		.bytes = 100,
		.chunk = 100,
		.iov = &iov,
		.nr_iov = 1,
	};
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	channel = cma_rig_connect(&left, &right, right_stay_idle, 3, 3);
	if (channel->direct_copy) {
		assert_int_equal(channel->direct_copy(channel, &wanted),
				 -EACCES);
		wanted.va--;
		wanted.rkey++;
		assert_int_equal(channel->direct_copy(channel, &wanted),
				 -EACCES);
		wanted.rkey--;
		wanted.qpn++;
		assert_int_equal(channel->direct_copy(channel, &wanted),
				 -EACCES);
		wanted.qpn--;
		wanted.access = 8;
		assert_int_equal(channel->direct_copy(channel, &wanted),
				 -EACCES);
		wanted.access = WRITE_RIGHT;
		/* a part of which is inside the region */
		wanted.bytes = 101;
		assert_int_equal(channel->direct_copy(channel, &wanted),
				 -EACCES);
		wanted.bytes = 100;
		assert_int_equal(channel->direct_copy(channel, &wanted), 0);
	}
	node_kill(&right);
	side_close(&left);
}

/* Right: its memory is written from the middle on. */
static bool is_half(const uint8_t *memory)
{
	for (uint32_t i = 0; i < BYTES; i++)
		if (memory[i] != (i < BYTES / 2 ? 0 : 9))
			return false;
	return true;
}

static void right_check_second_half(struct node *node, uint32_t kinds)
{
	publish_memory(node, kinds, 0, is_half);
}

static void cma_part_is_copied_to_offset(void **state)
{
	static uint8_t memory[BYTES / 2];
	struct iovec iov = { memory, sizeof(memory) };
	const struct uroce_direct_access wanted = {
		.access = WRITE_RIGHT,
		.qpn = LEFT << 16 | 2,
		.dest_qpn = RIGHT << 16 | 2,
		.rkey = KEY,
		.va = IOVA,
		.bytes = BYTES,
		.offset = BYTES / 2,
		.chunk = BYTES / 2,
		.iov = &iov,
		.nr_iov = 1,
	};
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	memset(memory, 9, sizeof(memory));
	channel = cma_rig_connect(&left, &right, right_check_second_half, 3, 3);
	if (channel->direct_copy) {
		assert_int_equal(channel->direct_copy(channel, &wanted), 0);
		node_go(&right);
		node_end(&right);
	} else {
		node_kill(&right);
	}
	side_close(&left);
}

static void cma_dead_peer_is_not_written(void **state)
{
	for (unsigned int kinds = 1; kinds <= 3; kinds++) {
		static uint8_t memory[BYTES];
		struct uroce_channel *channel;
		struct side left;
		struct node right;

		channel = cma_rig_connect(&left, &right, right_stay_idle, 3,
					  kinds);
		node_kill(&right);
		if (channel->direct_copy) {
			assert_true(copy(channel, false, memory, 8) < 0);
			assert_true(copy(channel, false, memory, BYTES) < 0);
		}
		side_close(&left);
	}
}

static int until_checked[2]; /* pipe: ends with the test, too */

/* The child has the memory of its parent, and keeps the sockets open. */
static void run_child(const uint8_t *memory)
{
	char byte;

	(void)close(until_checked[1]);
	CHECK(read(until_checked[0], &byte, 1) >= 0);
	for (uint32_t i = 0; i < BYTES; i++)
		CHECK(memory[i] == 1);
	_exit(0);
}

/* Right: publishes its memory and leaves a child without fork handlers. */
static void right_leave_child(struct node *node, uint32_t kinds)
{
	uint8_t *memory = malloc(BYTES);
	struct uroce_published_region region =
		right_region(memory, BYTES, READ_RIGHT | WRITE_RIGHT);
	struct uroce_published_qp qp = right_qp(READ_RIGHT | WRITE_RIGHT);
	struct side side;
	int pid;

	CHECK(memory);
	memset(memory, 1, BYTES);
	cma_try_open(&side, RIGHT, kinds);
	uroce_shm_publish_region(side.shm, &region);
	uroce_shm_publish_qp(side.shm, &qp, right_meet(&side, node));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		run_child(memory);
	board->pid = pid;
	node_go(node);
	node_wait(node);
}

static void cma_process_with_reused_pid_is_not_accessed(void **state)
{
	for (unsigned int kinds = 1; kinds <= 3; kinds++) {
		static uint8_t memory[BYTES], zeros[BYTES];
		struct uroce_channel *channel;
		struct side left;
		struct node right;
		int status;

		assert_int_equal(pipe(until_checked), 0);
		assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
		channel = cma_rig_connect(&left, &right, right_leave_child, 3,
					  kinds);
		node_kill(&right);
		if (channel->direct_copy) {
			reused_by = board->pid;
			assert_true(copy(channel, false, memory, 8) < 0);
			assert_true(copy(channel, false, memory, BYTES) < 0);
			assert_true(copy(channel, true, memory, 8) < 0);
			assert_true(copy(channel, true, memory, BYTES) < 0);
			reused_by = 0;
			assert_memory_equal(memory, zeros, BYTES);
		}
		(void)close(until_checked[0]);
		(void)close(until_checked[1]);
		assert_int_equal(waitpid(board->pid, &status, 0), board->pid);
		assert_int_equal(status, 0);
		side_close(&left);
	}
}

/*
 * Right: deregisters its memory repeatedly, and checks that no process writes
 * to it.
 */
static void right_dereg_repeatedly(struct node *node, uint32_t kinds)
{
	uint8_t *memory = malloc(BYTES);
	struct uroce_published_region region =
		right_region(memory, BYTES, READ_RIGHT | WRITE_RIGHT);
	struct uroce_published_region none = right_region(memory, BYTES, 0);
	struct uroce_published_qp qp = right_qp(READ_RIGHT | WRITE_RIGHT);
	struct uroce_channel *channel;
	struct side side;

	CHECK(memory);
	no_vm = kinds & BLIND;
	no_mem = kinds & BLIND;
	cma_try_open(&side, RIGHT, kinds & ~BLIND);
	channel = right_meet(&side, node);
	CHECK(!(kinds & BLIND) || !channel->direct_copy);
	uroce_shm_publish_qp(side.shm, &qp, channel);
	node_go(node);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t before = board_look(&board->copies);

		uroce_shm_publish_region(side.shm, &region);
		board_await(&board->copies, before + 1);
		uroce_shm_publish_region(side.shm, &none);
		right_quiesce(&side);
		right_check_left_alone(memory, BYTES);
	}
	__atomic_store_n(&board->done, 1, __ATOMIC_RELEASE);
	node_wait(node);
	uroce_shm_put_channel(side.shm, channel);
	side_close(&side);
	free(memory);
}

static int copy_whole_memory(void *channel)
{
	static uint8_t memory[BYTES];

	return copy(channel, false, memory, BYTES);
}

static void check_dereg_during_copy(unsigned int right_kinds)
{
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	memset(board, 0, sizeof(*board));
	channel = cma_rig_connect(&left, &right, right_dereg_repeatedly,
				  right_kinds, 3);
	if (!channel->direct_copy) {
		node_kill(&right);
		side_close(&left);
		return;
	}
	cma_rig_copy_until_done(&right, copy_whole_memory, channel);
	node_go(&right);
	node_end(&right);
	side_close(&left);
}

static void cma_dereg_waits_for_copy(void **state)
{
	check_dereg_during_copy(3);
}

/* Like a dumpable and a non-dumpable process. */
static void cma_dereg_without_own_copy_waits_for_peer(void **state)
{
	check_dereg_during_copy(3 | BLIND);
}

/* Right: waits for a process that was stopped before a copy. */
static void right_settle_with_stopped_peer(struct node *node, uint32_t kinds)
{
	struct uroce_channel *channel;
	struct side side;

	cma_try_open(&side, RIGHT, kinds);
	channel = right_meet(&side, node);
	node_go(node);
	node_wait(node);
	board->error = uroce_shm_quiesce(side.shm, uroce_pairing_now_ms());
	node_go(node);
	node_wait(node);
	right_quiesce(&side);
	uroce_shm_put_channel(side.shm, channel);
	side_close(&side);
}

static void cma_dereg_gives_up_on_stopped_peer(void **state)
{
	struct uroce_channel *channel;
	struct side left;
	struct node right;

	memset(board, 0, sizeof(*board));
	channel = cma_rig_connect(&left, &right, right_settle_with_stopped_peer,
				  3, 3);
	if (!channel->direct_copy) {
		node_kill(&right);
		side_close(&left);
		return;
	}
	uroce_shm_directory_begin(&left.shm->directory, RIGHT);
	node_go(&right);
	node_wait(&right);
	assert_int_equal(board->error, -EBUSY);
	uroce_shm_directory_end(&left.shm->directory, RIGHT);
	node_go(&right);
	node_end(&right);
	side_close(&left);
}

/*
 * The child has neither the memory of the directory nor the access of its
 * parent.
 */
static void cma_child_after_fork_cannot_copy(void **state)
{
	struct uroce_channel *channel;
	struct side left;
	struct node right;
	int pid, status;

	channel = cma_rig_connect(&left, &right, right_stay_idle, 3, 3);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct uroce_published_qp qp =
			right_qp(READ_RIGHT | WRITE_RIGHT);

		uroce_shm_abandon(left.shm);
		CHECK(!channel->direct_copy);
		uroce_shm_publish_qp(left.shm, &qp, channel);
		CHECK(uroce_shm_quiesce(left.shm, 0) == 0);
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
		cmocka_unit_test(cma_each_method_reads_and_writes),
		cmocka_unit_test(cma_denied_process_has_no_copy),
		cmocka_unit_test(cma_invalid_access_is_refused),
		cmocka_unit_test(cma_part_is_copied_to_offset),
		cmocka_unit_test(cma_dead_peer_is_not_written),
		cmocka_unit_test(cma_process_with_reused_pid_is_not_accessed),
		cmocka_unit_test(cma_dereg_waits_for_copy),
		cmocka_unit_test(cma_dereg_without_own_copy_waits_for_peer),
		cmocka_unit_test(cma_dereg_gives_up_on_stopped_peer),
		cmocka_unit_test(cma_child_after_fork_cannot_copy),
	};

	if (!board_open())
		return 1;
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
