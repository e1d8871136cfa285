/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Modifies and queries the attributes of a queue pair. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/submit.h"

/* Bits of MODIFY_QP; the extended command has one more. */
#define BASIC_MASK    ((int)IBV_QP_RATE_LIMIT - 1)
#define EXTENDED_MASK (BASIC_MASK | (int)IBV_QP_RATE_LIMIT)

static struct ib_uverbs_qp_dest
cmd_qp_dest_to_kernel(const struct ibv_ah_attr *attr)
{
	struct ib_uverbs_qp_dest ret = {
		.flow_label = attr->grh.flow_label,
		.dlid = attr->dlid,
		.sgid_index = attr->grh.sgid_index,
		.hop_limit = attr->grh.hop_limit,
		.traffic_class = attr->grh.traffic_class,
		.sl = attr->sl,
		.src_path_bits = attr->src_path_bits,
		.static_rate = attr->static_rate,
		.is_global = attr->is_global,
		.port_num = attr->port_num,
	};

	memcpy(ret.dgid, &attr->grh.dgid, sizeof(ret.dgid));
	return ret;
}

static struct ibv_ah_attr
cmd_qp_dest_from_kernel(const struct ib_uverbs_qp_dest *dest)
{
	struct ibv_ah_attr ret = {
		.grh.flow_label = dest->flow_label,
		.grh.sgid_index = dest->sgid_index,
		.grh.hop_limit = dest->hop_limit,
		.grh.traffic_class = dest->traffic_class,
		.dlid = dest->dlid,
		.sl = dest->sl,
		.src_path_bits = dest->src_path_bits,
		.static_rate = dest->static_rate,
		.is_global = dest->is_global,
		.port_num = dest->port_num,
	};

	memcpy(&ret.grh.dgid, dest->dgid, sizeof(dest->dgid));
	return ret;
}

/* Reads only members that @mask selects; others may be uninitialised. */
static void cmd_qp_set_path(struct ib_uverbs_modify_qp *in,
			    const struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_AV)
		in->dest = cmd_qp_dest_to_kernel(&attr->ah_attr);
	if (mask & IBV_QP_PATH_MTU)
		in->path_mtu = (uint8_t)attr->path_mtu;
	if (mask & IBV_QP_PATH_MIG_STATE)
		in->path_mig_state = (uint8_t)attr->path_mig_state;
	if (mask & IBV_QP_PKEY_INDEX)
		in->pkey_index = attr->pkey_index;
	if (mask & IBV_QP_PORT)
		in->port_num = attr->port_num;
	if (mask & IBV_QP_TIMEOUT)
		in->timeout = attr->timeout;
	if (mask & IBV_QP_ALT_PATH) {
		in->alt_dest = cmd_qp_dest_to_kernel(&attr->alt_ah_attr);
		in->alt_pkey_index = attr->alt_pkey_index;
		in->alt_port_num = attr->alt_port_num;
		in->alt_timeout = attr->alt_timeout;
	}
}

static void cmd_qp_set_transport(struct ib_uverbs_modify_qp *in,
				 const struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_QKEY)
		in->qkey = attr->qkey;
	if (mask & IBV_QP_DEST_QPN)
		in->dest_qp_num = attr->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		in->rq_psn = attr->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		in->sq_psn = attr->sq_psn;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		in->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		in->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		in->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IBV_QP_RETRY_CNT)
		in->retry_cnt = attr->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		in->rnr_retry = attr->rnr_retry;
}

static void cmd_qp_set_attr(struct ib_uverbs_modify_qp *in,
			    const struct ibv_qp *qp,
			    const struct ibv_qp_attr *attr, int mask)
{
	in->qp_handle = qp->handle;
	in->attr_mask = (uint32_t)mask;
	if (mask & IBV_QP_STATE)
		in->qp_state = (uint8_t)attr->qp_state;
	if (mask & IBV_QP_CUR_STATE)
		in->cur_qp_state = (uint8_t)attr->cur_qp_state;
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY)
		in->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IBV_QP_ACCESS_FLAGS)
		in->qp_access_flags = attr->qp_access_flags;
	cmd_qp_set_path(in, attr, mask);
	cmd_qp_set_transport(in, attr, mask);
}

