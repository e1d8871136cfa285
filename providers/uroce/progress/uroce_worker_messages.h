/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The transport of messages in the passes of a worker (shm/uroce_msg.h). The
 * worker has it: worker->messages is set. With the engine lock.
 */
#ifndef UROCE_WORKER_MESSAGES_H
#define UROCE_WORKER_MESSAGES_H

#include "uroce/progress/uroce_worker_state.h"

/**
 * uroce_worker_post_message() - send what was posted, without reading the clock
 * @qp: any QP without a channel
 *
 * Return: false: a full pass is necessary, or the QP uses the network.
 */
bool uroce_worker_post_message(struct uroce_worker *worker,
			       struct uroce_qp *qp);

/**
 * uroce_worker_poll_messages() - receive messages, without reading the clock
 *
 * Return: false: nothing was done, since a full pass is due.
 */
bool uroce_worker_poll_messages(struct uroce_worker *worker);

/** uroce_worker_renew_message_polls() - after a full pass of a poll */
void uroce_worker_renew_message_polls(struct uroce_worker *worker);

/** uroce_worker_run_messages() - the part of a full pass */
void uroce_worker_run_messages(struct uroce_worker *worker, bool receive);

/** uroce_worker_messages_deadline() - the earlier one of @at_ns and its own */
uint64_t uroce_worker_messages_deadline(const struct uroce_worker *worker,
					uint64_t at_ns);

/** uroce_worker_owes_messages() - whether responses of a QP wait for room */
bool uroce_worker_owes_messages(struct uroce_worker *worker,
				const struct uroce_qp *qp);

#endif
