/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs and SRQs that are traced: chains that only grow, so that pollers need no
 * lock. A place becomes free when its object is destroyed, and is used again.
 * Writers hold layers_mutex.
 */
#include "layers/trace/trace_qp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/layers_record.h"
#include "layers/trace/trace_clock.h"
#include "layers/trace/trace_queue.h"
#include "layers/trace/trace_ring.h"

#define NR_CHAINS 1024U

static _Atomic(struct trace_qp *) qp_chains[NR_CHAINS];
static _Atomic(struct trace_srq *) srqs;

struct trace_qp *trace_qp_find(const struct ibv_context *ctx, uint32_t number)
{
	struct trace_qp *qp;

	/* Pairs with the release in qp_place_locked(). */
	qp = atomic_load_explicit(&qp_chains[number % NR_CHAINS],
				  memory_order_acquire);
	/* Pairs with the release in trace_qp_add(). */
	while (qp && (!atomic_load_explicit(&qp->used, memory_order_acquire) ||
		      qp->number != number || qp->ctx != ctx))
		qp = qp->next;
	return qp;
}

struct trace_srq *trace_srq_find(const struct ibv_srq *srq)
{
	struct trace_srq *entry;

	/* Pairs with the release in srq_place_locked(). */
	entry = atomic_load_explicit(&srqs, memory_order_acquire);
	/* Pairs with the release in trace_srq_add(). */
	while (entry &&
	       atomic_load_explicit(&entry->srq, memory_order_acquire) != srq)
		entry = entry->next;
	return entry;
}

/*
 * A place is used again for the same number only, since late pollers read the
 * number without a lock.
 */
static struct trace_qp *qp_place_locked(const struct ibv_qp *ibqp)
	REQUIRES(layers_mutex)
{
	_Atomic(struct trace_qp *) *chain =
		&qp_chains[ibqp->qp_num % NR_CHAINS];
	struct trace_qp *first =
		atomic_load_explicit(chain, memory_order_relaxed);
	struct trace_qp *qp = first;

	while (qp && (qp->number != ibqp->qp_num || qp->ctx != ibqp->context ||
		      atomic_load(&qp->used)))
		qp = qp->next;
	if (qp)
		return qp;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	trace_queue_init(&qp->send);
	trace_queue_init(&qp->recv);
	qp->number = ibqp->qp_num;
	qp->ctx = ibqp->context;
	qp->next = first;
	/* Pairs with the acquire in trace_qp_find(). */
	atomic_store_explicit(chain, qp, memory_order_release);
	return qp;
}

static void qp_start_stats(struct trace_qp *qp, const struct ibv_qp *ibqp)
{
	qp->stats = NULL;
	qp->index = trace_file_add_qp(&qp->stats);
	if (!qp->stats)
		return;
	qp->stats->type = ibqp->qp_type;
	(void)snprintf(qp->stats->device, sizeof(qp->stats->device), "%s",
		       ibqp->context->device->name);
	__atomic_store_n(&qp->stats->number, ibqp->qp_num, __ATOMIC_RELEASE);
}

struct trace_qp *trace_qp_add(const struct ibv_qp *ibqp,
			      const struct ibv_qp_init_attr_ex *attr)
{
	struct trace_srq *srq;
	struct trace_qp *qp;

	if (!atomic_load(&trace_is_on))
		return NULL;
	layers_lock();
	qp = qp_place_locked(ibqp);
	layers_unlock();
	if (!qp)
		return NULL;
	srq = attr->srq ? trace_srq_find(attr->srq) : NULL;
	qp_start_stats(qp, ibqp);
	trace_queue_start(&qp->send, qp->stats ? &qp->stats->send : NULL,
			  attr->cap.max_send_wr, attr->cap.max_send_sge);
	trace_queue_start(&qp->recv, qp->stats ? &qp->stats->recv : NULL,
			  attr->srq ? 0 : attr->cap.max_recv_wr,
			  attr->cap.max_recv_sge);
	qp->recv_queue = srq ? &srq->queue : &qp->recv;
	qp->srq_stats = srq ? srq->stats : NULL;
	if (qp->stats && qp->srq_stats)
		qp->stats->srq = srq->index + 1;
	/* Pairs with the acquire in trace_qp_find(). */
	atomic_store_explicit(&qp->used, true, memory_order_release);
	return qp;
}

