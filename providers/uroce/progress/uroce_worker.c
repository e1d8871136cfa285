/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The worker: connects the engine, the port, shared memory and the helper
 * thread; uroce_process.c creates it. A full pass is run_locked(): receive,
 * expire timers, send, deliver events. Application threads call it through the
 * functions of uroce_worker.h, the helper thread through uroce_worker_work().
 */
#include "uroce/progress/uroce_worker.h"

#include <errno.h>
#include <time.h>

#include "uroce/progress/uroce_moderate.h"
#include "uroce/progress/uroce_worker_quick.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/roce/uroce_fast.h"
#include "util/nocancel.h"

/* For this time after a CQ was armed, the application counts as sleeping. */
#define SLEEPER_NS UINT64_C(10000000)
/* Delay until the next attempt to send when the socket had no room. */
#define SOCKET_RETRY_NS UINT64_C(100000)
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
#define SECOND_CHECK_NS UINT64_C(100000)
/* Before a QP is freed: the longest wait for room, and the polling interval. */
#define SETTLE_NS	 UINT64_C(1000000000)
#define QUIESCE_SLEEP_NS 50000
/* Packets of a run that the engine makes at once. */
#define MAX_RUN	   64
#define ANY_PACKET (UROCE_WAKE_PACKET | UROCE_WAKE_LOCAL)

uint64_t uroce_worker_now(void)
{
	return uroce_helper_now();
}

/* After a quick post or poll, worker->now is the time of the last full pass. */
static void read_clock(struct uroce_worker *worker)
{
	worker->now = uroce_worker_now();
	worker->engine.stale = false;
	if (worker->engine.postponed_ack)
		uroce_fast_catch_up(&worker->engine, worker->now);
}

static void on_packet(void *arg, struct uroce_packet *packet)
{
	struct uroce_worker *worker = arg;

	worker->traffic++;
	worker->received++;
	uroce_engine_receive(&worker->engine, packet, worker->now);
}

static bool worker_has_room(struct uroce_worker *worker)
{
	return !worker->port || uroce_port_has_room(worker->port, worker->now);
}

static void worker_put(struct uroce_worker *worker, struct uroce_out *out)
{
	uint32_t nr;

	worker->traffic++;
	if (uroce_worker_put_shm(worker, out) || !worker->port)
		return;
	uroce_port_put(worker->port, &out->packet, out->iovecs.iov,
		       out->iovecs.nr, out->qp);
	nr = uroce_engine_next_run(&worker->engine, worker->now, MAX_RUN, out);
	if (!nr)
		return;
	worker->traffic += nr;
	uroce_port_put_run(worker->port, &out->packet,
			   out->iovecs.iov[0].iov_base, nr, out->qp);
}

/*
 * Sends all packets that uroce_engine_next() returns, which is required before
 * the next uroce_engine_receive(). Without room packets stay in the engine.
 */
static void send_locked(struct uroce_worker *worker)
{
	struct uroce_out out;
	struct uroce_qp *qp;
	bool any;

	uroce_worker_resume_shm(worker);
	do {
		any = false;
		while (worker_has_room(worker) &&
		       uroce_engine_next(&worker->engine, worker->now, &out)) {
			any = true;
			worker_put(worker, &out);
		}
		if (any && worker->port) {
			uroce_port_flush(worker->port);
			while ((qp = uroce_port_take_refused(worker->port)))
				uroce_qp_path_error(qp);
		}
		uroce_engine_sent(&worker->engine, worker->now);
	} while (any);
	if (worker->shm)
		uroce_shm_flush(worker->shm);
	__atomic_store_n(&worker->socket_full, !worker_has_room(worker),
			 __ATOMIC_RELAXED);
}

