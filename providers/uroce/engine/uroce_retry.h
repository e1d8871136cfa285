/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When to send again, and when to give up: the acknowledge timer, the wait for
 * a receiver that is not ready, both counters, and going back.
 */
#ifndef UROCE_RETRY_H
#define UROCE_RETRY_H

#include "uroce/engine/uroce_qp.h"

/** uroce_retry_rnr_ns() - time that a timer field means (IBTA table 45) */
uint64_t uroce_retry_rnr_ns(uint8_t timer);

/** uroce_retry_timeout_ns() - of a timeout attribute; 0: UROCE_NEVER */
uint64_t uroce_retry_timeout_ns(uint8_t timeout);

/** uroce_retry_deadline() - when uroce_retry_expire() has something to do */
uint64_t uroce_retry_deadline(const struct uroce_qp *qp);

/** uroce_retry_expire() - a deadline of @qp has passed */
void uroce_retry_expire(struct uroce_qp *qp, uint64_t now);

/** uroce_retry_start() - run the acknowledge timer, if it does not run yet */
void uroce_retry_start(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_retry_progress() - something was acknowledged
 * @qp: the QP
 * @nr_packets: how much
 * @now: ns
 *
 * Sets the counters back and starts the timer anew, or stops it (9.7.6.1.3).
 */
void uroce_retry_progress(struct uroce_qp *qp, uint32_t nr_packets,
			  uint64_t now);

/**
 * uroce_retry_lost() - una_psn was lost: go back to it
 * @qp: the QP
 * @now: ns
 *
 * Counts as a retry. Does nothing while the QP is still going back for the
 * same packet. When there were too many the QP fails. A channel loses nothing:
 * there it means that a packet without its payload (uroce_split.h) could not be
 * used, which is no retry, as it brings its payload when it is sent again.
 */
void uroce_retry_lost(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_retry_not_ready() - an RNR NAK for una_psn has come
 * @qp: the QP
 * @timer: of the NAK
 * @now: ns
 */
void uroce_retry_not_ready(struct uroce_qp *qp, uint8_t timer, uint64_t now);

#endif
