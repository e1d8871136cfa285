/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the counters, and the reasons of refused accesses. */
#include "uroce/qp/uroce_counters.h"

#include <errno.h>
#include <stddef.h>

static const char *const names[UROCE_NR_COUNTERS] = {
	[UROCE_C_RX_PACKETS] = "rx_packets",
	[UROCE_C_RX_BYTES] = "rx_bytes",
	[UROCE_C_TX_PACKETS] = "tx_packets",
	[UROCE_C_TX_BYTES] = "tx_bytes",
	[UROCE_C_NO_QP] = "no_qp",
	[UROCE_C_BAD_TRANSPORT] = "bad_transport",
	[UROCE_C_BAD_STATE] = "bad_state",
	[UROCE_C_BAD_PKEY] = "bad_pkey",
	[UROCE_C_BAD_SOURCE] = "bad_source",
	[UROCE_C_BAD_QKEY] = "bad_qkey",
	[UROCE_C_BAD_ICRC] = "bad_icrc",
	[UROCE_C_NO_GROUP] = "no_group",
	[UROCE_C_DUPLICATES] = "duplicates",
	[UROCE_C_OUT_OF_SEQUENCE] = "out_of_sequence",
	[UROCE_C_HELD] = "held",
	[UROCE_C_BAD_OP_SEQUENCE] = "bad_op_sequence",
	[UROCE_C_BAD_LENGTH] = "bad_length",
	[UROCE_C_NOT_ENABLED] = "not_enabled",
	[UROCE_C_BAD_KEY] = "bad_key",
	[UROCE_C_BAD_PD] = "bad_pd",
	[UROCE_C_BAD_RIGHTS] = "bad_rights",
	[UROCE_C_BAD_RANGE] = "bad_range",
	[UROCE_C_BAD_PAGE] = "bad_page",
	[UROCE_C_MISALIGNED] = "misaligned",
	[UROCE_C_TOO_MANY_READS] = "too_many_reads",
	[UROCE_C_BAD_DUPLICATE] = "bad_duplicate",
	[UROCE_C_NO_RECEIVE] = "no_receive",
	[UROCE_C_TOO_LONG] = "too_long",
	[UROCE_C_LOCAL_PROTECTION] = "local_protection",
	[UROCE_C_NO_XRC_SRQ] = "no_xrc_srq",
	[UROCE_C_UC_LOST] = "uc_lost",
	[UROCE_C_STALE_ACKS] = "stale_acks",
	[UROCE_C_BAD_RESPONSES] = "bad_responses",
	[UROCE_C_IMPLIED_NAKS] = "implied_naks",
	[UROCE_C_NAKS_SEQ] = "naks_seq",
	[UROCE_C_NAKS_SELECTIVE] = "naks_selective",
	[UROCE_C_NAKS_RNR] = "naks_rnr",
	[UROCE_C_NAKS_FATAL] = "naks_fatal",
	[UROCE_C_TIMEOUTS] = "timeouts",
	[UROCE_C_RETRANSMITTED] = "retransmitted",
	[UROCE_C_PROBES] = "probes",
	[UROCE_C_ECN_MARKED] = "ecn_marked",
	[UROCE_C_CNPS_SENT] = "cnps_sent",
	[UROCE_C_CNPS_HANDLED] = "cnps_handled",
	[UROCE_C_RETRY_EXCEEDED] = "retry_exceeded",
	[UROCE_C_CQ_OVERRUN] = "cq_overrun",
};

const char *uroce_counter_name(enum uroce_counter counter)
{
	return (size_t)counter < UROCE_NR_COUNTERS ? names[counter] : "unknown";
}

enum uroce_counter uroce_counters_access(int err)
{
	switch (err) {
	case -EPERM:
		return UROCE_C_BAD_PD;
	case -EACCES:
		return UROCE_C_BAD_RIGHTS;
	case -ERANGE:
		return UROCE_C_BAD_RANGE;
	case -EFAULT:
		return UROCE_C_BAD_PAGE;
	default:
		return UROCE_C_BAD_KEY;
	}
}
