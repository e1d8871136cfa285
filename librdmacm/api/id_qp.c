/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs of ids, with their CQs. The library moves a QP of the
 * id: to INIT when it is created, to RTS with the connection, to the error
 * state at its end.
 */
#include "api/id_qp.h"

#include "api/api_err.h"
#include "api/device_table.h"
#include "api/id_backend.h"
#include "api/id_ece.h"

#include <stdlib.h>
#include <string.h>

static int id_qp_attr(const struct own_id *own, struct ibv_qp_attr *attr,
		      int *ret_mask)
{
	if (!own_id_has_device(own))
		return -EINVAL;
	return own->backend->get_qp_attr(own, attr, ret_mask);
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr,
		      int *qp_attr_mask)
{
	return api_ret_minus1(id_qp_attr(own_id_of(id), qp_attr, qp_attr_mask));
}

/* @conn: has the depths of the connection; NULL: they are known */
static int qp_move(const struct own_id *own, struct ibv_qp *qp,
		   enum ibv_qp_state state, const struct rdma_conn_param *conn)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;
	int ret = id_qp_attr(own, &attr, &mask);

	if (ret)
		return ret;
	if (conn && (mask & IBV_QP_MAX_DEST_RD_ATOMIC))
		attr.max_dest_rd_atomic = conn->responder_resources;
	if (conn && (mask & IBV_QP_MAX_QP_RD_ATOMIC))
		attr.max_rd_atomic = conn->initiator_depth;
	return -ibv_modify_qp(qp, &attr, mask);
}

int id_qp_connect(struct own_id *own, const struct rdma_conn_param *conn)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_INIT,
		IBV_QPS_RTR,
		IBV_QPS_RTS,
	};
	int ret = 0;

	for (size_t i = 0;
	     own->id.qp && !ret && i < sizeof(states) / sizeof(states[0]); i++)
		ret = qp_move(own, own->id.qp, states[i], conn);
	return ret;
}

static void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	if (qp)
		(void)ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

void id_qp_fail(const struct own_id *own)
{
	qp_set_state(own->id.qp, IBV_QPS_ERR);
}

void id_qp_disconnect(const struct own_id *own)
{
	bool is_iwarp = own->id.verbs->device->transport_type ==
			IBV_TRANSPORT_IWARP;

	qp_set_state(own->id.qp, is_iwarp ? IBV_QPS_SQD : IBV_QPS_ERR);
}

/* A datagram QP needs no peer. */
static int ud_qp_start(const struct own_id *own, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int ret = qp_move(own, qp, IBV_QPS_INIT, NULL);

	if (!ret)
		ret = -ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!ret)
		ret = -ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return ret;
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

int id_recv_cq_new(struct rdma_cm_id *id, uint32_t nr_entries)
{
	return cq_new(id, nr_entries, &id->recv_cq_channel, &id->recv_cq);
}

void id_cqs_free(struct rdma_cm_id *id)
{
	cq_free(&id->recv_cq_channel, &id->recv_cq);
	cq_free(&id->send_cq_channel, &id->send_cq);
}

/* Frees the CQs of an id that has had others, or none, before. */
static void id_cqs_restore(struct rdma_cm_id *id, const struct ibv_cq *recv_cq,
			   const struct ibv_cq *send_cq)
{
	if (id->recv_cq != recv_cq)
		cq_free(&id->recv_cq_channel, &id->recv_cq);
	if (id->send_cq != send_cq)
		cq_free(&id->send_cq_channel, &id->send_cq);
}

static int id_cqs_new(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	int ret = 0;

	if (!attr->recv_cq && !id->recv_cq && attr->cap.max_recv_wr)
		ret = id_recv_cq_new(id, attr->cap.max_recv_wr);
	if (!ret && !attr->send_cq && !id->send_cq && attr->cap.max_send_wr)
		ret = cq_new(id, attr->cap.max_send_wr, &id->send_cq_channel,
			     &id->send_cq);
	if (ret)
		return ret;
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

static int id_qp_check(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
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
	if (attr->qp_type != IBV_QPT_XRC_RECV ||
	    (attr->comp_mask & IBV_QP_INIT_ATTR_XRCD))
		return 0;
	attr->comp_mask |= IBV_QP_INIT_ATTR_XRCD;
	return device_xrcd(own_id_of(id)->device, &attr->xrcd);
}

/* The first states of a QP */
static int id_qp_start(struct own_id *own, struct ibv_qp *qp)
{
	int ret;

	if (qp->qp_type == IBV_QPT_UD)
		return ud_qp_start(own, qp);
	ret = id_ece_begin(own, qp);
	return ret ? ret : qp_move(own, qp, IBV_QPS_INIT, NULL);
}

static int id_qp_new(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_cq *recv_cq = id->recv_cq, *send_cq = id->send_cq;
	struct own_id *own = own_id_of(id);
	struct ibv_qp *qp;
	int ret = id_qp_check(id, attr);

	if (ret)
		return ret;
	ret = id_cqs_new(id, attr);
	if (ret)
		goto err_cqs;
	if (!attr->srq)
		attr->srq = id->srq;
	qp = ibv_create_qp_ex(id->verbs, attr);
	if (!qp) {
		ret = -errno;
		goto err_cqs;
	}
	ret = id_qp_start(own, qp);
	if (ret)
		goto err_qp;
	id->pd = attr->pd;
	id->qp = qp;
	return 0;

err_qp:
	(void)ibv_destroy_qp(qp);
err_cqs:
	id_cqs_restore(id, recv_cq, send_cq);
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
	if (!id->qp)
		return;
	(void)ibv_destroy_qp(id->qp);
	id->qp = NULL;
	own_id_of(id)->local_ece = (struct ibv_ece){ 0 };
	/* an SRQ of XRC uses the CQ of receives */
	if (!id->srq || id->qp_type != IBV_QPT_XRC_RECV)
		id_cqs_free(id);
}
