/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Long messages that both sides copy: accesses of the left process to the
 * memory of the right one, and the cases in which they are refused.
 */
#include "uroce/shm/uroce_shm_rndv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_obedient.h"

#define SHORT 8000 /* the minimum for CMA calls */

static bool is_open(void)
{
	return channel->rndv->is_open(channel, &qpns);
}

static void assert_counted(uint64_t pushed, uint64_t pulled)
{
	struct uroce_shm_counters counters;

	uroce_shm_counters(left.shm, &counters);
	assert_true(counters.pushed_bytes == pushed);
	assert_true(counters.pulled_bytes == pulled);
}

/* -- copies --------------------------------------------------------------- */

static void shm_rndv_push_reaches_sink(void **state)
{
	for (int i = 0; i < UROCE_NR_SINKS; i++) {
		enum uroce_sink_kind kind = (enum uroce_sink_kind)i;
		struct uroce_sink found;

		right_fills(1);
		right_publishes(kind, a_sink());
		assert_true(is_open());
		assert_true(channel->rndv->find(channel, &qpns, kind, &found));
		assert_int_equal(found.psn, PSN);
		assert_int_equal(found.bytes, BYTES - 100);
		assert_int_equal(push(kind, &found, 0, PART), 0);
		assert_true(said_so);
		right_finds(100, PART);
		right_fills(1);
		/* the rest, up to the end */
		assert_int_equal(push(kind, &found, found.bytes - SHORT, SHORT),
				 0);
		right_finds(BYTES - SHORT, SHORT);
		right_publishes(kind, nowhere);
		assert_false(channel->rndv->find(channel, &qpns, kind, &found));
	}
	assert_int_equal(nr_copies, 4);
	assert_counted(2 * (PART + SHORT), 0);
}

static void shm_rndv_pull_reads_peer_memory(void **state)
{
	right_fills(0x5a);
	assert_int_equal(pull_from(&qpns, memory + 5, PART), 0);
	assert_true(said_so);
	for (uint32_t i = 0; i < BYTES; i++)
		assert_int_equal(memory[i], i < PART ? 0x5a : 0);
	assert_counted(0, PART);
	assert_int_equal(nr_copies, 1);
}

/* -- refused -------------------------------------------------------------- */

/* The published state forbids it; no copy is attempted. */
static void assert_push_is_refused(const struct uroce_sink *sink)
{
	assert_int_equal(push(UROCE_SINK_RECEIVE, sink, 0, PART), -EACCES);
	assert_int_equal(nr_copies, 0);
	right_finds(0, 0);
	assert_counted(0, 0);
}

static void shm_rndv_push_to_withdrawn_sink_is_refused(void **state)
{
	const struct uroce_sink known = a_sink();
	struct uroce_sink next = known;

	right_publishes(UROCE_SINK_RECEIVE, nowhere);
	assert_push_is_refused(&known);
	/* the same memory for the next message */
	next.psn++;
	right_publishes(UROCE_SINK_RECEIVE, next);
	assert_push_is_refused(&known);
	next = known;
	next.address++;
	right_publishes(UROCE_SINK_RECEIVE, next);
	assert_push_is_refused(&known);
	/* of the other kind */
	right_publishes(UROCE_SINK_RECEIVE, nowhere);
	right_publishes(UROCE_SINK_READ, known);
	assert_push_is_refused(&known);
	right_publishes(UROCE_SINK_RECEIVE, known);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, 0, PART), 0);
}

static void shm_rndv_push_beyond_sink_is_refused(void **state)
{
	const struct uroce_sink known = a_sink();
	struct uroce_sink shorter = known;

	shorter.bytes = PART - 1;
	right_publishes(UROCE_SINK_RECEIVE, shorter);
	assert_push_is_refused(&known);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, PART - 1, 1),
			 -EACCES);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, PART, 0), -EACCES);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, UINT32_MAX, 2),
			 -EACCES);
	assert_int_equal(nr_copies, 0);
	right_finds(0, 0);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, PART - 3, 2), 0);
	right_finds(100 + PART - 3, 2);
}

/* Conditions that forbid a push forbid a pull as well. */
static void assert_both_are_refused(void)
{
	const struct uroce_sink known = a_sink();

	assert_false(is_open());
	assert_push_is_refused(&known);
	assert_int_equal(pull(), -EACCES);
	assert_int_equal(nr_copies, 0);
	assert_counted(0, 0);
	assert_int_equal(memory[0], 0);
}

