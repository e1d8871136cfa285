/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completions with an error. The first one of a queue pair is reported with its
 * causes, unless a mistake was reported that explains it.
 */
#include <inttypes.h>
#include <string.h>

#include "layers/explain.h"
#include "layers/fault/fault.h"
#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"

void validate_note_mistake(const struct ibv_qp *qp)
{
	struct layers_record *record = layers_record_find(qp);

	if (record)
		VALIDATE_STORE(record->qp.validate.has_mistake, true);
}

/* Tag matching has statuses that are not errors of the QP. */
static enum layers_rule status_rule(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_LOC_LEN_ERR:
		return AV_WC_001;
	case IBV_WC_LOC_QP_OP_ERR:
		return AV_WC_002;
	case IBV_WC_LOC_PROT_ERR:
		return AV_WC_003;
	case IBV_WC_MW_BIND_ERR:
		return AV_WC_005;
	case IBV_WC_REM_INV_REQ_ERR:
		return AV_WC_006;
	case IBV_WC_REM_ACCESS_ERR:
		return AV_WC_007;
	case IBV_WC_REM_OP_ERR:
	case IBV_WC_BAD_RESP_ERR:
	case IBV_WC_REM_ABORT_ERR:
		return AV_WC_008;
	case IBV_WC_RETRY_EXC_ERR:
		return AV_WC_009;
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return AV_WC_010;
	case IBV_WC_TM_ERR:
	case IBV_WC_TM_RNDV_INCOMPLETE:
		return LAYERS_RULE_NONE;
	default:
		return AV_WC_011;
	}
}

static void status_report_flush(const struct ibv_context *ctx,
				struct layers_qp *record,
				const struct validate_completion *of)
{
	struct validate_qp *state = &record->validate;
	struct explain_text text = {};

	if (!VALIDATE_LOAD(state->failed_status) ||
	    atomic_exchange(&state->flush_is_reported, true))
		return;
	explain_add(&text, "completion of ");
	explain_add_qp(&text, ctx, of->qp_num, record->type);
	explain_add(&text,
		    ", wr_id 0x%" PRIx64
		    ": WR_FLUSH_ERR: the request was not executed, because "
		    "the QP failed with %s of wr_id 0x%" PRIx64,
		    of->wr_id,
		    explain_status_name((enum ibv_wc_status)VALIDATE_LOAD(
			    state->failed_status)),
		    (uint64_t)VALIDATE_LOAD(state->failed_wr_id));
	validate_report(AV_WC_004, ctx, &text);
}

void validate_status(const struct ibv_context *ctx, struct layers_qp *record,
		     const struct validate_completion *of)
{
	enum layers_rule rule = status_rule(of->status);
	struct explain_text text = {};

	/* A fault is possibly the cause. */
	if (fault_is_on)
		return;
	if (of->status == IBV_WC_WR_FLUSH_ERR) {
		status_report_flush(ctx, record, of);
		return;
	}
	if (VALIDATE_LOAD(record->validate.has_mistake) ||
	    validate_peer_explains(ctx, record, of) || !validate_wants(rule))
		return;
	explain_add_completion(&text, ctx, of->wr_id, of->status,
			       of->vendor_err, of->qp_num);
	/* The report ends with a full stop. */
	if (text.len && text.buf[text.len - 1] == '.')
		text.buf[--text.len] = '\0';
	validate_report(rule, ctx, &text);
}
