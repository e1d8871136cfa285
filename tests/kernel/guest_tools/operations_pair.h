/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the programs operations and objects: two connected queue pairs of
 * one process on one device, with one CQ, and the loop over a table of checks.
 * A check prints one line: "ok NAME", "skip NAME: WHY" or "FAIL NAME: WHY".
 *
 * Included by one .c file per program, which defines `checks`.
 */
#ifndef OPERATIONS_PAIR_H
#define OPERATIONS_PAIR_H

#include "check_need.h"

#include <infiniband/verbs.h>

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEN   4096
#define DEPTH 16
#define QKEY  0x11223344

#define ACCESS                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

static bool skipped;
static int gid_index;
static unsigned int qp_access = ACCESS & ~IBV_ACCESS_MW_BIND;
static struct ibv_context *ctx;
static struct ibv_device_attr_ex device;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
/* The memory of both ends, in one region. */
static char *from, *to;
static union ibv_gid gid;

#define RC_OPS                                                            \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |             \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |   \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)

struct pair {
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *cq; /* of both ends, polled by either API */
	struct ibv_srq *srq;
	struct ibv_qp *a, *b;
	struct ibv_qp_cap cap;
};

struct pair_args {
	enum ibv_qp_type type;
	uint64_t send_ops;
	uint32_t depth;
	bool srq;
};

/* The check passes without a result. */
static inline bool skip_because(const char *reason)
{
	snprintf(why, sizeof(why), "%s", reason);
	skipped = true;
	return true;
}

/* -- queue pairs -- */

static inline int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = qp_access,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, mask | IBV_QP_QKEY);
	return ibv_modify_qp(qp, &attr, mask | IBV_QP_ACCESS_FLAGS);
}

static inline int to_rts(struct ibv_qp *qp, uint32_t dest)
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
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = gid, .hop_limit = 1 },
		},
	};
	int mask = IBV_QP_STATE, err;

	attr.ah_attr.grh.sgid_index = gid_index;
	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	err = ibv_modify_qp(qp, &attr, mask);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

static inline bool pair_connect(struct pair *p)
{
	NEED(to_init(p->a) == 0);
	NEED(to_init(p->b) == 0);
	NEED(to_rts(p->a, p->b->qp_num) == 0);
	NEED(to_rts(p->b, p->a->qp_num) == 0);
	return true;
}

static inline struct ibv_qp *qp_new(struct pair *p,
				    const struct pair_args *args)
{
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_cq = ibv_cq_ex_to_cq(p->cq),
		.recv_cq = ibv_cq_ex_to_cq(p->cq),
		.srq = p->srq,
		.qp_type = args->type,
		.cap = {
			.max_send_wr = args->depth ? args->depth : DEPTH,
			.max_recv_wr = args->depth ? args->depth : DEPTH,
			.max_send_sge = 3,
			.max_recv_sge = 3,
			.max_inline_data = 128,
		},
	};
	struct ibv_qp *qp;

	if (args->send_ops) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = args->send_ops;
	}
	qp = ibv_create_qp_ex(ctx, &attr);
	if (qp)
		p->cap = attr.cap;
	return qp;
}

static inline void pair_free(struct pair *p)
{
	if (p->a && ibv_destroy_qp(p->a))
		printf("FAIL destroy a queue pair: errno %d\n", errno);
	if (p->b && ibv_destroy_qp(p->b))
		printf("FAIL destroy a queue pair: errno %d\n", errno);
	if (p->srq && ibv_destroy_srq(p->srq))
		printf("FAIL destroy an SRQ: errno %d\n", errno);
	if (p->cq && ibv_destroy_cq(ibv_cq_ex_to_cq(p->cq)))
		printf("FAIL destroy a CQ: errno %d\n", errno);
	if (p->channel)
		ibv_destroy_comp_channel(p->channel);
}

static inline bool pair_new(struct pair *p, const struct pair_args *args)
{
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 4 * DEPTH,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = DEPTH, .max_sge = 2 },
	};

	NEED(p->channel = ibv_create_comp_channel(ctx));
	cq_attr.channel = p->channel;
	NEED(p->cq = ibv_create_cq_ex(ctx, &cq_attr));
	if (args->srq)
		NEED(p->srq = ibv_create_srq(pd, &srq_attr));
	NEED(p->a = qp_new(p, args));
	NEED(p->b = qp_new(p, args));
	memset(from, 'f', LEN);
	memset(to, 't', LEN);
	return pair_connect(p);
}

/* -- work requests and completions -- */

static inline struct ibv_sge sge(char *addr, uint32_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)addr,
		.length = length,
		.lkey = mr->lkey,
	};
}

static inline int post_recv(struct pair *p, char *addr, uint32_t length)
{
	struct ibv_sge list = sge(addr, length);
	struct ibv_recv_wr wr = { .wr_id = 77, .sg_list = &list, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return p->srq ? ibv_post_srq_recv(p->srq, &wr, &bad)
		      : ibv_post_recv(p->b, &wr, &bad);
}

static inline int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags |= IBV_SEND_SIGNALED;
	return ibv_post_send(qp, wr, &bad);
}

