/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that the provider refused: the checks that the layer explain uses find
 * the broken rule. Errors of a device that was removed, and the like, are not
 * mistakes of the program, whatever its attributes are.
 */
#include <errno.h>
#include <inttypes.h>

#include "layers/checks.h"
#include "layers/fault/fault.h"
#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"

/* AV-CQ-005 is reported after a time without polls. */
#define MIN_UNPOLLED_S 5U

/* Whether a provider returns the errno for an argument. */
static bool failed_by_argument(int error)
{
	return error == EINVAL || error == EOPNOTSUPP || error == ENOMEM ||
	       error == ERANGE || error == E2BIG || error == EMSGSIZE;
}

/* Adds the clause to the call, and reports the rule. */
static void failed_report(enum layers_rule rule, const struct ibv_context *ctx,
			  struct explain_text *call,
			  const struct explain_text *clause)
{
	if (!rule || fault_was_injected())
		return;
	explain_add(call, ": %s", clause->buf);
	validate_report(rule, ctx, call);
}

void validate_modify_failed(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			    int attr_mask, int error)
{
	struct explain_text text = {}, clause = {};
	struct check_modify call;
	enum layers_rule rule;

	if (error != EINVAL)
		return;
	call = check_modify_describe(qp, attr, attr_mask);
	rule = check_modify_qp(&clause, &call);
	explain_add(&text, "ibv_modify_qp(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, ", %s -> %s)", explain_state_name(call.from),
		    explain_state_name(call.to));
	failed_report(rule, qp->context, &text, &clause);
}

void validate_reg_mr_failed(struct ibv_pd *pd, const void *addr, size_t length,
			    unsigned int access, int error)
{
	struct explain_text text = {}, clause = {};
	enum layers_rule rule;

	if (error != EINVAL && error != EFAULT)
		return;
	rule = check_reg_mr(&clause, pd->context, addr, length, access, error);
	explain_add(&text, "ibv_reg_mr(%s, %p, %zu bytes, access 0x%x)",
		    pd->context->device->name, addr, length, access);
	failed_report(rule, pd->context, &text, &clause);
}

/* ------------------------------------------------------------------------ */
/* Objects                                                                   */
/* ------------------------------------------------------------------------ */

static void failed_report_create(enum layers_rule rule, const char *function,
				 const struct ibv_context *ctx,
				 const struct explain_text *clause)
{
	struct explain_text text = {};

	explain_add(&text, "%s(%s)", function, ctx->device->name);
	failed_report(rule, ctx, &text, clause);
}

void validate_create_ah_failed(struct ibv_pd *pd,
			       const struct ibv_ah_attr *attr, int error)
{
	struct explain_text clause = {};

	if (error == EINVAL)
		failed_report_create(
			check_create_ah(&clause, pd->context, attr),
			"ibv_create_ah", pd->context, &clause);
}

void validate_create_cq_failed(struct ibv_context *ctx,
			       const struct ibv_cq_init_attr_ex *attr,
			       int error)
{
	struct explain_text clause = {};

	if (failed_by_argument(error))
		failed_report_create(check_create_cq(&clause, ctx, attr),
				     "ibv_create_cq", ctx, &clause);
}

void validate_create_srq_failed(struct ibv_context *ctx,
				const struct ibv_srq_init_attr_ex *attr,
				int error)
{
	struct explain_text clause = {};

	if (failed_by_argument(error))
		failed_report_create(check_create_srq(&clause, ctx, attr),
				     "ibv_create_srq", ctx, &clause);
}

void validate_create_qp_failed(struct ibv_context *ctx,
			       const struct ibv_qp_init_attr_ex *attr,
			       int error)
{
	struct explain_text clause = {};

	if (failed_by_argument(error))
		failed_report_create(check_create_qp(&clause, ctx, attr),
				     "ibv_create_qp", ctx, &clause);
}

void validate_attach_mcast_failed(const struct ibv_qp *qp,
				  const union ibv_gid *gid, int error)
{
	struct explain_text text = {}, clause = {};

	if (error != EINVAL)
		return;
	if (qp->qp_type != IBV_QPT_UD && qp->qp_type != IBV_QPT_RAW_PACKET) {
		explain_add(&clause, "only datagram queue pairs receive from a "
				     "group");
	} else if (gid->raw[0] != 0xff) {
		explain_add_gid(&clause, gid);
		explain_add(&clause, " is no multicast GID, which begins with "
				     "ff");
	} else {
		return;
	}
	explain_add(&text, "ibv_attach_mcast(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, ")");
	failed_report(AV_AD_008, qp->context, &text, &clause);
}

