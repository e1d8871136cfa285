/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GSI of the process (../gsi/uroce_gsi.h): its packets, and its work in the
 * helper thread of the first worker.
 */
#ifndef UROCE_WORKER_GSI_H
#define UROCE_WORKER_GSI_H

#include "uroce/progress/uroce_worker_state.h"

/** uroce_process_open_gsi() - create the GSI; without one there is no QP 1 */
void uroce_process_open_gsi(struct uroce_process *process);

/** uroce_process_gsi_fd() - return the descriptor of UROCE_WAKE_GSI, or -1 */
int uroce_process_gsi_fd(const struct uroce_process *process);

/** uroce_worker_connect_gsi() - pass MADs of a new worker's engine to the GSI
 */
void uroce_worker_connect_gsi(struct uroce_worker *worker);

/** uroce_worker_watch_gsi() - watch QP 1, when a worker has its sockets */
void uroce_worker_watch_gsi(struct uroce_worker *worker);

/**
 * uroce_worker_receive_gsi() - receive packets to QP 1
 *
 * Context: helper thread, with the engine lock.
 * Return: whether the caller should pause.
 */
bool uroce_worker_receive_gsi(struct uroce_worker *worker);

/**
 * uroce_worker_serve_gsi() - deliver MADs
 * @wake: of the helper thread
 *
 * Context: helper thread, without locks.
 */
void uroce_worker_serve_gsi(struct uroce_worker *worker, unsigned int wake);

/**
 * uroce_worker_end_gsi() - leave QP 1 to other processes when this one exits
 *
 * Passes on the MADs that it has received, possibly its own DREQs to another
 * process of the host, which no process would retransmit. Never waits.
 *
 * Return: whether MADs may be left, for another call.
 */
bool uroce_worker_end_gsi(struct uroce_worker *worker);

#endif
