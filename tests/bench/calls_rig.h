/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by calls_control_bench.c and calls_data_bench.c: queue pairs that are
 * connected to themselves over the device, functions that prepare the next
 * measured call, and the loop over a table of calls.
 *
 * Callgrind counts only between the two requests of run_once(). For each row of
 * the table it writes a file with the name of the row and the number of calls.
 * The row "nothing" is the cost of counting.
 */
#ifndef CALLS_RIG_H
#define CALLS_RIG_H

#include <infiniband/verbs.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

/* Uncounted calls at the begin, which resolve symbols. */
#define WARM_UP 2
#define COUNT	20

#define PORT  1
#define DEPTH 64 /* of each queue */
#define BURST 16 /* messages of a call that handles several */
#define LEN   64 /* bytes of a message */
#define GRH   40 /* bytes before a received UD message */
#define QKEY  0x11223344

#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

struct call {
	const char *name;
	void (*before)(void); /* or NULL */
	int (*call)(void);    /* 0, or it failed */
	void (*after)(void);  /* or NULL */
};

/* A queue pair that is connected to itself. */
struct loop {
	struct ibv_comp_channel *channel; /* of recv_cq */
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_cq_ex *recv_cq_ex; /* the same, if it is extended */
	struct ibv_srq *srq;	      /* or NULL */
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
};

static int gid_index;
static union ibv_gid gid;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_ah *ah; /* for the device's own address */
static char memory[8192] __attribute__((aligned(4096)));
static struct loop rc, extended, shared, ud;

static void die(const char *what)
{
	fprintf(stderr, "calls_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void require_success(int status, const char *what)
{
	if (status)
		die(what);
}

static void *require_object(void *object, const char *what)
{
	if (!object)
		die(what);
	return object;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

static struct ibv_ah_attr own_address(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = PORT,
		.grh = {
			.dgid = gid,
			.sgid_index = (uint8_t)gid_index,
			.hop_limit = 64,
		},
	};
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = ACCESS,
		.qkey = QKEY,
	};
	int last = qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY
					     : IBV_QP_ACCESS_FLAGS;

	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     last);
}

static int to_rtr(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = own_address(),
	};

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC);
}

static struct ibv_qp_init_attr_ex qp_attr(const struct loop *loop,
					  enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_type = type,
		.send_cq = loop->send_cq,
		.recv_cq = loop->recv_cq,
		.srq = loop->srq,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = LEN,
		},
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND |
				  (type == IBV_QPT_RC ?
					   IBV_QP_EX_WITH_RDMA_WRITE :
					   0),
	};
}

static struct ibv_srq *new_srq(void)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = DEPTH, .max_sge = 4 },
	};

	return ibv_create_srq(pd, &attr);
}

static struct ibv_cq_ex *new_cq_ex(struct ibv_comp_channel *channel)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = DEPTH,
		.channel = channel,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	return ibv_create_cq_ex(ctx, &attr);
}

static void loop_up(struct loop *loop, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr;

	loop->channel = require_object(ibv_create_comp_channel(ctx), "channel");
	if (loop == &extended) {
		loop->recv_cq_ex =
			require_object(new_cq_ex(loop->channel), "CQ");
		loop->recv_cq = ibv_cq_ex_to_cq(loop->recv_cq_ex);
	} else {
		loop->recv_cq = require_object(
			ibv_create_cq(ctx, DEPTH, NULL, loop->channel, 0),
			"CQ");
	}
	loop->send_cq =
		require_object(ibv_create_cq(ctx, DEPTH, NULL, NULL, 0), "CQ");
	if (loop == &shared)
		loop->srq = require_object(new_srq(), "SRQ");
	attr = qp_attr(loop, type);
	loop->qp = require_object(ibv_create_qp_ex(ctx, &attr), "QP");
	loop->qpx = require_object(ibv_qp_to_qp_ex(loop->qp), "extended QP");
	require_success(to_init(loop->qp), "INIT");
	require_success(to_rtr(loop->qp), "RTR");
	require_success(to_rts(loop->qp), "RTS");
}

static void rig_up(struct ibv_device *device)
{
	struct ibv_ah_attr attr;

	ctx = require_object(ibv_open_device(device), "open");
	require_success(ibv_query_gid(ctx, PORT, gid_index, &gid), "query_gid");
	pd = require_object(ibv_alloc_pd(ctx), "alloc_pd");
	mr = require_object(ibv_reg_mr(pd, memory, sizeof(memory), ACCESS),
			    "reg_mr");
	attr = own_address();
	ah = require_object(ibv_create_ah(pd, &attr), "create_ah");
	loop_up(&rc, IBV_QPT_RC);
	loop_up(&extended, IBV_QPT_RC);
	loop_up(&shared, IBV_QPT_RC);
	loop_up(&ud, IBV_QPT_UD);
}

/* ------------------------------------------------------------------------ */
/* Counting                                                                  */
/* ------------------------------------------------------------------------ */

static int call_nothing(void)
{
	return 0;
}

static int run_once(const struct call *call, bool is_counted)
{
	int status;

	if (!is_counted)
		return call->call();
	CALLGRIND_TOGGLE_COLLECT;
	status = call->call();
	CALLGRIND_TOGGLE_COLLECT;
	return status;
}

static void measure(const struct call *call, int warm_up, int count)
{
	char label[64];

	for (int i = 0; i < warm_up + count; i++) {
		if (call->before)
			call->before();
		require_success(run_once(call, i >= warm_up), call->name);
		if (call->after)
			call->after();
	}
	(void)snprintf(label, sizeof(label), "%s=%d", call->name, count);
	CALLGRIND_DUMP_STATS_AT(label);
}

static void measure_all(const struct call *calls, size_t nr)
{
	const struct call empty = { "nothing", NULL, call_nothing, NULL };

	measure(&empty, WARM_UP, COUNT);
	for (size_t i = 0; i < nr; i++)
		measure(&calls[i], WARM_UP, COUNT);
}

static struct ibv_device *find_device(struct ibv_device **list,
				      const char *name)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return list[i];
	errno = ENODEV;
	die(name);
	return NULL;
}

#endif
