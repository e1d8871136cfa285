/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is counted. Each way in which a packet can be refused has a counter of
 * its own, so that a connection that does not work says why.
 */
#ifndef UROCE_COUNTERS_H
#define UROCE_COUNTERS_H

#include <stdint.h>

enum uroce_counter {
	UROCE_C_RX_PACKETS, /* handed to the engine */
	UROCE_C_RX_BYTES,   /* of payload */
	UROCE_C_TX_PACKETS, /* handed out, with repeated ones */
	UROCE_C_TX_BYTES,   /* of payload */

	/* dropped before a QP was asked */
	UROCE_C_NO_QP,	       /* no such QPN */
	UROCE_C_BAD_TRANSPORT, /* opcode of another transport than the QP's */
	UROCE_C_BAD_STATE,     /* QP is not in a state to take it */
	UROCE_C_BAD_PKEY,
	UROCE_C_BAD_SOURCE, /* not from, or not to, the GID of the path */
	UROCE_C_BAD_QKEY,
	UROCE_C_BAD_ICRC, /* noticed while copying, or by dispatch */
	UROCE_C_NO_GROUP, /* multicast that no QP is attached to */

	/* responder */
	UROCE_C_DUPLICATES,	  /* requests that were executed before */
	UROCE_C_OUT_OF_SEQUENCE,  /* requests behind a gap */
	UROCE_C_BAD_OP_SEQUENCE,  /* MIDDLE without FIRST and the like */
	UROCE_C_BAD_LENGTH,	  /* payload and opcode, or RETH, disagree */
	UROCE_C_NOT_ENABLED,	  /* operation that the QP does not take */
	UROCE_C_BAD_KEY,	  /* of a request: no region or window has it */
	UROCE_C_BAD_PD,		  /* of a request: another PD than the QP */
	UROCE_C_BAD_RIGHTS,	  /* of a request, or a window of another QP */
	UROCE_C_BAD_RANGE,	  /* of a request: not all of it is inside */
	UROCE_C_MISALIGNED,	  /* atomic that is not on 8 bytes */
	UROCE_C_TOO_MANY_READS,	  /* more than max_dest_rd_atomic at a time */
	UROCE_C_BAD_DUPLICATE,	  /* repeated READ or atomic that is unknown */
	UROCE_C_NO_RECEIVE,	  /* nothing posted: RNR NAK, or dropped */
	UROCE_C_TOO_LONG,	  /* for the receive that was posted */
	UROCE_C_LOCAL_PROTECTION, /* of the receive that was posted */
	UROCE_C_UC_LOST,	  /* messages of UC that are not whole */

	/* requester */
	UROCE_C_STALE_ACKS,	/* for what is no longer, or not yet, sent */
	UROCE_C_BAD_RESPONSES,	/* that answer nothing that was asked */
	UROCE_C_IMPLIED_NAKS,	/* a response was lost */
	UROCE_C_NAKS_SEQ,	/* received; the others are errors */
	UROCE_C_NAKS_RNR,	/* received */
	UROCE_C_NAKS_FATAL,	/* received */
	UROCE_C_TIMEOUTS,	/* of the acknowledge timer */
	UROCE_C_RETRANSMITTED,	/* packets sent again */
	UROCE_C_RETRY_EXCEEDED, /* QPs lost for that reason */

	UROCE_C_CQ_OVERRUN, /* completions that had no room */
	UROCE_NR_COUNTERS,
};

struct uroce_counters {
	uint64_t count[UROCE_NR_COUNTERS];
};

/** uroce_counter_name() - short name for people, such as "bad_icrc" */
const char *uroce_counter_name(enum uroce_counter counter);

#endif
