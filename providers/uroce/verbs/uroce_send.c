/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of filling a send WQE that are too long to be inline functions. */
#include "uroce/verbs/uroce_send.h"

#define ALL (UROCE_OP_RC | UROCE_OP_UC | UROCE_OP_UD | UROCE_OP_XRC)

/* Access flags that a window can have (IBTA 10.6.7.2.1). */
#define WINDOW_ACCESS                                                      \
	((unsigned int)(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
			IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED | \
			IBV_ACCESS_FLUSH_GLOBAL))

const uint8_t uroce_op_table[UROCE_NR_OPS] = {
	[IBV_WR_SEND] = ALL | UROCE_OP_DATA | UROCE_OP_INLINE,
	[IBV_WR_SEND_WITH_IMM] = ALL | UROCE_OP_DATA | UROCE_OP_INLINE,
	[IBV_WR_SEND_WITH_INV] = UROCE_OP_RC | UROCE_OP_DATA | UROCE_OP_INLINE,
	[IBV_WR_RDMA_WRITE] = UROCE_OP_RC | UROCE_OP_UC | UROCE_OP_XRC |
			      UROCE_OP_DATA | UROCE_OP_INLINE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = UROCE_OP_RC | UROCE_OP_UC |
				       UROCE_OP_XRC | UROCE_OP_DATA |
				       UROCE_OP_INLINE,
	[IBV_WR_RDMA_READ] = UROCE_OP_RC | UROCE_OP_XRC | UROCE_OP_DATA,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = UROCE_OP_RC | UROCE_OP_XRC |
				      UROCE_OP_DATA,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = UROCE_OP_RC | UROCE_OP_XRC |
					UROCE_OP_DATA,
	[IBV_WR_LOCAL_INV] = UROCE_OP_RC | UROCE_OP_UC,
	[IBV_WR_BIND_MW] = UROCE_OP_RC | UROCE_OP_UC,
	[IBV_WR_FLUSH] = UROCE_OP_RC,
	[IBV_WR_ATOMIC_WRITE] = UROCE_OP_RC | UROCE_OP_DATA | UROCE_OP_INLINE,
};

int uroce_wqe_set_sges(const struct uroce_verbs_qp *qp,
		       struct uroce_send_wqe *wqe, const struct ibv_sge *sge,
		       size_t nr_sge)
{
	uint64_t length = 0;

	if (nr_sge > qp->max_send_sge)
		return EINVAL;
	for (size_t i = 0; i < nr_sge; i++) {
		wqe->sge[i] = sge[i];
		length += sge[i].length;
	}
	/* above UROCE_MAX_MESSAGE: the WQE fails later, in its turn */
	if (length > UINT32_MAX)
		return EINVAL;
	wqe->nr_sge = (uint8_t)nr_sge;
	wqe->length = (uint32_t)length;
	return 0;
}

int uroce_wqe_set_bind(struct uroce_send_wqe *wqe, struct ibv_mw *mw,
		       uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct uroce_mw *window = to_uroce_mw(mw);
	uint32_t new_key = uroce_memory_new_tag(window->key, rkey);

	/* a window has no local rights: LOCAL_WRITE is ignored */
	if (info->mw_access_flags & ~(WINDOW_ACCESS | IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (info->length && (!info->mr || info->mr->pd != mw->pd))
		return EINVAL;
	wqe->bind.window_key = window->key;
	wqe->bind.new_key = new_key;
	wqe->bind.memory_key = info->mr ? info->mr->lkey : 0;
	wqe->bind.access = info->mw_access_flags & WINDOW_ACCESS;
	wqe->bind.va = info->addr;
	wqe->bind.bytes = info->length;
	window->key = new_key;
	mw->rkey = new_key;
	return 0;
}

void uroce_sq_resolve_ud_peer(struct uroce_verbs_qp *qp)
{
	struct uroce_path path;
	uint32_t qpn;

	uroce_spin_lock(&qp->sq_lock);
	path = qp->pending_ud_path;
	qpn = qp->pending_ud_qpn;
	__atomic_store_n(&qp->pending_ud_qpn, 0, __ATOMIC_RELAXED);
	uroce_spin_unlock(&qp->sq_lock);
	if (qpn)
		uroce_worker_resolve_ud_peer(qp->worker, &path, qpn);
}
