/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which accesses of the peer must end before the memory of a long message is
 * reused. The right process copies, is dead or is stopped; the left process
 * pushes and pulls all the time.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_obedient.h"

#define ANY_SLOT 7 /* a slot without a process */

static uint32_t accesses(void)
{
	return channel->rndv->accesses(channel);
}

static bool is_quiet(uint32_t number)
{
	return channel->rndv->is_quiet(channel, number);
}

/* -- accesses of the peer ------------------------------------------------- */

static void quiesce_idle_peer_has_no_access(void **state)
{
	assert_int_equal(accesses(), 0);
	/* not from or to the left process */
	right_copies(ANY_SLOT, true);
	assert_int_equal(accesses(), 0);
	right_copies(ANY_SLOT, false);
	right_copies(LEFT, true);
	right_copies(LEFT, false);
	assert_int_equal(accesses(), 0);
}

static void quiesce_copying_peer_is_not_quiet(void **state)
{
	uint32_t first, second;

	right_copies(LEFT, true);
	first = accesses();
	assert_int_not_equal(first, 0);
	assert_false(is_quiet(first));
	right_copies(LEFT, false);
	assert_true(is_quiet(first));
	/* the next copy uses the current sink */
	right_copies(LEFT, true);
	assert_true(is_quiet(first));
	second = accesses();
	assert_int_not_equal(second, first);
	assert_false(is_quiet(second));
	right_copies(LEFT, false);
}

static void quiesce_dead_peer_is_quiet(void **state)
{
	const struct uroce_peer *peer =
		list_entry(channel, struct uroce_peer, channel);
	uint32_t number;

	right_copies(LEFT, true);
	number = accesses();
	kill_right();
	/* as long as the serving thread needs to notice the death */
	while (!__atomic_load_n(&peer->dead, __ATOMIC_RELAXED))
		(void)sched_yield();
	assert_true(is_quiet(number));
}

static void quiesce_access_given_up_does_not_count(void **state)
{
	right_copies(LEFT, true);
	channel->rndv->give_up(channel, accesses());
	/* for another QP of the left process; not for another copy */
	assert_int_equal(accesses(), 0);
	right_copies(LEFT, false);
	right_copies(LEFT, true);
	assert_int_not_equal(accesses(), 0);
	right_copies(LEFT, false);
}

/* -- reusing memory ------------------------------------------------------- */

static void right_publishes_own_qp(struct side *side,
				   struct uroce_channel *to_left, bool ready)
{
	struct uroce_published_qp qp = right_qp(0);

	qp.ready = ready;
	qp.pulls = true;
	uroce_shm_publish_qp(side->shm, &qp, to_left);
}

static void right_await_quiet(struct uroce_channel *to_left)
{
	uint32_t number = to_left->rndv->accesses(to_left);

	while (number && !to_left->rndv->is_quiet(to_left, number))
		(void)sched_yield();
}

/*
 * Right: withdraws its sink repeatedly, and checks that no process writes to
 * it.
 */
static void right_withdraw_repeatedly(struct node *node, uint32_t kinds)
{
	struct uroce_channel *to_left;
	struct side side;

	cma_try_open(&side, RIGHT, kinds);
	to_left = right_meet(&side, node);
	right_publishes_own_qp(&side, to_left, true);
	node_go(node);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t before = board_look(&board->copies);
		const struct uroce_sink sink = a_sink();

		to_left->rndv->publish(to_left, qpns.dest_qpn, UROCE_SINK_READ,
				       &sink);
		board_await(&board->copies, before + 1);
		to_left->rndv->publish(to_left, qpns.dest_qpn, UROCE_SINK_READ,
				       &nowhere);
		right_await_quiet(to_left);
		right_check_left_alone(memory, BYTES);
	}
	__atomic_store_n(&board->done, 1, __ATOMIC_RELEASE);
	node_wait(node);
	uroce_shm_put_channel(side.shm, to_left);
	side_close(&side);
}

/* Right: the sent data stays valid until the right process overwrites it. */
static void right_reuse_source(struct node *node, uint32_t kinds)
{
	struct uroce_channel *to_left;
	struct side side;

	cma_try_open(&side, RIGHT, kinds);
	to_left = right_meet(&side, node);
	memset(memory, 1, BYTES);
	node_go(node);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t before = board_look(&board->copies);

		right_publishes_own_qp(&side, to_left, true);
		board_await(&board->copies, before + 1);
		right_publishes_own_qp(&side, to_left, false);
		right_await_quiet(to_left);
		memset(memory, 0xee, BYTES);
		before = board_look(&board->refusals);
		board_await(&board->refusals, before + 2);
		memset(memory, 1, BYTES);
	}
	__atomic_store_n(&board->done, 1, __ATOMIC_RELEASE);
	node_wait(node);
	uroce_shm_put_channel(side.shm, to_left);
	side_close(&side);
}

/* Each performs one copy of the left process. Return: 0 or -EACCES. */
static int push_any(void *arg)
{
	const struct uroce_sink known = a_sink();

	return push(UROCE_SINK_READ, &known, 0, PART);
}

static int pull_ones(void *arg)
{
	int ret = pull();

	for (uint32_t i = 0; !ret && i < PART; i++)
		assert_int_equal(memory[i], 1);
	return ret;
}

static void copy_meanwhile(void (*right_fn)(struct node *, uint32_t),
			   int (*left_fn)(void *))
{
	memset(board, 0, sizeof(*board));
	meet_as(right_fn, UROCE_SHM_RNDV_ALWAYS, 3);
	cma_rig_copy_until_done(&right, left_fn, NULL);
	node_go(&right);
	node_end(&right);
	end_left();
}

static void quiesce_protects_withdrawn_sink_from_push(void **state)
{
	memset(part, 0x77, PART);
	copy_meanwhile(right_withdraw_repeatedly, push_any);
}

static void quiesce_protects_reused_source_from_pull(void **state)
{
	copy_meanwhile(right_reuse_source, pull_ones);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, meet, leave)

int main(void)
{
	int ret = obedient_open();
	const struct CMUnitTest tests[] = {
		TEST(quiesce_idle_peer_has_no_access),
		TEST(quiesce_copying_peer_is_not_quiet),
		TEST(quiesce_dead_peer_is_quiet),
		TEST(quiesce_access_given_up_does_not_count),
		cmocka_unit_test(quiesce_protects_withdrawn_sink_from_push),
		cmocka_unit_test(quiesce_protects_reused_source_from_pull),
	};

	if (ret)
		return ret;
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
