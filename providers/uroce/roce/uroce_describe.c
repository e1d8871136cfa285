/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The op describe_error: the packet that made a QP fail, in words. */
#include "uroce/roce/uroce_describe.h"

#include <errno.h>
#include <stdio.h>

#include "uroce/qp/uroce_cause.h"
#include "uroce/wire/uroce_packet.h"

static const char *describe_nak(unsigned int code)
{
	static const char *const names[] = {
		[UROCE_NAK_INVALID_REQUEST] = "invalid request",
		[UROCE_NAK_REMOTE_ACCESS] = "remote access error",
		[UROCE_NAK_REMOTE_OP] = "remote operational error",
	};

	return code < sizeof(names) / sizeof(names[0]) && names[code]
		       ? names[code]
		       : "unknown";
}

/* The check of the responder that a request did not pass. */
static const char *describe_reason(enum uroce_counter reason)
{
	static const char *const texts[UROCE_NR_COUNTERS] = {
		[UROCE_C_BAD_OP_SEQUENCE] =
			"its opcode does not continue the message",
		[UROCE_C_BAD_LENGTH] = "its length is wrong",
		[UROCE_C_NOT_ENABLED] = "the QP does not permit the operation",
		[UROCE_C_BAD_KEY] = "no region or window has the rkey",
		[UROCE_C_BAD_PD] = "the rkey is of another PD than the QP",
		[UROCE_C_BAD_RIGHTS] =
			"no access right, or the window is of another QP",
		[UROCE_C_BAD_RANGE] =
			"the addresses are not all in the region or window",
		[UROCE_C_MISALIGNED] =
			"the address of the atomic is not aligned",
		[UROCE_C_TOO_MANY_READS] =
			"there are more requests than max_dest_rd_atomic",
		[UROCE_C_TOO_LONG] =
			"the message is longer than the receive request",
		[UROCE_C_LOCAL_PROTECTION] =
			"an SGE of the receive request is invalid",
		[UROCE_C_NO_XRC_SRQ] = "no SRQ has the number",
	};

	return reason < UROCE_NR_COUNTERS && texts[reason] ? texts[reason]
							   : "unknown reason";
}

int uroce_describe_error(struct ibv_context *ctx, uint32_t qp_num, char *buf,
			 size_t size)
{
	struct uroce_cause cause;

	if (!uroce_cause_find(qp_num, &cause))
		return -ENOENT;
	switch (cause.kind) {
	case UROCE_CAUSE_NAK:
		(void)snprintf(buf, size,
			       "the peer responded to the packet with PSN "
			       "0x%06x with the NAK code %u (%s)",
			       cause.psn, cause.detail,
			       describe_nak(cause.detail));
		return 0;
	case UROCE_CAUSE_TIMEOUT:
		(void)snprintf(buf, size,
			       "the packet with PSN 0x%06x was not "
			       "acknowledged after %u retransmissions",
			       cause.psn, cause.detail);
		return 0;
	case UROCE_CAUSE_LOST:
		(void)snprintf(buf, size,
			       "packets from PSN 0x%06x on were lost again "
			       "after %u retransmissions",
			       cause.psn, cause.detail);
		return 0;
	case UROCE_CAUSE_RNR:
		(void)snprintf(buf, size,
			       "the peer responded to the packet with PSN "
			       "0x%06x with an RNR NAK, after %u "
			       "retransmissions",
			       cause.psn, cause.detail);
		return 0;
	case UROCE_CAUSE_RESPONSE:
		(void)snprintf(buf, size,
			       "the response packet with PSN 0x%06x has an "
			       "invalid opcode or length",
			       cause.psn);
		return 0;
	case UROCE_CAUSE_REFUSED:
		(void)snprintf(buf, size,
			       "a request of the peer was refused: its packet "
			       "with PSN 0x%06x, NAK code %u (%s): %s",
			       cause.psn, cause.detail,
			       describe_nak(cause.detail),
			       describe_reason(cause.reason));
		return 0;
	case UROCE_CAUSE_PEER_PROCESS:
		(void)snprintf(buf, size, "the process of the peer has ended");
		return 0;
	default:
		return -ENOENT;
	}
}