void uroce_worker_deliver(struct uroce_worker *worker)
{
	struct uroce_cq *cq;
	struct uroce_rq *rq;
	struct uroce_qp *qp;

	while ((cq = uroce_engine_take_cq(&worker->engine))) {
		bool wake = cq->wake, overrun = cq->report_overrun;

		cq->wake = false;
		cq->report_overrun = false;
		if (wake && !cq->shared && worker->nr_armed)
			worker->nr_armed--;
		if (wake && !overrun && uroce_moderate_holds(worker, cq))
			uroce_worker_need_helper(worker);
		else
			worker->process->ops->cq_event(cq, wake, overrun);
	}
	while ((rq = uroce_engine_take_rq(&worker->engine))) {
		rq->limit_event = false;
		worker->process->ops->rq_event(rq);
	}
	while ((qp = uroce_engine_take_qp(&worker->engine))) {
		uint32_t events = qp->events;

		qp->events = 0;
		worker->process->ops->qp_event(qp, events);
	}
}

uint64_t uroce_worker_lease(const struct uroce_worker *worker)
{
	uint64_t lease_ns =
		__atomic_load_n(&worker->lease_ns, __ATOMIC_RELAXED);

	if (lease_ns && worker->wake_policy.short_leases)
		lease_ns -= UROCE_LEASE_NS - UROCE_SHORT_LEASE_NS;
	else if (lease_ns &&
		 worker->wake_policy.renewed_leases == UROCE_RENEWED_LEASES)
		lease_ns += UROCE_LONGER_LEASE_NS;
	return lease_ns;
}

/*
 * When to check again for room for ACKs and responses: a peer does not signal
 * free ring entries. Requests need no check, since their ACKs cause a new
 * attempt. The interval grows with the time without room.
 */
static uint64_t room_deadline(const struct uroce_worker *worker)
{
	uint64_t pause_ns = (worker->now - worker->full_ns) / 8;

	if (list_empty(&worker->full) || !uroce_worker_owes_shm(worker))
		return UROCE_NEVER;
	if (pause_ns < FULL_NS)
		pause_ns = FULL_NS;
	if (pause_ns > MAX_FULL_NS)
		pause_ns = MAX_FULL_NS;
	return worker->now + pause_ns;
}

/* The time of the next work if no packet arrives. */
static uint64_t deadline_of(const struct uroce_worker *worker)
{
	uint64_t at_ns = uroce_engine_deadline(&worker->engine);
	uint64_t moderated_ns = uroce_moderate_deadline(worker);
	uint64_t room_ns = room_deadline(worker);
	uint64_t delayed_ns = uroce_engine_delayed_deadline(&worker->engine);

	if (worker->engine.nr_deferred)
		at_ns = 0;
	if (at_ns > delayed_ns)
		at_ns = delayed_ns;
	if (at_ns > moderated_ns)
		at_ns = moderated_ns;
	if (at_ns > room_ns)
		at_ns = room_ns;
	if (worker->socket_full && at_ns > worker->now + SOCKET_RETRY_NS)
		at_ns = worker->now + SOCKET_RETRY_NS;
	return at_ns;
}

void uroce_worker_need_helper(struct uroce_worker *worker)
{
	uint64_t at_ns = deadline_of(worker);
	uint64_t lease_ns = uroce_worker_lease(worker);

	if (at_ns == UROCE_NEVER)
		return;
	uroce_helper_need(&worker->helper, at_ns > lease_ns ? at_ns : lease_ns);
}

static bool worker_is_due(const struct uroce_worker *worker)
{
	return uroce_engine_deadline(&worker->engine) <= worker->now;
}

/*
 * Reading the socket is a system call, which would slow down every poll of a
 * process that communicates through shared memory. The interval grows with the
 * time without packets of the network.
 */
static bool may_skip_socket(const struct uroce_worker *worker)
{
	uint64_t pause_ns = (worker->socket_ns - worker->socket_packet_ns) / 8;

	if (!worker->shm || uroce_shm_is_empty(worker->shm) ||
	    worker_is_due(worker))
		return false;
	if (pause_ns > MAX_PAUSE_NS)
		pause_ns = MAX_PAUSE_NS;
	return worker->now < worker->socket_ns + pause_ns;
}