static void shm_rndv_unconnected_qp_is_refused(void **state)
{
	struct uroce_qpn_pair other = qpns;

	right_publishes_qp(false, true);
	assert_both_are_refused();
	/* quiesce() would not wait for a peer without CMA */
	right_publishes_qp(true, false);
	assert_both_are_refused();
	right_publishes_qp(true, true);
	other.qpn++;
	assert_false(channel->rndv->is_open(channel, &other));
	assert_int_equal(pull_from(&other, memory, PART), -EACCES);
	other = qpns;
	other.dest_qpn++;
	assert_false(channel->rndv->is_open(channel, &other));
	assert_int_equal(pull_from(&other, memory, PART), -EACCES);
	assert_int_equal(nr_copies, 0);
	assert_int_equal(pull(), 0);
}

static void shm_rndv_denied_push_disables_copy(void **state)
{
	const struct uroce_sink known = a_sink();

	denied = EPERM;
	assert_true(channel->rndv->choose(channel, UROCE_SINK_RECEIVE, 1, 1));
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, 0, PART), -EPERM);
	assert_null(channel->direct_copy);
	denied = 0;
	assert_false(channel->rndv->choose(channel, UROCE_SINK_RECEIVE, 1, 2));
	assert_false(is_open());
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, 0, PART), -ENOTCONN);
	assert_int_equal(pull(), -ENOTCONN);
	assert_int_equal(nr_copies, 1);
	assert_counted(0, 0);
	/* requests of the peer continue: one may be in progress */
	channel->rndv->publish(channel, qpns.qpn, UROCE_SINK_READ, &nowhere);
	assert_int_equal(channel->rndv->accesses(channel), 0);
}

static void shm_rndv_denied_pull_disables_copy(void **state)
{
	denied = EPERM;
	assert_int_equal(pull(), -EPERM);
	assert_null(channel->direct_copy);
	assert_counted(0, 0);
}

/* A bad address concerns one message only. */
static void shm_rndv_efault_keeps_copy(void **state)
{
	struct uroce_sink sink = a_sink();

	sink.address = 4096;
	right_publishes(UROCE_SINK_RECEIVE, sink);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &sink, 0, PART), -EFAULT);
	assert_int_equal(pull_from(&qpns, (uint8_t *)4096, PART), -EFAULT);
	sink.address = UINT64_MAX - 10;
	right_publishes(UROCE_SINK_RECEIVE, sink);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &sink, 100, PART), -EFAULT);
	assert_int_equal(push(UROCE_SINK_RECEIVE, &sink, 0, PART), -EFAULT);
	assert_counted(0, 0);
	assert_non_null(channel->direct_copy);
	assert_true(is_open());
	assert_int_equal(pull(), 0);
}

static void assert_neither_works(int error)
{
	const struct uroce_sink known = a_sink();
	uint32_t before = nr_copies;

	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, 0, PART), error);
	assert_int_equal(pull(), error);
	assert_int_equal(nr_copies, before);
}

static void shm_rndv_dead_peer_is_refused(void **state)
{
	const struct uroce_sink known = a_sink();
	static struct got got;

	kill_right();
	assert_int_equal(push(UROCE_SINK_RECEIVE, &known, 0, PART), -ESRCH);
	assert_int_equal(pull(), -ESRCH);
	assert_ptr_equal(side_wait_lost(&left, &got), channel);
	assert_neither_works(-ENOTCONN);
	assert_int_equal(channel->rndv->accesses(channel), 0);
}

static void shm_rndv_peer_with_protocol_error_is_refused(void **state)
{
	struct uroce_peer *peer =
		list_entry(channel, struct uroce_peer, channel);

	peer->protocol_error = true;
	assert_neither_works(-ENOTCONN);
}

/* -- path selection ------------------------------------------------------- */

static bool chooses(enum uroce_sink_kind kind, uint32_t psn)
{
	return channel->rndv->choose(channel, kind, qpns.qpn, psn);
}

static void shm_rndv_always_mode_samples_nothing(void **state)
{
	for (uint32_t psn = 0; psn < 200; psn++) {
		assert_true(chooses(UROCE_SINK_RECEIVE, psn));
		channel->rndv->learn(channel, UROCE_SINK_RECEIVE, qpns.qpn, psn,
				     BYTES);
		assert_true(chooses(UROCE_SINK_READ, psn));
	}
}

static int try(void **state)
{
	meet_as(right_obey_orders, UROCE_SHM_RNDV_TRY, 3);
	node_wait(&right);
	set_clock(1000000);
	return 0;
}

/* Each message of one kind takes so many ms, with or without rendezvous. */
static uint32_t send_some(enum uroce_sink_kind kind, uint32_t nr,
			  uint32_t rndv_ms, uint32_t ring_ms)
{
	uint32_t nr_rndv = 0;

	for (uint32_t psn = 1; psn <= nr; psn++) {
		bool rndv = chooses(kind, psn);

		nr_rndv += rndv;
		/* completions of another QP are ignored */
		channel->rndv->learn(channel, kind, qpns.qpn + 1, psn, BYTES);
		channel->rndv->learn(channel, kind, qpns.qpn, psn + 1, BYTES);
		channel->rndv->learn(channel, !kind, qpns.qpn, psn, BYTES);
		set_clock(get_clock() + (rndv ? rndv_ms : ring_ms));
		channel->rndv->learn(channel, kind, qpns.qpn, psn, BYTES);
	}
	return nr_rndv;
}

