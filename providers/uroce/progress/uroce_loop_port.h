/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The UDP port of a loop. A new loop claims a slot, which never waits, and then
 * joins the processes that share UDP port 4791. The thread that opens the first
 * device makes the first attempt to join. If that fails, a join thread tries
 * again every second until it succeeds.
 */
#ifndef UROCE_LOOP_PORT_H
#define UROCE_LOOP_PORT_H

#include "uroce/progress/uroce_loop_state.h"

/**
 * uroce_loop_claim_slot() - claim a slot, and accept peers of this host
 * @loop: is being created
 *
 * Return: the slot; 0 if none is free: then no other process can be reached.
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

/** uroce_loop_stop_joining() - end the join thread; not in a fork() child */
void uroce_loop_stop_joining(struct uroce_loop *loop);

/** uroce_loop_close_port() - close the port, with or without sockets */
void uroce_loop_close_port(struct uroce_loop *loop);

/**
 * uroce_loop_add_gids_locked() - accept packets for the addresses of @dev
 * @other: device whose addresses are left out; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_loop_add_gids_locked(struct uroce_loop *loop,
			       const struct uroce_netdev *dev,
			       const struct uroce_netdev *other);

/** uroce_loop_remove_gids_locked() - undo uroce_loop_add_gids_locked() */
void uroce_loop_remove_gids_locked(struct uroce_loop *loop,
				   const struct uroce_netdev *dev,
				   const struct uroce_netdev *other);

#endif
