/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who moves packets and when: the thread that posts or polls, the one that has
 * the lock, the helper. The port gives back what it gets.
 */
#include "uroce/uroce_loop.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/uroce_loop_state.h"
#include "uroce/wire/uroce_packet.h"
#include "uroce_fake_port.h"
#include "uroce_loop_pair.h"

/* Until the helper sleeps, and nothing but what comes next will wake it. */
static void settle(const struct side *side)
{
	const struct uroce_helper *helper = &side->instance->loop->helper;

	while (__atomic_load_n(&helper->until_ns, __ATOMIC_RELAXED) !=
	       UROCE_NEVER)
		(void)sched_yield();
}

static void posting_sends_and_polling_receives(void **state)
{
	struct uroce_loop_counters counters;
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	memset(pair.side[0].memory, 0x5a, 5000);
	side_receive(&pair.side[1], 8192);
	fake_lock();
	fake.nr_put = 0;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_SEND, 5000, &pair.address[1]);
	fake_lock();
	assert_true(fake.nr_put >= 5); /* inline, not by the helper */
	fake_unlock();
	side_poll(&pair.side[1], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.byte_len, 5000);
	assert_int_equal(pair.side[1].memory[4999], 0x5a);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	uroce_loop_counters(pair.side[0].instance, &counters);
	assert_true(counters.tx_datagrams >= 6);
	close_pair(&pair);
}

