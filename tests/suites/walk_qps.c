/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stage of queue pairs. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "provider_walk.h"

static struct ibv_qp_init_attr plain_attr(const struct walk *w,
					  enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr){
		.qp_context = (void *)(uintptr_t)w,
		.send_cq = w->cq,
		.recv_cq = w->cq,
		.cap = {
			.max_send_wr = 10,
			.max_recv_wr = 12,
			.max_send_sge = 2,
			.max_recv_sge = 1,
		},
		.qp_type = type,
		.sq_sig_all = type == IBV_QPT_UD,
	};
}

static void say_qp(const char *step, const struct walk *w,
		   const struct ibv_qp *qp)
{
	walk_say(step, "%d %d %d %d %d %d", qp->qp_num != 0, qp->qp_type,
		 qp->state, qp->send_cq == w->cq, qp->pd == w->pd,
		 qp->qp_context == w);
}

static struct ibv_qp *make(const struct walk *w, const char *step,
			   enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = plain_attr(w, type);
	struct ibv_qp *qp;

	attr.srq = srq;
	if (srq)
		attr.cap.max_recv_wr = 0;
	errno = 0;
	qp = ibv_create_qp(w->pd, &attr);
	if (!walk_made(step, qp))
		return NULL;
	say_qp("qp", w, qp);
	walk_say("qp_cap", "%d %d %d %d", attr.cap.max_send_wr >= 10,
		 srq || attr.cap.max_recv_wr >= 12, attr.cap.max_send_sge >= 1,
		 srq || attr.cap.max_recv_sge >= 1);
	return qp;
}

static struct ibv_qp *make_ex(const struct walk *w, const char *step,
			      enum ibv_qp_type type)
{
	struct ibv_qp_init_attr plain = plain_attr(w, type);
	struct ibv_qp_init_attr_ex attr = {
		.qp_context = plain.qp_context,
		.send_cq = plain.send_cq,
		.recv_cq = plain.recv_cq,
		.cap = plain.cap,
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = w->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp_ex(w->context, &attr);
	if (!walk_made(step, qp))
		return NULL;
	ex = ibv_qp_to_qp_ex(qp);
	walk_say("qp_to_qp_ex", "%d %d", ex != NULL,
		 ex && ex->wr_start && ex->wr_send && ex->wr_complete);
	say_qp("qp", w, qp);
	return qp;
}

static void make_xrc_target(struct walk *w)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = w->xrcd,
	};

	if (!w->xrcd) {
		walk_skip("create_xrc_target");
		return;
	}
	errno = 0;
	w->xrc_target = ibv_create_qp_ex(w->context, &attr);
	(void)walk_made("create_xrc_target", w->xrc_target);
}

static bool to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = 0x11111111,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	errno = 0;
	return walk_done("modify_init", ibv_modify_qp(qp, &attr, mask));
}

static bool to_rtr(const struct walk *w, struct ibv_qp *qp)
{
	static const union ibv_gid local = { .raw = { 0xfe, 0x80, [15] = 9 } };
	static const union ibv_gid mapped = {
		.raw = { [10] = 255, 255, 192, 0, 2, 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = 0x99,
		.rq_psn = 0x123456,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.dlid = w->is_ethernet ? 0 : 7,
			.grh = { .hop_limit = 1,
				 .sgid_index = w->is_ethernet },
		},
	};
	int mask = IBV_QP_STATE;

	attr.ah_attr.grh.dgid = w->is_ethernet ? mapped : local;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER;
	errno = 0;
	return walk_done("modify_rtr", ibv_modify_qp(qp, &attr, mask));
}

static bool to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = 0x654321,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	errno = 0;
	return walk_done("modify_rts", ibv_modify_qp(qp, &attr, mask));
}

static void post(const struct walk *w, struct ibv_qp *qp)
{
	struct ibv_sge sge = { .addr = (uintptr_t)w->buffer,
			       .length = 64,
			       .lkey = w->mr ? w->mr->lkey : 0 };
	struct ibv_recv_wr recv = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr send = {
		.wr_id = 3,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad_send;

	if (!qp->srq) {
		errno = 0;
		(void)walk_done("post_recv",
				ibv_post_recv(qp, &recv, &bad_recv));
	}
	if (qp->qp_type == IBV_QPT_UD) {
		send.wr.ud.ah = w->ah ? w->ah : w->local_ah;
		if (!send.wr.ud.ah)
			return;
		send.wr.ud.remote_qpn = 1;
		send.wr.ud.remote_qkey = 0x11111111;
	}
	errno = 0;
	(void)walk_done("post_send", ibv_post_send(qp, &send, &bad_send));
}

static void use(const struct walk *w, struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!qp)
		return;
	(void)(to_init(qp) && to_rtr(w, qp) && to_rts(qp));
	post(w, qp);
	memset(&attr, 0, sizeof(attr));
	errno = 0;
	if (walk_done(
		    "query_qp",
		    ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init)))
		walk_say("qp_attr", "%d %d %d", attr.qp_state, qp->state,
			 init.send_cq == w->cq);
}

static void mcast(const struct walk *w)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0x40, 0x1b } };

	if (!w->ud) {
		walk_skip("attach_mcast");
		return;
	}
	errno = 0;
	if (!walk_done("attach_mcast", ibv_attach_mcast(w->ud, &gid, 0xc001)))
		return;
	errno = 0;
	(void)walk_done("detach_mcast", ibv_detach_mcast(w->ud, &gid, 0xc001));
}

void walk_make_qps(struct walk *w)
{
	struct ibv_wc wc;

	if (!w->pd || !w->cq)
		return;
	w->rc = make(w, "create_rc", IBV_QPT_RC, NULL);
	use(w, w->rc);
	w->uc = make(w, "create_uc", IBV_QPT_UC, NULL);
	w->ud = make(w, "create_ud", IBV_QPT_UD, NULL);
	use(w, w->ud);
	mcast(w);
	if (w->srq)
		w->rc_srq = make(w, "create_rc_srq", IBV_QPT_RC, w->srq);
	w->rc_ex = make_ex(w, "create_rc_ex", IBV_QPT_RC);
	w->ud_ex = make_ex(w, "create_ud_ex", IBV_QPT_UD);
	make_xrc_target(w);
	walk_say("poll_cq_of_qps", "%d", ibv_poll_cq(w->cq, 1, &wc));
}

void walk_drop_qps(struct walk *w)
{
	WALK_DROP("destroy_xrc_target", w->xrc_target, ibv_destroy_qp);
	WALK_DROP("destroy_ud_ex", w->ud_ex, ibv_destroy_qp);
	WALK_DROP("destroy_rc_ex", w->rc_ex, ibv_destroy_qp);
	WALK_DROP("destroy_rc_srq", w->rc_srq, ibv_destroy_qp);
	WALK_DROP("destroy_ud", w->ud, ibv_destroy_qp);
	WALK_DROP("destroy_uc", w->uc, ibv_destroy_qp);
	WALK_DROP("destroy_rc", w->rc, ibv_destroy_qp);
}
