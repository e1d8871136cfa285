/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time of calls with and without layers: layers_bench DEVICE GID_INDEX, started
 * by layers_bench.sh with and without VERBS_LAYERS. Messages go from a queue
 * pair to itself, 16 at a time. Each line of the output is the name of a
 * measurement and the nanoseconds of the fastest of many repetitions:
 *
 * "empty poll"	ibv_poll_cq() that finds nothing
 * "message"	ibv_post_recv(), ibv_post_send() and two completions
 * "message, extended"	ibv_post_recv(), ibv_wr_*() and two completions of an
 *	extended CQ
 */
#include <infiniband/verbs.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORT	    1
#define BURST	    16
#define DEPTH	    64
#define LEN	    8
#define POLLS	    1000 /* of one repetition */
#define BURSTS	    50	 /* of one repetition */
#define REPETITIONS 200

static struct ibv_cq_ex *cq;
static struct ibv_qp *qp;
static struct ibv_qp_ex *qpx;
static struct ibv_mr *mr;
static char memory[4096] __attribute__((aligned(4096)));

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "layers_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ------------------------------------------------------------------------ */
/* Setup                                                                     */
/* ------------------------------------------------------------------------ */

static struct ibv_context *device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	require(list != NULL, "list");
	for (int i = 0; list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	require(ctx != NULL, name);
	return ctx;
}

static void qp_connect_to_itself(struct ibv_context *ctx, int gid_index)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
	};

	require(!ibv_modify_qp(qp, &attr,
			       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       IBV_QP_ACCESS_FLAGS),
		"INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = PORT },
	};
	attr.ah_attr.grh.sgid_index = (uint8_t)gid_index;
	require(!ibv_query_gid(ctx, PORT, gid_index, &attr.ah_attr.grh.dgid),
		"GID");
	require(!ibv_modify_qp(qp, &attr,
			       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC |
				       IBV_QP_MIN_RNR_TIMER),
		"RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	require(!ibv_modify_qp(qp, &attr,
			       IBV_QP_STATE | IBV_QP_TIMEOUT |
				       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
		"RTS");
}

static void bench_set_up(const char *device, int gid_index)
{
	struct ibv_context *ctx = device_open(device);
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 2 * DEPTH,
		.wc_flags = IBV_WC_EX_WITH_QP_NUM,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { DEPTH, DEPTH, 1, 1, 0 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	attr.pd = ibv_alloc_pd(ctx);
	require(attr.pd != NULL, "PD");
	cq = ibv_create_cq_ex(ctx, &cq_attr);
	require(cq != NULL, "CQ");
	attr.send_cq = ibv_cq_ex_to_cq(cq);
	attr.recv_cq = attr.send_cq;
	qp = ibv_create_qp_ex(ctx, &attr);
	require(qp != NULL, "QP");
	qpx = ibv_qp_to_qp_ex(qp);
	require(qpx != NULL, "extended QP");
	mr = ibv_reg_mr(attr.pd, memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE);
	require(mr != NULL, "MR");
	qp_connect_to_itself(ctx, gid_index);
}

/* ------------------------------------------------------------------------ */
/* Measurements                                                              */
/* ------------------------------------------------------------------------ */

static void post_receives(void)
{
	struct ibv_sge sge = { (uintptr_t)memory, LEN, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (int i = 0; i < BURST; i++)
		require(!ibv_post_recv(qp, &wr, &bad), "receive");
}

static void post_sends(void)
{
	struct ibv_sge sge = { (uintptr_t)memory + 64, LEN, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	for (int i = 0; i < BURST; i++)
		require(!ibv_post_send(qp, &wr, &bad), "send");
}

static void post_sends_extended(void)
{
	for (int i = 0; i < BURST; i++) {
		ibv_wr_start(qpx);
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)memory + 64, LEN);
		require(!ibv_wr_complete(qpx), "send");
	}
}

static void poll_all(void)
{
	struct ibv_wc wc[BURST];
	int left = 2 * BURST;

	while (left > 0) {
		int nr = ibv_poll_cq(ibv_cq_ex_to_cq(cq), BURST, wc);

		for (int i = 0; i < nr; i++)
			require(wc[i].status == IBV_WC_SUCCESS, "completion");
		left -= nr;
	}
}

static void poll_all_extended(void)
{
	struct ibv_poll_cq_attr attr = {};
	int left = 2 * BURST;

	while (left > 0) {
		if (ibv_start_poll(cq, &attr))
			continue;
		do {
			require(cq->status == IBV_WC_SUCCESS, "completion");
			left--;
		} while (left > 0 && !ibv_next_poll(cq));
		ibv_end_poll(cq);
	}
}

static void run_empty_poll(void)
{
	struct ibv_wc wc;

	for (int i = 0; i < POLLS; i++)
		require(!ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), "poll");
}

static void run_messages(void)
{
	for (int i = 0; i < BURSTS; i++) {
		post_receives();
		post_sends();
		poll_all();
	}
}

static void run_messages_extended(void)
{
	for (int i = 0; i < BURSTS; i++) {
		post_receives();
		post_sends_extended();
		poll_all_extended();
	}
}

/* @count: operations of one run */
static void measure(const char *name, void (*run)(void), int count)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < REPETITIONS; i++) {
		uint64_t start = now_ns(), took;

		run();
		took = now_ns() - start;
		if (took < best)
			best = took;
	}
	printf("%s\t%.1f\n", name, (double)best / count);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: layers_bench DEVICE GID_INDEX\n");
		return 2;
	}
	bench_set_up(argv[1], atoi(argv[2]));
	measure("empty poll", run_empty_poll, POLLS);
	measure("message", run_messages, BURSTS * BURST);
	measure("message, extended", run_messages_extended, BURSTS * BURST);
	return 0;
}
