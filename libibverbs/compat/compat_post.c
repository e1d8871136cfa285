/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work requests of libibverbs 1.0, in which the link to the next request was
 * the first member. They are translated on the stack in batches; a longer list
 * is posted in several calls. The result is the same: the requests before a
 * rejected one have been posted in either case.
 */
#include <stdbool.h>

#include "compat/compat_shadow.h"

#define BATCH 16

/* Later opcodes need members that the old struct lacks. */
static bool compat_opcode_is_known(enum ibv_wr_opcode opcode)
{
	return opcode <= IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void compat_send_wr_translate(const struct ibv_qp_1_0 *qp,
				     const struct ibv_send_wr_1_0 *old,
				     struct ibv_send_wr *wr)
{
	*wr = (struct ibv_send_wr){
		.wr_id = old->wr_id,
		.sg_list = old->sg_list,
		.num_sge = old->num_sge,
		.opcode = old->opcode,
		.send_flags = (unsigned int)old->send_flags,
		.imm_data = old->imm_data,
	};
	if (qp->real_qp->qp_type == IBV_QPT_UD) {
		wr->wr.ud.ah = old->wr.ud.ah ? old->wr.ud.ah->real_ah : NULL;
		wr->wr.ud.remote_qpn = old->wr.ud.remote_qpn;
		wr->wr.ud.remote_qkey = old->wr.ud.remote_qkey;
	} else if (old->opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->wr.atomic.remote_addr = old->wr.atomic.remote_addr;
		wr->wr.atomic.compare_add = old->wr.atomic.compare_add;
		wr->wr.atomic.swap = old->wr.atomic.swap;
		wr->wr.atomic.rkey = old->wr.atomic.rkey;
	} else {
		wr->wr.rdma.remote_addr = old->wr.rdma.remote_addr;
		wr->wr.rdma.rkey = old->wr.rdma.rkey;
	}
}

int compat_post_send(struct ibv_qp_1_0 *qp, struct ibv_send_wr_1_0 *wr,
		     struct ibv_send_wr_1_0 **bad_wr)
{
	struct ibv_send_wr batch[BATCH], *bad;

	while (wr) {
		struct ibv_send_wr_1_0 *rest = wr;
		size_t nr = 0;
		int ret = EINVAL;

		for (;
		     rest && nr < BATCH && compat_opcode_is_known(rest->opcode);
		     nr++) {
			compat_send_wr_translate(qp, rest, &batch[nr]);
			if (nr)
				batch[nr - 1].next = &batch[nr];
			rest = rest->next;
		}
		bad = batch;
		if (nr)
			ret = ibv_post_send(qp->real_qp, batch, &bad);
		if (ret) {
			for (; bad != batch && wr->next; bad--)
				wr = wr->next;
			*bad_wr = wr;
			return ret;
		}
		wr = rest;
	}
	return 0;
}

static int compat_recv_batch_post_qp(void *qp, struct ibv_recv_wr *wr,
				     struct ibv_recv_wr **bad_wr)
{
	return ibv_post_recv(qp, wr, bad_wr);
}

static int compat_recv_batch_post_srq(void *srq, struct ibv_recv_wr *wr,
				      struct ibv_recv_wr **bad_wr)
{
	return ibv_post_srq_recv(srq, wr, bad_wr);
}

/* @post: posts a batch to @queue, a QP or an SRQ */
static int compat_recv_list_post(int (*post)(void *queue,
					     struct ibv_recv_wr *wr,
					     struct ibv_recv_wr **bad_wr),
				 void *queue, struct ibv_recv_wr_1_0 *wr,
				 struct ibv_recv_wr_1_0 **bad_wr)
{
	struct ibv_recv_wr batch[BATCH], *bad;

	while (wr) {
		struct ibv_recv_wr_1_0 *rest = wr;
		size_t nr = 0;
		int ret;

		for (; rest && nr < BATCH; nr++) {
			batch[nr] = (struct ibv_recv_wr){
				.wr_id = rest->wr_id,
				.sg_list = rest->sg_list,
				.num_sge = rest->num_sge,
			};
			if (nr)
				batch[nr - 1].next = &batch[nr];
			rest = rest->next;
		}
		bad = batch;
		ret = post(queue, batch, &bad);
		if (ret) {
			for (; bad != batch && wr->next; bad--)
				wr = wr->next;
			*bad_wr = wr;
			return ret;
		}
		wr = rest;
	}
	return 0;
}

int compat_post_recv(struct ibv_qp_1_0 *qp, struct ibv_recv_wr_1_0 *wr,
		     struct ibv_recv_wr_1_0 **bad_wr)
{
	return compat_recv_list_post(compat_recv_batch_post_qp, qp->real_qp, wr,
				     bad_wr);
}

int compat_post_srq_recv(struct ibv_srq_1_0 *srq, struct ibv_recv_wr_1_0 *wr,
			 struct ibv_recv_wr_1_0 **bad_wr)
{
	return compat_recv_list_post(compat_recv_batch_post_srq, srq->real_srq,
				     wr, bad_wr);
}
