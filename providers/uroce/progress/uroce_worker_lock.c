/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The engine lock of a worker, and the exclusion of other passes. */
#include "uroce/progress/uroce_worker_lock.h"

#include "uroce/roce/uroce_fast.h"
#include "util/clock.h"

void uroce_worker_read_clock(struct uroce_worker *worker)
{
	worker->now = verbs_now_ns();
	worker->engine.stale = false;
	uroce_fast_catch_up(&worker->engine, worker->now);
}

bool uroce_worker_exclude(struct uroce_worker *worker)
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
 * Serves kicks after a release of the engine lock. A thread that kicks a QP and
 * does not get the lock leaves the QP to the lock holder, which checks the kick
 * list again after the release. The kick and this check are seq_cst, so one of
 * the two threads sees the other. (Without room the kicks wait for a later
 * pass.)
 */
void uroce_worker_serve_kicks(struct uroce_worker *worker)
{
	do {
		if (!uroce_engine_has_kicks(&worker->engine) ||
		    __atomic_load_n(&worker->socket_full, __ATOMIC_RELAXED) ||
		    worker->dead || !uroce_worker_try_acquire(worker))
			return;
		(void)uroce_worker_run(worker, false);
		uroce_worker_end_exclusion(worker);
	} while (uroce_lock_drop(&worker->engine_lock));
}

void uroce_worker_release(struct uroce_worker *worker)
{
	uroce_worker_drop(worker);
}

void uroce_worker_acquire(struct uroce_worker *worker)
{
	uroce_lock_take(&worker->engine_lock);
	/* never in a signal handler that has interrupted a pass */
	if (worker->process->exclusive) {
		uroce_lock_take(&worker->process->pass_lock);
		worker->has_pass_lock = true;
	}
	uroce_worker_read_clock(worker);
}
