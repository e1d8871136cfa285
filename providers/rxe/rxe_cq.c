/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: create, resize, destroy, arm, and ibv_poll_cq(). Extended
 * polling is in rxe_cq_ex.c; both read the same ring.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wc.h"
#include "soft/soft.h"

/* -- data path -- */

/* Out of line because it is rare; this keeps the loop below short. */
static __attribute__((cold, noinline)) void rxe_wc_fix_flags(struct ibv_wc *wc)
{
	wc->wc_flags = rxe_wc_flags(wc->wc_flags);
}

static inline void rxe_wc_fill(struct ibv_wc *wc,
			       const struct ib_uverbs_wc *cqe)
{
	memcpy(wc, cqe, sizeof(*wc));
	if (cqe->wc_flags & ~RXE_WC_SAME_FLAGS)
		rxe_wc_fix_flags(wc);
}

/* Copies up to @max CQEs in order. Return: their number. */
static inline int rxe_cq_take_locked(struct rxe_ring *ring, int max,
				     struct ibv_wc *wc)
{
	uint32_t end = rxe_ring_load_producer(ring), index = ring->index;
	int nr = 0;

	if (index == end || max <= 0)
		return 0;
	do {
		rxe_wc_fill(&wc[nr], rxe_ring_elem(ring, index));
		index = rxe_ring_next(ring, index);
		nr++;
	} while (nr != max && index != end);

	rxe_ring_consume(ring, index);
	return nr;
}

/*
 * Locks a single-threaded CQ as well: a test would cost every other CQ more.
 * Not inline: in a function of its own the lock and the CQ have the same
 * address, and the compiler saves one register less around the calls.
 */
static __attribute__((noinline)) int
rxe_cq_lock_and_poll(struct rxe_cq *cq, int max, struct ibv_wc *wc)
{
	int nr;

	(void)pthread_spin_lock(&cq->lock); /* fails on misuse only */
	nr = rxe_cq_take_locked(&cq->ring, max, wc);
	(void)pthread_spin_unlock(&cq->lock);
	return nr;
}

int rxe_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return rxe_cq_lock_and_poll(to_rxe_cq(cq), num_entries, wc);
}

int rxe_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return -verbs_cmd_req_notify_cq(cq, solicited_only);
}

/* -- control path -- */

static int rxe_cq_setup(struct verbs_cq *vcq, const void *resp)
{
	const struct rxe_create_cq_resp *cq_resp = resp;

	return rxe_ring_map(vcq->cq.context, &cq_resp->mi,
			    sizeof(struct ib_uverbs_wc), RXE_RING_CONSUMER,
			    &to_rxe_cq(&vcq->cq)->ring);
}

static void rxe_cq_teardown(struct verbs_cq *vcq)
{
	rxe_ring_unmap(&to_rxe_cq(&vcq->cq)->ring);
}

int rxe_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq)
{
	struct rxe_create_cq_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct rxe_cq *cq;
	int err;

	err = soft_cq_check_attr(attr, extended, RXE_WC_FLAGS);
	if (err)
		return err;

	cq = malloc(sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	*cq = (struct rxe_cq){};

	err = soft_cq_create(ctx, attr, &cq->vcq, &cq->lock, &udata,
			     rxe_cq_setup);
	if (err) {
		free(cq);
		return err;
	}
	if (extended)
		rxe_cq_ex_init(&cq->vcq.cq_ex,
			       soft_cq_is_single_threaded(attr));
	*ret_vcq = &cq->vcq;
	return 0;
}

/*
 * The kernel allocates a new ring, moves the unpolled CQEs to it and from then
 * on writes only to the new ring. If the new ring cannot be mapped, the CQ
 * keeps the old one: it stays valid memory but receives no CQE any more,
 * because the kernel cannot undo the resize.
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
	int err;

	err = soft_cq_destroy(&cq->vcq, &cq->lock, rxe_cq_teardown);
	if (err)
		return err;
	free(cq);
	return 0;
}
