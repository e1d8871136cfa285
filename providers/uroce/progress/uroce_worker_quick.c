/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path between two processes of this host. uroce_worker.c tries it
 * first, and makes a full pass (uroce_worker_run()) if it is not sufficient.
 *
 * A quick post or poll saves mainly the time of reading the clock: it uses the
 * time of the last full pass, and sets a flag for this stale time in the
 * engine, so that no timer expires early. While passes of workers exclude each
 * other (struct uroce_process), no post or poll is quick: only a full pass
 * takes the lock for this, and ends accesses to dma-bufs.
 *
 * Other work is not delayed for long: a post is quick only while the helper
 * thread has a time to wake up, and at least one of MAX_POLL_BUDGET + 1 polls
 * makes a full pass.
 */
#include "uroce/progress/uroce_worker_quick.h"

#include <sched.h>

#include "uroce/progress/uroce_worker_lock.h"
#include "uroce/progress/uroce_worker_pass.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_direct.h"
#include "uroce/roce/uroce_fast.h"

/* Quick polls between two full passes, at most. */
#define MAX_POLL_BUDGET 150
/* Their total time; for peers a poll is recent for longer. */
#define POLL_BUDGET_NS UINT64_C(2500)

/* Whether the helper thread has a time to wake up, and needs no doorbell. */
static bool helper_gets_up(const struct uroce_worker *worker)
{
	return __atomic_load_n(&worker->helper.until_ns, __ATOMIC_RELAXED) !=
	       UROCE_NEVER;
}

static bool is_usual(const struct uroce_worker *worker)
{
	return worker->shm && !worker->dead && !worker->process->exclusive &&
	       list_empty(&worker->full) && helper_gets_up(worker);
}

static void send_of(struct uroce_worker *worker, struct uroce_qp *qp)
{
	struct uroce_engine *engine = &worker->engine;
	struct uroce_out out;

	uroce_delack_has_posted(qp);
	uroce_worker_send_eager(worker, qp);
	if (uroce_fast_is_idle(qp)) {
		list_del(&qp->roce->active);
		return;
	}
	uroce_engine_activate(engine, qp);
	while (uroce_engine_next_of(engine, qp, worker->now, &out)) {
		worker->traffic++;
		uroce_worker_put_shm(worker, &out);
	}
	uroce_engine_sent(engine, worker->now);
}

/* Returns whether all QPs to send have a channel and found room. */
static bool send_all(struct uroce_worker *worker)
{
	struct uroce_qp *qp;

	do {
		while ((qp = uroce_engine_next_active(&worker->engine))) {
			if (!qp->roce->channel || qp->roce->channel->full)
				return false;
			send_of(worker, qp);
		}
		/* a failed QP is not active, but has to be flushed */
		uroce_engine_sent(&worker->engine, worker->now);
	} while (uroce_engine_next_active(&worker->engine));
	return true;
}

/* The helper thread sends a deferred ACK at the end of the lease. */
static inline void quick_finish(struct uroce_worker *worker)
{
	const struct uroce_engine *engine = &worker->engine;
	uint64_t until_ns =
		__atomic_load_n(&worker->helper.until_ns, __ATOMIC_RELAXED);

	if (uroce_core_has_events(&engine->core))
		uroce_worker_deliver(worker);
	if (uroce_engine_deadline(engine) < until_ns ||
	    (engine->nr_deferred && uroce_worker_lease(worker) < until_ns))
		uroce_worker_need_helper(worker);
}

/* After sending: processes the postponed ACK, sends requests that waited. */
static void catch_up(struct uroce_worker *worker, struct uroce_qp *qp)
{
	uroce_fast_catch_up_qp(qp, worker->now);
	if (!uroce_ring_has(&qp->sq, qp->cur) || qp->roce->channel->full)
		return;
	send_of(worker, qp);
	uroce_shm_flush(worker->shm);
}

/* All by direct access: no timer starts, and no thread has to be woken. */
static bool is_done_here(struct uroce_worker *worker, struct uroce_qp *qp)
{
	struct uroce_engine *engine = &worker->engine;

	if (worker->process->exclusive || uroce_fast_has_postponed(qp) ||
	    worker->dead || !uroce_fast_direct(qp))
		return false;
	if (uroce_core_has_events(&engine->core))
		uroce_worker_deliver(worker);
	return true;
}

/* Lets waiting threads run; they need not get the lock before this thread. */
static void let_others(struct uroce_worker *worker)
{
	uroce_worker_release(worker);
	(void)sched_yield();
	uroce_worker_acquire(worker);
}

