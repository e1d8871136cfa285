// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: QPs of both ends, as the tests see them.
 */
#include "conform_call.h"

#include <stdlib.h>
#include <unistd.h>

#define CQ_CQES	       512
#define QP_RD_ATOMIC   16
#define QP_CONNECT_HOP 64

static uint32_t args_or(uint32_t value, uint32_t preset)
{
	return value ? value : preset;
}

static uint8_t connect_or(uint8_t value, uint8_t preset)
{
	if (value == CONFORM_ZERO)
		return 0;
	return value ? value : preset;
}

struct qp *qp_new(enum end end, const struct qp_args *args)
{
	static const struct qp_args preset;
	const struct qp_args *a = args ? args : &preset;
	struct qp *qp = object_alloc(sizeof(*qp));
	struct cq *cq = NULL;
	struct call call;
	struct reply reply;

	if (!a->send_cq || !a->recv_cq)
		cq = cq_new(end, CQ_CQES, NULL);
	*qp = (struct qp){
		.end = end,
		.type = a->type ? a->type : IBV_QPT_RC,
		.send_cq = a->send_cq ? a->send_cq : cq,
		.recv_cq = a->recv_cq ? a->recv_cq : cq,
		.srq = a->srq,
	};
	call = (struct call){
		.kind = CALL_QP_NEW,
		.type = (int)qp->type,
		.pd = a->pd,
		.send_cq = qp->send_cq->id,
		.recv_cq = qp->recv_cq->id,
		.srq = qp->srq ? qp->srq->id : -1,
		.xrcd = a->xrcd ? a->xrcd->id : 0,
		.flag = a->all_signaled,
		.wr_api = a->wr_api || conform_options.wr,
		.cap = {
			.max_send_wr = args_or(a->max_send_wr, 128),
			.max_recv_wr = args_or(a->max_recv_wr, 128),
			.max_send_sge = args_or(a->max_send_sge, 4),
			.max_recv_sge = args_or(a->max_recv_sge, 4),
			.max_inline_data = args_or(a->max_inline_data, 64),
		},
	};
	object_call(end, &call, &reply, "create a QP");
	qp->id = reply.object;
	qp->num = reply.num;
	qp->cap = reply.cap;
	object_track(end, qp->id, "QP");
	return qp;
}

int qp_destroy(struct qp *qp)
{
	return object_destroy(qp->end, qp->id);
}

int qp_modify(struct qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct call call = {
		.kind = CALL_QP_MODIFY,
		.object = qp->id,
		.qp_attr = *attr,
		.mask = mask,
	};
	struct reply reply;

	end_call(qp->end, &call, &reply);
	return reply.error;
}

int qp_limit_rate(struct qp *qp, const struct ibv_qp_rate_limit_attr *attr)
{
	struct call call = {
		.kind = CALL_QP_LIMIT,
		.object = qp->id,
		.rate_limit = *attr,
	};
	struct reply reply;

	end_call(qp->end, &call, &reply);
	return reply.error;
}

int qp_to_state(struct qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return qp_modify(qp, &attr, IBV_QP_STATE);
}

struct ibv_qp_attr qp_query(struct qp *qp)
{
	struct call call = { .kind = CALL_QP_QUERY, .object = qp->id };
	struct reply reply;

	object_call(qp->end, &call, &reply, "ibv_query_qp()");
	return reply.qp_attr;
}

void qp_wait_state(struct qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = qp_query(qp);

	for (int ms = 0; attr.qp_state != state; ms++) {
		if (ms == CONFORM_WAIT_MS)
			conform_fail("the QP is in state %d instead of %d",
				     (int)attr.qp_state, (int)state);
		usleep(1000);
		attr = qp_query(qp);
	}
}

/* -- connections -- */

static const struct connect_args connect_preset;

