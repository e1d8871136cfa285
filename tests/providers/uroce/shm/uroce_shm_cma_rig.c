/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The board in shared memory, and steps that the tests have in common. */
#include "uroce_shm_cma_rig.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"

struct board *board;
enum uroce_shm_rndv cma_rig_rndv;

bool board_open(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return board != MAP_FAILED;
}

uint32_t board_look(const uint32_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

void board_await(const uint32_t *counter, uint32_t value)
{
	while (board_look(counter) < value)
		(void)sched_yield();
}

void cma_try_open(struct side *side, uint32_t slot, unsigned int kinds)
{
	struct uroce_shm_config config;

	side_open(side, slot);
	config = side->shm->config;
	config.cma_kinds = kinds;
	config.rndv = cma_rig_rndv;
	uroce_shm_close(side->shm);
	CHECK(uroce_shm_open(&config, &side->shm) == 0);
	side_serve(side);
}

struct uroce_channel *cma_rig_connect(struct side *left, struct node *right,
				      void (*fn)(struct node *, uint32_t),
				      unsigned int right_kinds,
				      unsigned int kinds)
{
	struct uroce_channel *channel;

	node_start(right, fn, right_kinds);
	node_wait(right);
	cma_try_open(left, LEFT, kinds);
	node_go(right);
	channel = side_connect(left, RIGHT);
	node_wait(right);
	return channel;
}

struct uroce_channel *right_meet(struct side *right, struct node *node)
{
	node_go(node);
	node_wait(node);
	return side_connect(right, LEFT);
}

struct uroce_published_region right_region(uint8_t *memory, uint32_t bytes,
					   uint32_t access)
{
	return (struct uroce_published_region){
		.key = KEY,
		.pd = 3,
		.access = access,
		.base = (uintptr_t)memory,
		.iova = IOVA,
		.bytes = bytes,
	};
}

struct uroce_published_qp right_qp(uint32_t access)
{
	return (struct uroce_published_qp){
		.qpn = RIGHT << 16 | 2,
		.ready = true,
		.dest_qpn = LEFT << 16 | 2,
		.pd = 3,
		.access = access,
	};
}

void cma_rig_copy_until_done(const struct node *right,
			     int (*copy_once)(void *arg), void *arg)
{
	while (!__atomic_load_n(&board->done, __ATOMIC_ACQUIRE)) {
		int ret = copy_once(arg);

		if (!ret) {
			__atomic_fetch_add(&board->copies, 1, __ATOMIC_RELAXED);
			continue;
		}
		/* the right process ends only after an error */
		assert_int_equal(waitpid(right->pid, NULL, WNOHANG), 0);
		assert_int_equal(ret, -EACCES);
		__atomic_fetch_add(&board->refusals, 1, __ATOMIC_RELAXED);
	}
	assert_true(board->copies >= ROUNDS);
}

void right_quiesce(struct side *right)
{
	CHECK(uroce_shm_quiesce(right->shm,
				uroce_pairing_now_ms() + PATIENCE) == 0);
}

void right_check_left_alone(uint8_t *memory, uint32_t bytes)
{
	uint32_t before;

	memset(memory, 0xee, bytes);
	/* until the left process has tried again and was refused */
	before = board_look(&board->refusals);
	board_await(&board->refusals, before + 2);
	for (uint32_t i = 0; i < bytes; i++)
		CHECK(memory[i] == 0xee);
}
