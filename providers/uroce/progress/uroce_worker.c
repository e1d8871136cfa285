/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entry points of a worker, which connects the engine, the port, shared
 * memory and the helper thread; uroce_process.c creates it. Application threads
 * call the functions of uroce_worker.h, the helper thread uroce_worker_work().
 */
#include "uroce/progress/uroce_worker.h"

#include <errno.h>
#include <time.h>

#include "uroce/progress/uroce_worker_gsi.h"
#include "uroce/progress/uroce_worker_lock.h"
#include "uroce/progress/uroce_worker_quick.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/qp/uroce_chaos.h"
#include "util/clock.h"
#include "util/nocancel.h"

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
#define ANY_PACKET	 (UROCE_WAKE_PACKET | UROCE_WAKE_LOCAL)

uint64_t uroce_worker_now(void)
{
	return verbs_now_ns();
}

/*
 * Chaos mode: stores late data, and adds late completions, before objects
 * change. Returns whether there were any.
 */
static bool flush_chaos(struct uroce_worker *worker)
{
	struct uroce_core *core = &worker->engine.core;

	if (!core->chaos || worker->dead || !uroce_chaos_is_late(core->chaos))
		return false;
	uroce_chaos_place_all(core->chaos);
	uroce_chaos_release_all(core);
	return true;
}

/* Flushes what a pass has received, and sends the ACKs. */
static void flush_received(struct uroce_worker *worker)
{
	if (flush_chaos(worker))
		(void)uroce_worker_run(worker, false);
}

/* Ends the delay of ACKs. Returns whether any ACK was deferred or delayed. */
static bool flush_delayed_acks(struct uroce_worker *worker)
{
	bool delayed = !list_empty(&worker->engine.delayed_acks);

	uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
	return flush_chaos(worker) || delayed || worker->engine.nr_deferred;
}

bool uroce_worker_flush_acks(struct uroce_worker *worker)
{
	bool owes;

	if (!uroce_worker_try_acquire(worker))
		return true;
	if (flush_delayed_acks(worker) || !list_empty(&worker->full))
		(void)uroce_worker_run(worker, true);
	flush_received(worker);
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
	(void)flush_chaos(worker);
	(void)uroce_worker_run(worker, false);
	owes = !worker->dead && uroce_qp_owes(qp) && qp->roce->channel &&
	       qp->roce->channel->full && !qp->roce->channel->stuck;
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
			qp->roce->channel->stuck = qp->roce->channel->full;
			uroce_worker_release(worker);
			return;
		}
		(void)nanosleep(&nap, NULL);
	}
}

void uroce_worker_flush(struct uroce_worker *worker)
{
	uroce_worker_read_clock(worker);
	if (flush_delayed_acks(worker))
		(void)uroce_worker_run(worker, true);
	flush_received(worker);
}

void uroce_worker_lock(struct uroce_worker *worker)
{
	uroce_worker_acquire(worker);
	uroce_worker_read_clock(worker);
	(void)flush_delayed_acks(worker);
	(void)uroce_worker_run(worker, true);
	flush_received(worker);
}

void uroce_worker_finish(struct uroce_worker *worker)
{
	uroce_worker_read_clock(worker);
	(void)uroce_worker_run(worker, false);
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
			if (!uroce_worker_start_pass(worker))
				return;
			(void)uroce_worker_run(worker, false);
		}
		uroce_worker_drop(worker);
		return;
	}
	uroce_engine_kick(&worker->engine, qp);
	if (!uroce_worker_try_acquire(worker))
		return;
	(void)uroce_worker_run(worker, false);
	uroce_worker_release(worker);
}

/* An application that waits for events gets no lease; the helper watches. */
static void renew_lease(struct uroce_worker *worker)
{
	if (worker->nr_armed || worker->process->nr_shared_cqs)
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
		if (!uroce_worker_start_pass(worker))
			return pass;
		note_poll(worker);
		(void)uroce_worker_run(worker, true);
		uroce_worker_renew_poll_budget(worker);
		pass = UROCE_PASS_FULL;
	}
	if (worker->received != received)
		pass = UROCE_PASS_FOUND;
	if (worker->copied_much)
		note_poll_after_copy(worker);
	uroce_worker_drop(worker);
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
	worker->poll_budget = 0;
	__atomic_store_n(&worker->lease_ns, 0, __ATOMIC_RELAXED);
	if (!worker->dead && uroce_helper_is_blind(&worker->helper))
		uroce_helper_ring(&worker->helper);
	uroce_engine_flush_deferred(&worker->engine);
	uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
	(void)uroce_worker_run(worker, false);
}

int uroce_worker_arm_cq(struct uroce_worker *worker, struct uroce_cq *cq,
			bool solicited_only)
{
	bool was_armed;

	if (!uroce_lock_take_unless_own(&worker->engine_lock) ||
	    !uroce_worker_start_pass(worker))
		return -EBUSY;
	(void)flush_chaos(worker);
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
		.deadline_ns = uroce_worker_deadline(worker),
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
		worker->process->refresh(worker->process);
	if (wake & UROCE_WAKE_LOCAL &&
	    !uroce_helper_is_paused(&worker->helper, UROCE_WAKE_LOCAL))
		uroce_shm_end_pause(worker->shm);
	if (wake & UROCE_WAKE_LOCAL && uroce_shm_serve(worker->shm))
		pause |= UROCE_WAKE_LOCAL;
	uroce_worker_acquire(worker);
	received = worker->received;
	if (wake & UROCE_WAKE_INBOX &&
	    uroce_port_receive_inbox(worker->port, uroce_worker_on_packet,
				     worker))
		pause |= UROCE_WAKE_INBOX;
	if (wake & UROCE_WAKE_GSI && uroce_worker_receive_gsi(worker))
		pause |= UROCE_WAKE_GSI;
	if (pause)
		uroce_helper_pause(&worker->helper, pause);
	leased = uroce_worker_lease(worker) > worker->now;
	if (!leased) {
		uroce_engine_flush_delayed(&worker->engine, UROCE_NEVER);
		more = uroce_worker_run(worker, true);
	} else if (wake & UROCE_WAKE_INBOX) {
		(void)uroce_worker_run(worker, false);
	}
	uroce_helper_update_policy(
		&worker->wake_policy, uroce_helper_is_blind(&worker->helper),
		wake & ANY_PACKET, leased, worker->received != received);
	plan_locked(worker, wake, more);
	uroce_worker_release(worker);
	uroce_worker_serve_gsi(worker, wake);
}
