/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a loop gets its port: it claims a slot when it is created, which never
 * waits, and joins the processes that share UDP port 4791 afterwards. The
 * thread that opens the first device makes the first attempt; if that fails, a
 * thread of its own tries again every second until it succeeds.
 */
#ifndef UROCE_LOOP_PORT_H
#define UROCE_LOOP_PORT_H

#include "uroce/uroce_loop_state.h"

/**
 * uroce_loop_claim_slot() - claim a slot, and accept processes of this host
 * @loop: is being created
 *
 * Return: the slot; 0 if there is none: then no other process is reached.
 */
uint32_t uroce_loop_claim_slot(struct uroce_loop *loop);

/**
 * uroce_loop_await_port() - wait for the first attempt to join
 * @loop: with its helper
 * @is_first: whether the caller created the loop; then it makes the attempt
 *
 * Waits for UROCE_JOIN_MS at most. Context: without locks.
 */
void uroce_loop_await_port(struct uroce_loop *loop, bool is_first);

/** uroce_loop_stop_joining() - end the thread; not in a child of fork() */
void uroce_loop_stop_joining(struct uroce_loop *loop);

/** uroce_loop_close_port() - close the port, or what there is of it */
void uroce_loop_close_port(struct uroce_loop *loop);

/**
 * uroce_loop_add_gids_locked() - let packets come to the addresses of @dev
 * @other: without those that it has; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_loop_add_gids_locked(struct uroce_loop *loop,
			       const struct uroce_netdev *dev,
			       const struct uroce_netdev *other);

/** uroce_loop_remove_gids_locked() - the opposite */
void uroce_loop_remove_gids_locked(struct uroce_loop *loop,
				   const struct uroce_netdev *dev,
				   const struct uroce_netdev *other);

#endif
