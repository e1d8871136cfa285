/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The full pass of a worker, and what quick posts and polls share with it. All
 * functions need the engine lock.
 */
#ifndef UROCE_WORKER_PASS_H
#define UROCE_WORKER_PASS_H

#include "uroce/progress/uroce_worker_state.h"

/**
 * uroce_worker_run() - make a full pass
 * @worker: its time is that of the pass
 * @receive: false: only send, and do what is due
 *
 * Return: whether there may be more to receive.
 */
bool uroce_worker_run(struct uroce_worker *worker, bool receive);

/** uroce_worker_on_packet() - process a packet of the port; @arg: the worker */
void uroce_worker_on_packet(void *arg, struct uroce_packet *packet);

/** uroce_worker_deadline() - the time of the next work if no packet arrives */
uint64_t uroce_worker_deadline(const struct uroce_worker *worker);

/** uroce_worker_lease() - return the end of the lease for the helper thread */
uint64_t uroce_worker_lease(const struct uroce_worker *worker);

/** uroce_worker_deliver() - pass events to verbs/ */
void uroce_worker_deliver(struct uroce_worker *worker);

/** uroce_worker_need_helper() - wake the helper thread at the next deadline */
void uroce_worker_need_helper(struct uroce_worker *worker);

#endif
