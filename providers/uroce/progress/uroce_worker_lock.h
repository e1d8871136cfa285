/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine lock of a worker. A thread that takes it and makes a pass reads
 * the clock, and excludes passes of other workers where they share objects
 * (struct uroce_process.exclusive).
 */
#ifndef UROCE_WORKER_LOCK_H
#define UROCE_WORKER_LOCK_H

#include "uroce/progress/uroce_worker_pass.h"

/**
 * uroce_worker_read_clock() - set the time of the worker
 *
 * After a quick post or poll, worker->now is the time of the last full pass.
 */
void uroce_worker_read_clock(struct uroce_worker *worker);

/** uroce_worker_exclude() - the rare part of uroce_worker_start_pass() */
bool uroce_worker_exclude(struct uroce_worker *worker);

/** uroce_worker_serve_kicks() - the rare part of uroce_worker_drop() */
void uroce_worker_serve_kicks(struct uroce_worker *worker);

/**
 * uroce_worker_end_exclusion() - end the exclusion that
 * uroce_worker_start_pass() or uroce_worker_acquire() began
 */
static inline void uroce_worker_end_exclusion(struct uroce_worker *worker)
{
	if (__builtin_expect(!worker->has_pass_lock, 1))
		return;
	worker->has_pass_lock = false;
	(void)uroce_lock_drop(&worker->process->pass_lock);
}

/**
 * uroce_worker_start_pass() - read the clock, and exclude other passes if
 * necessary
 *
 * Return: false in a signal handler that has interrupted a pass of another
 * worker: the engine lock is released, and the helper thread makes the pass.
 */
static inline bool uroce_worker_start_pass(struct uroce_worker *worker)
{
	if (__builtin_expect(worker->process->exclusive, 0) &&
	    !uroce_worker_exclude(worker))
		return false;
	uroce_worker_read_clock(worker);
	return true;
}

/** uroce_worker_try_acquire() - take the engine lock if it is free */
static inline bool uroce_worker_try_acquire(struct uroce_worker *worker)
{
	return uroce_lock_try(&worker->engine_lock) &&
	       uroce_worker_start_pass(worker);
}

/** uroce_worker_drop() - uroce_worker_release() for quick posts and polls */
static inline void uroce_worker_drop(struct uroce_worker *worker)
{
	uroce_worker_end_exclusion(worker);
	if (uroce_lock_drop(&worker->engine_lock))
		uroce_worker_serve_kicks(worker);
}

#endif
