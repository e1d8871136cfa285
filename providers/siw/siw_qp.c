/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs, type RC only: create, modify, destroy. Posting is in siw_post.c
 * and siw_wr.c. The kernel's iWARP connection manager (rdma_cm(7)) establishes
 * the connection and moves the QP through its states.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <stdlib.h>

#include "siw/siw.h"
#include "soft/soft.h"

/* Members of an ibv_qp_init_attr_ex that the driver supports. */
#define SIW_QP_INIT_ATTRS \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static int siw_qp_check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	int err;

	err = soft_qp_check_attr(attr, SIW_QP_INIT_ATTRS);
	if (err)
		return err;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    (attr->send_ops_flags & ~(uint64_t)SIW_SEND_OPS))
		return -EOPNOTSUPP;
	return 0;
}

static void siw_qp_unmap_rings(struct siw_qp *qp)
{
	siw_ring_unmap(&qp->rq.ring);
	siw_ring_unmap(&qp->sq.ring);
}

/* Maps both rings and stores their limits in @qp and @cap. */
static int siw_qp_map_rings(struct ibv_context *ctx, struct siw_qp *qp,
			    const struct siw_uresp_create_qp *resp,
			    bool has_srq, struct ibv_qp_cap *cap)
{
	int err;

	err = siw_ring_map(ctx, resp->sq_key, resp->num_sqe,
			   sizeof(struct siw_sqe), 0, &qp->sq.ring);
	if (err)
		return err;
	/* max_recv_wr 0: the kernel allocates no receive ring. */
	if (!has_srq && resp->num_rqe) {
		err = siw_ring_map(ctx, resp->rq_key, resp->num_rqe,
				   sizeof(struct siw_rqe), 0, &qp->rq.ring);
		if (err)
			goto err_unmap;
		qp->rq.max_sge = cap->max_recv_sge;
		cap->max_recv_wr = resp->num_rqe;
	}
	qp->sq.max_sge = cap->max_send_sge;
	cap->max_send_wr = resp->num_sqe;
	/* Every WQE has room for this much. */
	cap->max_inline_data = SIW_MAX_INLINE;
	qp->max_inline = SIW_MAX_INLINE;
	return 0;

err_unmap:
	siw_ring_unmap(&qp->sq.ring);
	return err;
}

static int siw_qp_setup(struct verbs_qp *vqp, const void *resp,
			struct ibv_qp_init_attr_ex *attr)
{
	struct siw_qp *qp = to_siw_qp(&vqp->qp);
	int err;

	/* The data path copies this many SGEs into a WQE of a fixed size. */
	if (attr->cap.max_send_sge > SIW_MAX_SGE ||
	    attr->cap.max_recv_sge > SIW_MAX_SGE)
		return -EIO;
	err = siw_qp_map_rings(vqp->qp.context, qp, resp, attr->srq != NULL,
			       &attr->cap);
	if (err)
		return err;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		err = siw_wr_init(qp);
		if (err)
			siw_qp_unmap_rings(qp);
	}
	return err;
}

static void siw_qp_teardown(struct verbs_qp *vqp)
{
	struct siw_qp *qp = to_siw_qp(&vqp->qp);

	free(qp->wr_flags);
	siw_qp_unmap_rings(qp);
}

static struct soft_qp_locks siw_qp_locks(struct siw_qp *qp)
{
	return (struct soft_qp_locks){
		.sq = &qp->sq.lock,
		.rq = &qp->rq.lock,
	};
}

int siw_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		  struct verbs_qp **ret_vqp)
{
	struct siw_uresp_create_qp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct siw_qp *qp;
	int err;

	err = siw_qp_check_attr(attr);
	if (err)
		return err;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	qp->signal_all = attr->sq_sig_all != 0;

	err = soft_qp_create(ctx, attr, &qp->vqp, siw_qp_locks(qp), &udata,
			     siw_qp_setup);
	if (err) {
		free(qp);
		return err;
	}
	*ret_vqp = &qp->vqp;
	return 0;
}

int siw_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int err = verbs_cmd_modify_qp(qp, attr, attr_mask, NULL);

	if (!err && (attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_ERR)
		siw_flush_qp(to_siw_qp(qp));
	return err;
}

int siw_destroy_qp(struct ibv_qp *ibqp)
{
	struct siw_qp *qp = to_siw_qp(ibqp);
	int err;

	err = soft_qp_destroy(&qp->vqp, siw_qp_locks(qp), siw_qp_teardown);
	if (err)
		return err;
	free(qp);
	return 0;
}
