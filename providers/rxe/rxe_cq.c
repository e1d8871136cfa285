/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: create, resize, destroy, arm, and the classic way of
 * polling. Extended polling is in rxe_cq_ex.c; both read the same ring.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wc.h"

/* -- data path -- */

/* Apart, because it is seldom needed: the loop below is short. */
static __attribute__((cold, noinline)) void fix_flags(struct ibv_wc *wc)
{
	wc->wc_flags = rxe_wc_flags(wc->wc_flags);
}

static inline void fill(struct ibv_wc *wc, const struct ib_uverbs_wc *cqe)
{
	memcpy(wc, cqe, sizeof(*wc));
	if (cqe->wc_flags & ~RXE_WC_SAME_FLAGS)
		fix_flags(wc);
}

/* Up to @max elements, in their order. */
static inline int take_locked(struct rxe_ring *ring, int max, struct ibv_wc *wc)
{
	uint32_t end = rxe_ring_end(ring), index = ring->index;
	int nr = 0;

	if (index == end || max <= 0)
		return 0;
	do {
		fill(&wc[nr], rxe_ring_elem(ring, index));
		index = rxe_ring_next(ring, index);
		nr++;
	} while (nr != max && index != end);

	rxe_ring_consume(ring, index);
	return nr;
}

/*
 * Locks also where one thread polls: most CQs would pay for the question. Not
 * inline: here the address of the lock is that of the CQ, so that one register
 * less has to be saved around the calls.
 */
static __attribute__((noinline)) int poll_cq(struct rxe_cq *cq, int max,
					     struct ibv_wc *wc)
{
	int nr;

	(void)pthread_spin_lock(&cq->lock); /* fails on misuse only */
	nr = take_locked(&cq->ring, max, wc);
	(void)pthread_spin_unlock(&cq->lock);
	return nr;
}

int rxe_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return poll_cq(to_rxe_cq(cq), num_entries, wc);
}

int rxe_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return -verbs_cmd_req_notify_cq(cq, solicited_only);
}

/* -- control path -- */

static int check_attr(const struct ibv_cq_init_attr_ex *attr, bool extended)
{
	/* A parent domain cannot exist: there is no op that makes one. */
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS)
		return -EOPNOTSUPP;
	if (extended && (attr->wc_flags & ~(uint64_t)RXE_WC_FLAGS))
		return -EOPNOTSUPP;
	return 0;
}

static bool is_single_threaded(const struct ibv_cq_init_attr_ex *attr)
{
	return (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	       (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static int create_with_ring(struct ibv_context *ctx, struct rxe_cq *cq,
			    const struct ibv_cq_init_attr_ex *attr)
{
	struct rxe_create_cq_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_create_cq(ctx, &cq->vcq.cq, attr, &udata);
	if (err)
		return err;

	err = rxe_ring_map(ctx, &resp.mi, sizeof(struct ib_uverbs_wc),
			   RXE_RING_CONSUMER, &cq->ring);
	if (err) /* no event can have been read; the map error is the one */
		(void)verbs_cmd_destroy_cq(&cq->vcq.cq, &raised);
	return err;
}

int rxe_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq)
{
	struct rxe_cq *cq;
	int err;

	err = check_attr(attr, extended);
	if (err)
		return err;

	cq = malloc(sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	*cq = (struct rxe_cq){};

	err = -pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		goto err_free;

	verbs_init_cq(&cq->vcq.cq, ctx, attr->channel, attr->cq_context);
	err = create_with_ring(ctx, cq, attr);
	if (err)
		goto err_fini;

	if (extended)
		rxe_cq_ex_init(&cq->vcq.cq_ex, is_single_threaded(attr));
	*ret_vcq = &cq->vcq;
	return 0;

err_fini:
	verbs_fini_cq(&cq->vcq.cq);
	(void)pthread_spin_destroy(&cq->lock); /* nobody else knows it */
err_free:
	free(cq);
	return err;
}

/*
 * The kernel makes a new ring, moves what was not polled, and from then on
 * writes to the new one only. If that cannot be mapped the CQ keeps the old,
 * which stays valid memory but silent: there is no way back.
 */
int rxe_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	struct rxe_resize_cq_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct rxe_ring old;
	int err;

	(void)pthread_spin_lock(&cq->lock);
	err = verbs_cmd_resize_cq(ibcq, cqe, &udata);
	if (err)
		goto out;
	old = cq->ring;
	err = rxe_ring_map(ibcq->context, &resp.mi, sizeof(struct ib_uverbs_wc),
			   RXE_RING_CONSUMER, &cq->ring);
	if (!err)
		rxe_ring_unmap(&old);
out:
	(void)pthread_spin_unlock(&cq->lock);
	return err;
}

int rxe_destroy_cq(struct ibv_cq *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_cq(ibcq, &raised);
	if (err)
		return err;
	rxe_ring_unmap(&cq->ring);
	verbs_wait_cq_acked(ibcq, &raised);
	verbs_fini_cq(ibcq);
	(void)pthread_spin_destroy(&cq->lock); /* nobody else may use it now */
	free(cq);
	return 0;
}
