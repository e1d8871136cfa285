/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended reliable connections (XRC, IBTA annex A14). The initiator (type
 * IBV_QPT_XRC_SEND) is the requester of an RC connection, the target
 * (IBV_QPT_XRC_RECV) the responder. Each request names an SRQ, whose CQ and PD
 * the target uses for this request, if both have one XRC domain.
 *
 * One worker serves all targets and SRQs of the process. Its core has the table
 * of the SRQs by their numbers, and the list of the targets. All functions need
 * its engine lock.
 */
#ifndef UROCE_XRC_H
#define UROCE_XRC_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/qp/uroce_core.h"
#include "uroce/qp/uroce_qp.h"

/** uroce_xrc_init() - no SRQ, target or domain */
void uroce_xrc_init(struct uroce_xrc *xrc);

/** uroce_xrc_fini() - free the table */
void uroce_xrc_fini(struct uroce_xrc *xrc);

/**
 * uroce_xrc_add_srq() - give an SRQ a number, and enter it into the table
 * @xrc: of the core
 * @rq: the SRQ, with xrc_domain and xrc_cq; receives xrc_number
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are too many.
 */
int uroce_xrc_add_srq(struct uroce_xrc *xrc, struct uroce_rq *rq);

/**
 * uroce_xrc_remove_srq() - let all targets forget an SRQ
 *
 * A receive WQE in use is dropped.
 */
void uroce_xrc_remove_srq(struct uroce_xrc *xrc, const struct uroce_rq *rq);

/**
 * uroce_xrc_add_target() - let a new QP be a target without an SRQ
 * @xrc: of the core
 * @qp: the QP, which was created as an RC QP with an empty RQ
 * @domain: its XRC domain
 */
void uroce_xrc_add_target(struct uroce_xrc *xrc, struct uroce_qp *qp,
			  const void *domain);

/** uroce_xrc_remove_target() - before the QP is freed */
void uroce_xrc_remove_target(struct uroce_qp *qp);

/** uroce_xrc_find_target() - find a target of @domain, or NULL */
struct uroce_qp *uroce_xrc_find_target(const struct uroce_xrc *xrc,
				       const void *domain, uint32_t qpn);

/**
 * uroce_xrc_select() - let a target use the SRQ that the next request names
 * @qp: the target
 * @number: number of the SRQ
 * @begins: whether the packet begins a message; the others name the same SRQ
 *
 * Return: false if there is no such SRQ in the domain, or if the packet
 * continues a message for a different one.
 */
bool uroce_xrc_select(struct uroce_qp *qp, uint32_t number, bool begins);

#endif
