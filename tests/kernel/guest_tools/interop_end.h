/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the interop_* programs: a queue pair that is connected to one of
 * another process, which may use another device and another library. The two
 * ends connect over TCP and run the same checks in the same order, each check
 * twice: once with either end as the requester. Both ends print one line for
 * each check: "ok NAME", "skip NAME: WHY" or "FAIL NAME: WHY".
 *
 * All sequence numbers begin shortly before they wrap. Timeouts are longer than
 * a check may take, so that a slow machine causes no retransmission. (rxe does
 * not restart its timer for each packet.) For networks that lose packets
 * INTEROP_TIMEOUT is the exponent of the ACK timeout, and INTEROP_SKIP names a
 * check that would take too long there.
 *
 * Included by one .c file per program, which defines `checks`.
 */
#ifndef INTEROP_END_H
#define INTEROP_END_H

#include "interop_control.h"

#include <infiniband/verbs.h>

#include <stdlib.h>
#include <string.h>

#define MEMORY	  (4 << 20)
#define SOURCE	  (2 << 20) /* the data that this end sends starts here */
#define DEPTH	  32
#define QKEY	  0x11223344
#define FIRST_PSN 0xfffff0
#define GRH	  40

#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* The address that the ends exchange. */
struct address {
	union ibv_gid gid;
	uint64_t addr;
	uint64_t caps; /* device_cap_flags_ex */
	uint32_t qpn;
	uint32_t rkey;
};

struct check_args {
	enum ibv_qp_type type;
	uint64_t send_ops; /* of the requester, with ibv_wr_*() */
	uint64_t caps;	   /* required of both devices */
	unsigned int access;
	bool no_rnr_retry;
	bool srq;
};

struct end {
	bool is_requester;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct address other;
};

struct check {
	const char *name;
	bool (*run)(struct end *end);
	struct check_args args;
};

static int gid_index;
static uint8_t ack_timeout = 23; /* 34 s */
static struct ibv_context *ctx;
static struct ibv_device_attr_ex device;
static struct ibv_pd *pd;
static uint8_t *memory;

/* -- queue pairs -- */

static inline bool end_connect(struct end *end, const struct check_args *args)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = (ACCESS | args->access),
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	bool rc = args->type == IBV_QPT_RC, ud = args->type == IBV_QPT_UD;

	mask |= ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	NEED(ibv_modify_qp(end->qp, &attr, mask) == 0);

	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = end->other.qpn,
		.rq_psn = FIRST_PSN,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12, /* 0.64 ms */
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = end->other.gid, .hop_limit = 64 },
		},
	};
	attr.ah_attr.grh.sgid_index = gid_index;
	mask = IBV_QP_STATE;
	if (!ud)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (rc)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	NEED(ibv_modify_qp(end->qp, &attr, mask) == 0);

	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = FIRST_PSN,
		.timeout = ack_timeout,
		.retry_cnt = 7,
		.rnr_retry = args->no_rnr_retry ? 0 : 7,
		.max_rd_atomic = 4,
	};
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (rc)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	NEED(ibv_modify_qp(end->qp, &attr, mask) == 0);
	return true;
}

static inline bool end_new(struct end *end, const struct check_args *args)
{
	struct ibv_srq_init_attr srq = {
		.attr = { .max_wr = DEPTH, .max_sge = 1 },
	};
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.qp_type = args->type,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = 128,
		},
	};
	struct address own = {};

	NEED(end->mr = ibv_reg_mr(
		     pd, memory, MEMORY,
		     (int)(ACCESS | IBV_ACCESS_MW_BIND | args->access)));
	NEED(end->cq = ibv_create_cq(ctx, 2 * DEPTH, NULL, NULL, 0));
	if (args->srq)
		NEED(end->srq = ibv_create_srq(pd, &srq));
	attr.send_cq = attr.recv_cq = end->cq;
	attr.srq = end->srq;
	if (args->send_ops && end->is_requester) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = args->send_ops;
	}
	NEED(end->qp = ibv_create_qp_ex(ctx, &attr));
	own.addr = (uintptr_t)memory;
	own.rkey = end->mr->rkey;
	own.qpn = end->qp->qp_num;
	NEED(ibv_query_gid(ctx, 1, gid_index, &own.gid) == 0);
	return send_to_other(&own, sizeof(own)) &&
	       receive_from_other(&end->other, sizeof(own)) &&
	       end_connect(end, args) && wait_for_other();
}

static inline void end_free(struct end *end)
{
	if ((end->qp && ibv_destroy_qp(end->qp)) ||
	    (end->srq && ibv_destroy_srq(end->srq)) ||
	    (end->cq && ibv_destroy_cq(end->cq)) ||
	    (end->mr && ibv_dereg_mr(end->mr)))
		printf("FAIL destroy: errno %d\n", errno);
}

/* -- work requests and completions -- */

static inline void fill_pattern(uint32_t offset, uint32_t seed, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		memory[offset + i] = pattern(seed, i);
}