/* A message has come by polling, and nothing was sent; or false. */
static bool ack_is_put_off(struct pair *pair)
{
	struct uroce_cqe cqe;
	bool put_off;

	side_receive(&pair->side[1], 64);
	uroce_loop_poll(pair->side[1].instance); /* a lease */
	fake_lock();
	fake.nr_put = 0;
	fake_unlock();
	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	uroce_loop_poll(pair->side[1].instance);
	fake_lock();
	put_off = fake.nr_put == 1;
	fake_unlock();
	/* else the helper was quicker, since we did not run */
	if (!put_off)
		side_poll(&pair->side[0], &cqe);
	side_poll(&pair->side[1], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	return put_off;
}

static void open_put_off(struct pair *pair)
{
	open_pair(pair, LONG);
	while (!ack_is_put_off(pair))
		;
}

static bool was_put(uint32_t at, uint8_t op)
{
	bool was;

	fake_lock();
	was = fake.nr_put > at && fake.op[at] == op;
	fake_unlock();
	return was;
}

/* The packet of that number, as soon as there is one. */
static uint8_t next_put(uint32_t at)
{
	uint32_t nr_put;
	uint8_t op;

	do {
		fake_lock();
		nr_put = fake.nr_put;
		op = fake.op[at];
		fake_unlock();
		if (nr_put <= at)
			(void)sched_yield();
	} while (nr_put <= at);
	return op;
}

/* Until the message is acknowledged, and its sender knows. */
static void assert_acknowledged(struct pair *pair)
{
	struct uroce_cqe cqe;

	side_poll(&pair->side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_false(cqe.opcode & IBV_WC_RECV);
	close_pair(pair);
}

static bool answer_comes_first(void)
{
	struct uroce_cqe cqe;
	struct pair pair;
	bool first;

	open_put_off(&pair);
	side_receive(&pair.side[0], 64);
	side_send(&pair.side[1], IBV_WR_SEND, 8, &pair.address[0]);
	/* or the helper was quicker again, or is about to be */
	first = next_put(1) == UROCE_SEND_ONLY;
	assert_int_equal(next_put(first ? 2 : 1), UROCE_ACKNOWLEDGE);
	do
		side_poll(&pair.side[0], &cqe);
	while (!(cqe.opcode & IBV_WC_RECV));
	close_pair(&pair);
	return first;
}

static void an_answer_goes_in_front_of_the_ack(void **state)
{
	while (!answer_comes_first())
		;
}

/* Unless the helper has the lock, because it is about to do that. */
static bool poll_sends_the_ack(void)
{
	struct pair pair;
	bool sent;

	open_put_off(&pair);
	uroce_loop_poll(pair.side[1].instance);
	sent = was_put(1, UROCE_ACKNOWLEDGE);
	assert_acknowledged(&pair);
	return sent;
}

static void polling_once_more_sends_the_ack(void **state)
{
	while (!poll_sends_the_ack())
		;
}

static void the_helper_sends_the_ack_of_who_does_not_poll(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_put_off(&pair);
	while (!side_take(&pair.side[0], &cqe))
		(void)sched_yield();
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

static void the_ack_is_sent_before_objects_change(void **state)
{
	struct pair pair;

	open_put_off(&pair);
	uroce_loop_lock(pair.side[1].instance);
	assert_true(was_put(1, UROCE_ACKNOWLEDGE));
	uroce_loop_unlock(pair.side[1].instance);
	assert_acknowledged(&pair);
}

static void the_ack_is_sent_before_the_application_sleeps(void **state)
{
	struct pair pair;

	open_put_off(&pair);
	uroce_loop_arm_cq(pair.side[1].instance, &pair.side[1].cq, false);
	assert_true(was_put(1, UROCE_ACKNOWLEDGE));
	assert_acknowledged(&pair);
}

/* Who waits for a WRITE looks at memory, and has nothing to poll for. */
static void the_ack_of_a_write_is_sent_at_once(void **state)
{
	struct pair pair;

	open_pair(&pair, LONG);
	uroce_loop_poll(pair.side[1].instance);
	fake_lock();
	fake.nr_put = 0;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_RDMA_WRITE, 8, &pair.address[1]);
	uroce_loop_poll(pair.side[1].instance);
	assert_true(was_put(1, UROCE_ACKNOWLEDGE));
	assert_acknowledged(&pair);
}

/* The lock is somebody else's: the post returns, and who has it sends. */
static void *post_meanwhile(void *arg)
{
	struct pair *pair = arg;

	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	return NULL;
}

static void who_has_the_lock_sends_for_others(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;
	pthread_t thread;

	open_pair(&pair, LONG);
	side_receive(&pair.side[1], 64);
	uroce_loop_lock(pair.side[1].instance);
	fake.nr_put = 0;
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, &pair),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(fake.nr_put, 0);
	uroce_loop_unlock(pair.side[1].instance);
	fake_lock();
	assert_true(fake.nr_put > 0);
	fake_unlock();
	side_poll(&pair.side[1], &cqe);
	close_pair(&pair);
}

static struct pair *posting;
static pthread_t deliverer;

/* All is sent already, and the lock is not given back yet. */
static void post_at_the_end(struct side *side)
{
	pthread_t thread;

	deliverer = pthread_self();
	fake_lock();
	fake.nr_put = 0;
	fake_unlock();
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, posting),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	fake_lock();
	assert_int_equal(fake.nr_put, 0);
	fake_unlock();
}

static bool helper_has_not_been_quicker(void)
{
	struct pair pair, other;
	struct uroce_cqe cqe;
	bool by_us;

	open_pair(&pair, LONG);
	open_pair(&other, LONG);
	posting = &other;
	side_receive(&other.side[1], 64);
	pair.side[1].on_qp_event = post_at_the_end;
	/* a lease, so that the helper keeps out; then one without the right */
	uroce_loop_poll(pair.side[0].instance);
	side_send(&pair.side[0], IBV_WR_ATOMIC_FETCH_AND_ADD, 8,
		  &pair.address[1]);
	uroce_loop_poll(pair.side[0].instance);
	(void)sem_wait(&pair.side[1].qp_events);
	by_us = pthread_equal(deliverer, pthread_self());
	fake_lock();
	if (by_us)
		assert_true(fake.nr_put > 0);
	fake_unlock();
	side_poll(&other.side[1], &cqe);
	side_close(&other.side[0]);
	side_close(&other.side[1]);
	close_pair(&pair);
	return by_us;
}

static void a_post_at_the_end_is_not_forgotten(void **state)
{
	while (!helper_has_not_been_quicker())
		;
}

