/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop's dealings with other processes of this host (local/). All with the
 * engine lock, but for what says otherwise.
 */
#ifndef UROCE_LOOP_LOCAL_H
#define UROCE_LOOP_LOCAL_H

#include "uroce/uroce_loop_state.h"

/**
 * uroce_loop_open_local() - accept processes of this host, if the user has not
 * disabled that
 * @loop: is being created; without the engine lock
 * @slot: of its port
 *
 * Without it everything works, over the network.
 *
 * Return: 0; -EADDRINUSE if the name is taken; or another -errno, which is
 * logged.
 */
int uroce_loop_open_local(struct uroce_loop *loop, uint32_t slot);

/** uroce_loop_show_local() - once there is an engine: others see what it has */
void uroce_loop_show_local(struct uroce_loop *loop);

/** uroce_loop_receive_local() - packets of others; whether there were any */
bool uroce_loop_receive_local(struct uroce_loop *loop);

/** uroce_loop_resume_local() - channels that have room again are not full */
void uroce_loop_resume_local(struct uroce_loop *loop);

/**
 * uroce_loop_put_local() - a packet that is to be sent
 *
 * If its QP has a channel, that one is not full.
 *
 * Return: false: it is one for the network.
 */
bool uroce_loop_put_local(struct uroce_loop *loop, const struct uroce_out *out);

/** uroce_loop_send_briefs() - what uroce_fast_next() has of a QP */
void uroce_loop_send_briefs(struct uroce_loop *loop, struct uroce_qp *qp);

/**
 * uroce_loop_copy() - requests of a QP with a channel that can be done without
 * the other side
 * @loop: its lock is given to others between parts of long ones
 *
 * Return: whether that was all that was posted; then nobody has to wait for it.
 */
bool uroce_loop_copy(struct uroce_loop *loop, struct uroce_qp *qp);

/** uroce_loop_owes_local() - whether an ACK or answer waits for room */
bool uroce_loop_owes_local(const struct uroce_loop *loop);

/**
 * uroce_loop_watch_local() - the helper goes to sleep
 * @watch: a packet is to wake it
 *
 * Return: whether one is there: it must not sleep.
 */
bool uroce_loop_watch_local(struct uroce_loop *loop, bool watch);

#endif