/* @len bytes of the pattern, and unchanged bytes after them */
static inline bool has_pattern(uint32_t offset, uint32_t seed, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (memory[offset + i] != pattern(seed, i))
			FAIL("byte %u of %u (%u) is wrong", i, len, seed);
	if (memory[offset + len] != 0)
		FAIL("more than %u bytes have arrived", len);
	return true;
}

static inline struct ibv_sge sge(struct end *end, uint32_t offset, uint32_t len)
{
	return (struct ibv_sge){ .addr = (uintptr_t)(memory + offset),
				 .length = len,
				 .lkey = end->mr->lkey };
}

static inline bool receive(struct end *end, uint64_t id, uint32_t offset,
			   uint32_t len)
{
	struct ibv_sge list = sge(end, offset, len);
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &list, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	NEED((end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad)
		       : ibv_post_recv(end->qp, &wr, &bad)) == 0);
	return true;
}

/* A work request whose remote memory begins at @remote of the other end. */
static inline struct ibv_send_wr make_wr(struct end *end,
					 enum ibv_wr_opcode opcode,
					 struct ibv_sge *list, uint32_t remote)
{
	struct ibv_send_wr wr = { .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .imm_data = htobe32(0x12345678),
				  .sg_list = list,
				  .num_sge = 1 };

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = end->other.addr + remote;
		wr.wr.atomic.rkey = end->other.rkey;
	} else {
		wr.wr.rdma.remote_addr = end->other.addr + remote;
		wr.wr.rdma.rkey = end->other.rkey;
	}
	return wr;
}

static inline bool post_wr(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	NEED(ibv_post_send(end->qp, wr, &bad) == 0);
	return true;
}

/* Waits for the next completion. */
static inline bool poll_completion(struct end *end, struct ibv_wc *wc)
{
	uint64_t limit = now_ms() + 60000;
	int nr;

	while ((nr = ibv_poll_cq(end->cq, 1, wc)) == 0) {
		if (now_ms() > limit)
			FAIL("no completion");
		usleep(100);
	}
	NEED(nr == 1);
	return true;
}

static inline bool expect_completion(struct end *end, struct ibv_wc *wc,
				     enum ibv_wc_opcode opcode)
{
	if (!poll_completion(end, wc))
		return false;
	if (wc->status != IBV_WC_SUCCESS)
		FAIL("%s (%lu)", ibv_wc_status_str(wc->status), wc->wr_id);
	NEED(wc->opcode == opcode);
	return true;
}

static inline bool expect_sent(struct end *end, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	return expect_completion(end, &wc, opcode);
}

static inline bool post_and_wait(struct end *end, struct ibv_send_wr *wr,
				 enum ibv_wc_opcode opcode)
{
	return post_wr(end, wr) && expect_sent(end, opcode);
}

static inline bool no_completion_left(struct end *end)
{
	struct ibv_wc wc;

	NEED(ibv_poll_cq(end->cq, 1, &wc) == 0);
	return true;
}

/* -- the checks of a program -- */

static inline bool both_have_caps(uint64_t caps, bool *ret_both)
{
	uint64_t own = device.device_cap_flags_ex, other;

	if (!send_to_other(&own, sizeof(own)) ||
	    !receive_from_other(&other, sizeof(other)))
		return false;
	*ret_both = (own & other & caps) == caps;
	return true;
}

static inline bool run_check(const struct check *check, bool is_requester)
{
	const char *skip = getenv("INTEROP_SKIP");
	struct end end = { .is_requester = is_requester };
	bool both = false, ok;

	if (skip && strcmp(skip, check->name) == 0) {
		printf("skip %s: INTEROP_SKIP\n", check->name);
		return true;
	}
	why[0] = 0;
	other_has_ended = false;
	memset(memory, 0, MEMORY);
	ok = both_have_caps(check->args.caps, &both);
	if (ok && !both) {
		printf("skip %s: not on both devices\n", check->name);
		return true;
	}
	ok = ok && end_new(&end, &check->args) && check->run(&end);
	ok = both_passed(ok);
	if (ok)
		printf("ok %s: %s\n", is_requester ? "requester" : "responder",
		       check->name);
	else
		printf("FAIL %s: %s: %s\n",
		       is_requester ? "requester" : "responder", check->name,
		       why);
	end_free(&end);
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
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(memory = aligned_alloc(4096, MEMORY));
	return true;
}

/* PROGRAM DEVICE GID_INDEX PORT [ADDRESS] */
static inline int run_checks(int argc, char **argv, const struct check *checks)
{
	int failed = 0;

	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	gid_index = atoi(argv[2]);
	if (getenv("INTEROP_TIMEOUT"))
		ack_timeout = (uint8_t)atoi(getenv("INTEROP_TIMEOUT"));
	if (!open_device(argv[1]) ||
	    !find_other_end(atoi(argv[3]), argc > 4 ? argv[4] : NULL)) {
		printf("FAIL open: %s\n", why);
		return 1;
	}
	for (; checks->name; checks++) {
		failed += !run_check(checks, argc > 4);
		failed += !run_check(checks, argc <= 4);
	}
	if (ibv_dealloc_pd(pd) || ibv_close_device(ctx)) {
		printf("FAIL close: errno %d\n", errno);
		failed++;
	}
	close(control);
	return failed > 0;
}

#endif