static int qp_init_step(const struct qp *qp, const struct connect_args *a,
			struct ibv_qp_attr *attr)
{
	attr->port_num = 1;
	attr->qkey = CONFORM_QKEY;
	attr->qp_access_flags = a->access ? a->access
					  : IBV_ACCESS_REMOTE_WRITE |
						    IBV_ACCESS_REMOTE_READ |
						    IBV_ACCESS_REMOTE_ATOMIC;
	return IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (qp->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

/* Outstanding reads and atomics, at most as many as the device can have. */
static uint8_t qp_rd_atomic(const struct connect_args *args, int limit)
{
	uint8_t nr = connect_or(args->rd_atomic, QP_RD_ATOMIC);

	return nr < limit ? nr : (uint8_t)limit;
}

static int qp_rtr_step(const struct qp *qp, const struct qp *peer,
		       const struct connect_args *a, struct ibv_qp_attr *attr)
{
	const struct ibv_device_attr *device = &conform_device()->orig_attr;
	int mask = 0;

	attr->path_mtu = conform_port()->active_mtu;
	attr->dest_qp_num = peer ? peer->num : 0;
	attr->rq_psn = a->rq_psn;
	attr->max_dest_rd_atomic = qp_rd_atomic(a, device->max_qp_rd_atom);
	attr->min_rnr_timer = connect_or(a->min_rnr_timer, 1);
	attr->ah_attr = (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.dgid = end_client()->gid,
			.sgid_index = (uint8_t)conform_options.gid_index,
			.hop_limit = QP_CONNECT_HOP,
		},
	};
	if (qp->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_XRC_RECV)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return mask;
}

static int qp_rts_step(const struct qp *qp, const struct connect_args *a,
		       struct ibv_qp_attr *attr)
{
	const struct ibv_device_attr *device = &conform_device()->orig_attr;

	attr->sq_psn = a->sq_psn;
	attr->timeout = connect_or(a->timeout, 14);
	attr->retry_cnt = connect_or(a->retry_cnt, 7);
	attr->rnr_retry = connect_or(a->rnr_retry, 7);
	attr->max_rd_atomic = qp_rd_atomic(a, device->max_qp_init_rd_atom);
	if (qp->type == IBV_QPT_XRC_RECV)
		return IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	if (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_XRC_SEND)
		return IBV_QP_SQ_PSN;
	return IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	       IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
}

int qp_step(const struct qp *qp, const struct qp *peer, enum ibv_qp_state state,
	    const struct connect_args *args, struct ibv_qp_attr *attr)
{
	const struct connect_args *a = args ? args : &connect_preset;

	*attr = (struct ibv_qp_attr){ .qp_state = state };
	switch (state) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | qp_init_step(qp, a, attr);
	case IBV_QPS_RTR:
		return IBV_QP_STATE | qp_rtr_step(qp, peer, a, attr);
	case IBV_QPS_RTS:
		return IBV_QP_STATE | qp_rts_step(qp, a, attr);
	default:
		return IBV_QP_STATE;
	}
}

static int qp_take_step(struct qp *qp, const struct qp *peer,
			enum ibv_qp_state state,
			const struct connect_args *args)
{
	struct ibv_qp_attr attr;
	int mask = qp_step(qp, peer, state, args, &attr);

	return qp_modify(qp, &attr, mask);
}

int qp_to_init(struct qp *qp, const struct connect_args *args)
{
	return qp_take_step(qp, NULL, IBV_QPS_INIT, args);
}

int qp_to_rtr(struct qp *qp, const struct qp *peer,
	      const struct connect_args *args)
{
	return qp_take_step(qp, peer, IBV_QPS_RTR, args);
}

int qp_to_rts(struct qp *qp, const struct connect_args *args)
{
	return qp_take_step(qp, NULL, IBV_QPS_RTS, args);
}

static void qp_require_step(int err, const char *state)
{
	if (err)
		conform_fail("ibv_modify_qp() to %s: error %d", state, err);
}

/* The PSN that one QP sends first is the one that the other expects. */
void qp_connect(struct qp *a, struct qp *b, const struct connect_args *args)
{
	struct connect_args back = args ? *args : connect_preset;
	uint32_t sq_psn = back.sq_psn;

	back.sq_psn = back.rq_psn;
	back.rq_psn = sq_psn;
	qp_require_step(qp_to_init(a, args), "INIT");
	qp_require_step(qp_to_init(b, &back), "INIT");
	qp_require_step(qp_to_rtr(a, b, args), "RTR");
	qp_require_step(qp_to_rtr(b, a, &back), "RTR");
	qp_require_step(qp_to_rts(a, args), "RTS");
	qp_require_step(qp_to_rts(b, &back), "RTS");
}

static struct qp *pair_qp_new(enum end end, const struct qp_args *args)
{
	struct qp_args own = args ? *args : (struct qp_args){};

	/* CQs and the SRQ belong to one end; the other gets the default. */
	if (own.send_cq && own.send_cq->end != end)
		own.send_cq = NULL;
	if (own.recv_cq && own.recv_cq->end != end)
		own.recv_cq = NULL;
	if (own.srq && own.srq->end != end)
		own.srq = NULL;
	return qp_new(end, &own);
}

struct pair pair_new(const struct qp_args *qp_args,
		     const struct connect_args *connect_args)
{
	struct pair pair = { .client = pair_qp_new(CLIENT, qp_args) };

	pair.server = pair_qp_new(SERVER, qp_args);
	qp_connect(pair.client, pair.server, connect_args);
	return pair;
}
