/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops of CQs, SRQs and QPs: they call the provider, trace the call, explain its
 * error, and keep the records. Pointers in objects that a program calls
 * directly are replaced here: start_poll and next_poll of an extended CQ,
 * wr_complete of an extended QP.
 */
#include "layers/explain.h"
#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/layers_replace.h"
#include "layers/trace/trace.h"
#include "layers/validate/validate.h"

/* ------------------------------------------------------------------------ */
/* Completion queues                                                         */
/* ------------------------------------------------------------------------ */

/* Reports the current completion of @cq if it has an error. */
static int layers_check_current(struct ibv_cq_ex *cq, int ret)
{
	uint32_t vendor_err, qp_num;

	if (ret == 0 && layers_track_is_on)
		validate_completed_ex(cq);
	if (ret != 0 || cq->status == IBV_WC_SUCCESS || !explain_is_on)
		return ret;
	vendor_err = cq->read_vendor_err ? cq->read_vendor_err(cq) : 0;
	qp_num = cq->read_qp_num ? cq->read_qp_num(cq) : 0;
	explain_completion(cq->context, cq->wr_id, cq->status, vendor_err,
			   cq->read_qp_num ? &qp_num : NULL);
	return ret;
}

static int layers_start_poll(struct ibv_cq_ex *cq,
			     struct ibv_poll_cq_attr *attr)
{
	const struct layers_record *record = layers_record_find(cq);
	uint64_t begin = trace_begin();
	int ret = record->cq.start_poll(cq, attr);

	if (layers_track_is_on)
		validate_polled_ex(cq, ret);
	trace_polled_ex(cq, TRACE_START_POLL, begin, ret);
	return layers_check_current(cq, ret);
}

static int layers_next_poll(struct ibv_cq_ex *cq)
{
	const struct layers_record *record = layers_record_find(cq);
	uint64_t begin = trace_begin();
	int ret = record->cq.next_poll(cq);

	trace_polled_ex(cq, TRACE_NEXT_POLL, begin, ret);
	return layers_check_current(cq, ret);
}

static void layers_watch_cq_ex(struct layers_record *record,
			       struct ibv_cq_ex *cq)
{
	if (!record || !cq->start_poll || !cq->next_poll)
		return;
	record->cq.start_poll = cq->start_poll;
	record->cq.next_poll = cq->next_poll;
	cq->start_poll = layers_start_poll;
	cq->next_poll = layers_next_poll;
}

/*
 * The number of the QP is requested, too, since messages need it, and the
 * length for traces. If the provider refuses that, the CQ is created as the
 * program requested it.
 */
static int layers_create_cq_below(struct ibv_context *ctx,
				  const struct ibv_cq_init_attr_ex *attr,
				  bool extended, struct verbs_cq **ret_vcq)
{
	const struct verbs_context_ops *below = layers_below(ctx);
	struct ibv_cq_init_attr_ex more = *attr;

	more.wc_flags |= IBV_WC_EX_WITH_QP_NUM;
	if (trace_is_requested)
		more.wc_flags |= IBV_WC_EX_WITH_BYTE_LEN;
	if (extended && more.wc_flags != attr->wc_flags) {
		if (below->create_cq(ctx, &more, extended, ret_vcq) == 0)
			return 0;
	}
	return below->create_cq(ctx, attr, extended, ret_vcq);
}

static int layers_create_cq(struct ibv_context *ctx,
			    const struct ibv_cq_init_attr_ex *attr,
			    bool extended, struct verbs_cq **ret_vcq)
{
	uint64_t begin = trace_begin();
	int ret = layers_create_cq_below(ctx, attr, extended, ret_vcq);
	struct layers_record *record;

	trace_call(TRACE_CREATE_CQ, begin, ret ? 0 : (*ret_vcq)->cq.handle, 0,
		   ret);
	if (ret < 0 && explain_is_on)
		explain_create_cq(ctx, attr, -ret);
	if (ret)
		return ret;
	record = layers_record_add(&(const struct layers_made){
		.kind = LAYERS_CQ,
		.ctx = ctx,
		.object = &(*ret_vcq)->cq,
		.number = (*ret_vcq)->cq.handle,
	});
	if (extended)
		layers_watch_cq_ex(record, &(*ret_vcq)->cq_ex);
	return 0;
}

