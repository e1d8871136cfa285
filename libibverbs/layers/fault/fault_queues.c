/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops of CQs, SRQs and QPs, which are numbered here. */
#include "layers/fault/fault.h"
#include "layers/fault/fault_act.h"
#include "layers/fault/fault_async.h"
#include "layers/fault/fault_cq_ex.h"
#include "layers/fault/fault_receives.h"
#include "layers/fault/fault_requests.h"
#include "layers/fault/fault_wr.h"

/* ------------------------------------------------------------------------ */
/* Completion queues                                                         */
/* ------------------------------------------------------------------------ */

static int fault_create_cq(struct ibv_context *ctx,
			   const struct ibv_cq_init_attr_ex *attr,
			   bool extended, struct verbs_cq **ret_vcq)
{
	const struct fault_event event = {
		.call = FAULT_CREATE_CQ,
		.object = fault_object_find(ctx),
	};
	struct fault_decision decision = fault_decide(&event);
	struct ibv_cq_init_attr_ex less = *attr;
	struct fault_object *object;
	int ret = fault_act(decision);

	if (ret)
		return ret;
	if (decision.rule && decision.rule->action == FAULT_CQE &&
	    less.cqe > decision.rule->number)
		less.cqe = decision.rule->number;
	ret = fault_below(ctx)->create_cq(ctx, &less, extended, ret_vcq);
	if (ret)
		return ret;
	object = fault_object_add(FAULT_CQ, ctx, &(*ret_vcq)->cq);
	if (object)
		fault_requests_watch_cq(&(*ret_vcq)->cq, object);
	if (object && extended)
		fault_cq_ex_watch(object, &(*ret_vcq)->cq_ex, &less);
	return 0;
}

static int fault_resize_cq(struct ibv_cq *cq, int cqe)
{
	int ret = fault_control(FAULT_RESIZE_CQ, cq, 0);

	return ret ? ret : fault_below(cq->context)->resize_cq(cq, cqe);
}

static int fault_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	int ret = fault_control(FAULT_MODIFY_CQ, cq, 0);

	return ret ? ret : fault_below(cq->context)->modify_cq(cq, attr);
}

static int fault_destroy_cq(struct ibv_cq *cq)
{
	const struct ibv_context *ctx = cq->context;
	const struct fault_object *object = fault_object_find(cq);
	struct fault_cq_ex *cq_ex = object ? object->cq_ex : NULL;
	uint64_t serial = fault_object_serial(cq);
	int ret = fault_control(FAULT_DESTROY_CQ, cq, 0);

	if (ret)
		return ret;
	fault_async_leave(cq);
	ret = fault_below(ctx)->destroy_cq(cq);
	if (ret) {
		fault_async_stay(cq);
		return ret;
	}
	fault_async_drop(ctx, FAULT_CQ, serial);
	fault_requests_drop_cq(cq, serial);
	fault_object_drop(FAULT_CQ, cq, serial);
	fault_cq_ex_free(cq_ex);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static int fault_create_srq(struct ibv_context *ctx,
			    struct ibv_srq_init_attr_ex *attr,
			    struct verbs_srq **ret_vsrq)
{
	int ret = fault_control(FAULT_CREATE_SRQ, ctx, 0);

	if (ret == 0)
		ret = fault_below(ctx)->create_srq(ctx, attr, ret_vsrq);
	if (ret == 0)
		(void)fault_object_add(FAULT_SRQ, ctx, &(*ret_vsrq)->srq);
	return ret;
}

static int fault_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			    int attr_mask)
{
	int ret = fault_control(FAULT_MODIFY_SRQ, srq, 0);

	return ret ? ret
		   : fault_below(srq->context)
			       ->modify_srq(srq, attr, attr_mask);
}

static int fault_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	int ret = fault_control(FAULT_QUERY_SRQ, srq, 0);

	return ret ? ret : fault_below(srq->context)->query_srq(srq, attr);
}

