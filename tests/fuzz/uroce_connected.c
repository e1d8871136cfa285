/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connects QPs and posts receives: see uroce_connected.h. */
#include "fuzz/uroce_connected.h"

#include "fuzz/fuzz_target.h"

void fuzz_connect(struct uroce_qp *qp, struct uroce_channel *channel,
		  const struct uroce_path *path, uint64_t now)
{
	struct ibv_qp_attr attr = {
		.path_mtu = IBV_MTU_1024,
		.qkey = 0x1ee7,
		.rq_psn = 0xfffffc,
		.sq_psn = 0xfffff0,
		.dest_qp_num = 0x123,
		.qp_access_flags =
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_FLUSH_GLOBAL,
		.ah_attr = { .is_global = 1 },
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.port_num = 1,
		.timeout = 7,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	static const int masks[3][3] = {
		{ IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		  IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER,
		  IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC },
		{ IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		  IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
		  IBV_QP_SQ_PSN },
		{ IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0,
		  IBV_QP_SQ_PSN },
	};

	for (int i = 0; i < 3; i++) {
		attr.qp_state = (enum ibv_qp_state)(IBV_QPS_INIT + i);
		int mask = masks[qp->type - IBV_QPT_RC][i] | IBV_QP_STATE;

		if (qp->xrc == UROCE_XRC_TARGET)
			mask &= ~(IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				  IBV_QP_MAX_QP_RD_ATOMIC);
		if (channel && attr.qp_state == IBV_QPS_RTR)
			uroce_channel_bind(channel, qp);
		fuzz_assert(!uroce_qp_modify(qp, &attr, mask, IBV_MTU_4096,
					     path, now));
	}
}

void fuzz_post_receives(struct uroce_rq *rq, uint32_t key)
{
	struct uroce_recv_wqe *wqe;

	while ((wqe = uroce_ring_vacant(&rq->ring))) {
		wqe->length = 4000;
		wqe->nr_sge = 2;
		wqe->sge[0] = (struct ibv_sge){ FUZZ_IOVA, 1000, key };
		wqe->sge[1] = (struct ibv_sge){ FUZZ_IOVA + 5000, 3000, key };
		uroce_ring_put(&rq->ring);
	}
}
