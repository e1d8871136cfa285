/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: create, modify, destroy. Posting is in rxe_post.c and rxe_wr.c;
 * the opcodes that a QP may post are in rxe_opcode.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <stdlib.h>

#include "rxe/rxe.h"
#include "rxe/rxe_opcode.h"
#include "rxe/rxe_wqe.h"
#include "soft/soft.h"

/* Members of an ibv_qp_init_attr_ex that the driver supports. */
#define RXE_QP_INIT_ATTRS                                      \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static uint64_t rxe_send_wqe_size(const struct ibv_qp_cap *cap)
{
	uint64_t len = (uint64_t)cap->max_send_sge * sizeof(struct rxe_sge);

	if (len < cap->max_inline_data)
		len = cap->max_inline_data;
	if (len < RXE_ATOMIC_LEN)
		len = RXE_ATOMIC_LEN;
	return RXE_SEND_WQE_LEN + len;
}

/* Maps both rings and stores their limits in @qp and @cap. */
static int rxe_qp_map_rings(struct ibv_context *ctx, struct rxe_qp *qp,
			    const struct rxe_create_qp_resp *resp, bool has_srq,
			    struct ibv_qp_cap *cap)
{
	uint64_t recv_size = RXE_RECV_WQE_LEN + (uint64_t)cap->max_recv_sge *
							sizeof(struct rxe_sge);
	int err;

	err = rxe_ring_map(ctx, &resp->sq_mi, rxe_send_wqe_size(cap),
			   RXE_RING_PRODUCER, &qp->sq.ring);
	if (err)
		return err;
	if (!has_srq) {
		err = rxe_ring_map(ctx, &resp->rq_mi, recv_size,
				   RXE_RING_PRODUCER, &qp->rq.ring);
		if (err)
			goto err_unmap;
		qp->rq.max_sge = cap->max_recv_sge;
		cap->max_recv_wr = qp->rq.ring.mask;
	}
	qp->sq.max_sge = cap->max_send_sge;
	qp->sq.max_inline = cap->max_inline_data;
	cap->max_send_wr = qp->sq.ring.mask;
	return 0;

err_unmap:
	rxe_ring_unmap(&qp->sq.ring);
	return err;
}

static int rxe_qp_setup(struct verbs_qp *vqp, const void *resp,
			struct ibv_qp_init_attr_ex *attr)
{
	int err;

	err = rxe_qp_map_rings(vqp->qp.context, to_rxe_qp(&vqp->qp), resp,
			       attr->srq != NULL, &attr->cap);
	if (err)
		return err;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		rxe_wr_init(&vqp->qp_ex);
		vqp->comp_mask |= VERBS_QP_MASK_EX;
	}
	return 0;
}

static void rxe_qp_teardown(struct verbs_qp *vqp)
{
	struct rxe_qp *qp = to_rxe_qp(&vqp->qp);

	rxe_ring_unmap(&qp->rq.ring);
	rxe_ring_unmap(&qp->sq.ring);
}

static struct soft_qp_locks rxe_qp_locks(struct rxe_qp *qp)
{
	return (struct soft_qp_locks){
		.sq = &qp->sq.lock,
		.rq = &qp->rq.lock,
	};
}

/* Determines the opcodes that a QP with the attributes @attr may post. */
static int rxe_qp_get_opcodes(struct ibv_context *ctx,
			      const struct ibv_qp_init_attr_ex *attr,
			      uint32_t *ret_opcodes)
{
	*ret_opcodes = rxe_opcodes_of_type(attr->qp_type);
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return 0;
	return rxe_opcodes_add_send_ops(ctx, attr->qp_type,
					attr->send_ops_flags, ret_opcodes);
}

int rxe_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		  struct verbs_qp **ret_vqp)
{
	struct rxe_create_qp_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct rxe_qp *qp;
	uint32_t opcodes;
	int err;

	err = soft_qp_check_attr(attr, RXE_QP_INIT_ATTRS);
	if (err)
		return err;
	err = rxe_qp_get_opcodes(ctx, attr, &opcodes);
	if (err)
		return err;

	qp = malloc(sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	*qp = (struct rxe_qp){ .opcodes = opcodes };

	err = soft_qp_create(ctx, attr, &qp->vqp, rxe_qp_locks(qp), &udata,
			     rxe_qp_setup);
	if (err) {
		free(qp);
		return err;
	}
	*ret_vqp = &qp->vqp;
	return 0;
}

int rxe_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	return verbs_cmd_modify_qp(qp, attr, attr_mask, NULL);
}

int rxe_destroy_qp(struct ibv_qp *ibqp)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	int err;

	err = soft_qp_destroy(&qp->vqp, rxe_qp_locks(qp), rxe_qp_teardown);
	if (err)
		return err;
	free(qp);
	return 0;
}