static void the_helper_wakes_who_waits(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	for (int i = 0; i < 200; i++) {
		side_receive(&pair.side[1], 64);
		uroce_loop_arm_cq(pair.side[1].instance, &pair.side[1].cq,
				  false);
		assert_false(side_take(&pair.side[1], &cqe));
		if (i % 3 == 0) /* as applications do, once more */
			uroce_loop_poll(pair.side[1].instance);
		side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
		/* nobody polls: without the helper this is for ever */
		(void)sem_wait(&pair.side[1].cq_events);
		assert_true(side_take(&pair.side[1], &cqe));
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		side_poll(&pair.side[0], &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
	close_pair(&pair);
}

static void arming_late_is_in_time(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	/* one that polls all the time has a lease, and the helper is blind */
	for (int i = 0; i < 100; i++) {
		side_receive(&pair.side[1], 64);
		side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
		side_poll(&pair.side[1], &cqe);
		side_poll(&pair.side[0], &cqe);
	}
	side_receive(&pair.side[1], 64);
	uroce_loop_arm_cq(pair.side[1].instance, &pair.side[1].cq, false);
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	(void)sem_wait(&pair.side[1].cq_events);
	close_pair(&pair);
}

/* As if it had gone to sleep for a lease that is no longer valid. */
static void arming_wakes_a_blind_helper(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct uroce_helper *helper;
	struct side side;
	uint64_t wakes;

	side_open(&side, &dev);
	helper = &side.instance->loop->helper;
	while (uroce_helper_is_blind(helper))
		(void)sched_yield();
	wakes = uroce_helper_wakes(helper);
	__atomic_store_n(&helper->watch, false, __ATOMIC_RELAXED);
	uroce_loop_arm_cq(side.instance, &side.cq, false);
	while (uroce_helper_wakes(helper) == wakes)
		(void)sched_yield();
	side_close(&side);
}

static void the_helper_repeats_what_is_lost(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, SHORT);
	side_receive(&pair.side[1], 64);
	uroce_loop_arm_cq(pair.side[1].instance, &pair.side[1].cq, false);
	settle(&pair.side[0]);
	fake_lock();
	fake.lose = 3;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	(void)sem_wait(&pair.side[1].cq_events);
	assert_true(side_take(&pair.side[1], &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

/* Nobody polls: the helper tries again until there is room. */
static void what_has_no_room_is_sent_later(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	side_receive(&pair.side[1], 64);
	uroce_loop_arm_cq(pair.side[1].instance, &pair.side[1].cq, false);
	settle(&pair.side[0]);
	fake_lock();
	fake.full = 20;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	(void)sem_wait(&pair.side[1].cq_events);
	assert_true(side_take(&pair.side[1], &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	fake_lock();
	assert_int_equal(fake.full, 0);
	fake_unlock();
	close_pair(&pair);
}

static void a_qp_that_fails_is_reported(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, SHORT);
	/* no right to atomics */
	side_send(&pair.side[0], IBV_WR_ATOMIC_FETCH_AND_ADD, 8,
		  &pair.address[1]);
	(void)sem_wait(&pair.side[1].qp_events);
	assert_true(pair.side[1].qp_event_mask & 1 << IBV_EVENT_QP_ACCESS_ERR ||
		    pair.side[1].qp_event_mask & 1 << IBV_EVENT_QP_REQ_ERR);
	side_poll(&pair.side[0], &cqe);
	assert_int_not_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

static void put_all(struct uroce_loop *loop)
{
	struct uroce_out out;

	while (uroce_engine_next(&loop->engine, loop->now, &out))
		uroce_port_put(loop->port, &out.packet, out.pieces.iov,
			       out.pieces.nr, out.qp);
	uroce_port_flush(loop->port);
	uroce_engine_sent(&loop->engine, loop->now);
}

static void take_in(void *arg, struct uroce_packet *packet)
{
	struct uroce_loop *loop = arg;

	uroce_engine_receive(&loop->engine, packet, loop->now);
}

/* It has come in time, and nobody has looked: that is no loss. */
static void an_ack_in_the_socket_is_not_late(void **state)
{
	const uint64_t *timeouts;
	struct uroce_cqe cqe;
	struct uroce_loop *loop;
	struct pair pair;
	pthread_t thread;

	open_pair(&pair, SHORT);
	loop = pair.side[0].instance->loop;
	timeouts = &loop->engine.counters.count[UROCE_C_TIMEOUTS];
	side_receive(&pair.side[1], 64);
	uroce_loop_lock(pair.side[0].instance);
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, &pair),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	put_all(loop);
	(void)uroce_port_receive(loop->port, take_in, loop);
	put_all(loop); /* the ACK */
	while (uroce_engine_deadline(&loop->engine) > uroce_loop_now())
		;
	uroce_loop_unlock(pair.side[0].instance);
	uroce_loop_lock(pair.side[0].instance);
	assert_int_equal(*timeouts, 0);
	uroce_loop_unlock(pair.side[0].instance);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

/* The MTU of the path is smaller than that of the QP. */
static void a_path_that_is_too_narrow_is_fatal(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	settle(&pair.side[0]);
	fake_lock();
	fake.refuse = 1;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_RDMA_WRITE, 5000, &pair.address[1]);
	(void)sem_wait(&pair.side[0].qp_events);
	assert_true(pair.side[0].qp_event_mask & 1 << IBV_EVENT_QP_FATAL);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_LOC_QP_OP_ERR);
	assert_int_equal(uroce_qp_state(pair.side[0].qp), IBV_QPS_ERR);
	close_pair(&pair);
}

#define NR_THREADS 4
#define NR_ROUNDS  300

struct thread {
	pthread_t thread;
	struct pair pair;
};

/* Ping-pong of a pair of its own; half of them with events. */
static void *play(void *arg)
{
	struct thread *thread = arg;
	struct pair *pair = &thread->pair;
	bool sleep = thread->pair.side[0].pd % 4 < 2;
	struct uroce_cqe cqe;

	for (int i = 0; i < NR_ROUNDS; i++) {
		int from = i % 2;
		struct side *to = &pair->side[!from];

		side_receive(to, 4096);
		if (sleep)
			uroce_loop_arm_cq(to->instance, &to->cq, false);
		side_send(&pair->side[from], IBV_WR_SEND, 3000,
			  &pair->address[!from]);
		if (sleep)
			(void)sem_wait(&to->cq_events);
		side_poll(to, &cqe);
		if (cqe.status != IBV_WC_SUCCESS)
			return to;
		side_poll(&pair->side[from], &cqe);
		if (cqe.status != IBV_WC_SUCCESS)
			return to;
	}
	return NULL;
}

static void many_threads_at_once(void **state)
{
	static struct thread threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		open_pair(&threads[i].pair, LONG);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i].thread, NULL, play,
						&threads[i]),
				 0);
	for (int i = 0; i < NR_THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i].thread, &failed), 0);
		assert_null(failed);
	}
	for (int i = 0; i < NR_THREADS; i++) {
		side_close(&threads[i].pair.side[0]);
		side_close(&threads[i].pair.side[1]);
	}
	assert_int_equal(fake.nr_open, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, loop_pair_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(posting_sends_and_polling_receives),
		TEST(an_answer_goes_in_front_of_the_ack),
		TEST(polling_once_more_sends_the_ack),
		TEST(the_helper_sends_the_ack_of_who_does_not_poll),
		TEST(the_ack_is_sent_before_objects_change),
		TEST(the_ack_is_sent_before_the_application_sleeps),
		TEST(the_ack_of_a_write_is_sent_at_once),
		TEST(who_has_the_lock_sends_for_others),
		TEST(a_post_at_the_end_is_not_forgotten),
		TEST(the_helper_wakes_who_waits),
		TEST(arming_late_is_in_time),
		TEST(arming_wakes_a_blind_helper),
		TEST(the_helper_repeats_what_is_lost),
		TEST(what_has_no_room_is_sent_later),
		TEST(a_qp_that_fails_is_reported),
		TEST(an_ack_in_the_socket_is_not_late),
		TEST(a_path_that_is_too_narrow_is_fatal),
		TEST(many_threads_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