/*
 * Executes requests of a QP by direct access, and drops the lock between parts
 * of long requests. After let_others() the QP may have changed, so all state is
 * read again. Returns whether requests were executed and none is left to send.
 */
static bool copy_directly(struct uroce_worker *worker, struct uroce_qp *qp)
{
	bool any = false;

	while (!worker->dead && uroce_ring_has(&qp->sq, qp->cur)) {
		struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, qp->cur);
		enum uroce_direct done = UROCE_DIRECT_NO;

		if (!wqe->begun)
			done = uroce_direct_try(qp, wqe);
		if (done == UROCE_DIRECT_NO)
			return false;
		if (done == UROCE_DIRECT_MORE)
			let_others(worker);
		any = true;
	}
	/* else a receive WQE may have to be flushed, in a full pass */
	if (any)
		uroce_worker_deliver(worker);
	return any;
}

bool uroce_worker_quick_post(struct uroce_worker *worker, struct uroce_qp *qp)
{
	if (qp->roce->channel && uroce_channel_is_shared(qp->roce->channel) &&
	    is_done_here(worker, qp))
		return true;
	if (qp->roce->channel &&
	    (qp->roce->channel->direct_copy || qp->roce->channel->nr_shared) &&
	    !worker->process->exclusive &&
	    /* else send_of() below tries direct access, once */
	    (!is_usual(worker) || uroce_direct_is_long(qp))) {
		worker->engine.stale = true;
		if (copy_directly(worker, qp))
			return true;
	}
	if (!qp->roce->channel || !is_usual(worker))
		return false;
	worker->engine.stale = true;
	send_of(worker, qp);
	uroce_shm_flush(worker->shm);
	if (uroce_fast_has_postponed(qp))
		catch_up(worker, qp);
	quick_finish(worker);
	/* without room a full pass is needed */
	return !qp->roce->channel->full;
}

static bool quick_defer_ack(struct uroce_worker *worker, uint64_t received)
{
	return worker->received == received + 1 &&
	       !worker->wake_policy.short_leases &&
	       uroce_engine_defer_only_ack(&worker->engine);
}

/* Nothing was received, and nothing is left to send or to deliver. */
static bool is_done(const struct uroce_engine *engine)
{
	return !uroce_engine_next_active(engine) &&
	       list_empty(&engine->unsent) &&
	       list_empty(&engine->core.faulted) &&
	       !uroce_core_has_events(&engine->core);
}

bool uroce_worker_quick_poll(struct uroce_worker *worker)
{
	struct uroce_engine *engine = &worker->engine;
	uint64_t received = worker->received;
	bool done = true;

	if (!worker->poll_budget || !is_usual(worker))
		return false;
	worker->poll_budget--;
	worker->engine.stale = true;
	uroce_fast_catch_up(engine, worker->now);
	uroce_engine_flush_deferred(engine);
	if (!uroce_shm_seems_empty(worker->shm)) {
		engine->may_postpone_ack = true;
		(void)uroce_worker_receive_shm(worker);
		engine->may_postpone_ack = false;
	} else if (is_done(engine)) {
		return true;
	}
	if (!quick_defer_ack(worker, received)) {
		done = send_all(worker);
		uroce_shm_flush(worker->shm);
	}
	quick_finish(worker);
	return done;
}

/* Whether the application polls and has shm peers. */
static bool may_poll_quickly(const struct uroce_worker *worker)
{
	return worker->shm && !uroce_shm_is_empty(worker->shm) &&
	       !worker->socket_full && !worker->wake_policy.short_leases &&
	       uroce_worker_lease(worker) > worker->now;
}

/* The number of polls for POLL_BUDGET_NS at the speed of the last @polls. */
static uint32_t count_poll_budget(uint64_t passed_ns, uint32_t polls)
{
	uint64_t nr = polls * POLL_BUDGET_NS / (passed_ns + 1);

	return nr < MAX_POLL_BUDGET ? (uint32_t)nr : MAX_POLL_BUDGET;
}

void uroce_worker_renew_poll_budget(struct uroce_worker *worker)
{
	uint32_t polls = worker->poll_budget_size - worker->poll_budget + 1;
	uint64_t passed_ns = worker->now - worker->full_pass_ns;

	worker->full_pass_ns = worker->now;
	worker->poll_budget_size = may_poll_quickly(worker)
					   ? count_poll_budget(passed_ns, polls)
					   : 0;
	worker->poll_budget = worker->poll_budget_size;
}
