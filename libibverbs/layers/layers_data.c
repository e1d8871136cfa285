/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops of the data path, which programs call directly. No lock is held while the
 * provider runs: its functions may block on locks of its own.
 */
#include "layers/explain.h"
#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/trace/trace.h"

/* Adds one request to those that the record of its QP contains. */
static void layers_record_request(struct layers_qp *qp,
				  const struct ibv_send_wr *wr)
{
	unsigned int index = atomic_fetch_add_explicit(&qp->next_request, 1,
						       memory_order_relaxed);
	struct layers_request *entry =
		&qp->requests[index & (qp->nr_requests - 1)];
	uint32_t length = 0;
	bool is_atomic = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
			 wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;

	for (int i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
#define STORE(member, value) \
	atomic_store_explicit(&entry->member, value, memory_order_relaxed)
	STORE(wr_id, wr->wr_id);
	STORE(opcode, (unsigned int)wr->opcode + 1);
	STORE(length, length);
	STORE(local_addr, wr->num_sge > 0 ? wr->sg_list[0].addr : 0);
	STORE(lkey, wr->num_sge > 0 ? wr->sg_list[0].lkey : 0);
	STORE(remote_addr,
	      is_atomic ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr);
	STORE(rkey, is_atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey);
#undef STORE
}

/* A provider reads the SGEs only if there are as many as the QP permits. */
static bool layers_wr_has_sges(const struct layers_qp *qp,
			       const struct ibv_send_wr *wr)
{
	return wr->num_sge >= 0 &&
	       (uint32_t)wr->num_sge <= qp->cap.max_send_sge &&
	       (wr->num_sge == 0 || wr->sg_list);
}

/*
 * Records requests before they are posted: another thread may poll their
 * completions, and destroy the QP, before the post returns. Stops where the
 * provider will stop; requests that are refused are recorded, too, which is
 * harmless.
 */
static void layers_record_requests(struct layers_qp *qp,
				   const struct ibv_send_wr *wr)
{
	for (uint32_t nr = 0; wr && nr < qp->cap.max_send_wr; nr++) {
		if (!layers_wr_has_sges(qp, wr))
			return;
		layers_record_request(qp, wr);
		wr = wr->next;
	}
}

static int layers_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad_wr)
{
	struct layers_record *record = layers_record_find(qp);
	struct ibv_send_wr *bad = NULL;
	struct trace_post post;
	int ret;

	if (record && record->qp.requests)
		layers_record_requests(&record->qp, wr);
	trace_send_begin(&post, record ? record->qp.trace : NULL, wr,
			 trace_begin());
	ret = layers_below(qp->context)->post_send(qp, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	trace_send_end(&post, wr, bad, ret);
	if (__builtin_expect(ret != 0, 0) &&
	    !explain_is_muted(EXPLAIN_POST_SEND))
		explain_post_send(qp, wr, bad, ret);
	return ret;
}

static int layers_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	const struct layers_record *record =
		trace_is_requested ? layers_record_find(qp) : NULL;
	struct ibv_recv_wr *bad = NULL;
	struct trace_post post;
	int ret;

	trace_recv_begin(&post, record ? record->qp.trace : NULL, NULL, wr,
			 trace_begin());
	ret = layers_below(qp->context)->post_recv(qp, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	trace_recv_end(&post, wr, bad, ret);
	if (__builtin_expect(ret != 0, 0) &&
	    !explain_is_muted(EXPLAIN_POST_RECV))
		explain_post_recv(qp, wr, bad, ret);
	return ret;
}

static int layers_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr)
{
	struct ibv_recv_wr *bad = NULL;
	struct trace_post post;
	int ret;

	trace_recv_begin(&post, NULL, srq, wr, trace_begin());
	ret = layers_below(srq->context)->post_srq_recv(srq, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	trace_recv_end(&post, wr, bad, ret);
	if (__builtin_expect(ret != 0, 0) &&
	    !explain_is_muted(EXPLAIN_POST_RECV))
		explain_post_srq_recv(srq, wr, bad, ret);
	return ret;
}

static int layers_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	uint64_t begin = trace_begin();
	int nr = layers_below(cq->context)->poll_cq(cq, num_entries, wc);

	trace_polled(cq->context, begin, wc, nr);
	for (int i = 0; i < nr; i++)
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0) &&
		    explain_is_on)
			explain_completion(cq->context, wc[i].wr_id,
					   wc[i].status, wc[i].vendor_err,
					   &wc[i].qp_num);
	return nr;
}

void layers_replace_data_ops(struct verbs_context_ops *table)
{
	table->post_send = layers_post_send;
	table->post_recv = layers_post_recv;
	table->post_srq_recv = layers_post_srq_recv;
	table->poll_cq = layers_poll_cq;
}
