/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop: connects the engine, the port, shared memory and the helper thread;
 * uroce_instance.c creates it. A full pass is run_locked(): receive, expire
 * timers, send, deliver events. Application threads call it through the
 * functions of uroce_loop.h, the helper thread through uroce_loop_work().
 */
#include "uroce/progress/uroce_loop.h"

#include <errno.h>
#include <time.h>

#include "uroce/engine/uroce_fast.h"
#include "uroce/progress/uroce_loop_local.h"
#include "uroce/progress/uroce_loop_quick.h"
#include "uroce/progress/uroce_moderate.h"
#include "util/nocancel.h"

/* For this time after a CQ was armed, the application counts as sleeping. */
#define SLEEPER_NS UINT64_C(10000000)
/* Delay until the next attempt to send when the socket had no room. */
#define HOLD_NS UINT64_C(100000)
/* The same for a ring: the first delay, and the longest. */
#define FULL_NS	    UINT64_C(50000)
#define MAX_FULL_NS UINT64_C(10000000)
/* Receive calls before a due timer expires though the socket has more. */
#define MAX_RECEIVES 16
/* The longest time between receive calls in a process with shm peers. */
#define MAX_PAUSE_NS UINT64_C(50000)
/*
 * A sender stores to the ring, and then reads without a fence whether the
 * peer's helper thread sleeps, so each side can miss the other. The helper
 * thread checks the rings again after this time, which is longer than a store
 * stays in the store buffer of a CPU.
 */
#define SECOND_LOOK_NS UINT64_C(100000)
/* Before a QP is freed: the longest wait for room, and the polling interval. */
#define SETTLE_NS     UINT64_C(1000000000)
#define SETTLE_NAP_NS 50000
/* Packets of a run that the engine makes at once. */
#define MAX_RUN	   64
#define ANY_PACKET (UROCE_WAKE_PACKET | UROCE_WAKE_LOCAL)

uint64_t uroce_loop_now(void)
{
	return uroce_helper_now();
}

/* After a quick post or poll, loop->now is the time of an earlier full pass. */
static void look_at_clock(struct uroce_loop *loop)
{
	loop->now = uroce_loop_now();
	loop->engine.vague = false;
	if (loop->engine.late)
		uroce_fast_catch_up(&loop->engine, loop->now);
}

static void on_packet(void *arg, struct uroce_packet *packet)
{
	struct uroce_loop *loop = arg;

	loop->traffic++;
	loop->received++;
	uroce_engine_receive(&loop->engine, packet, loop->now);
}

static bool has_room(struct uroce_loop *loop)
{
	return !loop->port || uroce_port_has_room(loop->port, loop->now);
}

static void put(struct uroce_loop *loop, struct uroce_out *out)
{
	uint32_t nr;

	loop->traffic++;
	if (uroce_loop_put_local(loop, out) || !loop->port)
		return;
	uroce_port_put(loop->port, &out->packet, out->pieces.iov,
		       out->pieces.nr, out->qp);
	nr = uroce_engine_next_run(&loop->engine, loop->now, MAX_RUN, out);
	if (!nr)
		return;
	loop->traffic += nr;
	uroce_port_put_run(loop->port, &out->packet,
			   out->pieces.iov[0].iov_base, nr, out->qp);
}

/*
 * Sends all packets that uroce_engine_next() returns, which is required before
 * the next uroce_engine_receive(). Without room packets stay in the engine.
 */
static void send_locked(struct uroce_loop *loop)
{
	struct uroce_out out;
	struct uroce_qp *qp;
	bool any;

	uroce_loop_resume_local(loop);
	do {
		any = false;
		while (has_room(loop) &&
		       uroce_engine_next(&loop->engine, loop->now, &out)) {
			any = true;
			put(loop, &out);
		}
		if (any && loop->port) {
			uroce_port_flush(loop->port);
			while ((qp = uroce_port_take_refused(loop->port)))
				uroce_qp_path_error(qp);
		}
		uroce_engine_sent(&loop->engine, loop->now);
	} while (any);
	if (loop->local)
		uroce_local_flush(loop->local);
	__atomic_store_n(&loop->held, !has_room(loop), __ATOMIC_RELAXED);
}