/* ------------------------------------------------------------------------ */
/* Posts                                                                     */
/* ------------------------------------------------------------------------ */

static void failed_add_send(struct explain_text *text, const struct ibv_qp *qp,
			    const struct ibv_send_wr *wr)
{
	explain_add(text, "ibv_post_send(");
	explain_add_qp(text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(text, ", wr_id 0x%" PRIx64 ", %s)", wr->wr_id,
		    explain_opcode_name(wr->opcode));
}

/* Requests of ibv_wr_start() are not counted, so some may be signaled. */
static enum layers_rule failed_check_full(struct explain_text *text,
					  const struct layers_record *record)
{
	const struct validate_qp *state = &record->qp.validate;
	uint32_t max = record->qp.cap.max_send_wr;
	uint32_t unpolled_s = validate_unpolled_s(record);

	if (!max)
		return LAYERS_RULE_NONE;
	if (state->is_known && !state->has_unseen_posts &&
	    VALIDATE_LOAD(state->nr_unsignaled) >= max) {
		explain_add(text,
			    "the send queue is full of %u requests without "
			    "IBV_SEND_SIGNALED, so no completion can ever free "
			    "an entry; signal at least one of %u requests",
			    VALIDATE_LOAD(state->nr_unsignaled), max);
		return AV_PO_002;
	}
	if (unpolled_s >= MIN_UNPOLLED_S) {
		explain_add(text,
			    "the send queue is full (max_send_wr is %u), and "
			    "its completion queue was not polled for %u s",
			    max, unpolled_s);
		return AV_CQ_005;
	}
	explain_add(text,
		    "the send queue is full (max_send_wr is %u); poll "
		    "completions before posting",
		    max);
	return AV_PO_001;
}

static enum layers_rule failed_check_recv(struct explain_text *text,
					  enum layers_rule full,
					  uint32_t max_wr, uint32_t max_sge,
					  const struct ibv_recv_wr *wr,
					  int error)
{
	if (error == EINVAL)
		return check_recv_wr(text, max_wr, max_sge, wr);
	if (error != ENOMEM || !max_wr)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "the queue is full (it has %u entries); poll completions "
		    "of receives before posting",
		    max_wr);
	return full;
}

void validate_send_failed(const struct ibv_qp *qp,
			  const struct ibv_send_wr *bad, int error)
{
	static const struct ibv_qp_cap unknown;
	const struct layers_record *record = layers_record_find(qp);
	const struct ibv_qp_cap *cap = record ? &record->qp.cap : &unknown;
	struct explain_text text = {}, clause = {};
	enum layers_rule rule = LAYERS_RULE_NONE;

	if (!bad)
		return;
	if (error == EINVAL || error == EOPNOTSUPP)
		rule = check_send_wr(&clause, qp, cap, bad);
	else if (error == ENOMEM && record)
		rule = failed_check_full(&clause, record);
	failed_add_send(&text, qp, bad);
	failed_report(rule, qp->context, &text, &clause);
}

void validate_recv_failed(const struct ibv_qp *qp,
			  const struct ibv_recv_wr *bad, int error)
{
	const struct layers_record *record = layers_record_find(qp);
	struct explain_text text = {}, clause = {};
	enum layers_rule rule;

	if (!bad)
		return;
	rule = error == EINVAL ? check_recv_state(&clause, qp)
			       : LAYERS_RULE_NONE;
	if (!rule && record)
		rule = failed_check_recv(
			&clause, AV_PO_003, record->qp.cap.max_recv_wr,
			record->qp.cap.max_recv_sge, bad, error);
	explain_add(&text, "ibv_post_recv(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, ", wr_id 0x%" PRIx64 ")", bad->wr_id);
	failed_report(rule, qp->context, &text, &clause);
}

void validate_srq_recv_failed(const struct ibv_srq *srq,
			      const struct ibv_recv_wr *bad, int error)
{
	const struct layers_record *record = layers_record_find(srq);
	struct explain_text text = {}, clause = {};
	enum layers_rule rule;

	if (!bad || !record)
		return;
	rule = failed_check_recv(&clause, AV_SR_001, record->srq.max_wr,
				 record->srq.max_sge, bad, error);
	explain_add(&text, "ibv_post_srq_recv(SRQ of %s, wr_id 0x%" PRIx64 ")",
		    srq->context->device->name, bad->wr_id);
	failed_report(rule, srq->context, &text, &clause);
}
