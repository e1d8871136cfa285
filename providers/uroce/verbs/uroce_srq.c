/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues. ibv_modify_srq() may replace the ring by a larger or
 * smaller one. uroce_post.c posts to the ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/qp/uroce_xrc.h"
#include "uroce/verbs/uroce_verbs.h"

#define BASIC_MASK (IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD)
#define XRC_MASK   (BASIC_MASK | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ)

static bool is_xrc(const struct ibv_srq_init_attr_ex *attr)
{
	return (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) &&
	       attr->srq_type == IBV_SRQT_XRC;
}

static int uroce_srq_check_attr(const struct ibv_srq_init_attr_ex *attr)
{
	if ((attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) &&
	    attr->srq_type != IBV_SRQT_BASIC && !is_xrc(attr))
		return -EOPNOTSUPP;
	if (attr->comp_mask & ~(uint32_t)(is_xrc(attr) ? XRC_MASK : BASIC_MASK))
		return -EOPNOTSUPP;
	if (!attr->attr.max_wr || attr->attr.max_wr > UROCE_MAX_SRQ_WR ||
	    attr->attr.max_sge > UROCE_MAX_SGE ||
	    attr->attr.srq_limit > attr->attr.max_wr)
		return -EINVAL;
	return 0;
}

static int srq_check_objects(const struct ibv_srq_init_attr_ex *attr)
{
	int ret = uroce_check_pd(attr->pd);

	if (ret || !is_xrc(attr))
		return ret;
	ret = uroce_check_xrcd(attr->xrcd);
	return ret ? ret : uroce_check_cq(attr->cq);
}

/* The library has checked that an XRC SRQ has a CQ and a domain. */
static int srq_join_xrc_locked(struct uroce_verbs_srq *srq)
{
	struct uroce_verbs_cq *cq = to_uroce_cq(srq->vsrq.cq);
	struct uroce_xrcd *xrcd = to_uroce_xrcd(&srq->vsrq.xrcd->xrcd);
	int ret;

	srq->worker = uroce_instance_first_worker(srq->ctx->instance);
	srq->recv.rq.xrc_domain = xrcd->domain;
	srq->recv.rq.xrc_cq = &cq->cq;
	ret = uroce_xrc_add_srq(&uroce_worker_engine(srq->worker)->core.xrc,
				&srq->recv.rq);
	if (ret)
		return ret;
	srq->vsrq.srq_num = srq->recv.rq.xrc_number;
	uroce_bind_cq_locked(cq, srq->worker);
	uroce_use(&cq->users);
	uroce_use(&xrcd->users);
	return 0;
}

void uroce_srq_leave_xrc_locked(struct uroce_verbs_srq *srq)
{
	uroce_xrc_remove_srq(&uroce_worker_engine(srq->worker)->core.xrc,
			     &srq->recv.rq);
	(void)uroce_unuse(&to_uroce_cq(srq->vsrq.cq)->users);
	(void)uroce_unuse(&to_uroce_xrcd(&srq->vsrq.xrcd->xrcd)->users);
}

static int srq_enter(struct uroce_verbs_srq *srq)
{
	int ret = 0;

	uroce_instance_lock(srq->ctx->instance);
	if (srq->vsrq.srq_type == IBV_SRQT_XRC)
		ret = srq_join_xrc_locked(srq);
	if (ret == 0)
		list_add_tail(&srq->ctx->srqs, &srq->entry);
	uroce_instance_unlock(srq->ctx->instance);
	return ret;
}

int uroce_create_srq(struct ibv_context *ibctx,
		     struct ibv_srq_init_attr_ex *attr,
		     struct verbs_srq **ret_vsrq)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct uroce_pd *pd = to_uroce_pd(attr->pd);
	struct uroce_verbs_srq *srq;
	int ret;

	ret = srq_check_objects(attr);
	if (ret == 0)
		ret = uroce_srq_check_attr(attr);
	if (ret)
		return ret;
	srq = uroce_object_new(sizeof(*srq));
	if (!srq)
		return -ENOMEM;
	ret = uroce_rq_init(&srq->recv.rq, attr->attr.max_wr,
			    attr->attr.max_sge, pd->number, true);
	if (ret)
		goto err_free;
	uroce_spin_init(&srq->recv.lock, pd->td);
	srq->ctx = ctx;
	srq->recv.rq.owner = srq;
	srq->recv.rq.limit = attr->attr.srq_limit;
	verbs_init_srq(&srq->vsrq, ibctx, attr);
	srq->vsrq.srq.handle = uroce_handle_new();
	srq->identity = (struct uroce_identity){ ibctx, srq->vsrq.srq.handle };
	ret = srq_enter(srq);
	if (ret)
		goto err_fini;
	uroce_use(&pd->users);
	*ret_vsrq = &srq->vsrq;
	return 0;

