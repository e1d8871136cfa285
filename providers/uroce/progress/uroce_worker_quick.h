/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Quick posts and quick polls: the fast path for peers of this host. They read
 * no clock, call no socket and expire no timer. The next full pass or the
 * helper thread does that. All functions need the engine lock; only
 * uroce_worker.c calls them.
 */
#ifndef UROCE_WORKER_QUICK_H
#define UROCE_WORKER_QUICK_H

#include "uroce/progress/uroce_worker_state.h"

/**
 * uroce_worker_quick_post() - send new requests of @qp without a full pass
 *
 * Return: whether all is sent; else the caller kicks @qp and makes a full pass.
 */
bool uroce_worker_quick_post(struct uroce_worker *worker, struct uroce_qp *qp);

/**
 * uroce_worker_quick_poll() - receive from all rings, and send responses
 *
 * Return: whether that is sufficient; else the caller makes a full pass.
 */
bool uroce_worker_quick_poll(struct uroce_worker *worker);

/**
 * uroce_worker_renew_poll_budget() - set the quick poll budget after a full
 * pass
 *
 * The next polls may be quick if polls follow each other so fast that timers
 * and packets of the network are not delayed noticeably.
 */
void uroce_worker_renew_poll_budget(struct uroce_worker *worker);

#endif
