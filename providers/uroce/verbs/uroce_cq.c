/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: create, resize, destroy, arm, and ibv_poll_cq(). Extended
 * polling is in uroce_cq_ex.c. Polling an empty queue makes progress: the
 * polling thread itself sends and receives packets, in uroce_worker_poll().
 */
#include <errno.h>
#include <stdlib.h>

#include "uroce/verbs/uroce_take.h"

/* wc_flags with which the CQ reads the clock for each completion. */
#define TIMESTAMPS                                        \
	((uint64_t)(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
		    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK))

/* -- data path -- */

static void fill_wc(struct ibv_wc *wc, const struct uroce_cqe *cqe)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->wr_id,
		.status = (enum ibv_wc_status)cqe->status,
		.opcode = (enum ibv_wc_opcode)cqe->opcode,
		.byte_len = cqe->byte_len,
		.imm_data = cqe->imm, /* or inv_rkey: a union in both structs */
		.qp_num = cqe->qpn,
		.src_qp = cqe->src_qpn,
		.wc_flags = cqe->wc_flags,
		.sl = cqe->sl,
	};
}

static __attribute__((noinline)) int
take_some(struct uroce_verbs_cq *cq, int num_entries, struct ibv_wc *wc)
{
	struct uroce_ring *ring = &cq->cq.ring;
	uint32_t head, tail;
	int nr = 0;

	if (__atomic_load_n(&cq->in_vain, __ATOMIC_RELAXED))
		uroce_polled(&cq->in_vain, UROCE_PASS_FOUND);
	if (!uroce_spin_lock_unless_own(&cq->poll_lock))
		return 0; /* signal handler that interrupts a poll */
	tail = ring->tail;
	head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	while (nr < num_entries && tail != head)
		fill_wc(&wc[nr++], uroce_ring_at(ring, tail++));
	uroce_ring_take_to(ring, tail);
	uroce_spin_unlock(&cq->poll_lock);
	return nr;
}

/* Makes progress first. */
static __attribute__((noinline)) int
poll_empty(struct uroce_verbs_cq *cq, int num_entries, struct ibv_wc *wc)
{
	enum uroce_pass pass;

	uroce_poll_yield(&cq->in_vain);
	pass = uroce_cq_progress(cq);
	if (uroce_ring_used(&cq->cq.ring))
		return take_some(cq, num_entries, wc);
	uroce_cq_poll_other(cq);
	uroce_polled(&cq->in_vain, pass);
	return 0;
}

int uroce_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(ibcq);

	/* checked without poll_lock; no register is saved here */
	return uroce_ring_used(&cq->cq.ring) ? take_some(cq, num_entries, wc)
					     : poll_empty(cq, num_entries, wc);
}

int uroce_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(ibcq);

	struct uroce_worker *worker = uroce_cq_worker(cq);

	if (!worker)
		return -uroce_instance_arm_cq(cq->ctx->instance, &cq->cq,
					      solicited_only);
	return -uroce_worker_arm_cq(worker, &cq->cq, solicited_only);
}

/* -- control path -- */

static int uroce_cq_check_attr(const struct ibv_cq_init_attr_ex *attr,
			       bool extended)
{
	uint32_t known = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;

	if (attr->cqe > UROCE_MAX_CQE || attr->comp_vector)
		return -EINVAL;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & ~known))
		return -EOPNOTSUPP;
	if (extended && (attr->wc_flags & ~(uint64_t)UROCE_WC_FLAGS))
		return -EOPNOTSUPP;
	return attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD
		       ? uroce_check_pd(attr->parent_domain)
		       : 0;
}

/* Whether one thread polls, by flag or by the thread domain of the PD. */
static bool is_single_threaded(const struct ibv_cq_init_attr_ex *attr)
{
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return true;
	return (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) &&
	       to_uroce_pd(attr->parent_domain)->td;
}

/*
 * Adds the CQ to its context and channel.
 *
 * Return: 0; -EINVAL if @channel is not one of this context.
 */