static int fault_destroy_srq(struct ibv_srq *srq)
{
	const struct ibv_context *ctx = srq->context;
	uint64_t serial = fault_object_serial(srq);
	int ret = fault_control(FAULT_DESTROY_SRQ, srq, 0);

	if (ret)
		return ret;
	fault_async_leave(srq);
	ret = fault_below(ctx)->destroy_srq(srq);
	if (ret) {
		fault_async_stay(srq);
		return ret;
	}
	fault_async_drop(ctx, FAULT_SRQ, serial);
	fault_object_drop(FAULT_SRQ, srq, serial);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

static int fault_create_qp(struct ibv_context *ctx,
			   struct ibv_qp_init_attr_ex *attr,
			   struct verbs_qp **ret_vqp)
{
	int ret = fault_control(FAULT_CREATE_QP, ctx, 0);
	struct fault_object *object;

	if (ret == 0)
		ret = fault_below(ctx)->create_qp(ctx, attr, ret_vqp);
	if (ret)
		return ret;
	object = fault_object_add(FAULT_QP, ctx, &(*ret_vqp)->qp);
	if (object && ((*ret_vqp)->comp_mask & VERBS_QP_MASK_EX))
		fault_wr_watch(object, &(*ret_vqp)->qp_ex, attr);
	fault_requests_watch(&(*ret_vqp)->qp, attr);
	fault_receives_watch(&(*ret_vqp)->qp, attr);
	return 0;
}

static int fault_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			  int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	int ret = fault_control(FAULT_QUERY_QP, qp, 0);

	return ret ? ret
		   : fault_below(qp->context)
			       ->query_qp(qp, attr, attr_mask, init_attr);
}

static int fault_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			   int attr_mask)
{
	int ret = fault_control(FAULT_MODIFY_QP, qp, 0);
	bool is_end = (attr_mask & IBV_QP_STATE) &&
		      (attr->qp_state == IBV_QPS_RESET ||
		       attr->qp_state == IBV_QPS_ERR);
	fault_wr_complete_function complete;

	if (ret)
		return ret;
	complete = fault_wr_modifying(qp);
	ret = is_end ? fault_qp_end(qp, attr, attr_mask)
		     : fault_below(qp->context)->modify_qp(qp, attr, attr_mask);
	fault_wr_modified(qp, complete);
	return ret;
}

static int fault_destroy_qp(struct ibv_qp *qp)
{
	const struct ibv_context *ctx = qp->context;
	const struct fault_object *object = fault_object_find(qp);
	struct fault_wr *wr = object ? object->wr : NULL;
	uint64_t serial = fault_object_serial(qp);
	int ret = fault_control(FAULT_DESTROY_QP, qp, 0);

	if (ret)
		return ret;
	fault_async_leave(qp);
	fault_requests_suspend(qp);
	fault_receives_suspend(qp);
	ret = fault_below(ctx)->destroy_qp(qp);
	if (ret) {
		fault_requests_resume(qp);
		fault_receives_resume(qp, false);
		fault_async_stay(qp);
		return ret;
	}
	fault_async_drop(ctx, FAULT_QP, serial);
	fault_requests_drop(qp);
	fault_receives_drop(qp);
	fault_object_drop(FAULT_QP, qp, serial);
	fault_wr_free(wr);
	return 0;
}

void fault_replace_queue_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, fault, resize_cq);
	LAYERS_REPLACE(table, fault, modify_cq);
	LAYERS_REPLACE(table, fault, modify_srq);
	LAYERS_REPLACE(table, fault, query_srq);
	LAYERS_REPLACE(table, fault, query_qp);
	LAYERS_REPLACE(table, fault, modify_qp);
	LAYERS_REPLACE(table, fault, create_cq);
	LAYERS_REPLACE(table, fault, create_srq);
	LAYERS_REPLACE(table, fault, create_qp);
	LAYERS_REPLACE(table, fault, destroy_cq);
	LAYERS_REPLACE(table, fault, destroy_srq);
	LAYERS_REPLACE(table, fault, destroy_qp);
}