static void shm_rndv_sampling_is_separate_per_kind(void **state)
{
	const uint32_t row = 24;

	assert_int_equal(send_some(UROCE_SINK_RECEIVE, 2 * row, 1, 2), row);
	assert_int_equal(send_some(UROCE_SINK_READ, 2 * row, 2, 1), row);
	assert_int_equal(send_some(UROCE_SINK_RECEIVE, 16, 1, 2), 16);
	assert_int_equal(send_some(UROCE_SINK_READ, 16, 2, 1), 0);
}

/* None of these uses the protocol, although CMA is available. */
static void shm_rndv_never_mode_sets_no_ops(void **state)
{
	static const struct {
		enum uroce_shm_rndv rndv;
		unsigned int kinds;
	} cases[] = {
		{ UROCE_SHM_RNDV_NEVER, 3 },
		{ UROCE_SHM_RNDV_ALWAYS, UROCE_CMA_MEM },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		meet_as(right_obey_orders, cases[i].rndv, cases[i].kinds);
		assert_null(channel->rndv);
		node_kill(&right);
		end_left();
	}
}

static void shm_rndv_without_cma_sets_no_ops(void **state)
{
	cma_rig_rndv = UROCE_SHM_RNDV_ALWAYS;
	channel = cma_rig_connect(&left, &right, right_obey_orders, 3, 0);
	assert_null(channel->rndv);
	assert_null(channel->direct_copy);
	node_kill(&right);
	end_left();
}

static void shm_rndv_own_channel_sets_no_ops(void **state)
{
	struct uroce_channel *own = side_connect(&left, LEFT);

	assert_ptr_not_equal(own, channel);
	assert_null(own->rndv);
	uroce_shm_put_channel(left.shm, own);
}

/*
 * The child has neither the memory of the directory nor the access of its
 * parent.
 */
static void shm_rndv_child_after_fork_does_nothing(void **state)
{
	const struct uroce_sink known = a_sink();
	int pid, status;

	right_copies(LEFT, true);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const struct uroce_rndv_ops *ops = channel->rndv;
		const struct iovec iov = { part, PART };

		uroce_shm_abandon(left.shm);
		CHECK(ops);
		CHECK(!chooses(UROCE_SINK_RECEIVE, 1));
		CHECK(!chooses(UROCE_SINK_READ, 1));
		ops->learn(channel, UROCE_SINK_READ, qpns.qpn, 1, BYTES);
		CHECK(!ops->is_open(channel, &qpns));
		CHECK(ops->push(channel, &qpns, UROCE_SINK_RECEIVE, &known, 0,
				&iov) == -ENOTCONN);
		CHECK(ops->pull(channel, &qpns, known.address, &iov) ==
		      -ENOTCONN);
		ops->publish(channel, qpns.qpn, UROCE_SINK_READ, &known);
		ops->publish(channel, qpns.qpn, UROCE_SINK_READ, &nowhere);
		/* the peer copies to the parent, not to the child */
		CHECK(!ops->accesses(channel));
		CHECK(nr_copies == 0 && nr_sleeps == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	right_copies(LEFT, false);
	right_finds(0, 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, meet, leave)

int main(void)
{
	int ret = obedient_open();
	const struct CMUnitTest tests[] = {
		TEST(shm_rndv_push_reaches_sink),
		TEST(shm_rndv_pull_reads_peer_memory),
		TEST(shm_rndv_push_to_withdrawn_sink_is_refused),
		TEST(shm_rndv_push_beyond_sink_is_refused),
		TEST(shm_rndv_unconnected_qp_is_refused),
		TEST(shm_rndv_denied_push_disables_copy),
		TEST(shm_rndv_denied_pull_disables_copy),
		TEST(shm_rndv_efault_keeps_copy),
		TEST(shm_rndv_dead_peer_is_refused),
		TEST(shm_rndv_peer_with_protocol_error_is_refused),
		TEST(shm_rndv_always_mode_samples_nothing),
		cmocka_unit_test_setup_teardown(
			shm_rndv_sampling_is_separate_per_kind, try, leave),
		cmocka_unit_test(shm_rndv_never_mode_sets_no_ops),
		cmocka_unit_test(shm_rndv_without_cma_sets_no_ops),
		TEST(shm_rndv_own_channel_sets_no_ops),
		TEST(shm_rndv_child_after_fork_does_nothing),
	};

	if (ret)
		return ret;
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
