/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The UDP port of a worker. A new worker claims a slot, which never waits, and
 * then joins the processes that share UDP port 4791. The thread that opens the
 * first device makes the first attempt to join. If that fails, a join thread
 * tries again every second until it succeeds.
 */
#ifndef UROCE_WORKER_PORT_H
#define UROCE_WORKER_PORT_H

#include "uroce/progress/uroce_worker_state.h"

/**
 * uroce_worker_claim_slot() - claim a slot, and accept peers of this host
 * @worker: is being created
 *
 * Return: the slot; 0 if none is free: then no other process can be reached.
 */
uint32_t uroce_worker_claim_slot(struct uroce_worker *worker);

/**
 * uroce_worker_await_port() - wait for the first attempt to join
 * @worker: with its helper
 * @is_first: whether the caller created the worker; then it makes the attempt
 *
 * Waits for UROCE_JOIN_MS at most. Context: without locks.
 */
void uroce_worker_await_port(struct uroce_worker *worker, bool is_first);

/** uroce_worker_stop_joining() - end the join thread; not in a fork() child */
void uroce_worker_stop_joining(struct uroce_worker *worker);

/** uroce_worker_close_port() - close the port, with or without sockets */
void uroce_worker_close_port(struct uroce_worker *worker);

/**
 * uroce_worker_add_gids_locked() - accept packets for the addresses of @dev
 * @other: device whose addresses are left out; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_worker_add_gids_locked(struct uroce_worker *worker,
				 const struct uroce_netdev *dev,
				 const struct uroce_netdev *other);

/** uroce_worker_remove_gids_locked() - undo uroce_worker_add_gids_locked() */
void uroce_worker_remove_gids_locked(struct uroce_worker *worker,
				     const struct uroce_netdev *dev,
				     const struct uroce_netdev *other);

#endif
