/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops that make, change and destroy CQs, SRQs and QPs. */
#include "layers/explain.h"
#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"

/* ------------------------------------------------------------------------ */
/* Completion queues                                                         */
/* ------------------------------------------------------------------------ */

static int validate_create_cq(struct ibv_context *ctx,
			      const struct ibv_cq_init_attr_ex *attr,
			      bool extended, struct verbs_cq **ret_vcq)
{
	int ret = validate_below(ctx)->create_cq(ctx, attr, extended, ret_vcq);

	if (ret < 0)
		validate_create_cq_failed(ctx, attr, -ret);
	return ret;
}

static int validate_destroy_cq(struct ibv_cq *cq)
{
	struct ibv_context *ctx = cq->context;
	int ret;

	validate_acks(cq);
	ret = validate_below(ctx)->destroy_cq(cq);
	if (ret)
		validate_busy("ibv_destroy_cq", ctx, cq, ret);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static int validate_create_srq(struct ibv_context *ctx,
			       struct ibv_srq_init_attr_ex *attr,
			       struct verbs_srq **ret_vsrq)
{
	int ret = validate_below(ctx)->create_srq(ctx, attr, ret_vsrq);
	struct layers_record *record;

	if (ret < 0)
		validate_create_srq_failed(ctx, attr, -ret);
	if (ret)
		return ret;
	record = layers_record_find(&(*ret_vsrq)->srq);
	if (record && (attr->comp_mask & IBV_SRQ_INIT_ATTR_PD))
		record->srq.pd = validate_root_pd(attr->pd);
	return 0;
}

static int validate_destroy_srq(struct ibv_srq *srq)
{
	struct ibv_context *ctx = srq->context;
	int ret = validate_below(ctx)->destroy_srq(srq);

	if (ret)
		validate_busy("ibv_destroy_srq", ctx, srq, ret);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

/* The program does not know the QP yet, so no thread posts to it. */
static void queues_init_record(struct verbs_qp *vqp,
			       const struct ibv_qp_init_attr_ex *attr)
{
	struct layers_record *record = layers_record_find(&vqp->qp);
	struct validate_qp *state;

	if (!record || vqp->qp.qp_type == IBV_QPT_DRIVER)
		return;
	state = &record->qp.validate;
	state->is_known = true;
	state->signals_all = attr->sq_sig_all;
	state->has_unseen_posts =
		(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD) {
		state->pd = validate_root_pd(attr->pd);
		state->own_pd = attr->pd;
	}
	if (vqp->comp_mask & VERBS_QP_MASK_EX)
		validate_watch_wr(&record->qp, &vqp->qp_ex);
}

static int validate_create_qp(struct ibv_context *ctx,
			      struct ibv_qp_init_attr_ex *attr,
			      struct verbs_qp **ret_vqp)
{
	int ret = validate_below(ctx)->create_qp(ctx, attr, ret_vqp);

	if (ret < 0)
		validate_create_qp_failed(ctx, attr, -ret);
	if (ret)
		return ret;
	queues_init_record(*ret_vqp, attr);
	return 0;
}

static void queues_note_port(struct validate_qp *state, struct ibv_qp *qp,
			     uint8_t port)
{
	struct ibv_context *ctx = qp->context;
	struct ibv_port_attr attr = {};

	VALIDATE_STORE(state->port, port);
	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &attr) == 0)
		VALIDATE_STORE(state->max_bytes,
			       validate_max_bytes(qp->qp_type, &attr));
}

/* The state RTS follows SQE, too. */
static void queues_note_state(struct validate_qp *state, enum ibv_qp_state to)
{
	VALIDATE_STORE(state->is_stopped, to == IBV_QPS_ERR);
	if (to == IBV_QPS_RESET) {
		VALIDATE_STORE(state->max_rd_atomic, 0);
		VALIDATE_STORE(state->nr_unsignaled, 0);
	}
	if (to != IBV_QPS_ERR) {
		VALIDATE_STORE(state->failed_status, 0);
		VALIDATE_STORE(state->nr_failed_posts, 0);
		VALIDATE_STORE(state->flush_is_reported, false);
		VALIDATE_STORE(state->has_mistake, false);
	}
}

