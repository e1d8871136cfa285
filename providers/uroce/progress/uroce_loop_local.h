/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection between the loop and the shared memory transport (local/). All
 * functions need the engine lock unless their comment says otherwise.
 */
#ifndef UROCE_LOOP_LOCAL_H
#define UROCE_LOOP_LOCAL_H

#include "uroce/progress/uroce_loop_state.h"

/**
 * uroce_loop_open_local() - accept peers of this host, unless disabled by the
 * user
 * @loop: is being created; without the engine lock
 * @slot: of its port
 *
 * If this fails, all QPs use the network.
 *
 * Return: 0; -EADDRINUSE if the name of the bootstrap socket is taken; or
 * another -errno, which is logged.
 */
int uroce_loop_open_local(struct uroce_loop *loop, uint32_t slot);

/** uroce_loop_show_local() - publish MRs and QPs of the new engine to peers */
void uroce_loop_show_local(struct uroce_loop *loop);

/** uroce_loop_receive_local() - receive from all rings; true: any packets */
bool uroce_loop_receive_local(struct uroce_loop *loop);

/** uroce_loop_resume_local() - resume QPs of channels that have room again */
void uroce_loop_resume_local(struct uroce_loop *loop);

/**
 * uroce_loop_put_local() - put a packet into a ring
 *
 * If its QP has a channel, the channel must have room.
 *
 * Return: false if the packet has to use the network.
 */
bool uroce_loop_put_local(struct uroce_loop *loop, const struct uroce_out *out);

/** uroce_loop_send_briefs() - send the eager packets of uroce_fast_next() */
void uroce_loop_send_briefs(struct uroce_loop *loop, struct uroce_qp *qp);

/**
 * uroce_loop_copy() - execute requests of a QP by direct access
 * @loop: its lock is dropped between parts of long requests
 * @qp: has a channel
 *
 * Return: whether requests were executed and none is left to send.
 */
bool uroce_loop_copy(struct uroce_loop *loop, struct uroce_qp *qp);

/** uroce_loop_owes_local() - check for ACKs and responses without room */
bool uroce_loop_owes_local(const struct uroce_loop *loop);

/**
 * uroce_loop_watch_local() - arm the doorbell before the helper thread sleeps
 * @watch: whether a packet wakes it
 *
 * Return: whether a packet is there; then the helper thread must not sleep.
 */
bool uroce_loop_watch_local(struct uroce_loop *loop, bool watch);

#endif
