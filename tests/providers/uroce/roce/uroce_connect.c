/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_connect.h"

int connect_to_peer(struct uroce_qp *qp, const struct connect_options *options,
		    const struct uroce_path *path, uint64_t now)
{
	struct ibv_qp_attr attr = {
		.path_mtu = options->mtu,
		.qkey = 0x1ee7,
		.rq_psn = options->rq_psn,
		.sq_psn = options->sq_psn,
		.dest_qp_num = options->dest_qpn,
		.qp_access_flags = CONNECT_ALL_RIGHTS,
		.ah_attr = { .is_global = 1, .port_num = 1 },
		.max_rd_atomic = options->rd_atomic,
		.max_dest_rd_atomic = options->rd_atomic,
		.min_rnr_timer = options->min_rnr_timer,
		.port_num = 1,
		.timeout = options->timeout,
		.retry_cnt = options->retry_cnt,
		.rnr_retry = options->rnr_retry,
	};
	int masks[] = { 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT,
			IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN,
			IBV_QP_SQ_PSN };

	if (qp->type == IBV_QPT_UD) {
		masks[IBV_QPS_INIT] |= IBV_QP_QKEY;
		masks[IBV_QPS_RTR] = 0;
	} else {
		masks[IBV_QPS_INIT] |= IBV_QP_ACCESS_FLAGS;
	}
	if (qp->type == IBV_QPT_RC) {
		masks[IBV_QPS_RTR] |= IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER;
		masks[IBV_QPS_RTS] |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC;
	}
	for (int state = IBV_QPS_RESET; state <= IBV_QPS_RTS; state++) {
		int ret;

		if (state == IBV_QPS_RTR && options->channel)
			uroce_channel_bind(options->channel, qp);
		attr.qp_state = (enum ibv_qp_state)state;
		ret = uroce_qp_modify(qp, &attr, masks[state] | IBV_QP_STATE,
				      IBV_MTU_4096, path, now);
		if (ret)
			return ret;
	}
	return 0;
}
