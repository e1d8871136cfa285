/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of ibv_modify_qp(3) and ibv_create_ah(3) that succeeded: attributes
 * that the provider accepts although the connection will not work well.
 */
#include <inttypes.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"

/* A timeout of N is 4.096 us * 2^N (IBTA 9.7.6.1.3). */
#define TIMEOUT_UNIT_NS UINT64_C(4096)

/* Shorter and longer times until a dead peer is noticed are suspicious. */
#define MIN_NOTICE_NS UINT64_C(1000000)
#define MAX_NOTICE_NS (UINT64_C(600) * 1000000000)

static void modified_report(enum layers_rule rule, const struct ibv_qp *qp,
			    const struct explain_text *clause)
{
	struct explain_text text = {};

	explain_add(&text, "ibv_modify_qp(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, "): %s", clause->buf);
	validate_report(rule, qp->context, &text);
}

static void modified_check_port(const struct ibv_qp *qp, uint8_t port)
{
	struct ibv_port_attr attr = {};
	struct explain_text text = {};

	if (!port ||
	    LAYERS_CALL_BELOW(qp->context, query_port, qp->context, port,
			      &attr) != 0 ||
	    attr.state == IBV_PORT_ACTIVE || attr.state == IBV_PORT_NOP)
		return;
	explain_add(&text,
		    "the QP is connected, but port %u is %s; nothing arrives "
		    "until it is active",
		    port, attr.state == IBV_PORT_DOWN ? "down" : "not active");
	modified_report(AV_QP_006, qp, &text);
}

/* Every attempt has its timeout, the first one too. */
static void modified_check_notice(const struct ibv_qp *qp, uint8_t timeout,
				  uint8_t retry_cnt)
{
	uint64_t notice_ns =
		(TIMEOUT_UNIT_NS << (timeout & 31)) * (retry_cnt + UINT64_C(1));
	struct explain_text text = {};

	if (notice_ns >= MIN_NOTICE_NS && notice_ns <= MAX_NOTICE_NS)
		return;
	explain_add(&text,
		    "with the timeout %u and the retry_cnt %u, a peer that "
		    "does not respond is noticed after %" PRIu64 " us or more",
		    timeout, retry_cnt, notice_ns / 1000);
	modified_report(AV_RC_004, qp, &text);
}

static void modified_check_requester(const struct ibv_qp *qp,
				     const struct ibv_qp_attr *attr, int mask)
{
	struct explain_text text = {};

	if ((mask & IBV_QP_TIMEOUT) && attr->timeout == 0) {
		explain_add(&text, "timeout is 0, so a lost packet is never "
				   "sent again, and a dead peer is never "
				   "noticed; 14 waits for 67 ms");
		modified_report(AV_RC_001, qp, &text);
	} else if ((mask & IBV_QP_TIMEOUT) && (mask & IBV_QP_RETRY_CNT)) {
		modified_check_notice(qp, attr->timeout, attr->retry_cnt);
	}
}

static void modified_check_retries(const struct ibv_qp *qp,
				   const struct ibv_qp_attr *attr, int mask)
{
	bool no_retry = (mask & IBV_QP_RETRY_CNT) && attr->retry_cnt == 0;
	bool no_rnr_retry = (mask & IBV_QP_RNR_RETRY) && attr->rnr_retry == 0;
	struct explain_text text = {};

	if (!no_retry && !no_rnr_retry)
		return;
	explain_add(&text,
		    "%s is 0, so the first %s ends the connection; 7 is usual",
		    no_retry ? "retry_cnt" : "rnr_retry",
		    no_retry ? "lost packet"
			     : "message without a receive request");
	modified_report(AV_RC_002, qp, &text);
}

static void modified_check_responder(const struct ibv_qp *qp,
				     const struct ibv_qp_attr *attr, int mask)
{
	struct explain_text text = {};

	if (!(mask & IBV_QP_MIN_RNR_TIMER) || attr->min_rnr_timer != 0)
		return;
	explain_add(&text, "min_rnr_timer is 0, which is the longest time, "
			   "655 ms; 12 is 0.64 ms");
	modified_report(AV_RC_003, qp, &text);
}

void validate_modified(const struct ibv_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, uint8_t port)
{
	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RTR)
		modified_check_port(qp, port);
	modified_check_requester(qp, attr, attr_mask);
	modified_check_retries(qp, attr, attr_mask);
	modified_check_responder(qp, attr, attr_mask);
}
