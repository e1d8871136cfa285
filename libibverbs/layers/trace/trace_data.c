/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls, posts and completions: makes their records and counts them. */
#include <errno.h>

#include "layers/trace/trace_clock.h"
#include "layers/trace/trace_qp.h"
#include "layers/trace/trace_queue.h"
#include "layers/trace/trace_ring.h"

static uint32_t trace_duration(uint64_t begin, uint64_t end)
{
	return end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX;
}

uint64_t trace_begin(void)
{
	if (!atomic_load_explicit(&trace_is_on, memory_order_acquire))
		return 0;
	return trace_now() | 1;
}

static void trace_add_call(enum trace_op op, uint64_t begin,
			   struct trace_record *record)
{
	uint64_t end = begin ? trace_now() : 0;
	/* The first call of a thread creates its ring. */
	struct trace_ring *ring = begin ? trace_ring_get() : NULL;

	if (!ring)
		return;
	trace_ring_count(ring, op, end - begin, record->result != 0);
	record->begin_ns = begin;
	record->duration_ns = trace_duration(begin, end);
	record->kind = TRACE_CALL;
	record->op = (uint8_t)op;
	trace_ring_add(ring, record);
}

void trace_call(enum trace_op op, uint64_t begin, uint32_t key, uint64_t bytes,
		int result)
{
	trace_add_call(op, begin,
		       &(struct trace_record){
			       .bytes = bytes,
			       .qp = TRACE_NO_QP,
			       .result = result,
			       .key = key,
		       });
}

void trace_call_unposted(enum trace_op op, uint64_t begin,
			 const struct trace_qp *qp, uint32_t nr, int result)
{
	trace_add_call(op, begin,
		       &(struct trace_record){
			       .value = nr,
			       .qp = qp->index,
			       .result = result,
			       .key = qp->number,
		       });
}

void trace_event(const struct trace_event *event, uint64_t begin)
{
	uint64_t end = begin ? trace_now() : 0;
	struct trace_ring *ring = begin ? trace_ring_get() : NULL;

	if (!ring)
		return;
	trace_ring_count(ring, TRACE_GET_ASYNC_EVENT, end - begin, false);
	trace_ring_add(ring,
		       &(const struct trace_record){
			       .begin_ns = begin,
			       .qp = event->qp ? event->qp->index : TRACE_NO_QP,
			       .key = event->number,
			       .kind = TRACE_EVENT,
			       .op = TRACE_GET_ASYNC_EVENT,
			       .opcode = (uint8_t)event->type,
		       });
}

void trace_count(enum trace_op op, uint64_t begin)
{
	struct trace_ring *ring = begin ? trace_ring_get() : NULL;

	if (ring)
		trace_ring_count(ring, op, trace_now() - begin, false);
}

void trace_count_request(struct trace_qp_stats *stats, unsigned int opcode,
			 uint64_t bytes)
{
	TRACE_ADD(stats->requests[opcode % TRACE_NR_OPCODES], 1);
	TRACE_ADD(stats->bytes[opcode % TRACE_NR_OPCODES], bytes);
}

