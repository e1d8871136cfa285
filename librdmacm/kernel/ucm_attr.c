/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structs of uverbs in responses. Called by ucm_conn.c and ucm_event.c. */
#include "kernel/ucm_attr.h"

#include <string.h>

struct ibv_ah_attr ucm_ah_attr(const struct ib_uverbs_ah_attr *from)
{
	struct ibv_ah_attr ret = {
		.grh.flow_label = from->grh.flow_label,
		.grh.sgid_index = from->grh.sgid_index,
		.grh.hop_limit = from->grh.hop_limit,
		.grh.traffic_class = from->grh.traffic_class,
		.dlid = from->dlid,
		.sl = from->sl,
		.src_path_bits = from->src_path_bits,
		.static_rate = from->static_rate,
		.is_global = from->is_global,
		.port_num = from->port_num,
	};

	memcpy(&ret.grh.dgid, from->grh.dgid, sizeof(ret.grh.dgid));
	return ret;
}

struct ibv_qp_attr ucm_qp_attr(const struct ib_uverbs_qp_attr *from)
{
	return (struct ibv_qp_attr){
		.cur_qp_state = from->cur_qp_state,
		.path_mtu = from->path_mtu,
		.path_mig_state = from->path_mig_state,
		.qkey = from->qkey,
		.rq_psn = from->rq_psn,
		.sq_psn = from->sq_psn,
		.dest_qp_num = from->dest_qp_num,
		.qp_access_flags = from->qp_access_flags,
		.cap.max_send_wr = from->max_send_wr,
		.cap.max_recv_wr = from->max_recv_wr,
		.cap.max_send_sge = from->max_send_sge,
		.cap.max_recv_sge = from->max_recv_sge,
		.cap.max_inline_data = from->max_inline_data,
		.ah_attr = ucm_ah_attr(&from->ah_attr),
		.alt_ah_attr = ucm_ah_attr(&from->alt_ah_attr),
		.pkey_index = from->pkey_index,
		.alt_pkey_index = from->alt_pkey_index,
		.en_sqd_async_notify = from->en_sqd_async_notify,
		.sq_draining = from->sq_draining,
		.max_rd_atomic = from->max_rd_atomic,
		.max_dest_rd_atomic = from->max_dest_rd_atomic,
		.min_rnr_timer = from->min_rnr_timer,
		.port_num = from->port_num,
		.timeout = from->timeout,
		.retry_cnt = from->retry_cnt,
		.rnr_retry = from->rnr_retry,
		.alt_port_num = from->alt_port_num,
		.alt_timeout = from->alt_timeout,
	};
}
