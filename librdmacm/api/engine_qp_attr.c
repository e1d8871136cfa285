/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of the transitions of QPs that the engine connects. */
#include "api/engine_backend.h"

#include "api/cm_host.h"
#include "api/id_path.h"

#include <errno.h>

static void qp_attr_fill_init(const struct own_id *own,
			      const struct own_conn_values *values,
			      struct ibv_qp_attr *attr, int *ret_mask)
{
	attr->pkey_index = 0;
	attr->port_num = own->id.port_num;
	attr->qp_access_flags = 0;
	if (values->has_request)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_WRITE;
	if (values->has_request && values->responder_resources)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_READ |
					 IBV_ACCESS_REMOTE_ATOMIC;
	*ret_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		    IBV_QP_ACCESS_FLAGS;
}

static void qp_attr_fill_rtr(const struct own_id *own,
			     const struct own_conn_values *values,
			     struct ibv_qp_attr *attr, int *ret_mask)
{
	id_path_ah(own, &attr->ah_attr);
	attr->path_mtu = (enum ibv_mtu)values->path_mtu;
	attr->dest_qp_num = values->remote_qpn;
	attr->rq_psn = values->local_psn;
	attr->max_dest_rd_atomic = values->responder_resources;
	attr->min_rnr_timer = 0;
	*ret_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	/* An initiator has no responder. */
	if (own->id.qp_type != IBV_QPT_XRC_SEND)
		*ret_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

static void qp_attr_fill_rts(const struct own_id *own,
			     const struct own_conn_values *values,
			     struct ibv_qp_attr *attr, int *ret_mask)
{
	attr->timeout = own->has_ack_timeout ? own->ack_timeout
					     : values->ack_timeout;
	attr->retry_cnt = values->retry_count;
	attr->rnr_retry = values->rnr_retry_count;
	attr->max_rd_atomic = values->initiator_depth;
	attr->sq_psn = values->remote_psn;
	*ret_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN;
	/* A target has no requester. */
	if (own->id.qp_type != IBV_QPT_XRC_RECV)
		*ret_mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_MAX_QP_RD_ATOMIC;
}

/* Those of a datagram QP, which needs no peer, for INIT */
static void qp_attr_fill_ud(const struct own_id *own, struct ibv_qp_attr *attr,
			    int *ret_mask)
{
	attr->pkey_index = 0;
	attr->port_num = own->id.port_num;
	attr->qkey = RDMA_UDP_QKEY;
	*ret_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		    IBV_QP_QKEY;
}

int engine_get_qp_attr(const struct own_id *own, struct ibv_qp_attr *attr,
		       int *ret_mask)
{
	struct own_conn_values values;

	if ((unsigned int)attr->qp_state > IBV_QPS_ERR)
		return -EINVAL;
	verbs_mutex_lock(&host_mutex);
	values = own->values;
	verbs_mutex_unlock(&host_mutex);
	if (own->id.qp_type == IBV_QPT_UD)
		qp_attr_fill_ud(own, attr, ret_mask);
	else if (attr->qp_state == IBV_QPS_INIT || !values.has_request)
		qp_attr_fill_init(own, &values, attr, ret_mask);
	else if (attr->qp_state == IBV_QPS_RTR && values.has_peer)
		qp_attr_fill_rtr(own, &values, attr, ret_mask);
	else if (attr->qp_state == IBV_QPS_RTS && values.has_peer)
		qp_attr_fill_rts(own, &values, attr, ret_mask);
	else
		return -EINVAL;
	return 0;
}
