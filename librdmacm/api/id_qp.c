/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs of ids, with their CQs. The library moves a QP of the
 * id: to INIT when it is created, to RTS with the connection, to the error
 * state at its end.
 */
#include "api/id_qp.h"

#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/id_path.h"

#include <stdlib.h>
#include <string.h>

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
		    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
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
	*ret_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN;
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

/* Attributes for the state in @attr. */
static int qp_attr_fill(const struct own_id *own, struct ibv_qp_attr *attr,
			int *ret_mask)
{
	struct own_conn_values values;

	if (!own->device)
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

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr,
		      int *qp_attr_mask)
{
	return api_ret_minus1(
		qp_attr_fill(own_id_of(id), qp_attr, qp_attr_mask));
}

static int qp_move(const struct own_id *own, struct ibv_qp *qp,
		   enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;
	int ret = qp_attr_fill(own, &attr, &mask);

	return ret ? ret : -ibv_modify_qp(qp, &attr, mask);
}

int id_qp_connect(struct own_id *own)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_INIT,
		IBV_QPS_RTR,
		IBV_QPS_RTS,
	};
	int ret = 0;

	for (size_t i = 0;
	     own->id.qp && !ret && i < sizeof(states) / sizeof(states[0]); i++)
		ret = qp_move(own, own->id.qp, states[i]);
	return ret;
}

void id_qp_end(struct own_id *own)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	if (own->id.qp)
		(void)ibv_modify_qp(own->id.qp, &attr, IBV_QP_STATE);
}

static int ud_qp_start(const struct own_id *own, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;
	int ret;

	qp_attr_fill_ud(own, &attr, &mask);
	ret = ibv_modify_qp(qp, &attr, mask);
	attr.qp_state = IBV_QPS_RTR;
	if (!ret)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!ret)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return -ret;
}

static int cq_new(struct rdma_cm_id *id, uint32_t nr_entries,
		  struct ibv_comp_channel **ret_channel, struct ibv_cq **ret_cq)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(id->verbs);
	struct ibv_cq *cq;
	int ret;

	if (!channel)
		return -errno;
	cq = ibv_create_cq(id->verbs, (int)nr_entries, id, channel, 0);
	if (!cq) {
		ret = -errno;
		(void)ibv_destroy_comp_channel(channel);
		return ret;
	}
	*ret_channel = channel;
	*ret_cq = cq;
	return 0;
}

static void cq_free(struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
	if (*cq)
		(void)ibv_destroy_cq(*cq);
	if (*channel)
		(void)ibv_destroy_comp_channel(*channel);
	*cq = NULL;
	*channel = NULL;
}

/* The CQs that the library has created for the id */
static void id_cqs_free(struct rdma_cm_id *id)
{
	cq_free(&id->recv_cq_channel, &id->recv_cq);
	cq_free(&id->send_cq_channel, &id->send_cq);
}

static int id_cqs_new(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	int ret = 0;

	if (!attr->recv_cq && !id->recv_cq && attr->cap.max_recv_wr)
		ret = cq_new(id, attr->cap.max_recv_wr, &id->recv_cq_channel,
			     &id->recv_cq);
	if (!ret && !attr->send_cq && !id->send_cq && attr->cap.max_send_wr)
		ret = cq_new(id, attr->cap.max_send_wr, &id->send_cq_channel,
			     &id->send_cq);
	if (ret) {
		id_cqs_free(id);
		return ret;
	}
	if (!attr->recv_cq)
		attr->recv_cq = id->recv_cq;
	if (!attr->send_cq)
		attr->send_cq = id->send_cq;
	return 0;
}

static bool cq_conflicts(const struct ibv_cq *of_id, const struct ibv_cq *cq)
{
	return of_id && cq && of_id != cq;
}

static int id_qp_check(const struct rdma_cm_id *id,
		       struct ibv_qp_init_attr_ex *attr)
{
	if (id->qp || !id->verbs)
		return -EINVAL;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD)) {
		attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
		attr->pd = id->pd;
	}
	if (!attr->pd || attr->pd->context != id->verbs ||
	    cq_conflicts(id->recv_cq, attr->recv_cq) ||
	    cq_conflicts(id->send_cq, attr->send_cq))
		return -EINVAL;
	return 0;
}

static int id_qp_new(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	struct own_id *own = own_id_of(id);
	struct ibv_qp *qp;
	int ret = id_qp_check(id, attr);

	if (ret)
		return ret;
	ret = id_cqs_new(id, attr);
	if (ret)
		return ret;
	if (!attr->srq)
		attr->srq = id->srq;
	qp = ibv_create_qp_ex(id->verbs, attr);
	if (!qp) {
		ret = -errno;
		goto err_cqs;
	}
	if (attr->qp_type == IBV_QPT_UD)
		ret = ud_qp_start(own, qp);
	else
		ret = qp_move(own, qp, IBV_QPS_INIT);
	if (ret)
		goto err_qp;
	id->pd = attr->pd;
	id->qp = qp;
	return 0;

err_qp:
	(void)ibv_destroy_qp(qp);
err_cqs:
	id_cqs_free(id);
	return ret;
}

int rdma_create_qp_ex(struct rdma_cm_id *id,
		      struct ibv_qp_init_attr_ex *qp_init_attr)
{
	return api_ret_minus1(id_qp_new(id, qp_init_attr));
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
		   struct ibv_qp_init_attr *qp_init_attr)
{
	struct ibv_qp_init_attr_ex attr = { 0 };
	int ret;

	/* The structs begin with the same members. */
	memcpy(&attr, qp_init_attr, sizeof(*qp_init_attr));
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	attr.pd = pd ? pd : id->pd;
	ret = id_qp_new(id, &attr);
	if (!ret)
		memcpy(qp_init_attr, &attr, sizeof(*qp_init_attr));
	return api_ret_minus1(ret);
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	(void)ibv_destroy_qp(id->qp);
	id->qp = NULL;
	id_cqs_free(id);
}
