/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops that only the layer trace observes. */
#include "layers/layers.h"
#include "layers/trace/trace.h"

static int layers_query_device(struct ibv_context *ctx,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr,
			       size_t attr_size)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(ctx)->query_device(ctx, input, attr, attr_size);

	trace_call(TRACE_QUERY_DEVICE, begin, 0, 0, ret);
	return ret;
}

static int layers_query_port(struct ibv_context *ctx, uint8_t port_num,
			     struct ibv_port_attr *attr)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(ctx)->query_port(ctx, port_num, attr);

	trace_call(TRACE_QUERY_PORT, begin, port_num, 0, ret);
	return ret;
}

static int layers_dealloc_pd(struct ibv_pd *pd)
{
	const struct verbs_context_ops *below = layers_below(pd->context);
	uint32_t handle = pd->handle;
	uint64_t begin = trace_begin();
	int ret = below->dealloc_pd(pd);

	trace_call(TRACE_DEALLOC_PD, begin, handle, 0, ret);
	return ret;
}

static int layers_dereg_mr(struct verbs_mr *vmr)
{
	const struct verbs_context_ops *below =
		layers_below(vmr->ibv_mr.context);
	uint32_t lkey = vmr->ibv_mr.lkey;
	uint64_t length = vmr->ibv_mr.length;
	uint64_t begin = trace_begin();
	int ret = below->dereg_mr(vmr);

	trace_call(TRACE_DEREG_MR, begin, lkey, length, ret);
	return ret;
}

static int layers_dealloc_mw(struct ibv_mw *mw)
{
	const struct verbs_context_ops *below = layers_below(mw->context);
	uint32_t rkey = mw->rkey;
	uint64_t begin = trace_begin();
	int ret = below->dealloc_mw(mw);

	trace_call(TRACE_DEALLOC_MW, begin, rkey, 0, ret);
	return ret;
}

static int layers_destroy_ah(struct ibv_ah *ah)
{
	const struct verbs_context_ops *below = layers_below(ah->context);
	uint32_t handle = ah->handle;
	uint64_t begin = trace_begin();
	int ret = below->destroy_ah(ah);

	trace_call(TRACE_DESTROY_AH, begin, handle, 0, ret);
	return ret;
}

static int layers_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			     int attr_mask)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(srq->context)->modify_srq(srq, attr, attr_mask);

	trace_call(TRACE_MODIFY_SRQ, begin, srq->handle, 0, ret);
	return ret;
}

static int layers_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			   int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(qp->context)
			  ->query_qp(qp, attr, attr_mask, init_attr);

	trace_call(TRACE_QUERY_QP, begin, qp->qp_num, 0, ret);
	return ret;
}

static int layers_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(cq->context)->req_notify_cq(cq, solicited_only);

	trace_call(TRACE_REQ_NOTIFY_CQ, begin, cq->handle, 0, -ret);
	return ret;
}

/* The provider's ops are in layers_below(). */
void layers_replace_trace_ops(struct verbs_context_ops *table)
{
#define REPLACE(op)                              \
	do {                                     \
		if (table->op)                   \
			table->op = layers_##op; \
	} while (0)
	REPLACE(query_device);
	REPLACE(query_port);
	REPLACE(dealloc_pd);
	REPLACE(dereg_mr);
	REPLACE(dealloc_mw);
	REPLACE(destroy_ah);
	REPLACE(modify_srq);
	REPLACE(query_qp);
	REPLACE(req_notify_cq);
#undef REPLACE
}
