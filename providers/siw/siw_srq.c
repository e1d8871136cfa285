/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues. The driver has only the basic type. Posting is in
 * siw_post.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "siw/siw.h"
#include "soft/soft.h"

static int siw_srq_setup(struct verbs_srq *vsrq, const void *resp,
			 struct ibv_srq_init_attr_ex *attr)
{
	const struct siw_uresp_create_srq *srq_resp = resp;
	struct siw_srq *srq = to_siw_srq(&vsrq->srq);
	int err;

	err = siw_ring_map(vsrq->srq.context, srq_resp->srq_key,
			   srq_resp->num_rqe, sizeof(struct siw_rqe), 0,
			   &srq->rq.ring);
	if (err)
		return err;
	srq->rq.max_sge = attr->attr.max_sge;
	attr->attr.max_wr = srq_resp->num_rqe;
	return 0;
}

static void siw_srq_teardown(struct verbs_srq *vsrq)
{
	siw_ring_unmap(&to_siw_srq(&vsrq->srq)->rq.ring);
}

int siw_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		   struct verbs_srq **ret_vsrq)
{
	struct siw_uresp_create_srq resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct siw_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return -ENOMEM;

	err = soft_srq_create(ctx, attr, &srq->vsrq, &srq->rq.lock, &udata,
			      siw_srq_setup);
	if (err) {
		free(srq);
		return err;
	}
	*ret_vsrq = &srq->vsrq;
	return 0;
}

/* Limit only: the driver accepts a new size but allocates no new ring. */
int siw_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask)
{
	if (attr_mask & IBV_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	return verbs_cmd_modify_srq(srq, attr, attr_mask, NULL);
}

int siw_destroy_srq(struct ibv_srq *ibsrq)
{
	struct siw_srq *srq = to_siw_srq(ibsrq);
	int err;

	err = soft_srq_destroy(&srq->vsrq, &srq->rq.lock, siw_srq_teardown);
	if (err)
		return err;
	free(srq);
	return 0;
}
