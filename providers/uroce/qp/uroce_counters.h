/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters. Each reason to drop or reject a packet has a counter of its own, so
 * that the counters explain why a connection does not work.
 */
#ifndef UROCE_COUNTERS_H
#define UROCE_COUNTERS_H

#include <stdint.h>

enum uroce_counter {
	UROCE_C_RX_PACKETS, /* passed to the engine */
	UROCE_C_RX_BYTES,   /* of payload */
	UROCE_C_TX_PACKETS, /* returned by the engine, with retransmissions */
	UROCE_C_TX_BYTES,   /* of payload */

	/* dropped by packet header or ICRC validation */
	UROCE_C_NO_QP,	       /* no such QPN */
	UROCE_C_BAD_TRANSPORT, /* opcode of another transport than the QP's */
	UROCE_C_BAD_STATE,     /* the QP state does not accept the packet */
	UROCE_C_BAD_PKEY,
	UROCE_C_BAD_SOURCE, /* wrong channel, or not the GIDs of the path */
	UROCE_C_BAD_QKEY,
	UROCE_C_BAD_ICRC, /* found before or during the copy */
	UROCE_C_NO_GROUP, /* no QP is attached to the group */

	/* responder */
	UROCE_C_DUPLICATES,	  /* requests that were executed before */
	UROCE_C_OUT_OF_SEQUENCE,  /* requests after a PSN gap */
	UROCE_C_HELD,		  /* those that wait until the gap is filled */
	UROCE_C_BAD_OP_SEQUENCE,  /* MIDDLE without FIRST and the like */
	UROCE_C_BAD_LENGTH,	  /* payload does not match opcode or RETH */
	UROCE_C_NOT_ENABLED,	  /* operation that the QP does not allow */
	UROCE_C_BAD_KEY,	  /* rkey of a request: no MR or MW has it */
	UROCE_C_BAD_PD,		  /* MR or MW of another PD than the QP */
	UROCE_C_BAD_RIGHTS,	  /* missing right, or MW of another QP */
	UROCE_C_BAD_RANGE,	  /* range is not wholly in the MR or MW */
	UROCE_C_BAD_PAGE,	  /* invalid page of an on-demand region */
	UROCE_C_MISALIGNED,	  /* atomic whose address is not aligned */
	UROCE_C_TOO_MANY_READS,	  /* more than max_dest_rd_atomic at a time */
	UROCE_C_BAD_DUPLICATE,	  /* duplicate READ or atomic, not recorded */
	UROCE_C_NO_RECEIVE,	  /* no receive WQE: RNR NAK, or dropped */
	UROCE_C_TOO_LONG,	  /* message longer than the receive WQE */
	UROCE_C_LOCAL_PROTECTION, /* invalid SGE of a receive WQE */
	UROCE_C_NO_XRC_SRQ,	  /* no such SRQ in the XRC domain of the QP */
	UROCE_C_UC_LOST,	  /* incomplete messages of UC */

	/* requester */
	UROCE_C_STALE_ACKS,	/* PSN already acknowledged, or never sent */
	UROCE_C_BAD_RESPONSES,	/* invalid, or to no outstanding request */
	UROCE_C_IMPLIED_NAKS,	/* a response was lost */
	UROCE_C_NAKS_SEQ,	/* received: PSN sequence error */
	UROCE_C_NAKS_SELECTIVE, /* those that list what has arrived */
	UROCE_C_NAKS_RNR,	/* received: receiver not ready */
	UROCE_C_NAKS_FATAL,	/* received: the request fails */
	UROCE_C_TIMEOUTS,	/* of the acknowledge timer */
	UROCE_C_RETRANSMITTED,	/* packets */
	UROCE_C_PROBES,		/* last packets that were sent again early */
	UROCE_C_ECN_MARKED,	/* received packets with a mark */
	UROCE_C_CNPS_SENT,	/* congestion notification packets */
	UROCE_C_CNPS_HANDLED,	/* received: CNPs, and responses with BECN */
	UROCE_C_RETRY_EXCEEDED, /* QPs that failed with no retry left */

	UROCE_C_CQ_OVERRUN, /* completions lost to a full CQ */
	UROCE_NR_COUNTERS,
};

struct uroce_counters {
	uint64_t count[UROCE_NR_COUNTERS];
};

/** uroce_counter_name() - get the name of a counter, such as "bad_icrc" */
const char *uroce_counter_name(enum uroce_counter counter);

/** uroce_counters_access() - counter of an error of uroce_memory_remote() */
enum uroce_counter uroce_counters_access(int err);

#endif
