/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which thread moves packets, and when: the thread that posts or polls, the
 * lock holder, or the helper. The fake port returns sent packets.
 */
#include "uroce/progress/uroce_worker.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce/wire/uroce_packet.h"
#include "uroce_fake_port.h"
#include "uroce_worker_pair.h"

static atomic_bool clock_is_stopped;
static struct timespec stopped_at;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC || !atomic_load(&clock_is_stopped))
		return __real_clock_gettime(clock, time);
	*time = stopped_at;
	return 0;
}

/* No timer expires until the clock is started. */
static void stop_clock(void)
{
	assert_int_equal(__real_clock_gettime(CLOCK_MONOTONIC, &stopped_at), 0);
	atomic_store(&clock_is_stopped, true);
}

static void start_clock(void)
{
	atomic_store(&clock_is_stopped, false);
}

static void forget_puts(void)
{
	fake_lock();
	fake.nr_put = 0;
	fake_unlock();
}

static uint32_t nr_put(void)
{
	uint32_t nr;

	fake_lock();
	nr = fake.nr_put;
	fake_unlock();
	return nr;
}

static void assert_put(uint32_t at, uint8_t op)
{
	uint32_t nr;
	uint8_t found;

	fake_lock();
	nr = fake.nr_put;
	found = fake.op[at];
	fake_unlock();
	assert_true(nr > at);
	assert_int_equal(found, op);
}

/* Only the test sends and receives, and no timer expires. */
static void open_alone(struct pair *pair)
{
	open_pair(pair, LONG);
	fake_hold_helper();
	stop_clock();
}

static void close_alone(struct pair *pair)
{
	start_clock();
	fake_free_helper();
	close_pair(pair);
}

static void progress_post_sends_and_poll_receives(void **state)
{
	struct uroce_instance_counters counters;
	struct uroce_cqe cqe;
	struct pair pair;

	open_alone(&pair);
	memset(pair.side[0].memory, 0x5a, 5000);
	side_receive(&pair.side[1], 8192);
	forget_puts();
	side_send(&pair.side[0], IBV_WR_SEND, 5000, &pair.address[1]);
	assert_true(nr_put() >= 5); /* inline, not by the helper */
	start_clock();
	side_poll(&pair.side[1], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.byte_len, 5000);
	assert_int_equal(pair.side[1].memory[4999], 0x5a);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	uroce_instance_counters(pair.side[0].instance, &counters);
	assert_true(counters.port.tx_datagrams >= 6);
	close_alone(&pair);
}

