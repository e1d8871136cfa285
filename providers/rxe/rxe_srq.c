/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues. The driver has only the basic type. Posting is in
 * rxe_post.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <stdlib.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wqe.h"
#include "soft/soft.h"

static uint64_t rxe_recv_wqe_size(uint32_t max_sge)
{
	return RXE_RECV_WQE_LEN + (uint64_t)max_sge * sizeof(struct rxe_sge);
}

static int rxe_srq_setup(struct verbs_srq *vsrq, const void *resp,
			 struct ibv_srq_init_attr_ex *attr)
{
	const struct rxe_create_srq_resp *srq_resp = resp;
	struct rxe_srq *srq = to_rxe_srq(&vsrq->srq);
	int err;

	err = rxe_ring_map(vsrq->srq.context, &srq_resp->mi,
			   rxe_recv_wqe_size(attr->attr.max_sge),
			   RXE_RING_PRODUCER, &srq->rq.ring);
	if (err)
		return err;
	srq->rq.max_sge = attr->attr.max_sge;
	attr->attr.max_wr = srq->rq.ring.mask;
	return 0;
}

static void rxe_srq_teardown(struct verbs_srq *vsrq)
{
	rxe_ring_unmap(&to_rxe_srq(&vsrq->srq)->rq.ring);
}

int rxe_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		   struct verbs_srq **ret_vsrq)
{
	struct rxe_create_srq_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct rxe_srq *srq;
	int err;

	srq = malloc(sizeof(*srq));
	if (!srq)
		return -ENOMEM;
	*srq = (struct rxe_srq){};

	err = soft_srq_create(ctx, attr, &srq->vsrq, &srq->rq.lock, &udata,
			      rxe_srq_setup);
	if (err) {
		free(srq);
		return err;
	}
	*ret_vsrq = &srq->vsrq;
	return 0;
}

/*
 * The driver requires its input struct in every case; for a resize it writes
 * the location of the new ring to mmap_info_addr. The kernel moves the posted
 * WQEs to the new ring. rxe_resize_cq() explains the state after a failed
 * mapping.
 */
int rxe_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		   int attr_mask)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	struct mminfo info = {};
	struct rxe_modify_srq_cmd cmd = {
		.mmap_info_addr = (uintptr_t)&info,
	};
	const struct verbs_udata udata = { .in = &cmd, .in_len = sizeof(cmd) };
	struct rxe_ring old;
	int err;

	if (!(attr_mask & IBV_SRQ_MAX_WR)) {
		cmd.mmap_info_addr = 0;
		return verbs_cmd_modify_srq(ibsrq, attr, attr_mask, &udata);
	}

	(void)pthread_spin_lock(&srq->rq.lock); /* fails on misuse only */
	err = verbs_cmd_modify_srq(ibsrq, attr, attr_mask, &udata);
	if (err)
		goto out;
	old = srq->rq.ring;
	err = rxe_ring_map(ibsrq->context, &info,
			   rxe_recv_wqe_size(srq->rq.max_sge),
			   RXE_RING_PRODUCER, &srq->rq.ring);
	if (!err)
		rxe_ring_unmap(&old);
out:
	(void)pthread_spin_unlock(&srq->rq.lock);
	return err;
}

int rxe_destroy_srq(struct ibv_srq *ibsrq)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	int err;

	err = soft_srq_destroy(&srq->vsrq, &srq->rq.lock, rxe_srq_teardown);
	if (err)
		return err;
	free(srq);
	return 0;
}