void uroce_loop_deliver(struct uroce_loop *loop)
{
	struct uroce_cq *cq;
	struct uroce_rq *rq;
	struct uroce_qp *qp;

	while ((cq = uroce_engine_take_cq(&loop->engine))) {
		bool wake = cq->wake, overrun = cq->report_overrun;

		cq->wake = false;
		cq->report_overrun = false;
		if (wake && loop->nr_armed)
			loop->nr_armed--;
		if (wake && !overrun && uroce_moderate_holds(loop, cq))
			uroce_loop_need_helper(loop);
		else
			loop->ops->cq_event(cq, wake, overrun);
	}
	while ((rq = uroce_engine_take_rq(&loop->engine))) {
		rq->limit_event = false;
		loop->ops->rq_event(rq);
	}
	while ((qp = uroce_engine_take_qp(&loop->engine))) {
		uint32_t events = qp->events;

		qp->events = 0;
		loop->ops->qp_event(qp, events);
	}
}

uint64_t uroce_loop_lease(const struct uroce_loop *loop)
{
	uint64_t lease_ns = __atomic_load_n(&loop->lease_ns, __ATOMIC_RELAXED);

	if (lease_ns && loop->alertness.attention)
		lease_ns -= UROCE_LEASE_NS - UROCE_GLANCE_NS;
	else if (lease_ns && loop->alertness.trust == UROCE_TRUST)
		lease_ns += UROCE_TRUST_NS;
	return lease_ns;
}

/*
 * When to check again for room for ACKs and responses: a peer does not signal
 * free ring entries. Requests need no check, since their ACKs cause a new
 * attempt. The interval grows with the time without room.
 */
static uint64_t room_deadline(const struct uroce_loop *loop)
{
	uint64_t pause_ns = (loop->now - loop->full_ns) / 8;

	if (list_empty(&loop->full) || !uroce_loop_owes_local(loop))
		return UROCE_NEVER;
	if (pause_ns < FULL_NS)
		pause_ns = FULL_NS;
	if (pause_ns > MAX_FULL_NS)
		pause_ns = MAX_FULL_NS;
	return loop->now + pause_ns;
}

/* The time of the next work if no packet arrives. */
static uint64_t deadline_of(const struct uroce_loop *loop)
{
	uint64_t at_ns = uroce_engine_deadline(&loop->engine);
	uint64_t moderated_ns = uroce_moderate_deadline(loop);
	uint64_t room_ns = room_deadline(loop);

	if (loop->engine.put_off)
		at_ns = 0;
	if (loop->engine.held && at_ns > loop->engine.held_ns)
		at_ns = loop->engine.held_ns;
	if (at_ns > moderated_ns)
		at_ns = moderated_ns;
	if (at_ns > room_ns)
		at_ns = room_ns;
	if (loop->held && at_ns > loop->now + HOLD_NS)
		at_ns = loop->now + HOLD_NS;
	return at_ns;
}

void uroce_loop_need_helper(struct uroce_loop *loop)
{
	uint64_t at_ns = deadline_of(loop);
	uint64_t lease_ns = uroce_loop_lease(loop);

	if (at_ns == UROCE_NEVER)
		return;
	uroce_helper_need(&loop->helper, at_ns > lease_ns ? at_ns : lease_ns);
}

static bool is_due(const struct uroce_loop *loop)
{
	return uroce_engine_deadline(&loop->engine) <= loop->now;
}

/*
 * Reading the socket is a system call, which would slow down every poll of a
 * process that communicates through shared memory. The interval grows with the
 * time without packets of the network.
 */
static bool may_skip_socket(const struct uroce_loop *loop)
{
	uint64_t pause_ns = (loop->socket_ns - loop->socket_packet_ns) / 8;

	if (!loop->local || uroce_local_is_empty(loop->local) || is_due(loop))
		return false;
	if (pause_ns > MAX_PAUSE_NS)
		pause_ns = MAX_PAUSE_NS;
	return loop->now < loop->socket_ns + pause_ns;
}

static bool receive_socket(struct uroce_loop *loop)
{
	uint64_t before = loop->received;
	bool more = true;

	for (int nr = 0; more && nr < MAX_RECEIVES; nr++) {
		more = uroce_port_receive(loop->port, on_packet, loop);
		if (!is_due(loop))
			break;
	}
	loop->socket_ns = loop->now;
	if (loop->received != before)
		loop->socket_packet_ns = loop->now;
	return more;
}