/* Both ends of the connection, by which ibv_trace(1) finds the peer. */
static void qp_note_path(struct trace_qp_stats *stats,
			 const union ibv_gid *own_gid,
			 const struct ibv_ah_attr *path)
{
	memcpy(stats->own_gid, own_gid->raw, sizeof(stats->own_gid));
	if (path->is_global)
		memcpy(stats->peer_gid, path->grh.dgid.raw,
		       sizeof(stats->peer_gid));
}

static void qp_note_reset(struct trace_qp_stats *stats)
{
	stats->first_status = 0;
	stats->resets += stats->first_ns != 0;
	stats->has_sq_psn = 0;
	stats->has_rq_psn = 0;
}

static void qp_note_numbers(struct trace_qp_stats *stats,
			    const struct ibv_qp_attr *attr, int attr_mask)
{
	if (attr_mask & IBV_QP_STATE)
		stats->state = attr->qp_state;
	if (attr_mask & IBV_QP_DEST_QPN)
		stats->dest_qp_num = attr->dest_qp_num;
	if (attr_mask & IBV_QP_SQ_PSN) {
		stats->sq_psn = attr->sq_psn & 0xffffff;
		stats->has_sq_psn = 1;
	}
	if (attr_mask & IBV_QP_RQ_PSN) {
		stats->rq_psn = attr->rq_psn & 0xffffff;
		stats->has_rq_psn = 1;
	}
}

void trace_qp_modified(struct trace_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, const union ibv_gid *own_gid)
{
	bool is_reset = (attr_mask & IBV_QP_STATE) &&
			attr->qp_state == IBV_QPS_RESET;

	if (!qp)
		return;
	if (is_reset) {
		trace_queue_reset(&qp->send);
		trace_queue_reset(&qp->recv);
	}
	if (!qp->stats)
		return;
	if (is_reset)
		qp_note_reset(qp->stats);
	qp_note_numbers(qp->stats, attr, attr_mask);
	if (attr_mask & IBV_QP_AV)
		qp_note_path(qp->stats, own_gid, &attr->ah_attr);
}

void trace_qp_drop(struct trace_qp *qp)
{
	if (!qp)
		return;
	atomic_store(&qp->used, false);
	if (qp->stats && atomic_load(&trace_is_on))
		qp->stats->destroyed_ns = trace_now() | 1;
	trace_queue_end(&qp->send);
	trace_queue_end(&qp->recv);
}

static struct trace_srq *srq_place_locked(void) REQUIRES(layers_mutex)
{
	struct trace_srq *entry = trace_srq_find(NULL);

	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	trace_queue_init(&entry->queue);
	entry->next = atomic_load_explicit(&srqs, memory_order_relaxed);
	/* Pairs with the acquire in trace_srq_find(). */
	atomic_store_explicit(&srqs, entry, memory_order_release);
	return entry;
}

static void srq_start_stats(struct trace_srq *entry, const struct ibv_srq *srq)
{
	entry->stats = NULL;
	entry->index = trace_file_add_srq(&entry->stats);
	if (!entry->stats)
		return;
	entry->stats->handle = srq->handle;
	(void)snprintf(entry->stats->device, sizeof(entry->stats->device), "%s",
		       srq->context->device->name);
	__atomic_store_n(&entry->stats->is_used, 1, __ATOMIC_RELEASE);
}

void trace_srq_add(const struct ibv_srq *srq, const struct ibv_srq_attr *attr)
{
	struct trace_srq *entry;

	if (!atomic_load(&trace_is_on))
		return;
	layers_lock();
	entry = srq_place_locked();
	if (entry) {
		srq_start_stats(entry, srq);
		trace_queue_start(&entry->queue,
				  entry->stats ? &entry->stats->queue : NULL,
				  attr->max_wr, attr->max_sge);
		/* Pairs with the acquire in trace_srq_find(). */
		atomic_store_explicit(&entry->srq, srq, memory_order_release);
	}
	layers_unlock();
}

void trace_srq_drop(struct trace_srq *entry, const struct ibv_srq *srq)
{
	if (!entry)
		return;
	if (entry->stats && atomic_load(&trace_is_on))
		entry->stats->destroyed_ns = trace_now() | 1;
	trace_queue_end(&entry->queue);
	/* The memory may already be that of a new SRQ, in another place. */
	(void)atomic_compare_exchange_strong(&entry->srq, &srq, NULL);
}
