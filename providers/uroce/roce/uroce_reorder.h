/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selective retransmission, the responder's half (uroce_sack.h is the other):
 * requests behind a gap wait for the missing ones and are executed in the order
 * of the PSNs, as if they had arrived then. So nothing that an application sees
 * changes. The requester must have set uroce_packet.selective. It then gets a
 * NAK (PSN sequence error) with a payload for each batch of such requests: bit
 * i % 8 of byte i / 8 is set if the request with the PSN of the NAK + i waits.
 *
 * What waits is bounded for each QP (8184 PSNs) and for the engine. Other
 * requests behind a gap are dropped, as the specification demands.
 */
#ifndef UROCE_REORDER_H
#define UROCE_REORDER_H

#include "uroce/roce/uroce_engine.h"

/**
 * uroce_reorder_hold() - keep a copy of a request behind the gap
 * @qp: an RC QP
 * @packet: the request, whose ICRC is verified
 *
 * Return: whether the request, or an equal one, waits now.
 */
bool uroce_reorder_hold(struct uroce_qp *qp, const struct uroce_packet *packet);

/**
 * uroce_reorder_take() - take the request with the expected PSN
 *
 * Return: the request, valid until uroce_reorder_end(); NULL: it has not
 * arrived.
 */
struct uroce_packet *uroce_reorder_take(struct uroce_qp *qp);

/** uroce_reorder_end() - free the memory if no request waits any more */
void uroce_reorder_end(struct uroce_qp *qp);

/** uroce_reorder_is_empty() - whether no request waits */
bool uroce_reorder_is_empty(const struct uroce_qp *qp);

/** uroce_reorder_list() - add the list of the requests that wait to a NAK */
void uroce_reorder_list(struct uroce_qp *qp, struct uroce_out *nak);

/** uroce_reorder_drop() - drop all requests that wait */
void uroce_reorder_drop(struct uroce_qp *qp);

#endif