static int layers_destroy_cq(struct ibv_cq *cq)
{
	const struct verbs_context_ops *below = layers_below(cq->context);
	struct layers_mark mark = layers_record_mark(cq);
	uint32_t handle = cq->handle;
	uint64_t begin = trace_begin();
	int ret = below->destroy_cq(cq);

	trace_call(TRACE_DESTROY_CQ, begin, handle, 0, ret);
	if (ret == 0)
		layers_record_drop(mark);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static int layers_create_srq(struct ibv_context *ctx,
			     struct ibv_srq_init_attr_ex *attr,
			     struct verbs_srq **ret_vsrq)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(ctx)->create_srq(ctx, attr, ret_vsrq);

	trace_call(TRACE_CREATE_SRQ, begin, ret ? 0 : (*ret_vsrq)->srq.handle,
		   0, ret);
	if (ret < 0 && explain_is_on)
		explain_create_srq(ctx, attr, -ret);
	if (ret)
		return ret;
	trace_srq_add(&(*ret_vsrq)->srq, &attr->attr);
	/* Without a record, messages have no limits. */
	(void)layers_record_add_srq(&(*ret_vsrq)->srq, attr);
	return 0;
}

static int layers_destroy_srq(struct ibv_srq *srq)
{
	const struct verbs_context_ops *below = layers_below(srq->context);
	struct layers_mark mark = layers_record_mark(srq);
	struct trace_srq *trace = trace_srq_find(srq);
	uint32_t handle = srq->handle;
	uint64_t begin = trace_begin();
	int ret = below->destroy_srq(srq);

	trace_call(TRACE_DESTROY_SRQ, begin, handle, 0, ret);
	if (ret)
		return ret;
	trace_srq_drop(trace, srq);
	layers_record_drop(mark);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

static int layers_wr_complete(struct ibv_qp_ex *qp)
{
	struct layers_record *record = layers_record_find(qp);
	int (*complete)(struct ibv_qp_ex * qp) = atomic_load_explicit(
		&record->qp.wr_complete, memory_order_relaxed);
	struct trace_qp *trace = record->qp.trace;
	struct trace_wr_list list = trace_wr_completing(trace);
	int ret;

	if (layers_track_is_on)
		validate_wr_completing(&record->qp);
	ret = complete(qp);
	if (layers_track_is_on)
		validate_wr_completed(&qp->qp_base, &record->qp, ret);

	trace_wr_completed(trace, &list, ret);
	if (ret && explain_is_on)
		explain_wr_complete(&qp->qp_base, ret);
	return ret;
}

/* mlx5 sets wr_complete again in its modify_qp(), so this is done each time. */
static void layers_watch_qp_ex(struct layers_record *record,
			       struct verbs_qp *vqp)
{
	if (!(vqp->comp_mask & VERBS_QP_MASK_EX) || !vqp->qp_ex.wr_complete ||
	    vqp->qp_ex.wr_complete == layers_wr_complete)
		return;
	atomic_store_explicit(&record->qp.wr_complete, vqp->qp_ex.wr_complete,
			      memory_order_relaxed);
	vqp->qp_ex.wr_complete = layers_wr_complete;
}

static void layers_trace_qp_ex(struct layers_record *record,
			       struct verbs_qp *vqp)
{
	if (record->qp.trace && (vqp->comp_mask & VERBS_QP_MASK_EX))
		trace_watch_wr(record->qp.trace, &vqp->qp_ex);
}

static int layers_create_qp(struct ibv_context *ctx,
			    struct ibv_qp_init_attr_ex *attr,
			    struct verbs_qp **ret_vqp)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(ctx)->create_qp(ctx, attr, ret_vqp);
	struct layers_record *record;

	trace_call(TRACE_CREATE_QP, begin, ret ? 0 : (*ret_vqp)->qp.qp_num, 0,
		   ret);
	if (ret < 0 && explain_is_on)
		explain_create_qp(ctx, attr, -ret);
	if (ret)
		return ret;
	record = layers_record_add_qp(&(*ret_vqp)->qp, attr);
	if (record) {
		record->qp.trace = trace_qp_add(&(*ret_vqp)->qp, attr);
		layers_watch_qp_ex(record, *ret_vqp);
		layers_trace_qp_ex(record, *ret_vqp);
	}
	return 0;
}

