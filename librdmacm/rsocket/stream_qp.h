/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue pair of a connection: its resources, the posting of messages, and
 * the completions that drive the protocol.
 */
#ifndef RSOCKET_STREAM_QP_H
#define RSOCKET_STREAM_QP_H

#include "rsocket/socket_object.h"

/**
 * stream_qp_open_locked() - create the QP, CQ and memory of a connection
 *
 * The id must have a device. Receives are posted, and the setup data for the
 * peer is known afterwards.
 *
 * Return: 0 or -errno; nothing is left over after a failure but a QP in the id,
 * which stream_qp_close() destroys.
 */
int stream_qp_open_locked(struct rsocket *socket,
			  struct stream_setup *ret_setup);

/** stream_qp_close() - destroy all; the socket is closed, and has its id */
void stream_qp_close(struct rsocket *socket);

/**
 * stream_qp_post_locked() - post a DATA message or a write
 * @inline_data: NULL: the data is in the send buffer
 * @has_imm: whether it is a message
 *
 * A failure ends the connection.
 */
void stream_qp_post_locked(struct rsocket *socket,
			   const struct stream_message *message,
			   const void *inline_data, bool has_imm);

/** stream_qp_flush_locked() - send the control messages that are due */
void stream_qp_flush_locked(struct rsocket *socket);

/** stream_qp_keepalive_locked() - write nothing, to see if the peer exists
 *
 * No effect without a connection, or while control messages are outstanding.
 */
void stream_qp_keepalive_locked(struct rsocket *socket);

/**
 * stream_qp_progress_locked() - process completions
 *
 * Notifies the waiting threads if there were any, and sends control messages.
 */
void stream_qp_progress_locked(struct rsocket *socket);

/**
 * stream_qp_arm_locked() - request an event for the next completion
 *
 * Call stream_qp_progress_locked() afterwards, before sleeping.
 *
 * Return: the descriptor to poll; -1 if there is no connection.
 */
int stream_qp_arm_locked(struct rsocket *socket);

/**
 * stream_qp_take_events_locked() - make the descriptor unreadable again
 *
 * Processes the completions of the events, for which other threads may wait.
 */
void stream_qp_take_events_locked(struct rsocket *socket);

#endif