static bool receive_socket(struct uroce_worker *worker)
{
	uint64_t before = worker->received;
	bool more = true;

	for (int nr = 0; more && nr < MAX_RECEIVES; nr++) {
		more = uroce_port_receive(worker->port, on_packet, worker);
		if (!worker_is_due(worker))
			break;
	}
	worker->socket_ns = worker->now;
	if (worker->received != before)
		worker->socket_packet_ns = worker->now;
	return more;
}

/*
 * Receives packets, also before a timer expires: on a busy machine the ACK can
 * be in the socket already. Returns whether there may be more.
 */
static bool receive_locked(struct uroce_worker *worker, bool receive)
{
	bool more;

	if (!receive && !worker_is_due(worker))
		return false;
	more = uroce_worker_receive_shm(worker);
	if (worker->port && !may_skip_socket(worker))
		more = receive_socket(worker) || more;
	return more;
}

/*
 * Defers ACKs until the next post or poll: the application polls and is likely
 * to respond to the messages. One or two packets are not a stream of messages,
 * so their ACKs may be deferred repeatedly. Returns whether nothing else is
 * left to send.
 */
static bool worker_defer_acks(struct uroce_worker *worker, uint64_t received)
{
	return worker->received != received &&
	       !worker->wake_policy.short_leases &&
	       uroce_worker_lease(worker) > worker->now &&
	       uroce_engine_defer_acks(&worker->engine, false,
				       worker->received <= received + 2);
}

/* A full pass. Returns whether there may be more to receive. */
static bool run_locked(struct uroce_worker *worker, bool receive)
{
	uint64_t received = worker->received;
	bool more;

	if (worker->dead)
		return false;
	if (receive)
		uroce_engine_flush_deferred(&worker->engine);
	more = receive_locked(worker, receive);
	if (worker_is_due(worker))
		(void)uroce_engine_expire(&worker->engine, worker->now);
	if (uroce_engine_delayed_deadline(&worker->engine) <= worker->now)
		uroce_engine_flush_delayed(&worker->engine, worker->now);
	uroce_memory_end_access(worker->engine.memory);
	if (!worker_defer_acks(worker, received))
		send_locked(worker);
	uroce_memory_end_access(worker->engine.memory);
	uroce_worker_deliver(worker);
	if (!list_empty(&worker->moderated))
		uroce_moderate_deliver(worker);
	uroce_worker_need_helper(worker);
	return more;
}

/* Ends the exclusion that start_pass() or uroce_worker_acquire() began. */
static inline void end_exclusion(struct uroce_worker *worker)
{
	if (__builtin_expect(!worker->has_pass_lock, 1))
		return;
	worker->has_pass_lock = false;
	(void)uroce_lock_drop(&worker->process->pass_lock);
}

static __attribute__((noinline)) bool exclude(struct uroce_worker *worker)
{
	if (!worker->has_pass_lock &&
	    !uroce_lock_take_unless_own(&worker->process->pass_lock)) {
		(void)uroce_lock_drop(&worker->engine_lock);
		uroce_helper_ring(&worker->helper);
		return false;
	}
	worker->has_pass_lock = true;
	return true;
}

/*
 * After the engine lock was taken: excludes other passes if necessary. Releases
 * the engine lock and returns false in a signal handler that has interrupted a
 * pass of another worker; then the helper thread makes the pass.
 */
static inline bool start_pass(struct uroce_worker *worker)
{
	if (__builtin_expect(worker->process->exclusive, 0) && !exclude(worker))
		return false;
	read_clock(worker);
	return true;
}

static bool try_acquire(struct uroce_worker *worker)
{
	return uroce_lock_try(&worker->engine_lock) && start_pass(worker);
}

/*
 * Serves kicks after a release of the engine lock. A thread that kicks a QP and
 * does not get the lock leaves the QP to the lock holder, which checks the kick
 * list again after the release. The kick and this check are seq_cst, so one of
 * the two threads sees the other. (Without room the kicks wait for a later
 * pass.)
 */
