/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: create, destroy, arm, and the classic way of polling.
 * Extended polling is in siw_cq_ex.c; both take elements out of the same ring.
 * The driver cannot resize one.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "siw/siw.h"
#include "siw/siw_take.h"
#include "siw/siw_wc.h"

/* -- data path -- */

int siw_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct siw_cq *cq = to_siw_cq(ibcq);
	struct siw_cqe cqe;
	int nr = 0;

	siw_cq_lock(cq);
	while (nr < num_entries && siw_take(cq, &cqe))
		siw_wc_fill(&wc[nr++], &cqe);
	siw_cq_unlock(cq);
	return nr;
}

/*
 * Arming is a store to a word that the kernel reads at each completion. It is
 * sequentially consistent: an application polls once more after arming, and
 * those loads must not go before the store.
 */
int siw_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	uint32_t flags = SIW_NOTIFY_SOLICITED;

	if (!solicited_only)
		flags |= SIW_NOTIFY_NEXT_COMPLETION;
	__atomic_store_n(&to_siw_cq(ibcq)->ctrl->flags, flags,
			 __ATOMIC_SEQ_CST);
	return 0;
}

/* -- control path -- */

static int check_attr(const struct ibv_cq_init_attr_ex *attr, bool extended)
{
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS)
		return -EOPNOTSUPP;
	if (extended && (attr->wc_flags & ~(uint64_t)SIW_WC_FLAGS))
		return -EOPNOTSUPP;
	return 0;
}

static int create_with_ring(struct ibv_context *ctx, struct siw_cq *cq,
			    const struct ibv_cq_init_attr_ex *attr)
{
	struct siw_uresp_create_cq resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_create_cq(ctx, &cq->vcq.cq, attr, &udata);
	if (err)
		return err;

	err = siw_ring_map(ctx, resp.cq_key, resp.num_cqe,
			   sizeof(struct siw_cqe), sizeof(struct siw_cq_ctrl),
			   &cq->ring);
	if (!err) {
		err = siw_flushed_init(cq);
		if (err)
			siw_ring_unmap(&cq->ring);
	}
	if (err) { /* no event can have been read; this error is the one */
		(void)verbs_cmd_destroy_cq(&cq->vcq.cq, &raised);
		return err;
	}
	cq->ctrl = (struct siw_cq_ctrl *)((struct siw_cqe *)cq->ring.map +
					  resp.num_cqe);
	return 0;
}

int siw_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq)
{
	struct siw_cq *cq;
	int err;

	err = check_attr(attr, extended);
	if (err)
		return err;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;

	err = -pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		goto err_free;
	cq->single_threaded =
		(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
		(attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);

	verbs_init_cq(&cq->vcq.cq, ctx, attr->channel, attr->cq_context);
	err = create_with_ring(ctx, cq, attr);
	if (err)
		goto err_fini;

	if (extended)
		siw_cq_ex_init(&cq->vcq.cq_ex);
	*ret_vcq = &cq->vcq;
	return 0;

err_fini:
	verbs_fini_cq(&cq->vcq.cq);
	(void)pthread_spin_destroy(&cq->lock); /* nobody else knows it */
err_free:
	free(cq);
	return err;
}

int siw_destroy_cq(struct ibv_cq *ibcq)
{
	struct siw_cq *cq = to_siw_cq(ibcq);
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_cq(ibcq, &raised);
	if (err)
		return err;
	siw_ring_unmap(&cq->ring);
	verbs_wait_cq_acked(ibcq, &raised);
	verbs_fini_cq(ibcq);
	(void)pthread_spin_destroy(&cq->lock); /* nobody else may use it now */
	siw_flushed_fini(cq);
	free(cq);
	return 0;
}