void trace_note_first(struct trace_qp_stats *stats, uint64_t time_ns)
{
	if (__atomic_load_n(&stats->first_ns, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&stats->first_ns, time_ns, __ATOMIC_RELAXED);
}

static void trace_note_time(struct trace_qp_stats *stats, uint64_t now)
{
	trace_note_first(stats, now);
	__atomic_store_n(&stats->last_ns, now, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------ */
/* Posts                                                                     */
/* ------------------------------------------------------------------------ */

static bool trace_wr_is_atomic(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* A provider reads the SGEs only if there are as many as the queue permits. */
static uint64_t trace_sges_bytes(const struct trace_queue *queue,
				 const struct ibv_sge *list, int nr)
{
	uint64_t bytes = 0;

	if (nr < 0 || (uint32_t)nr > queue->max_sge || !list)
		return 0;
	for (int i = 0; i < nr; i++)
		bytes += list[i].length;
	return bytes;
}

static void trace_post_start(struct trace_post *post, struct trace_qp *qp,
			     struct trace_queue *queue, uint64_t begin)
{
	post->begin = queue ? begin : 0;
	post->queue = queue;
	post->qp = qp;
	post->stats = qp ? qp->stats : NULL;
	post->srq_stats = NULL;
	post->index = qp ? qp->index : TRACE_NO_QP;
	post->nr = 0;
	post->op = TRACE_POST_SEND;
}

/*
 * Requests are entered before the provider sees them, because another thread
 * may poll their completions before the post returns. A list that is longer
 * than the queue is refused by the provider at the latest at its end.
 */
void trace_send_begin(struct trace_post *post, struct trace_qp *qp,
		      const struct ibv_send_wr *wr, uint64_t begin)
{
	trace_post_start(post, qp, qp ? &qp->send : NULL, begin);
	if (!post->begin)
		return;
	for (const struct ibv_send_wr *each = wr;
	     each && post->nr < post->queue->size / 2; each = each->next)
		post->nr++;
	post->first = trace_queue_reserve(post->queue, post->nr);
	for (uint32_t i = 0; i < post->nr; i++, wr = wr->next)
		trace_queue_put(
			post->queue, post->first + i, wr->wr_id, begin,
			trace_sges_bytes(post->queue, wr->sg_list, wr->num_sge),
			wr->opcode);
}

static bool trace_qp_is_ud(const struct trace_qp_stats *stats)
{
	return stats && stats->type == IBV_QPT_UD;
}

/* Sets the remote address and the key of the record of a request. */
static void trace_note_target(const struct trace_post *post,
			      const struct ibv_send_wr *wr,
			      struct trace_record *record)
{
	if (trace_qp_is_ud(post->stats)) {
		record->key = wr->wr.ud.remote_qpn;
	} else if (trace_wr_is_atomic(wr)) {
		record->value = wr->wr.atomic.remote_addr;
		record->key = wr->wr.atomic.rkey;
	} else {
		record->value = wr->wr.rdma.remote_addr;
		record->key = wr->wr.rdma.rkey;
	}
}

static void trace_send_add(struct trace_ring *ring,
			   const struct trace_post *post,
			   const struct ibv_send_wr *wr, uint32_t duration,
			   int error)
{
	uint64_t bytes =
		trace_sges_bytes(post->queue, wr->sg_list, wr->num_sge);
	struct trace_record record = {
		.begin_ns = post->begin,
		.wr_id = wr->wr_id,
		.bytes = bytes,
		.duration_ns = duration,
		.qp = post->index,
		.result = -error,
		.kind = TRACE_SEND,
		.op = (uint8_t)post->op,
		.opcode = (uint8_t)wr->opcode,
	};

	trace_note_target(post, wr, &record);
	trace_ring_add(ring, &record);
	if (!error && post->stats)
		trace_count_request(post->stats, wr->opcode, bytes);
}

void trace_send_end(const struct trace_post *post, const struct ibv_send_wr *wr,
		    const struct ibv_send_wr *bad, int error)
{
	struct trace_ring *ring = post->begin ? trace_ring_get() : NULL;
	uint64_t end;
	uint32_t i;

	if (!ring)
		return;
	end = trace_now();
	trace_ring_count(ring, TRACE_POST_SEND, end - post->begin, error != 0);
	for (i = 0; i < post->nr && !(error && wr == bad); i++, wr = wr->next)
		trace_send_add(ring, post, wr, trace_duration(post->begin, end),
			       0);
	if (post->stats && i)
		trace_note_time(post->stats, end);
	if (!error)
		return;
	if (i < post->nr)
		trace_send_add(ring, post, wr, trace_duration(post->begin, end),
			       error);
	trace_queue_strike(post->queue, post->first, post->nr, i);
}

void trace_bind_end(struct trace_post *post, const struct ibv_send_wr *wr,
		    int error)
{
	struct trace_ring *ring = post->begin ? trace_ring_get() : NULL;

	if (!ring)
		return;
	if (error) {
		trace_queue_strike(post->queue, post->first, post->nr, 0);
		return;
	}
	trace_send_add(ring, post, wr, trace_duration(post->begin, trace_now()),
		       0);
	if (post->stats)
		trace_note_time(post->stats, trace_now());
}

void trace_recv_begin(struct trace_post *post, struct trace_qp *qp,
		      const struct ibv_srq *srq, const struct ibv_recv_wr *wr,
		      uint64_t begin)
{
	struct trace_srq *shared = srq ? trace_srq_find(srq) : NULL;
	struct trace_queue *own = qp ? &qp->recv : NULL;

	trace_post_start(post, qp, shared ? &shared->queue : own, begin);
	if (!post->begin)
		return;
	post->srq_stats = shared ? shared->stats : NULL;
	for (const struct ibv_recv_wr *each = wr;
	     each && post->nr < post->queue->size / 2; each = each->next)
		post->nr++;
	post->first = trace_queue_reserve(post->queue, post->nr);
	for (uint32_t i = 0; i < post->nr; i++, wr = wr->next)
		trace_queue_put(
			post->queue, post->first + i, wr->wr_id, begin,
			trace_sges_bytes(post->queue, wr->sg_list, wr->num_sge),
			0);
}

static void trace_recv_add(struct trace_ring *ring,
			   const struct trace_post *post,
			   const struct ibv_recv_wr *wr, uint32_t duration,
			   int error)
{
	trace_ring_add(
		ring,
		&(const struct trace_record){
			.begin_ns = post->begin,
			.wr_id = wr->wr_id,
			.bytes = trace_sges_bytes(post->queue, wr->sg_list,
						  wr->num_sge),
			.duration_ns = duration,
			.qp = post->index,
			.result = -error,
			.kind = TRACE_RECV,
			.op = post->qp ? TRACE_POST_RECV : TRACE_POST_SRQ_RECV,
		});
	if (!error && post->stats)
		TRACE_ADD(post->stats->recv_requests, 1);
	if (!error && post->srq_stats)
		TRACE_ADD(post->srq_stats->requests, 1);
}

void trace_recv_end(const struct trace_post *post, const struct ibv_recv_wr *wr,
		    const struct ibv_recv_wr *bad, int error)
{
	struct trace_ring *ring = post->begin ? trace_ring_get() : NULL;
	uint64_t end;
	uint32_t i;

	if (!ring)
		return;
	end = trace_now();
	trace_ring_count(ring, post->qp ? TRACE_POST_RECV : TRACE_POST_SRQ_RECV,
			 end - post->begin, error != 0);
	for (i = 0; i < post->nr && !(error && wr == bad); i++, wr = wr->next)
		trace_recv_add(ring, post, wr, trace_duration(post->begin, end),
			       0);
	if (!error)
		return;
	if (i < post->nr)
		trace_recv_add(ring, post, wr, trace_duration(post->begin, end),
			       error);
	trace_queue_strike(post->queue, post->first, post->nr, i);
}

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

/*
 * A failed completion has no valid opcode. The send queue has a request with
 * its wr_id, or the receive queue has; then *ret_is_recv becomes true.
 */
static bool trace_match(struct trace_qp *qp, const struct ibv_wc *wc,
			struct trace_match *ret, bool *ret_is_recv)
{
	bool in_order = qp->recv_queue == &qp->recv;

	if (!*ret_is_recv && trace_queue_match(&qp->send, wc->wr_id, true, ret))
		return true;
	if (wc->status == IBV_WC_SUCCESS && !*ret_is_recv)
		return false;
	if (!trace_queue_match(qp->recv_queue, wc->wr_id, in_order, ret))
		return false;
	*ret_is_recv = true;
	return true;
}

static void trace_count_failed(struct trace_qp_stats *stats,
			       unsigned int status)
{
	uint32_t none = 0;

	TRACE_ADD(stats->status[status % TRACE_NR_STATUS], 1);
	(void)__atomic_compare_exchange_n(&stats->first_status, &none, status,
					  false, __ATOMIC_RELAXED,
					  __ATOMIC_RELAXED);
}

static void trace_count_completion(struct trace_qp_stats *stats,
				   const struct trace_record *record,
				   bool is_recv, uint64_t now)
{
	trace_note_time(stats, now);
	if (record->status != IBV_WC_SUCCESS)
		trace_count_failed(stats, record->status);
	if (record->value == TRACE_NO_LATENCY)
		TRACE_ADD(stats->unmatched, 1);
	if (is_recv) {
		TRACE_ADD(stats->recv_completions, 1);
		if (record->status == IBV_WC_SUCCESS)
			TRACE_ADD(stats->recv_bytes, record->bytes);
		else
			TRACE_ADD(stats->recv_errors, 1);
		return;
	}
	TRACE_ADD(stats->send_completions, 1);
	if (record->value == TRACE_NO_LATENCY)
		return;
	TRACE_ADD(stats->buckets[trace_bucket(record->value)], 1);
	if (record->value > __atomic_load_n(&stats->max_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&stats->max_ns, record->value,
				 __ATOMIC_RELAXED);
}

static void trace_count_shared(struct trace_srq_stats *stats,
			       const struct trace_record *record)
{
	TRACE_ADD(stats->completions, 1);
	if (record->status == IBV_WC_SUCCESS)
		TRACE_ADD(stats->bytes, record->bytes);
}

/* Members of a failed completion are undefined. */
static uint32_t trace_completion_key(const struct trace_qp *qp,
				     const struct ibv_wc *wc, bool is_recv)
{
	return is_recv && wc->status == IBV_WC_SUCCESS && qp &&
			       trace_qp_is_ud(qp->stats)
		       ? wc->src_qp
		       : wc->qp_num;
}

static void trace_complete(struct trace_ring *ring,
			   const struct ibv_context *ctx,
			   const struct ibv_wc *wc, enum trace_op op,
			   uint64_t now)
{
	struct trace_qp *qp = trace_qp_find(ctx, wc->qp_num);
	struct trace_match match = {};
	bool is_recv = wc->status == IBV_WC_SUCCESS &&
		       (wc->opcode & IBV_WC_RECV);
	bool found = qp && trace_match(qp, wc, &match, &is_recv);
	struct trace_record record = {
		.begin_ns = now,
		.wr_id = wc->wr_id,
		.bytes = is_recv ? wc->byte_len : match.bytes,
		.value = found && now > match.begin_ns ? now - match.begin_ns
						       : TRACE_NO_LATENCY,
		.qp = qp ? qp->index : TRACE_NO_QP,
		.key = trace_completion_key(qp, wc, is_recv),
		.kind = TRACE_COMPLETION,
		.op = (uint8_t)op,
		.opcode = is_recv ? (uint8_t)(wc->opcode | IBV_WC_RECV)
				  : (uint8_t)match.opcode,
		.status = (uint8_t)wc->status,
	};

	trace_ring_add(ring, &record);
	if (is_recv && qp && qp->srq_stats)
		trace_count_shared(qp->srq_stats, &record);
	if (qp && qp->stats)
		trace_count_completion(qp->stats, &record, is_recv, now);
}

void trace_polled(const struct ibv_context *ctx, uint64_t begin,
		  const struct ibv_wc *wc, int nr)
{
	struct trace_ring *ring = begin ? trace_ring_get() : NULL;
	uint64_t now;

	if (!ring)
		return;
	now = trace_now();
	trace_ring_count(ring, TRACE_POLL_CQ, now - begin, nr < 0);
	ring->calls[TRACE_POLL_CQ].empty += nr == 0;
	for (int i = 0; i < nr; i++)
		trace_complete(ring, ctx, &wc[i], TRACE_POLL_CQ, now);
}

void trace_polled_ex(struct ibv_cq_ex *cq, enum trace_op op, uint64_t begin,
		     int ret)
{
	struct trace_ring *ring = begin ? trace_ring_get() : NULL;
	struct ibv_wc wc = {};
	uint64_t now;

	if (!ring)
		return;
	now = trace_now();
	trace_ring_count(ring, op, now - begin, ret != 0 && ret != ENOENT);
	ring->calls[op].empty += ret == ENOENT;
	if (ret)
		return;
	wc.wr_id = cq->wr_id;
	wc.status = cq->status;
	wc.qp_num = cq->read_qp_num ? cq->read_qp_num(cq) : 0;
	if (cq->status == IBV_WC_SUCCESS && cq->read_opcode)
		wc.opcode = cq->read_opcode(cq);
	if (cq->status == IBV_WC_SUCCESS && cq->read_src_qp)
		wc.src_qp = cq->read_src_qp(cq);
	if (cq->status == IBV_WC_SUCCESS && cq->read_byte_len)
		wc.byte_len = cq->read_byte_len(cq);
	trace_complete(ring, cq->context, &wc, op, now);
}