/* A message was received by polling; its ACK is deferred. */
static void open_with_deferred_ack(struct pair *pair)
{
	struct uroce_cqe cqe;

	open_alone(pair);
	side_receive(&pair->side[1], 64);
	forget_puts();
	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	uroce_worker_poll(pair->side[1].worker);
	assert_int_equal(nr_put(), 1);
	assert_true(side_take(&pair->side[1], &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
}

/* Runs until the message is acknowledged and the sender has the ACK. */
static void close_acknowledged(struct pair *pair)
{
	struct uroce_cqe cqe;

	start_clock();
	side_poll(&pair->side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_false(cqe.opcode & IBV_WC_RECV);
	close_alone(pair);
}

static void progress_post_precedes_deferred_ack(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_with_deferred_ack(&pair);
	side_receive(&pair.side[0], 64);
	/* as for a peer that waits for the ACK */
	pair.side[1].qp->roce->resp.delack.nr_quickacks = 1;
	side_send(&pair.side[1], IBV_WR_SEND, 8, &pair.address[0]);
	assert_put(1, UROCE_SEND_ONLY);
	assert_put(2, UROCE_ACKNOWLEDGE);
	start_clock();
	do
		side_poll(&pair.side[0], &cqe);
	while (!(cqe.opcode & IBV_WC_RECV));
	close_alone(&pair);
}

/*
 * The message was followed by a post in the other direction; its ACK is
 * delayed until the clock is started.
 */
static void open_held(struct pair *pair)
{
	open_with_deferred_ack(pair);
	side_receive(&pair->side[0], 64);
	side_send(&pair->side[1], IBV_WR_SEND, 8, &pair->address[0]);
	assert_put(1, UROCE_SEND_ONLY);
	assert_int_equal(nr_put(), 2);
}

/* The sender has received the reply, which also acknowledges the message. */
static void close_answered(struct pair *pair)
{
	struct uroce_cqe cqe;
	int left = 2;

	start_clock();
	for (; left; left--) {
		side_poll(&pair->side[0], &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
	close_alone(pair);
}

static void progress_polling_sends_delayed_ack(void **state)
{
	struct pair pair;

	open_held(&pair);
	close_answered(&pair);
	/* the delay has expired; otherwise the sender would have no ACK */
	assert_put(2, UROCE_ACKNOWLEDGE);
}

static void progress_object_change_flushes_delayed_ack(void **state)
{
	struct pair pair;

	open_held(&pair);
	uroce_worker_lock(pair.side[1].worker);
	assert_put(2, UROCE_ACKNOWLEDGE);
	uroce_worker_unlock(pair.side[1].worker);
	close_answered(&pair);
}

static void progress_arm_cq_flushes_delayed_ack(void **state)
{
	struct pair pair;

	open_held(&pair);
	(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq, false);
	assert_put(2, UROCE_ACKNOWLEDGE);
	close_answered(&pair);
}

static void progress_second_poll_sends_deferred_ack(void **state)
{
	struct pair pair;

	open_with_deferred_ack(&pair);
	uroce_worker_poll(pair.side[1].worker);
	assert_put(1, UROCE_ACKNOWLEDGE);
	close_acknowledged(&pair);
}

/* The helper may process some of the messages from the start. */
static void progress_helper_sends_deferred_ack(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	for (int i = 0; i < 20; i++) {
		side_receive(&pair.side[1], 64);
		uroce_worker_poll(pair.side[1].worker); /* gets a lease */
		side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
		uroce_worker_poll(pair.side[1].worker);
		while (!side_take(&pair.side[0], &cqe))
			(void)sched_yield();
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		assert_true(side_take(&pair.side[1], &cqe));
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
	close_pair(&pair);
}

static void progress_object_change_flushes_deferred_ack(void **state)
{
	struct pair pair;

	open_with_deferred_ack(&pair);
	uroce_worker_lock(pair.side[1].worker);
	assert_put(1, UROCE_ACKNOWLEDGE);
	uroce_worker_unlock(pair.side[1].worker);
	close_acknowledged(&pair);
}

/* As before a QP goes to ERR, which flushes what is not acknowledged. */
static void progress_object_change_receives_ack(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_with_deferred_ack(&pair);
	uroce_worker_poll(pair.side[1].worker);
	assert_false(side_take(&pair.side[0], &cqe));
	uroce_worker_lock(pair.side[0].worker);
	assert_true(side_take(&pair.side[0], &cqe));
	uroce_worker_unlock(pair.side[0].worker);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_alone(&pair);
}

static void progress_arm_cq_flushes_deferred_ack(void **state)
{
	struct pair pair;

	open_with_deferred_ack(&pair);
	(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq, false);
	assert_put(1, UROCE_ACKNOWLEDGE);
	close_acknowledged(&pair);
}

/* A WRITE completes nothing at the target, which may poll memory only. */
static void progress_write_ack_is_sent_at_once(void **state)
{
	struct pair pair;

	open_alone(&pair);
	forget_puts();
	side_send(&pair.side[0], IBV_WR_RDMA_WRITE, 8, &pair.address[1]);
	uroce_worker_poll(pair.side[1].worker);
	assert_put(1, UROCE_ACKNOWLEDGE);
	close_acknowledged(&pair);
}

/* Another thread has the lock: the post returns, and the lock holder sends. */
static void *post_meanwhile(void *arg)
{
	struct pair *pair = arg;

	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	return NULL;
}

static void progress_lock_holder_sends_for_waiting_threads(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;
	pthread_t thread;

	open_pair(&pair, LONG);
	side_receive(&pair.side[1], 64);
	uroce_worker_lock(pair.side[1].worker);
	forget_puts();
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, &pair),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(nr_put(), 0);
	uroce_worker_unlock(pair.side[1].worker);
	assert_true(nr_put() > 0);
	side_poll(&pair.side[1], &cqe);
	close_pair(&pair);
}

static struct pair *posting;

/* Everything is sent, but the lock is not released yet. */
static void post_at_the_end(struct side *side)
{
	pthread_t thread;

	forget_puts();
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, posting),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(nr_put(), 0);
}

static void progress_post_during_unlock_is_sent(void **state)
{
	struct pair pair, other;
	struct uroce_cqe cqe;

	open_pair(&other, LONG);
	open_alone(&pair);
	posting = &other;
	side_receive(&other.side[1], 64);
	pair.side[1].on_qp_event = post_at_the_end;
	/* without access rights */
	side_send(&pair.side[0], IBV_WR_ATOMIC_FETCH_AND_ADD, 8,
		  &pair.address[1]);
	uroce_worker_poll(pair.side[0].worker);
	assert_int_equal(sem_trywait(&pair.side[1].qp_events), 0);
	assert_true(nr_put() > 0);
	side_poll(&other.side[1], &cqe);
	side_close(&other.side[0]);
	side_close(&other.side[1]);
	close_alone(&pair);
}

static void progress_helper_wakes_sleeping_application(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	for (int i = 0; i < 200; i++) {
		side_receive(&pair.side[1], 64);
		(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq,
					  false);
		assert_false(side_take(&pair.side[1], &cqe));
		if (i % 3 == 0) /* sometimes polls again after arming, as
				   applications do */
			uroce_worker_poll(pair.side[1].worker);
		side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
		/* no thread polls: without the helper the wait never ends */
		(void)sem_wait(&pair.side[1].cq_events);
		assert_true(side_take(&pair.side[1], &cqe));
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		side_poll(&pair.side[0], &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
	close_pair(&pair);
}

/* Longer than any test, or as short as in an application. */
#define NO_EVENT_US 3600000000u
#define SOON_US	    500

static void send_to_sleeper(struct pair *pair)
{
	struct uroce_cqe cqe;

	side_receive(&pair->side[1], 64);
	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	side_poll(&pair->side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
}

static void take_from_sleeper(struct pair *pair, unsigned int nr)
{
	struct uroce_cqe cqe;

	for (; nr; nr--) {
		assert_true(side_take(&pair->side[1], &cqe));
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
	assert_false(side_take(&pair->side[1], &cqe));
}

static void progress_moderated_completions_raise_single_event(void **state)
{
	struct pair pair;

	open_pair(&pair, LONG);
	side_moderate(&pair.side[1], 3, NO_EVENT_US);
	for (int round = 0; round < 3; round++) {
		(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq,
					  false);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(sem_trywait(&pair.side[1].cq_events),
					 -1);
			send_to_sleeper(&pair);
		}
		(void)sem_wait(&pair.side[1].cq_events);
		take_from_sleeper(&pair, 3);
	}
	close_pair(&pair);
}

static void progress_moderated_event_is_raised_after_period(void **state)
{
	struct pair pair;

	open_pair(&pair, LONG);
	side_moderate(&pair.side[1], 1000, SOON_US);
	for (int round = 0; round < 20; round++) {
		(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq,
					  false);
		send_to_sleeper(&pair);
		/* no thread polls there: the helper watches the period */
		(void)sem_wait(&pair.side[1].cq_events);
		take_from_sleeper(&pair, 1);
	}
	close_pair(&pair);
}

/* The event is not lost when moderation is disabled, or the CQ destroyed. */
static void progress_moderation_end_raises_pending_event(void **state)
{
	struct pair pair;

	open_pair(&pair, LONG);
	for (int round = 0; round < 2; round++) {
		side_moderate(&pair.side[1], 1000, NO_EVENT_US);
		(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq,
					  false);
		send_to_sleeper(&pair);
		assert_int_equal(sem_trywait(&pair.side[1].cq_events), -1);
		if (round)
			break;
		side_moderate(&pair.side[1], 0, 0);
		(void)sem_wait(&pair.side[1].cq_events);
		take_from_sleeper(&pair, 1);
	}
	close_pair(&pair);
}

static void progress_late_arm_still_raises_event(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	/* a constantly polling thread has a lease, and the helper is blind */
	for (int i = 0; i < 100; i++) {
		side_receive(&pair.side[1], 64);
		side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
		side_poll(&pair.side[1], &cqe);
		side_poll(&pair.side[0], &cqe);
	}
	side_receive(&pair.side[1], 64);
	(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq, false);
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	(void)sem_wait(&pair.side[1].cq_events);
	close_pair(&pair);
}

/*
 * Simulates a helper that sleeps for a lease that has become invalid. The
 * helper may still be awake and plan another sleep, in which it watches.
 */
static void progress_arm_cq_wakes_blind_helper(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct uroce_helper *helper;
	struct side side;
	uint64_t wakes;

	side_open(&side, &dev);
	helper = &side.worker->helper;
	for (int i = 0; i < 10; i++) {
		wakes = uroce_helper_wakes(helper);
		while (uroce_helper_wakes(helper) == wakes) {
			__atomic_store_n(&helper->watch, false,
					 __ATOMIC_RELAXED);
			(void)uroce_worker_arm_cq(side.worker, &side.cq, false);
			(void)sched_yield();
		}
	}
	side_close(&side);
}

static void progress_helper_retransmits_lost_packets(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, SHORT);
	side_receive(&pair.side[1], 64);
	(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq, false);
	quiesce_pair(&pair);
	fake_lock();
	fake.lose = 3;
	fake_unlock();
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	(void)sem_wait(&pair.side[1].cq_events);
	assert_true(side_take(&pair.side[1], &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

/* No thread polls: the helper retries until there is room. */
static void progress_helper_sends_after_full_socket(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	side_receive(&pair.side[1], 64);
	(void)uroce_worker_arm_cq(pair.side[1].worker, &pair.side[1].cq, false);
	quiesce_pair(&pair);
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

static void progress_failed_qp_raises_event(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, SHORT);
	/* no access right for atomics */
	side_send(&pair.side[0], IBV_WR_ATOMIC_FETCH_AND_ADD, 8,
		  &pair.address[1]);
	(void)sem_wait(&pair.side[1].qp_events);
	assert_true(pair.side[1].qp_event_mask & 1 << IBV_EVENT_QP_ACCESS_ERR ||
		    pair.side[1].qp_event_mask & 1 << IBV_EVENT_QP_REQ_ERR);
	side_poll(&pair.side[0], &cqe);
	assert_int_not_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

static void put_all(struct uroce_worker *worker)
{
	struct uroce_out out;

	while (uroce_engine_next(&worker->engine, worker->now, &out))
		uroce_port_put(worker->port, &out.packet, out.iovecs.iov,
			       out.iovecs.nr, out.qp);
	uroce_port_flush(worker->port);
	uroce_engine_sent(&worker->engine, worker->now);
}

static void take_in(void *arg, struct uroce_packet *packet)
{
	struct uroce_worker *worker = arg;

	uroce_engine_receive(&worker->engine, packet, worker->now);
}

/* The ACK has arrived in time but was not read, so there is no loss. */
static void progress_unread_ack_causes_no_timeout(void **state)
{
	const uint64_t *timeouts;
	struct uroce_cqe cqe;
	struct uroce_worker *worker;
	struct pair pair;
	pthread_t thread;

	open_pair(&pair, SHORT);
	worker = pair.side[0].worker;
	timeouts = &worker->engine.core.counters.count[UROCE_C_TIMEOUTS];
	side_receive(&pair.side[1], 64);
	uroce_worker_lock(pair.side[0].worker);
	assert_int_equal(pthread_create(&thread, NULL, post_meanwhile, &pair),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	put_all(worker);
	(void)uroce_port_receive(worker->port, take_in, worker);
	put_all(worker); /* the ACK */
	while (uroce_engine_deadline(&worker->engine) > uroce_worker_now())
		;
	uroce_worker_unlock(pair.side[0].worker);
	uroce_worker_lock(pair.side[0].worker);
	assert_int_equal(*timeouts, 0);
	uroce_worker_unlock(pair.side[0].worker);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

/* The MTU of the path is smaller than that of the QP. */
static void progress_path_below_mtu_raises_qp_fatal(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	quiesce_pair(&pair);
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

/* Ping-pong on a pair of its own; half of the threads use events. */
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
			(void)uroce_worker_arm_cq(to->worker, &to->cq, false);
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

static void progress_many_threads_complete(void **state)
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

/* The test before may have failed while the clock was stopped. */
static int progress_setup(void **state)
{
	start_clock();
	return worker_pair_setup(state);
}

#define TEST(name) cmocka_unit_test_setup(name, progress_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(progress_post_sends_and_poll_receives),
		TEST(progress_post_precedes_deferred_ack),
		TEST(progress_polling_sends_delayed_ack),
		TEST(progress_object_change_flushes_delayed_ack),
		TEST(progress_arm_cq_flushes_delayed_ack),
		TEST(progress_second_poll_sends_deferred_ack),
		TEST(progress_helper_sends_deferred_ack),
		TEST(progress_object_change_flushes_deferred_ack),
		TEST(progress_object_change_receives_ack),
		TEST(progress_arm_cq_flushes_deferred_ack),
		TEST(progress_write_ack_is_sent_at_once),
		TEST(progress_lock_holder_sends_for_waiting_threads),
		TEST(progress_post_during_unlock_is_sent),
		TEST(progress_helper_wakes_sleeping_application),
		TEST(progress_moderated_completions_raise_single_event),
		TEST(progress_moderated_event_is_raised_after_period),
		TEST(progress_moderation_end_raises_pending_event),
		TEST(progress_late_arm_still_raises_event),
		TEST(progress_arm_cq_wakes_blind_helper),
		TEST(progress_helper_retransmits_lost_packets),
		TEST(progress_helper_sends_after_full_socket),
		TEST(progress_failed_qp_raises_event),
		TEST(progress_unread_ack_causes_no_timeout),
		TEST(progress_path_below_mtu_raises_qp_fatal),
		TEST(progress_many_threads_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