static void serve_new_kicks(struct uroce_worker *worker)
{
	do {
		if (!uroce_engine_has_kicks(&worker->engine) ||
		    __atomic_load_n(&worker->socket_full, __ATOMIC_RELAXED) ||
		    worker->dead || !try_acquire(worker))
			return;
		(void)run_locked(worker, false);
		end_exclusion(worker);
	} while (uroce_lock_drop(&worker->engine_lock));
}

/* Releases the engine lock; inlined for quick posts and polls. */
static inline void drop(struct uroce_worker *worker)
{
	end_exclusion(worker);
	if (uroce_lock_drop(&worker->engine_lock))
		serve_new_kicks(worker);
}

void uroce_worker_release(struct uroce_worker *worker)
{
	drop(worker);
}

void uroce_worker_acquire(struct uroce_worker *worker)
{
	uroce_lock_take(&worker->engine_lock);
	/* never in a signal handler that has interrupted a pass */
	if (worker->process->exclusive) {
		uroce_lock_take(&worker->process->pass_lock);
		worker->has_pass_lock = true;
	}
	read_clock(worker);
}

/* Ends the delay of ACKs. Returns whether any ACK was deferred or delayed. */
static bool flush_delayed_acks(struct uroce_worker *worker)
{
	bool delayed = !list_empty(&worker->engine.delayed_acks);

	uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
	return delayed || worker->engine.nr_deferred;
}

bool uroce_worker_flush_acks(struct uroce_worker *worker)
{
	bool owes;

	if (!try_acquire(worker))
		return true;
	if (flush_delayed_acks(worker) || !list_empty(&worker->full))
		(void)run_locked(worker, true);
	owes = uroce_worker_owes_shm(worker);
	uroce_worker_release(worker);
	return owes;
}

/* Whether to wait for room for ACKs and responses of @qp. */
static bool owes_still(struct uroce_worker *worker, const struct uroce_qp *qp)
{
	bool owes;

	uroce_worker_acquire(worker);
	uroce_engine_flush_deferred(&worker->engine);
	(void)run_locked(worker, false);
	owes = !worker->dead && uroce_qp_owes(qp) && qp->channel &&
	       qp->channel->full && !qp->channel->stuck;
	uroce_worker_release(worker);
	return owes;
}

struct uroce_engine *uroce_worker_engine(struct uroce_worker *worker)
{
	return &worker->engine;
}

void uroce_worker_flush_qp(struct uroce_worker *worker, struct uroce_qp *qp)
{
	const struct timespec nap = { .tv_nsec = QUIESCE_SLEEP_NS };
	uint64_t until_ns = uroce_worker_now() + SETTLE_NS;

	while (owes_still(worker, qp)) {
		if (uroce_worker_now() >= until_ns) {
			uroce_worker_acquire(worker);
			qp->channel->stuck = qp->channel->full;
			uroce_worker_release(worker);
			return;
		}
		(void)nanosleep(&nap, NULL);
	}
}

void uroce_worker_flush(struct uroce_worker *worker)
{
	read_clock(worker);
	if (flush_delayed_acks(worker))
		(void)run_locked(worker, true);
}

void uroce_worker_lock(struct uroce_worker *worker)
{
	uroce_worker_acquire(worker);
	uroce_worker_flush(worker);
}

/* Only UD needs the fields of the GRH, and receiving them costs time. */
static void report_header(struct uroce_worker *worker)
{
	bool on = worker->engine.nr_datagram_qps;

	if (!worker->port || worker->dead || worker->reports_header == on)
		return;
	uroce_port_report_header(worker->port, on);
	worker->reports_header = on;
}

void uroce_worker_finish(struct uroce_worker *worker)
{
	read_clock(worker);
	report_header(worker);
	(void)run_locked(worker, false);
}

