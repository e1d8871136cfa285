/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of first_release.c, and the functions that make and connect them.
 * Included only by that file.
 */
#ifndef FIRST_RELEASE_H
#define FIRST_RELEASE_H

#include "verbs_1_0.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN	 4096
#define DEPTH	 48
#define NR_CHAIN 40
#define QKEY	 0x11223344
#define GRH_LEN	 40

#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

#define NEED(condition)                                                   \
	do {                                                              \
		if (!(condition)) {                                       \
			printf("FAIL line %d: %s (errno %d)\n", __LINE__, \
			       #condition, errno);                        \
			return false;                                     \
		}                                                         \
	} while (0)

static const char *device_name;
static int gid_index;
static bool silent;

/* User pointers of the program's objects: any addresses. */
static int cq_mine, srq_mine, qp_mine;

static struct v10_device **list;
static struct v10_device *device;
static struct v10_context *ctx;
static union ibv_gid gid;
static struct v10_pd *pd;
static struct v10_mr *mr;
static struct v10_ah *ah;
static struct v10_cq *cq;
static struct v10_srq *srq;
/*
 * RC: a has a receive queue of its own, b uses the SRQ. UD: both have their
 * own.
 */
static struct v10_qp *a, *b, *ud_a, *ud_b;
static char *from, *to;

/* -- objects -- */

static inline struct ibv_ah_attr to_itself(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = gid, .hop_limit = 1 },
	};

	attr.grh.sgid_index = (uint8_t)gid_index;
	return attr;
}

static inline bool make_memory(void)
{
	struct ibv_ah_attr attr = to_itself();

	NEED(pd = v10_alloc_pd(ctx));
	NEED(pd->context == ctx);
	NEED(posix_memalign((void **)&from, 4096, 2 * LEN) == 0);
	to = from + LEN;
	NEED(mr = v10_reg_mr(pd, from, 2 * LEN, ACCESS));
	NEED(mr->context == ctx && mr->pd == pd);
	NEED(ah = v10_create_ah(pd, &attr));
	NEED(ah->context == ctx && ah->pd == pd);
	NEED(silent || !v10_reg_mr(pd, (void *)4096, LEN, 0));
	return true;
}

static inline bool make_queues(void)
{
	struct ibv_srq_init_attr init = {
		.srq_context = &srq_mine,
		.attr = { .max_wr = DEPTH, .max_sge = 1 },
	};
	struct ibv_srq_attr attr = {};

	NEED(cq = v10_create_cq(ctx, 2 * DEPTH, &cq_mine, NULL, 0));
	NEED(cq->context == ctx && cq->cq_context == &cq_mine);
	NEED(v10_resize_cq(cq, 4 * DEPTH) == 0);
	NEED(srq = v10_create_srq(pd, &init));
	NEED(srq->context == ctx && srq->srq_context == &srq_mine);
	NEED(init.srq_context == &srq_mine);
	NEED(init.attr.max_wr >= DEPTH || silent);
	NEED(v10_query_srq(srq, &attr) == 0);
	NEED(attr.max_wr >= DEPTH || silent);
	return true;
}

static inline struct v10_qp *make_qp(enum ibv_qp_type type,
				     struct v10_srq *with)
{
	struct v10_qp_init_attr init = {
		.qp_context = &qp_mine,
		.send_cq = cq,
		.recv_cq = cq,
		.srq = with,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = type,
		.sq_sig_all = 1,
	};
	struct v10_qp *qp = v10_create_qp(pd, &init);

	if (qp && (init.cap.max_send_wr < DEPTH || qp->context != ctx ||
		   qp->qp_context != &qp_mine || qp->pd != pd ||
		   qp->send_cq != cq || qp->srq != with))
		return NULL;
	return qp;
}

static inline bool make_qps(void)
{
	NEED(a = make_qp(IBV_QPT_RC, NULL));
	NEED(b = make_qp(IBV_QPT_RC, srq));
	NEED(ud_a = make_qp(IBV_QPT_UD, NULL));
	NEED(ud_b = make_qp(IBV_QPT_UD, NULL));
	NEED(a->qp_num && a->qp_num != b->qp_num);
	NEED(!make_qp(IBV_QPT_RAW_PACKET + 90, NULL));
	return true;
}

static inline int to_init(struct v10_qp *qp, bool is_ud)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = ACCESS,
	};

	return v10_modify_qp(
		qp, &attr,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(is_ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static inline int to_rts(struct v10_qp *qp, uint32_t dest)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dest,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = to_itself(),
	};
	int mask = IBV_QP_STATE, err;

	if (dest)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER;
	err = v10_modify_qp(qp, &attr, mask);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (dest)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return v10_modify_qp(qp, &attr, mask);
}

static inline bool connect_qps(void)
{
	struct v10_qp_init_attr init;
	struct ibv_qp_attr attr;

	NEED(to_init(a, false) == 0 && to_init(b, false) == 0);
	NEED(to_init(ud_a, true) == 0 && to_init(ud_b, true) == 0);
	NEED(to_rts(a, b->qp_num) == 0 && to_rts(b, a->qp_num) == 0);
	NEED(to_rts(ud_a, 0) == 0 && to_rts(ud_b, 0) == 0);
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_INIT; /* not allowed from RTS */
	NEED(silent || v10_modify_qp(a, &attr, IBV_QP_STATE) != 0);

	NEED(v10_query_qp(b, &attr, IBV_QP_STATE, &init) == 0);
	NEED(attr.qp_state == IBV_QPS_RTS || silent);
	NEED(init.send_cq == cq && init.recv_cq == cq && init.srq == srq);
	return true;
}

#endif