err_fini:
	verbs_fini_srq(&srq->vsrq.srq);
	uroce_rq_fini(&srq->recv.rq);
err_free:
	free(srq);
	return ret;
}

/* With the engine lock and the lock of the queue. */
static int resize_locked(struct uroce_ring *ring, uint32_t size)
{
	struct uroce_ring other;
	const void *slot;
	int ret;

	if (size < uroce_ring_used(ring))
		return -EINVAL;
	ret = uroce_ring_init(&other, size, ring->stride);
	if (ret)
		return ret;
	while ((slot = uroce_ring_front(ring)) != NULL) {
		memcpy(uroce_ring_vacant(&other), slot, ring->stride);
		uroce_ring_put(&other);
		uroce_ring_take(ring);
	}
	uroce_ring_fini(ring);
	*ring = other;
	return 0;
}

static int resize(struct uroce_verbs_srq *srq, uint32_t size)
{
	int ret;

	uroce_instance_lock(srq->ctx->instance);
	uroce_spin_lock(&srq->recv.lock);
	ret = resize_locked(&srq->recv.rq.ring, size);
	uroce_spin_unlock(&srq->recv.lock);
	uroce_instance_unlock(srq->ctx->instance);
	return ret;
}

int uroce_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask)
{
	struct uroce_verbs_srq *srq = to_uroce_srq(ibsrq);
	uint32_t size = srq->recv.rq.ring.size;
	int ret = uroce_check_srq(ibsrq);

	if (ret)
		return ret;
	if (attr_mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return -EINVAL;
	if (attr_mask & IBV_SRQ_MAX_WR) {
		size = attr->max_wr;
		if (!size || size > UROCE_MAX_SRQ_WR)
			return -EINVAL;
	}
	if ((attr_mask & IBV_SRQ_LIMIT) && attr->srq_limit > size)
		return -EINVAL;
	if (attr_mask & IBV_SRQ_MAX_WR)
		ret = resize(srq, size);
	if (ret == 0 && (attr_mask & IBV_SRQ_LIMIT))
		__atomic_store_n(&srq->recv.rq.limit, attr->srq_limit,
				 __ATOMIC_SEQ_CST);
	return ret;
}

int uroce_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct uroce_rq *rq = &to_uroce_srq(ibsrq)->recv.rq;
	int ret = uroce_check_srq(ibsrq);

	if (ret)
		return ret;
	attr->max_wr = rq->ring.size;
	attr->max_sge = rq->max_sge;
	attr->srq_limit = __atomic_load_n(&rq->limit, __ATOMIC_SEQ_CST);
	return 0;
}

int uroce_destroy_srq(struct ibv_srq *ibsrq)
{
	struct uroce_verbs_srq *srq = to_uroce_srq(ibsrq);
	struct uroce_context *ctx = srq->ctx;
	int ret;

	ret = uroce_check_srq(ibsrq);
	if (ret)
		return ret;
	if (uroce_in_use(&srq->users))
		return -EBUSY;
	uroce_instance_lock(ctx->instance);
	ret = uroce_events_forget(ctx, ibsrq, NULL, &srq->raised);
	if (ret == 0) {
		if (srq->vsrq.srq_type == IBV_SRQT_XRC)
			uroce_srq_leave_xrc_locked(srq);
		uroce_instance_forget_rq(ctx->instance, &srq->recv.rq);
		list_del(&srq->entry);
	}
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	verbs_wait_srq_acked(ibsrq, &srq->raised);
	verbs_fini_srq(ibsrq);
	uroce_pd_put(to_uroce_pd(ibsrq->pd));
	uroce_rq_fini(&srq->recv.rq);
	free(srq);
	return 0;
}