void uroce_worker_unlock(struct uroce_worker *worker)
{
	uroce_worker_finish(worker);
	uroce_worker_release(worker);
}

void uroce_worker_post(struct uroce_worker *worker, struct uroce_qp *qp)
{
	/* the lock holder needs no kick, and often no full pass */
	if (uroce_lock_try(&worker->engine_lock)) {
		if (!uroce_worker_quick_post(worker, qp)) {
			uroce_engine_kick(&worker->engine, qp);
			if (!start_pass(worker))
				return;
			(void)run_locked(worker, false);
		}
		drop(worker);
		return;
	}
	uroce_engine_kick(&worker->engine, qp);
	if (!try_acquire(worker))
		return;
	(void)run_locked(worker, false);
	uroce_worker_release(worker);
}

/* An application that waits for events gets no lease; the helper watches. */
static void renew_lease(struct uroce_worker *worker)
{
	if (worker->nr_armed || worker->process->nr_shared_cqs ||
	    worker->now < worker->armed_ns + SLEEPER_NS)
		return;
	__atomic_store_n(&worker->lease_ns, worker->now + UROCE_LEASE_NS,
			 __ATOMIC_RELAXED);
}

static void note_poller(struct uroce_worker *worker)
{
	uintptr_t *poller = &worker->process->pollers[worker->index];
	uintptr_t self = uroce_lock_self();

	/* threads read it all the time, so it is not written without need */
	if (__atomic_load_n(poller, __ATOMIC_RELAXED) != self)
		__atomic_store_n(poller, self, __ATOMIC_RELAXED);
}

/* Peers that see a recent poll send requests instead of direct access. */
static void note_poll(struct uroce_worker *worker)
{
	note_poller(worker);
	if (worker->shm)
		uroce_shm_polled(worker->shm, worker->now);
	renew_lease(worker);
}

/* The time of a long copy must not look like a pause between polls. */
static void note_poll_after_copy(struct uroce_worker *worker)
{
	worker->copied_much = false;
	uroce_shm_polled(worker->shm, uroce_worker_now());
}

enum uroce_pass uroce_worker_poll(struct uroce_worker *worker)
{
	enum uroce_pass pass = UROCE_PASS_QUICK;
	uint64_t received;

	if (!uroce_lock_try(&worker->engine_lock))
		return pass;
	received = worker->received;
	if (!uroce_worker_quick_poll(worker)) {
		if (!start_pass(worker))
			return pass;
		note_poll(worker);
		(void)run_locked(worker, true);
		uroce_worker_renew_poll_budget(worker);
		pass = UROCE_PASS_FULL;
	}
	if (worker->received != received)
		pass = UROCE_PASS_FOUND;
	if (worker->copied_much)
		note_poll_after_copy(worker);
	drop(worker);
	return pass;
}

static __attribute__((noinline)) void poll_next(struct uroce_worker *worker,
						uint32_t nr)
{
	struct uroce_process *process = worker->process;
	uint32_t index =
		__atomic_load_n(&worker->next_other, __ATOMIC_RELAXED) % nr;
	uintptr_t poller =
		__atomic_load_n(&process->pollers[index], __ATOMIC_RELAXED);

	__atomic_store_n(&worker->next_other, index + 1, __ATOMIC_RELAXED);
	if (index != worker->index && (!poller || poller == uroce_lock_self()))
		(void)uroce_worker_poll(process->workers[index]);
}

void uroce_worker_poll_other(struct uroce_worker *worker)
{
	uint32_t nr = uroce_process_nr(worker->process);

	if (nr > 1)
		poll_next(worker, nr);
}

static bool is_armed(const struct uroce_cq *cq)
{
	return __atomic_load_n(&cq->armed, __ATOMIC_RELAXED) != UROCE_CQ_IDLE;
}

void uroce_worker_bind_cq(struct uroce_worker *worker, struct uroce_cq *cq)
{
	worker->nr_armed += is_armed(cq);
}