static int cq_enter(struct uroce_verbs_cq *cq, struct ibv_comp_channel *channel)
{
	struct uroce_context *ctx = cq->ctx;
	int ret = 0;

	uroce_instance_lock(ctx->instance);
	if (channel) {
		cq->channel = uroce_comp_channel_find(ctx, channel->fd);
		if (cq->channel)
			cq->channel->nr_cqs++;
		else
			ret = -EINVAL;
	}
	if (ret == 0)
		list_add_tail(&ctx->cqs, &cq->entry);
	uroce_instance_unlock(ctx->instance);
	return ret;
}

int uroce_create_cq(struct ibv_context *ibctx,
		    const struct ibv_cq_init_attr_ex *attr, bool extended,
		    struct verbs_cq **ret_vcq)
{
	struct uroce_verbs_cq *cq;
	int ret;

	ret = uroce_cq_check_attr(attr, extended);
	if (ret)
		return ret;
	cq = uroce_object_new(sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	ret = uroce_cq_init(&cq->cq, attr->cqe, attr->channel);
	if (ret)
		goto err_free;
	uroce_spin_init(&cq->poll_lock, is_single_threaded(attr));
	cq->ctx = to_uroce_context(ibctx);
	cq->cq.owner = cq;
	if (extended && (attr->wc_flags & TIMESTAMPS))
		cq->cq.clock = uroce_worker_now;
	cq->vcq.cq.cqe = (int)attr->cqe;
	verbs_init_cq(&cq->vcq.cq, ibctx, attr->channel, attr->cq_context);
	cq->vcq.cq.handle = uroce_handle_new();
	cq->identity = (struct uroce_identity){ ibctx, cq->vcq.cq.handle };
	ret = cq_enter(cq, attr->channel);
	if (ret)
		goto err_fini_verbs;
	if (extended)
		uroce_cq_ex_init(&cq->vcq.cq_ex);
	*ret_vcq = &cq->vcq;
	return 0;

err_fini_verbs:
	verbs_fini_cq(&cq->vcq.cq);
	uroce_cq_fini(&cq->cq);
err_free:
	free(cq);
	return ret;
}

/* Excludes the pollers and the engine from the ring. */
static void lock_both(struct uroce_verbs_cq *cq)
{
	uroce_spin_lock(&cq->poll_lock);
	uroce_instance_lock(cq->ctx->instance);
}

static void unlock_both(struct uroce_verbs_cq *cq)
{
	uroce_instance_unlock(cq->ctx->instance);
	uroce_spin_unlock(&cq->poll_lock);
}

int uroce_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(ibcq);
	int ret = uroce_check_cq(ibcq);

	if (ret)
		return ret;
	if (attr->attr_mask & IBV_CQ_ATTR_MODERATE) {
		uroce_instance_lock(cq->ctx->instance);
		cq->cq.moderate.count = attr->moderate.cq_count;
		cq->cq.moderate.period_us = attr->moderate.cq_period;
		uroce_instance_unlock(cq->ctx->instance);
	}
	return 0;
}

int uroce_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(ibcq);
	int ret;

	ret = uroce_check_cq(ibcq);
	if (ret)
		return ret;
	if (cqe > UROCE_MAX_CQE)
		return -EINVAL;
	lock_both(cq);
	ret = uroce_cq_resize(&cq->cq, (uint32_t)cqe);
	unlock_both(cq);
	if (ret == 0)
		ibcq->cqe = cqe;
	return ret;
}

void uroce_cq_forget_qp(struct uroce_verbs_cq *cq, uint32_t qpn)
{
	lock_both(cq);
	uroce_cq_purge(&cq->cq, qpn);
	unlock_both(cq);
}

int uroce_destroy_cq(struct ibv_cq *ibcq)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(ibcq);
	struct uroce_context *ctx = cq->ctx;
	int ret;

	ret = uroce_check_cq(ibcq);
	if (ret)
		return ret;
	if (uroce_in_use(&cq->users))
		return -EBUSY;
	uroce_instance_lock(ctx->instance);
	ret = uroce_events_forget(ctx, ibcq, cq->channel, &cq->raised);
	if (ret == 0) {
		uroce_instance_forget_cq(ctx->instance, cq->worker, &cq->cq);
		list_del(&cq->entry);
		if (cq->channel)
			cq->channel->nr_cqs--;
	}
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	verbs_wait_cq_acked(ibcq, &cq->raised);
	verbs_fini_cq(ibcq);
	uroce_cq_fini(&cq->cq);
	free(cq);
	return 0;
}