/*
 * Receives packets, also before a timer expires: on a busy machine the ACK can
 * be in the socket already. Returns whether there may be more.
 */
static bool receive_locked(struct uroce_loop *loop, bool receive)
{
	bool more;

	if (!receive && !is_due(loop))
		return false;
	more = uroce_loop_receive_local(loop);
	if (loop->port && !may_skip_socket(loop))
		more = receive_socket(loop) || more;
	return more;
}

/*
 * Whether to defer the ACK until the next post or poll: the application polls
 * and is likely to respond to the message. One or two packets are not a stream
 * of messages, so their ACKs may be deferred repeatedly.
 */
static bool may_put_off(struct uroce_loop *loop, uint64_t received)
{
	return loop->received != received && !loop->alertness.attention &&
	       uroce_loop_lease(loop) > loop->now &&
	       uroce_engine_put_off(&loop->engine, false,
				    loop->received <= received + 2);
}

/* A full pass. Returns whether there may be more to receive. */
static bool run_locked(struct uroce_loop *loop, bool receive)
{
	uint64_t received = loop->received;
	bool more;

	if (loop->dead)
		return false;
	if (receive)
		uroce_engine_call_in(&loop->engine);
	more = receive_locked(loop, receive);
	if (is_due(loop))
		(void)uroce_engine_expire(&loop->engine, loop->now);
	if (loop->engine.held && loop->engine.held_ns <= loop->now)
		uroce_engine_release(&loop->engine);
	uroce_memory_end_access(&loop->engine.memory);
	if (!may_put_off(loop, received))
		send_locked(loop);
	uroce_memory_end_access(&loop->engine.memory);
	uroce_loop_deliver(loop);
	if (!list_empty(&loop->moderated))
		uroce_moderate_deliver(loop);
	uroce_loop_need_helper(loop);
	return more;
}

/*
 * Serves kicks after a release of the engine lock. A thread that kicks a QP and
 * does not get the lock leaves the QP to the lock holder, which checks the kick
 * list again after the release. The kick and this check are seq_cst, so one of
 * the two threads sees the other. (Without room the kicks wait for a later
 * pass.)
 */
static void look_again(struct uroce_loop *loop)
{
	do {
		if (!uroce_engine_has_kicks(&loop->engine) ||
		    __atomic_load_n(&loop->held, __ATOMIC_RELAXED) ||
		    loop->dead || !uroce_lock_try(&loop->engine_lock))
			return;
		look_at_clock(loop);
		(void)run_locked(loop, false);
	} while (uroce_lock_drop(&loop->engine_lock));
}

/* Releases the engine lock; inlined for quick posts and polls. */
static inline void drop(struct uroce_loop *loop)
{
	if (uroce_lock_drop(&loop->engine_lock))
		look_again(loop);
}

void uroce_loop_release(struct uroce_loop *loop)
{
	drop(loop);
}

static bool try_acquire(struct uroce_loop *loop)
{
	if (!uroce_lock_try(&loop->engine_lock))
		return false;
	look_at_clock(loop);
	return true;
}

void uroce_loop_acquire(struct uroce_loop *loop)
{
	uroce_lock_take(&loop->engine_lock);
	look_at_clock(loop);
}

/* Ends the delay of engine.held. Returns whether any ACK was deferred. */
static bool owes_ack(struct uroce_loop *loop)
{
	bool held = loop->engine.held;

	uroce_engine_release(&loop->engine);
	return held || loop->engine.put_off;
}

bool uroce_loop_call_in(struct uroce_loop *loop)
{
	bool owes;

	if (!try_acquire(loop))
		return true;
	if (owes_ack(loop) || !list_empty(&loop->full))
		(void)run_locked(loop, true);
	owes = uroce_loop_owes_local(loop);
	uroce_loop_release(loop);
	return owes;
}

/* Whether to wait for room for ACKs and responses of @qp. */
static bool owes_still(struct uroce_loop *loop, const struct uroce_qp *qp)
{
	bool owes;

	uroce_loop_acquire(loop);
	uroce_engine_call_in(&loop->engine);
	(void)run_locked(loop, false);
	owes = !loop->dead && uroce_qp_owes(qp) && qp->channel &&
	       qp->channel->full && !qp->channel->stuck;
	uroce_loop_release(loop);
	return owes;
}