static int layers_destroy_qp(struct ibv_qp *qp)
{
	const struct verbs_context_ops *below = layers_below(qp->context);
	struct layers_mark mark = layers_record_mark(qp);
	struct trace_qp *trace = mark.record ? mark.record->qp.trace : NULL;
	uint32_t number = qp->qp_num;
	uint64_t begin = trace_begin();
	int ret = below->destroy_qp(qp);

	trace_call(TRACE_DESTROY_QP, begin, number, 0, ret);
	if (ret)
		return ret;
	trace_qp_drop(trace);
	layers_record_drop(mark);
	return 0;
}

/* Copies the attributes that messages about completions, and peers, need. */
static void layers_copy_attr_locked(struct layers_qp *to,
				    const struct ibv_qp_attr *attr, int mask)
	REQUIRES(layers_mutex)
{
	if (mask & IBV_QP_PORT)
		to->attr.port_num = attr->port_num;
	if (mask & IBV_QP_AV)
		to->attr.ah_attr = attr->ah_attr;
	if (mask & IBV_QP_DEST_QPN)
		to->attr.dest_qp_num = attr->dest_qp_num;
	if (mask & IBV_QP_PATH_MTU)
		to->attr.path_mtu = attr->path_mtu;
	if (mask & IBV_QP_QKEY)
		to->attr.qkey = attr->qkey;
	if (mask & IBV_QP_RQ_PSN)
		to->attr.rq_psn = attr->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		to->attr.sq_psn = attr->sq_psn;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		to->attr.max_rd_atomic = attr->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		to->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IBV_QP_TIMEOUT)
		to->attr.timeout = attr->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		to->attr.retry_cnt = attr->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		to->attr.rnr_retry = attr->rnr_retry;
	to->attr_mask |= mask;
}

static void layers_note_state_locked(struct layers_qp *qp,
				     enum ibv_qp_state state)
	REQUIRES(layers_mutex)
{
	if (state == IBV_QPS_ERR)
		qp->program_set_error = true;
	if (state != IBV_QPS_RESET)
		return;
	layers_track_reset(&qp->send);
	layers_track_reset(&qp->recv);
	qp->attr_mask = 0;
	qp->program_set_error = false;
	qp->has_failed = false;
	qp->flush_is_explained = false;
}

/* The GID that the path of a QP uses; zero if there is none. */
static void layers_find_own_gid(const struct ibv_qp *qp,
				const struct ibv_qp_attr *attr, int attr_mask,
				union ibv_gid *ret)
{
	struct ibv_gid_entry entry = {};

	if ((attr_mask & IBV_QP_AV) && attr->ah_attr.is_global &&
	    LAYERS_CALL_BELOW(qp->context, query_gid_entry, qp->context,
			      attr->ah_attr.port_num,
			      attr->ah_attr.grh.sgid_index, &entry) == 0)
		*ret = entry.gid;
}

static void layers_note_modify(struct ibv_qp *qp,
			       const struct ibv_qp_attr *attr, int attr_mask)
{
	struct layers_record *record = layers_record_adopt_qp(qp);
	union ibv_gid own_gid = {};

	if (!record)
		return;
	if (record->qp.trace || layers_track_is_on)
		layers_find_own_gid(qp, attr, attr_mask, &own_gid);
	trace_qp_modified(record->qp.trace, attr, attr_mask, &own_gid);
	layers_lock();
	layers_copy_attr_locked(&record->qp, attr, attr_mask);
	if (attr_mask & IBV_QP_AV)
		record->qp.own_gid = own_gid;
	if (attr_mask & IBV_QP_STATE)
		layers_note_state_locked(&record->qp, attr->qp_state);
	layers_unlock();
	layers_watch_qp_ex(record, verbs_container_of(qp, struct verbs_qp, qp));
}

static int layers_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			    int attr_mask)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(qp->context)->modify_qp(qp, attr, attr_mask);

	trace_call(TRACE_MODIFY_QP, begin, qp->qp_num, 0, ret);
	if (ret == 0)
		layers_note_modify(qp, attr, attr_mask);
	else if (ret < 0 && explain_is_on)
		explain_modify_qp(qp, attr, attr_mask, -ret);
	return ret;
}

void layers_replace_queue_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, layers, create_cq);
	LAYERS_REPLACE(table, layers, destroy_cq);
	LAYERS_REPLACE(table, layers, create_srq);
	LAYERS_REPLACE(table, layers, destroy_srq);
	LAYERS_REPLACE(table, layers, create_qp);
	LAYERS_REPLACE(table, layers, destroy_qp);
	LAYERS_REPLACE(table, layers, modify_qp);
}
