/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops of the data path, which programs call directly. No lock is held while the
 * provider runs: its functions may block on locks of its own.
 */
#include "layers/explain.h"
#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/trace/trace.h"

static int layers_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad_wr)
{
	struct layers_record *record = layers_record_find(qp);
	struct layers_posting posting = {};
	struct ibv_send_wr *bad = NULL;
	struct trace_post post;
	int ret;

	if (record)
		posting = layers_track_sends(&record->qp.send, wr);
	trace_send_begin(&post, record ? record->qp.trace : NULL, wr,
			 trace_begin());
	ret = layers_below(qp->context)->post_send(qp, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	if (record)
		layers_track_sent(&record->qp.send, &posting, wr, bad, ret);
	trace_send_end(&post, wr, bad, ret);
	if (__builtin_expect(ret != 0, 0) &&
	    !explain_is_muted(EXPLAIN_POST_SEND))
		explain_post_send(qp, wr, bad, ret);
	return ret;
}

static int layers_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	struct layers_record *record = trace_is_requested || layers_track_is_on
					       ? layers_record_find(qp)
					       : NULL;
	struct layers_posting posting = {};
	struct ibv_recv_wr *bad = NULL;
	struct trace_post post;
	int ret;

	if (record && layers_track_is_on)
		posting = layers_track_recvs(&record->qp.recv, wr);
	trace_recv_begin(&post, record ? record->qp.trace : NULL, NULL, wr,
			 trace_begin());
	ret = layers_below(qp->context)->post_recv(qp, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	if (record && layers_track_is_on)
		layers_track_received(&record->qp.recv, &posting, wr, bad, ret);
	trace_recv_end(&post, wr, bad, ret);
	if (__builtin_expect(ret != 0, 0) &&
	    !explain_is_muted(EXPLAIN_POST_RECV))
		explain_post_recv(qp, wr, bad, ret);
	return ret;
}

static int layers_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr)
{
	struct layers_record *record =
		layers_track_is_on ? layers_record_find(srq) : NULL;
	struct layers_posting posting = {};
	struct ibv_recv_wr *bad = NULL;
	struct trace_post post;
	int ret;

	if (record)
		posting = layers_track_recvs(&record->srq.recv, wr);
	trace_recv_begin(&post, NULL, srq, wr, trace_begin());
	ret = layers_below(srq->context)->post_srq_recv(srq, wr, &bad);
	if (__builtin_expect(ret != 0, 0) && bad_wr)
		*bad_wr = bad;
	if (record)
		layers_track_received(&record->srq.recv, &posting, wr, bad,
				      ret);
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