void uroce_loop_settle(struct uroce_instance *instance, struct uroce_qp *qp)
{
	const struct timespec nap = { .tv_nsec = SETTLE_NAP_NS };
	struct uroce_loop *loop = instance->loop;
	uint64_t until_ns = uroce_loop_now() + SETTLE_NS;

	while (owes_still(loop, qp)) {
		if (uroce_loop_now() >= until_ns) {
			uroce_loop_acquire(loop);
			qp->channel->stuck = qp->channel->full;
			uroce_loop_release(loop);
			return;
		}
		(void)nanosleep(&nap, NULL);
	}
}

/* The caller may free objects, so their deferred ACKs are sent first. */
void uroce_loop_lock(struct uroce_instance *instance)
{
	struct uroce_loop *loop = instance->loop;

	uroce_loop_acquire(loop);
	if (owes_ack(loop))
		(void)run_locked(loop, true);
}

/* Only UD needs the fields of the GRH, and receiving them costs time. */
static void report_header(struct uroce_loop *loop)
{
	bool on = loop->engine.nr_datagram_qps;

	if (!loop->port || loop->dead || loop->reports_header == on)
		return;
	uroce_port_report_header(loop->port, on);
	loop->reports_header = on;
}

void uroce_loop_unlock(struct uroce_instance *instance)
{
	struct uroce_loop *loop = instance->loop;

	look_at_clock(loop);
	report_header(loop);
	(void)run_locked(loop, false);
	uroce_loop_release(loop);
}

void uroce_loop_post(struct uroce_instance *instance, struct uroce_qp *qp)
{
	struct uroce_loop *loop = instance->loop;

	/* the lock holder needs no kick, and often no full pass */
	if (uroce_lock_try(&loop->engine_lock)) {
		if (!uroce_loop_quick_post(loop, qp)) {
			uroce_engine_kick(&loop->engine, qp);
			look_at_clock(loop);
			(void)run_locked(loop, false);
		}
		drop(loop);
		return;
	}
	uroce_engine_kick(&loop->engine, qp);
	if (!try_acquire(loop))
		return;
	(void)run_locked(loop, false);
	uroce_loop_release(loop);
}

/* An application that waits for events gets no lease; the helper watches. */
static void renew_lease(struct uroce_loop *loop)
{
	if (loop->nr_armed || loop->now < loop->armed_ns + SLEEPER_NS)
		return;
	__atomic_store_n(&loop->lease_ns, loop->now + UROCE_LEASE_NS,
			 __ATOMIC_RELAXED);
}

/* Peers that see a recent poll send requests instead of direct access. */
static void attend(struct uroce_loop *loop)
{
	if (loop->local)
		uroce_local_polled(loop->local, loop->now);
	renew_lease(loop);
}

/* The time of a long copy must not look like a pause between polls. */
static void attend_still(struct uroce_loop *loop)
{
	loop->copied_much = false;
	uroce_local_polled(loop->local, uroce_loop_now());
}

enum uroce_look uroce_loop_poll(struct uroce_instance *instance)
{
	struct uroce_loop *loop = instance->loop;
	enum uroce_look look = UROCE_LOOK_GLANCE;
	uint64_t received;

	if (!uroce_lock_try(&loop->engine_lock))
		return look;
	received = loop->received;
	if (!uroce_loop_quick_poll(loop)) {
		look_at_clock(loop);
		attend(loop);
		(void)run_locked(loop, true);
		uroce_loop_allow_glances(loop);
		look = UROCE_LOOK_ALL;
	}
	if (loop->received != received)
		look = UROCE_LOOK_FOUND;
	if (loop->copied_much)
		attend_still(loop);
	drop(loop);
	return look;
}

static bool is_armed(const struct uroce_cq *cq)
{
	return __atomic_load_n(&cq->armed, __ATOMIC_RELAXED) != UROCE_CQ_IDLE;
}