static int cmd_qp_modify_basic(struct ibv_qp *qp,
			       const struct ibv_qp_attr *attr, int mask,
			       const struct verbs_udata *udata)
{
	struct ib_uverbs_modify_qp in = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_MODIFY_QP,
		WRITE_IN(in),
		.udata = udata,
	};

	cmd_qp_set_attr(&in, qp, attr, mask);
	return submit_write(qp->context, &req);
}

int verbs_cmd_modify_qp_ex(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			   int attr_mask, const struct verbs_udata *udata)
{
	struct ib_uverbs_ex_modify_qp in = {};
	struct ib_uverbs_ex_modify_qp_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_QP |
			   IB_USER_VERBS_CMD_FLAG_EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};

	if (attr_mask & ~EXTENDED_MASK)
		return -EOPNOTSUPP;
	if (attr_mask & IBV_QP_RATE_LIMIT)
		in.rate_limit = attr->rate_limit;
	cmd_qp_set_attr(&in.base, qp, attr, attr_mask);
	return submit_write_ex(qp->context, &req);
}

int verbs_cmd_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			int attr_mask, const struct verbs_udata *udata)
{
	/* Only the extended command has the bits above BASIC_MASK. */
	if (attr_mask & ~BASIC_MASK)
		return verbs_cmd_modify_qp_ex(qp, attr, attr_mask, udata);
	return cmd_qp_modify_basic(qp, attr, attr_mask, udata);
}

static struct ibv_qp_cap
cmd_qp_cap_from_kernel(const struct ib_uverbs_query_qp_resp *resp)
{
	return (struct ibv_qp_cap){
		.max_send_wr = resp->max_send_wr,
		.max_recv_wr = resp->max_recv_wr,
		.max_send_sge = resp->max_send_sge,
		.max_recv_sge = resp->max_recv_sge,
		.max_inline_data = resp->max_inline_data,
	};
}

/* Leaves rate_limit and en_sqd_async_notify: the response lacks them. */
static void cmd_qp_fill_attr(struct ibv_qp_attr *attr,
			     const struct ib_uverbs_query_qp_resp *resp)
{
	attr->qp_state = resp->qp_state;
	attr->cur_qp_state = resp->cur_qp_state;
	attr->path_mtu = resp->path_mtu;
	attr->path_mig_state = resp->path_mig_state;
	attr->qkey = resp->qkey;
	attr->rq_psn = resp->rq_psn;
	attr->sq_psn = resp->sq_psn;
	attr->dest_qp_num = resp->dest_qp_num;
	attr->qp_access_flags = resp->qp_access_flags;
	attr->cap = cmd_qp_cap_from_kernel(resp);
	attr->ah_attr = cmd_qp_dest_from_kernel(&resp->dest);
	attr->alt_ah_attr = cmd_qp_dest_from_kernel(&resp->alt_dest);
	attr->pkey_index = resp->pkey_index;
	attr->alt_pkey_index = resp->alt_pkey_index;
	attr->sq_draining = resp->sq_draining;
	attr->max_rd_atomic = resp->max_rd_atomic;
	attr->max_dest_rd_atomic = resp->max_dest_rd_atomic;
	attr->min_rnr_timer = resp->min_rnr_timer;
	attr->port_num = resp->port_num;
	attr->timeout = resp->timeout;
	attr->retry_cnt = resp->retry_cnt;
	attr->rnr_retry = resp->rnr_retry;
	attr->alt_port_num = resp->alt_port_num;
	attr->alt_timeout = resp->alt_timeout;
}

int verbs_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	const struct ib_uverbs_query_qp in = {
		.qp_handle = qp->handle,
		.attr_mask = (uint32_t)attr_mask,
	};
	struct ib_uverbs_query_qp_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_QUERY_QP,
		WRITE_IN(in),
		WRITE_OUT(out),
	};
	int ret;

	if (attr_mask & ~BASIC_MASK)
		return -EOPNOTSUPP;
	ret = submit_write(qp->context, &req);
	if (ret)
		return ret;
	cmd_qp_fill_attr(attr, &out);
	*init_attr = (struct ibv_qp_init_attr){
		.qp_context = qp->qp_context,
		.send_cq = qp->send_cq,
		.recv_cq = qp->recv_cq,
		.srq = qp->srq,
		.cap = cmd_qp_cap_from_kernel(&out),
		.qp_type = qp->qp_type,
		.sq_sig_all = out.sq_sig_all,
	};
	return 0;
}