void uroce_worker_unbind_cq(struct uroce_worker *worker, struct uroce_cq *cq)
{
	if (is_armed(cq) && worker->nr_armed)
		worker->nr_armed--;
}

void uroce_worker_watch(struct uroce_worker *worker)
{
	worker->armed_ns = worker->now;
	worker->poll_budget = 0;
	__atomic_store_n(&worker->lease_ns, 0, __ATOMIC_RELAXED);
	if (!worker->dead && uroce_helper_is_blind(&worker->helper))
		uroce_helper_ring(&worker->helper);
	uroce_engine_flush_deferred(&worker->engine);
	uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
	(void)run_locked(worker, false);
}

int uroce_worker_arm_cq(struct uroce_worker *worker, struct uroce_cq *cq,
			bool solicited_only)
{
	bool was_armed;

	if (!uroce_lock_take_unless_own(&worker->engine_lock) ||
	    !start_pass(worker))
		return -EBUSY;
	was_armed = is_armed(cq);
	uroce_cq_arm(cq, solicited_only);
	if (!was_armed && is_armed(cq) && !cq->shared)
		worker->nr_armed++;
	uroce_worker_watch(worker);
	uroce_worker_release(worker);
	return 0;
}

/* Plan the next sleep of the helper thread. */
static void plan_locked(struct uroce_worker *worker, unsigned int wake,
			bool more)
{
	struct uroce_sleep_facts facts = {
		.now_ns = worker->now,
		.lease_ns = uroce_worker_lease(worker),
		.deadline_ns = deadline_of(worker),
		.packet = wake & ANY_PACKET,
		.traffic = worker->traffic != worker->seen_traffic,
		.more = more,
	};
	struct uroce_sleep how = uroce_helper_plan(&facts);
	bool new_watch = how.watch &&
			 (!worker->watched || facts.packet || facts.traffic);

	worker->seen_traffic = worker->traffic;
	worker->poll_budget = 0;
	if (uroce_worker_watch_shm(worker, how.watch))
		how.until_ns = worker->now;
	else if (new_watch && worker->watched &&
		 how.until_ns > worker->now + SECOND_CHECK_NS)
		how.until_ns = worker->now + SECOND_CHECK_NS;
	uroce_helper_sleep(&worker->helper, &how);
}

void uroce_worker_work(void *arg, unsigned int wake)
{
	struct uroce_worker *worker = arg;
	unsigned int pause = 0;
	uint64_t received;
	bool leased, more = false;

	/* pairs with the store in publish_port_locked() */
	if (wake & UROCE_WAKE_MEMBER &&
	    uroce_port_serve(__atomic_load_n(&worker->port, __ATOMIC_ACQUIRE)))
		pause |= UROCE_WAKE_MEMBER;
	if (wake & UROCE_WAKE_LINK)
		uroce_process_refresh(worker->process);
	if (wake & UROCE_WAKE_LOCAL &&
	    !uroce_helper_is_paused(&worker->helper, UROCE_WAKE_LOCAL))
		uroce_shm_end_pause(worker->shm);
	if (wake & UROCE_WAKE_LOCAL && uroce_shm_serve(worker->shm))
		pause |= UROCE_WAKE_LOCAL;
	uroce_worker_acquire(worker);
	received = worker->received;
	if (wake & UROCE_WAKE_INBOX &&
	    uroce_port_receive_inbox(worker->port, on_packet, worker))
		pause |= UROCE_WAKE_INBOX;
	if (pause)
		uroce_helper_pause(&worker->helper, pause);
	leased = uroce_worker_lease(worker) > worker->now;
	if (!leased) {
		uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
		more = run_locked(worker, true);
	} else if (wake & UROCE_WAKE_INBOX) {
		(void)run_locked(worker, false);
	}
	uroce_helper_update_policy(
		&worker->wake_policy, uroce_helper_is_blind(&worker->helper),
		wake & ANY_PACKET, leased, worker->received != received);
	plan_locked(worker, wake, more);
	uroce_worker_release(worker);
}