int uroce_loop_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
		      bool solicited_only)
{
	struct uroce_loop *loop = instance->loop;
	bool was_armed;

	if (!uroce_lock_take_unless_own(&loop->engine_lock))
		return -EBUSY;
	look_at_clock(loop);
	was_armed = is_armed(cq);
	uroce_cq_arm(cq, solicited_only);
	if (!was_armed && is_armed(cq))
		loop->nr_armed++;
	loop->armed_ns = loop->now;
	loop->glances = 0;
	__atomic_store_n(&loop->lease_ns, 0, __ATOMIC_RELAXED);
	if (!loop->dead && uroce_helper_is_blind(&loop->helper))
		uroce_helper_ring(&loop->helper);
	uroce_engine_call_in(&loop->engine);
	uroce_engine_release(&loop->engine);
	(void)run_locked(loop, false);
	uroce_loop_release(loop);
	return 0;
}

void uroce_loop_forget_cq(struct uroce_instance *instance, struct uroce_cq *cq)
{
	struct uroce_loop *loop = instance->loop;

	if (is_armed(cq) && loop->nr_armed)
		loop->nr_armed--;
	list_del(&cq->moderate.entry);
	uroce_engine_forget_cq(&loop->engine, cq);
}

void uroce_loop_moderate_cq(struct uroce_instance *instance,
			    struct uroce_cq *cq, uint32_t count,
			    uint32_t period_us)
{
	uroce_loop_lock(instance);
	cq->moderate.count = count;
	cq->moderate.period_us = period_us;
	uroce_loop_unlock(instance);
}

/* Plan the next sleep of the helper thread. */
static void plan_locked(struct uroce_loop *loop, unsigned int wake, bool more)
{
	struct uroce_sleep_facts facts = {
		.now_ns = loop->now,
		.lease_ns = uroce_loop_lease(loop),
		.deadline_ns = deadline_of(loop),
		.packet = wake & ANY_PACKET,
		.traffic = loop->traffic != loop->seen_traffic,
		.more = more,
	};
	struct uroce_sleep how = uroce_helper_plan(&facts);
	bool new_watch = how.watch &&
			 (!loop->watched || facts.packet || facts.traffic);

	loop->seen_traffic = loop->traffic;
	loop->glances = 0;
	if (uroce_loop_watch_local(loop, how.watch))
		how.until_ns = loop->now;
	else if (new_watch && loop->watched &&
		 how.until_ns > loop->now + SECOND_LOOK_NS)
		how.until_ns = loop->now + SECOND_LOOK_NS;
	uroce_helper_sleep(&loop->helper, &how);
}

void uroce_loop_work(void *arg, unsigned int wake)
{
	struct uroce_loop *loop = arg;
	unsigned int pause = 0;
	uint64_t received;
	bool leased, more = false;

	/* pairs with the store in publish_port_locked() */
	if (wake & UROCE_WAKE_MEMBER &&
	    uroce_port_serve(__atomic_load_n(&loop->port, __ATOMIC_ACQUIRE)))
		pause |= UROCE_WAKE_MEMBER;
	if (wake & UROCE_WAKE_LINK)
		uroce_loop_refresh(loop);
	if (wake & UROCE_WAKE_LOCAL &&
	    !uroce_helper_is_paused(&loop->helper, UROCE_WAKE_LOCAL))
		uroce_local_end_pause(loop->local);
	if (wake & UROCE_WAKE_LOCAL && uroce_local_serve(loop->local))
		pause |= UROCE_WAKE_LOCAL;
	uroce_loop_acquire(loop);
	received = loop->received;
	if (wake & UROCE_WAKE_INBOX &&
	    uroce_port_receive_inbox(loop->port, on_packet, loop))
		pause |= UROCE_WAKE_INBOX;
	if (pause)
		uroce_helper_pause(&loop->helper, pause);
	leased = uroce_loop_lease(loop) > loop->now;
	if (!leased) {
		uroce_engine_release(&loop->engine);
		more = run_locked(loop, true);
	} else if (wake & UROCE_WAKE_INBOX) {
		(void)run_locked(loop, false);
	}
	uroce_helper_attend(
		&loop->alertness, uroce_helper_is_blind(&loop->helper),
		wake & ANY_PACKET, leased, loop->received != received);
	plan_locked(loop, wake, more);
	uroce_loop_release(loop);
}