/* Waits for the next completion of either end. */
static inline bool complete(struct pair *p, struct ibv_wc *wc)
{
	int nr = 0;

	for (int ms = 0; nr == 0 && ms < 60000; ms++) {
		nr = ibv_poll_cq(ibv_cq_ex_to_cq(p->cq), 1, wc);
		if (nr == 0)
			usleep(1000);
	}
	if (nr != 1)
		FAIL("no completion (%d)", nr);
	return true;
}

/* Waits for the successful completion of a send. */
static inline bool sent(struct pair *p, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	if (!complete(p, &wc))
		return false;
	if (wc.status != IBV_WC_SUCCESS)
		FAIL("%s", ibv_wc_status_str(wc.status));
	NEED(wc.opcode == opcode);
	return true;
}

/* Waits for a send and its receive, in either order. */
static inline bool sent_and_received(struct pair *p, struct ibv_wc *ret)
{
	struct ibv_wc wc;

	*ret = (struct ibv_wc){};
	for (int i = 0; i < 2; i++) {
		if (!complete(p, &wc))
			return false;
		if (wc.status != IBV_WC_SUCCESS)
			FAIL("%s", ibv_wc_status_str(wc.status));
		if (wc.opcode & IBV_WC_RECV)
			*ret = wc;
	}
	NEED(ret->wr_id == 77);
	return true;
}

static inline bool quiet(struct pair *p)
{
	struct ibv_wc wc;

	NEED(ibv_poll_cq(ibv_cq_ex_to_cq(p->cq), 1, &wc) == 0);
	return true;
}

static inline bool do_send(struct pair *p, enum ibv_wr_opcode opcode,
			   unsigned flags)
{
	struct ibv_sge list[3] = {
		sge(from, 10),
		sge(from + 100, 0),
		sge(from + 50, 20),
	};
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.send_flags = flags,
		.imm_data = htobe32(0x12345678),
		.sg_list = list,
		.num_sge = 3,
	};
	struct ibv_wc wc;

	memset(from, 'f', 100);
	memset(to, 't', 100);
	NEED(post_recv(p, to, LEN) == 0);
	if (flags & IBV_SEND_INLINE) /* the provider does not use the key */
		list[0].lkey = list[2].lkey = 0xdead;
	NEED(post(p->a, &wr) == 0);
	if (flags & IBV_SEND_INLINE)
		memset(from, 'x', 100);
	if (!sent_and_received(p, &wc))
		return false;
	NEED(wc.byte_len == 30);
	NEED(memcmp(to, "ffffffffffffffffffffffffffffffttt", 33) == 0);
	NEED(wc.qp_num == p->b->qp_num);
	if (opcode == IBV_WR_SEND_WITH_IMM) {
		NEED(wc.wc_flags & IBV_WC_WITH_IMM);
		NEED(wc.imm_data == htobe32(0x12345678));
	}
	return quiet(p);
}

static inline bool rc_send(struct pair *p)
{
	return do_send(p, IBV_WR_SEND, 0);
}

/* -- the checks of a program -- */

struct check {
	const char *name;
	bool (*run)(struct pair *p);
	struct pair_args args;
};

static inline bool run(const struct check *check)
{
	struct pair p = {};
	bool ok;

	why[0] = 0;
	skipped = false;
	ok = pair_new(&p, &check->args) && check->run(&p);
	if (!ok)
		printf("FAIL %s: %s\n", check->name, why);
	else if (skipped)
		printf("skip %s: %s\n", check->name, why);
	else
		printf("ok %s\n", check->name);
	pair_free(&p);
	return ok;
}

static inline bool open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	NEED(ctx);
	NEED(ibv_query_device_ex(ctx, NULL, &device) == 0);
	NEED(ibv_query_gid(ctx, 1, gid_index, &gid) == 0);
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(posix_memalign((void **)&from, 4096, 2 * LEN) == 0);
	to = from + LEN;
	NEED(mr = ibv_reg_mr(pd, from, 2 * LEN, ACCESS));
	return true;
}

static inline bool close_device(void)
{
	NEED(ibv_dereg_mr(mr) == 0);
	NEED(ibv_dealloc_pd(pd) == 0);
	NEED(ibv_close_device(ctx) == 0);
	free(from);
	return true;
}

/* Runs all checks, or those that are named after device and GID index. */
static inline int run_checks(int argc, char **argv, const struct check *checks)
{
	int failed = 0;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	gid_index = atoi(argv[2]);
	if (!open_device(argv[1])) {
		printf("FAIL open: %s\n", why);
		return 1;
	}
	for (; checks->name; checks++) {
		if (argc == 3 || strcmp(argv[3], checks->name) == 0)
			failed += !run(checks);
	}
	if (!close_device()) {
		printf("FAIL close: %s\n", why);
		failed++;
	}
	return failed > 0;
}

#endif
