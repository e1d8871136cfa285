/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: create, modify, destroy. Posting is in rxe_post.c and rxe_wr.c,
 * and which operations a QP has in rxe_opcode.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <stdlib.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wqe.h"

/* What of an ibv_qp_init_attr_ex the driver understands. */
#define INIT_ATTRS                                             \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static int check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)INIT_ATTRS)
		return -EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return -EINVAL;
	return 0;
}

static uint64_t send_wqe_size(const struct ibv_qp_cap *cap)
{
	uint64_t len = (uint64_t)cap->max_send_sge * sizeof(struct rxe_sge);

	if (len < cap->max_inline_data)
		len = cap->max_inline_data;
	if (len < RXE_ATOMIC_LEN)
		len = RXE_ATOMIC_LEN;
	return RXE_SEND_WQE_LEN + len;
}

/* Maps both rings and notes their limits; @cap becomes what they hold. */
static int map_rings(struct ibv_context *ctx, struct rxe_qp *qp,
		     const struct rxe_create_qp_resp *resp, bool has_srq,
		     struct ibv_qp_cap *cap)
{
	uint64_t recv_size = RXE_RECV_WQE_LEN + (uint64_t)cap->max_recv_sge *
							sizeof(struct rxe_sge);
	int err;

	err = rxe_ring_map(ctx, &resp->sq_mi, send_wqe_size(cap),
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

static int create_with_rings(struct ibv_context *ctx, struct rxe_qp *qp,
			     struct ibv_qp_init_attr_ex *attr)
{
	struct rxe_create_qp_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_create_qp(ctx, &qp->vqp.qp, attr, &udata);
	if (err)
		return err;

	err = map_rings(ctx, qp, &resp, attr->srq != NULL, &attr->cap);
	if (err) /* the map error is the one */
		(void)verbs_cmd_destroy_qp(&qp->vqp.qp, &raised);
	return err;
}

static int init_locks(struct rxe_qp *qp)
{
	int err;

	err = -pthread_spin_init(&qp->sq.lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		return err;
	err = -pthread_spin_init(&qp->rq.lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		(void)pthread_spin_destroy(&qp->sq.lock); /* just made */
	return err;
}

static void fini_locks(struct rxe_qp *qp)
{
	/* Nobody may hold them; failure would be our own mistake. */
	(void)pthread_spin_destroy(&qp->rq.lock);
	(void)pthread_spin_destroy(&qp->sq.lock);
}

int rxe_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		  struct verbs_qp **ret_vqp)
{
	struct rxe_qp *qp;
	int err;

	err = check_attr(attr);
	if (err)
		return err;

	qp = malloc(sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	*qp = (struct rxe_qp){};
	err = init_locks(qp);
	if (err)
		goto err_free;

	verbs_init_qp(&qp->vqp, ctx, attr);
	qp->opcodes = rxe_opcodes_of(attr->qp_type);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		if (!rxe_qp_has_send_ops(qp, attr->send_ops_flags)) {
			err = -EOPNOTSUPP;
			goto err_fini;
		}
		rxe_wr_init(&qp->vqp.qp_ex);
		qp->vqp.comp_mask |= VERBS_QP_MASK_EX;
	}

	err = create_with_rings(ctx, qp, attr);
	if (err)
		goto err_fini;
	*ret_vqp = &qp->vqp;
	return 0;

err_fini:
	verbs_fini_qp(&qp->vqp.qp);
	fini_locks(qp);
err_free:
	free(qp);
	return err;
}

int rxe_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	return verbs_cmd_modify_qp(qp, attr, attr_mask, NULL);
}

int rxe_destroy_qp(struct ibv_qp *ibqp)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_qp(ibqp, &raised);
	if (err)
		return err;
	rxe_ring_unmap(&qp->rq.ring);
	rxe_ring_unmap(&qp->sq.ring);
	verbs_wait_qp_acked(ibqp, &raised);
	verbs_fini_qp(ibqp);
	fini_locks(qp);
	free(qp);
	return 0;
}
