/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: create, destroy, arm, and ibv_poll_cq(). Extended polling
 * is in siw_cq_ex.c; both take CQEs from the same ring. The driver cannot
 * resize a CQ.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "siw/siw.h"
#include "siw/siw_cq_take.h"
#include "siw/siw_wc.h"
#include "soft/soft.h"

/* -- data path -- */

int siw_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct siw_cq *cq = to_siw_cq(ibcq);
	struct siw_cqe cqe;
	int nr = 0;

	siw_cq_lock(cq);
	while (nr < num_entries && siw_cq_take_cqe(cq, &cqe))
		siw_wc_fill(&wc[nr++], &cqe);
	siw_cq_unlock(cq);
	return nr;
}

/*
 * Arms the CQ by a store to a word that the kernel reads at each completion.
 * The store is sequentially consistent: an application polls once more after it
 * has armed the CQ, and those loads must not be reordered before the store.
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

static int siw_cq_setup(struct verbs_cq *vcq, const void *resp)
{
	const struct siw_uresp_create_cq *cq_resp = resp;
	struct siw_cq *cq = to_siw_cq(&vcq->cq);
	int err;

	err = siw_ring_map(vcq->cq.context, cq_resp->cq_key, cq_resp->num_cqe,
			   sizeof(struct siw_cqe), sizeof(struct siw_cq_ctrl),
			   &cq->ring);
	if (err)
		return err;
	err = siw_flushed_init(cq);
	if (err) {
		siw_ring_unmap(&cq->ring);
		return err;
	}
	cq->ctrl = (struct siw_cq_ctrl *)((struct siw_cqe *)cq->ring.map +
					  cq_resp->num_cqe);
	return 0;
}

static void siw_cq_teardown(struct verbs_cq *vcq)
{
	struct siw_cq *cq = to_siw_cq(&vcq->cq);

	siw_flushed_fini(cq);
	siw_ring_unmap(&cq->ring);
}

int siw_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq)
{
	struct siw_uresp_create_cq resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct siw_cq *cq;
	int err;

	err = soft_cq_check_attr(attr, extended, SIW_WC_FLAGS);
	if (err)
		return err;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	cq->single_threaded = soft_cq_is_single_threaded(attr);

	err = soft_cq_create(ctx, attr, &cq->vcq, &cq->lock, &udata,
			     siw_cq_setup);
	if (err) {
		free(cq);
		return err;
	}
	if (extended)
		siw_cq_ex_init(&cq->vcq.cq_ex);
	*ret_vcq = &cq->vcq;
	return 0;
}

int siw_destroy_cq(struct ibv_cq *ibcq)
{
	struct siw_cq *cq = to_siw_cq(ibcq);
	int err;

	err = soft_cq_destroy(&cq->vcq, &cq->lock, siw_cq_teardown);
	if (err)
		return err;
	free(cq);
	return 0;
}
