/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues, of the basic type; the driver has no other. Posting to
 * one is in siw_post.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "siw/siw.h"

static int create_with_ring(struct ibv_context *ctx, struct siw_srq *srq,
			    struct ibv_srq_init_attr_ex *attr)
{
	struct siw_uresp_create_srq resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_create_srq(ctx, &srq->vsrq, attr, &udata);
	if (err)
		return err;

	err = siw_ring_map(ctx, resp.srq_key, resp.num_rqe,
			   sizeof(struct siw_rqe), 0, &srq->rq.ring);
	if (err) { /* the map error is the one */
		(void)verbs_cmd_destroy_srq(&srq->vsrq.srq, &raised);
		return err;
	}
	srq->rq.max_sge = attr->attr.max_sge;
	attr->attr.max_wr = resp.num_rqe;
	return 0;
}

int siw_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		   struct verbs_srq **ret_vsrq)
{
	struct siw_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return -ENOMEM;

	err = -pthread_spin_init(&srq->rq.lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		goto err_free;

	verbs_init_srq(&srq->vsrq, ctx, attr);
	err = create_with_ring(ctx, srq, attr);
	if (err)
		goto err_fini;
	*ret_vsrq = &srq->vsrq;
	return 0;

err_fini:
	verbs_fini_srq(&srq->vsrq.srq);
	(void)pthread_spin_destroy(&srq->rq.lock); /* nobody else knows it */
err_free:
	free(srq);
	return err;
}

/* The limit only: the driver takes a new size but never makes a new ring. */
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
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_srq(ibsrq, &raised);
	if (err)
		return err;
	siw_ring_unmap(&srq->rq.ring);
	verbs_wait_srq_acked(ibsrq, &raised);
	verbs_fini_srq(ibsrq);
	(void)pthread_spin_destroy(&srq->rq.lock); /* nobody may use it now */
	free(srq);
	return 0;
}
