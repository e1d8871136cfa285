/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For which process quiesce() waits before the memory of a long message is
 * reused: the right process, which may be copying, dead or stopped. The left
 * process pushes and pulls all the time.
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

#define QUIESCE	 2000 /* ms; as in uroce_shm_rndv.c */
#define ANY_SLOT 7    /* a slot without a process */

/* -- settling ------------------------------------------------------------- */

static void never_sleep(void)
{
	fail();
}

static void quiesce_idle_peer_is_not_awaited(void **state)
{
	while_asleep = never_sleep;
	channel->rndv->quiesce(channel);
	/* not from or to the left process */
	right_copies(ANY_SLOT, true);
	channel->rndv->quiesce(channel);
	right_copies(ANY_SLOT, false);
	right_copies(LEFT, true);
	right_copies(LEFT, false);
	channel->rndv->quiesce(channel);
}

static void end_copy_in_third_sleep(void)
{
	if (nr_sleeps == 3)
		right_copies(LEFT, false);
}

/* The next copy has started, but uses the current sink. */
static void begin_next_copy(void)
{
	right_copies(LEFT, false);
	right_copies(LEFT, true);
}

static void quiesce(void (*meanwhile)(void))
{
	set_clock(1000000);
	nr_sleeps = 0;
	while_asleep = meanwhile;
	channel->rndv->quiesce(channel);
	while_asleep = NULL;
}

static void quiesce_waits_for_copying_peer(void **state)
{
	right_copies(LEFT, true);
	quiesce(end_copy_in_third_sleep);
	assert_int_equal(nr_sleeps, 3);
	right_copies(LEFT, true);
	quiesce(begin_next_copy);
	assert_int_equal(nr_sleeps, 1);
	right_copies(LEFT, false);
}

/* As long as the serving thread needs to notice the death. */
static void die_in_second_sleep(void)
{
	const struct uroce_peer *peer =
		list_entry(channel, struct uroce_peer, channel);

	if (nr_sleeps != 2)
		return;
	kill_right();
	while (!__atomic_load_n(&peer->dead, __ATOMIC_RELAXED))
		(void)sched_yield();
}

static void quiesce_stops_waiting_for_dead_peer(void **state)
{
	right_copies(LEFT, true);
	quiesce(die_in_second_sleep);
	assert_int_equal(nr_sleeps, 2);
	/* nor in the next call */
	quiesce(never_sleep);
}

static void let_100_ms_pass(void)
{
	set_clock(get_clock() + 100);
	assert_true(nr_sleeps <= QUIESCE / 100);
}

static void quiesce_gives_up_on_stopped_peer(void **state)
{
	right_copies(LEFT, true);
	quiesce(let_100_ms_pass);
	assert_int_equal(nr_sleeps, QUIESCE / 100);
	/* another QP of the left process, then another copy of the right one */
	quiesce(let_100_ms_pass);
	assert_int_equal(nr_sleeps, 0);
	right_copies(LEFT, false);
	right_copies(LEFT, true);
	quiesce(let_100_ms_pass);
	assert_int_equal(nr_sleeps, QUIESCE / 100);
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
		to_left->rndv->quiesce(to_left);
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
		to_left->rndv->quiesce(to_left);
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
		TEST(quiesce_idle_peer_is_not_awaited),
		TEST(quiesce_waits_for_copying_peer),
		TEST(quiesce_stops_waiting_for_dead_peer),
		TEST(quiesce_gives_up_on_stopped_peer),
		cmocka_unit_test(quiesce_protects_withdrawn_sink_from_push),
		cmocka_unit_test(quiesce_protects_reused_source_from_pull),
	};

	if (ret)
		return ret;
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