/* @record: of the QP, which is in RTR. */
static void queues_check_receives(const struct ibv_qp *qp,
				  struct layers_record *record)
{
	struct explain_text text = {};

	if ((qp->qp_type != IBV_QPT_RC && qp->qp_type != IBV_QPT_UD) ||
	    !layers_track_is_seen(&record->qp.recv) ||
	    layers_track_count(&record->qp.recv, false))
		return;
	explain_add(&text, "ibv_modify_qp(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text,
		    ", -> RTR): no receive request is posted, so the "
		    "first message %s; post receive requests in INIT",
		    qp->qp_type == IBV_QPT_UD ? "is lost" : "has to wait");
	validate_report(AV_QP_014, qp->context, &text);
}

static void queues_note_modify(struct ibv_qp *qp,
			       const struct ibv_qp_attr *attr, int attr_mask)
{
	struct layers_record *record = layers_record_find(qp);
	struct validate_qp *state;

	if (!record)
		return;
	state = &record->qp.validate;
	if (attr_mask & IBV_QP_PORT)
		queues_note_port(state, qp, attr->port_num);
	if (attr_mask & IBV_QP_MAX_QP_RD_ATOMIC)
		VALIDATE_STORE(state->max_rd_atomic, attr->max_rd_atomic + 1U);
	if (attr_mask & IBV_QP_STATE)
		queues_note_state(state, attr->qp_state);
	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RTR)
		queues_check_receives(qp, record);
	validate_modified(qp, attr, attr_mask,
			  (uint8_t)VALIDATE_LOAD(state->port));
}

static void queues_report_reset(const struct ibv_qp *qp, uint32_t nr_left)
{
	struct explain_text text = {};

	explain_add(&text, "ibv_modify_qp(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text,
		    ", -> RESET): requests without a completion, which are "
		    "forgotten: %u; poll until the queues are empty before",
		    nr_left);
	validate_report(AV_QP_013, qp->context, &text);
}

static int validate_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			      int attr_mask)
{
	bool is_reset = (attr_mask & IBV_QP_STATE) &&
			attr->qp_state == IBV_QPS_RESET;
	uint32_t nr_left = is_reset ? validate_count_left(qp, true) : 0;
	int ret = validate_below(qp->context)->modify_qp(qp, attr, attr_mask);

	if (ret == 0)
		queues_note_modify(qp, attr, attr_mask);
	if (ret == 0 && is_reset)
		validate_forget_srq(qp);
	if (ret == 0 && nr_left)
		queues_report_reset(qp, nr_left);
	else if (ret < 0)
		validate_modify_failed(qp, attr, attr_mask, -ret);
	return ret;
}

static int validate_destroy_qp(struct ibv_qp *qp)
{
	struct ibv_context *ctx = qp->context;
	uint32_t nr_left = validate_count_left(qp, false);
	struct explain_text text = {};
	int ret;

	explain_add(&text, "ibv_destroy_qp(");
	explain_add_qp(&text, ctx, qp->qp_num, qp->qp_type);
	explain_add(&text,
		    "): completions of signaled send requests that were not "
		    "polled: %u; move the QP to ERR and poll until it is "
		    "empty before",
		    nr_left);
	validate_forget_srq(qp);
	ret = validate_below(ctx)->destroy_qp(qp);
	if (ret == 0 && nr_left)
		validate_report(AV_LT_007, ctx, &text);
	return ret;
}

static int validate_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
				 uint16_t lid)
{
	int ret = validate_below(qp->context)->attach_mcast(qp, gid, lid);

	if (ret < 0)
		validate_attach_mcast_failed(qp, gid, -ret);
	return ret;
}

void validate_replace_queue_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, validate, create_cq);
	LAYERS_REPLACE(table, validate, destroy_cq);
	LAYERS_REPLACE(table, validate, create_srq);
	LAYERS_REPLACE(table, validate, destroy_srq);
	LAYERS_REPLACE(table, validate, create_qp);
	LAYERS_REPLACE(table, validate, modify_qp);
	LAYERS_REPLACE(table, validate, destroy_qp);
	LAYERS_REPLACE(table, validate, attach_mcast);
}
