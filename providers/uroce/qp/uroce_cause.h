/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which packet made a QP fail, for VERBS_EXPLAIN. The last failures of the
 * process are in a table without a lock, because ibv_poll_cq() and the thread
 * between ibv_start_poll() and ibv_end_poll() read it.
 */
#ifndef UROCE_CAUSE_H
#define UROCE_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/qp/uroce_counters.h"

struct uroce_qp;

enum uroce_cause_kind {
	UROCE_CAUSE_NONE,
	UROCE_CAUSE_NAK,	  /* the peer refused a request: code */
	UROCE_CAUSE_TIMEOUT,	  /* no acknowledgement: retransmissions */
	UROCE_CAUSE_LOST,	  /* the peer lost it again: likewise */
	UROCE_CAUSE_RNR,	  /* no receive request: retransmissions */
	UROCE_CAUSE_RESPONSE,	  /* an invalid response */
	UROCE_CAUSE_REFUSED,	  /* a request of the peer was refused: code */
	UROCE_CAUSE_PEER_PROCESS, /* it has ended; no packet */
};

struct uroce_cause {
	enum uroce_cause_kind kind;
	uint32_t psn;
	uint8_t detail;		   /* NAK code, or number of retransmissions */
	enum uroce_counter reason; /* UROCE_CAUSE_REFUSED: the failed check */
};

/**
 * uroce_cause_note() - note why a QP is about to fail
 *
 * Call it before uroce_qp_fault(). Nothing happens if the QP has failed.
 *
 * Context: with the engine lock.
 */
__attribute__((cold)) void uroce_cause_note(const struct uroce_qp *qp,
					    enum uroce_cause_kind kind,
					    uint32_t psn, uint8_t detail);

/**
 * uroce_cause_note_refused() - likewise, for a request of the peer
 * @nak: code of the NAK
 * @reason: counter of the check that failed
 */
__attribute__((cold)) void uroce_cause_note_refused(const struct uroce_qp *qp,
						    uint32_t psn, uint8_t nak,
						    enum uroce_counter reason);

/**
 * uroce_cause_find() - find the last failure of a QP
 *
 * Context: any thread; takes no lock.
 * Return: whether it is one of the last failures of the process.
 */
bool uroce_cause_find(uint32_t qpn, struct uroce_cause *ret);

#endif
