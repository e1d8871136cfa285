/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by either_header.c and either_header.cc: a walk over the API that
 * prints the result of each call. It is compiled as C and as C++, with our
 * <infiniband/verbs.h> and with rdma-core 44's; all of these programs must
 * print the same with both libraries. So it uses only functions of 44, and
 * prints no values that depend on the size of a struct.
 */
#ifndef EITHER_HEADER_H
#define EITHER_HEADER_H

#include <infiniband/verbs.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEN   4096
#define DEPTH 16

struct walk {
	int gid_index;
	union ibv_gid gid;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq_ex *cq;
	struct ibv_qp *a, *b;
	struct ibv_qp_ex *ax;
	char *memory;
	int failed;
};

/* A condition that must hold on any device. */
#define NEED(walk, condition)                                             \
	do {                                                              \
		if (!(condition)) {                                       \
			printf("FAIL line %d: %s (errno %d)\n", __LINE__, \
			       #condition, errno);                        \
			(walk)->failed++;                                 \
			return;                                           \
		}                                                         \
	} while (0)

/* The result of a call that a device may refuse. */
static inline void print_result(const char *name, int err)
{
	printf("%s: %s\n", name, err ? strerror(err) : "ok");
}

/* The result of a call that returns an object. */
static inline int print_object(const char *name, const void *object)
{
	print_result(name, object ? 0 : errno);
	return object != NULL;
}

/* -- queries -- */

static inline void query_attributes(struct walk *w)
{
	struct ibv_query_device_ex_input input;
	struct ibv_device_attr_ex attr;
	struct ibv_gid_entry entry, table[32];
	struct ibv_values_ex values;
	struct ibv_port_attr port;
	ssize_t nr;

	memset(&input, 0, sizeof(input));
	memset(&attr, 0xff, sizeof(attr));
	NEED(w, ibv_query_device_ex(w->ctx, &input, &attr) == 0);
	printf("device: %d QPs, %d ports, %#x, raw %#x, tso %u\n",
	       attr.orig_attr.max_qp, attr.orig_attr.phys_port_cnt,
	       attr.orig_attr.device_cap_flags, (unsigned)attr.raw_packet_caps,
	       attr.tso_caps.max_tso);
	memset(&port, 0xff, sizeof(port));
	NEED(w, ibv_query_port(w->ctx, 1, &port) == 0);
	printf("port: %s, mtu %d, link %d, caps %#x %#x\n",
	       ibv_port_state_str(port.state), port.active_mtu, port.link_layer,
	       port.port_cap_flags, port.port_cap_flags2);
	memset(&entry, 0xff, sizeof(entry));
	NEED(w, ibv_query_gid_ex(w->ctx, 1, (uint32_t)w->gid_index, &entry,
				 0) == 0);
	printf("gid: %u %u %u\n", entry.gid_index, entry.port_num,
	       entry.gid_type);
	w->gid = entry.gid;
	nr = ibv_query_gid_table(w->ctx, table, 32, 0);
	printf("gids: %d\n", (int)nr);
	memset(&values, 0, sizeof(values));
	values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	print_result("rt_values", ibv_query_rt_values_ex(w->ctx, &values));
	printf("transport: %d, node: %s\n", w->ctx->device->transport_type,
	       ibv_node_type_str(w->ctx->device->node_type));
}

/* -- operations that some devices refuse -- */

/* Makes an object, prints the result, and destroys the object. */
#define TRY(walk, type, make, end)                    \
	do {                                          \
		type *object = make;                  \
                                                      \
		if (print_object(#type, object))      \
			NEED(walk, end(object) == 0); \
	} while (0)

static inline void make_optional_objects(struct walk *w)
{
	struct ibv_parent_domain_init_attr domain;
	struct ibv_counters_init_attr counters;
	struct ibv_xrcd_init_attr xrcd;
	struct ibv_alloc_dm_attr dm;
	struct ibv_td_init_attr td;
	struct ibv_wq_init_attr wq;
	struct ibv_sge sge;

	memset(&td, 0, sizeof(td));
	memset(&domain, 0, sizeof(domain));
	memset(&counters, 0, sizeof(counters));
	memset(&xrcd, 0, sizeof(xrcd));
	memset(&dm, 0, sizeof(dm));
	memset(&wq, 0, sizeof(wq));
	memset(&sge, 0, sizeof(sge));
	domain.pd = w->pd;
	xrcd.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	xrcd.fd = -1;
	dm.length = 64;
	wq.wq_type = IBV_WQT_RQ;
	wq.max_wr = 1;
	wq.max_sge = 1;
	wq.pd = w->pd;
	wq.cq = ibv_cq_ex_to_cq(w->cq);
	TRY(w, struct ibv_td, ibv_alloc_td(w->ctx, &td), ibv_dealloc_td);
	TRY(w, struct ibv_pd, ibv_alloc_parent_domain(w->ctx, &domain),
	    ibv_dealloc_pd);
	TRY(w, struct ibv_counters, ibv_create_counters(w->ctx, &counters),
	    ibv_destroy_counters);
	TRY(w, struct ibv_xrcd, ibv_open_xrcd(w->ctx, &xrcd), ibv_close_xrcd);
	TRY(w, struct ibv_dm, ibv_alloc_dm(w->ctx, &dm), ibv_free_dm);
	TRY(w, struct ibv_mr, ibv_alloc_null_mr(w->pd), ibv_dereg_mr);
	TRY(w, struct ibv_wq, ibv_create_wq(w->ctx, &wq), ibv_destroy_wq);
	sge.lkey = w->mr->lkey;
	print_result("advise",
		     ibv_advise_mr(w->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				   &sge, 1) != 0);
}

/* A rule with two specifications, in the memory layout that programs use. */
struct rule {
	struct ibv_flow_attr attr;
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_ipv4 ip;
};

static inline void flow(struct walk *w)
{
	struct ibv_flow_action_esp_attr esp;
	struct rule rule;

	memset(&rule, 0, sizeof(rule));
	rule.attr.type = IBV_FLOW_ATTR_NORMAL;
	rule.attr.size = sizeof(rule);
	rule.attr.num_of_specs = 2;
	rule.attr.port = 1;
	rule.eth.type = IBV_FLOW_SPEC_ETH;
	rule.eth.size = sizeof(rule.eth);
	memset(rule.eth.mask.dst_mac, 0xff, sizeof(rule.eth.mask.dst_mac));
	rule.ip.type = IBV_FLOW_SPEC_IPV4;
	rule.ip.size = sizeof(rule.ip);
	printf("rule: %u %u %u\n", (unsigned)sizeof(rule),
	       (unsigned)sizeof(rule.eth), (unsigned)sizeof(rule.ip));
	printf("flow: %s\n", ibv_create_flow(w->a, &rule.attr) ? "made" : "no");
	memset(&esp, 0, sizeof(esp));
	(void)print_object("flow action",
			   ibv_create_flow_action_esp(w->ctx, &esp));
}

/* -- objects -- */

static inline void make_objects(struct walk *w)
{
	struct ibv_cq_init_attr_ex cq;
	struct ibv_qp_init_attr_ex qp;
	struct ibv_modify_cq_attr moderation;

	w->memory = (char *)aligned_alloc(LEN, 2 * LEN);
	NEED(w, w->memory);
	NEED(w, w->pd = ibv_alloc_pd(w->ctx));
	NEED(w,
	     w->mr = ibv_reg_mr(
		     w->pd, w->memory, 2 * LEN,
		     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			     IBV_ACCESS_RELAXED_ORDERING | IBV_ACCESS_MW_BIND));
	memset(&cq, 0, sizeof(cq));
	cq.cqe = 4 * DEPTH;
	cq.wc_flags = IBV_WC_STANDARD_FLAGS;
	NEED(w, w->cq = ibv_create_cq_ex(w->ctx, &cq));
	memset(&moderation, 0, sizeof(moderation));
	moderation.attr_mask = IBV_CQ_ATTR_MODERATE;
	print_result("modify cq",
		     ibv_modify_cq(ibv_cq_ex_to_cq(w->cq), &moderation));
	memset(&qp, 0, sizeof(qp));
	qp.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	qp.pd = w->pd;
	qp.send_cq = ibv_cq_ex_to_cq(w->cq);
	qp.recv_cq = ibv_cq_ex_to_cq(w->cq);
	qp.qp_type = IBV_QPT_RC;
	qp.cap.max_send_wr = DEPTH;
	qp.cap.max_recv_wr = DEPTH;
	qp.cap.max_send_sge = 2;
	qp.cap.max_recv_sge = 1;
	qp.send_ops_flags =
		IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
		IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
		IBV_QP_EX_WITH_BIND_MW;
	NEED(w, w->a = ibv_create_qp_ex(w->ctx, &qp));
	NEED(w, w->b = ibv_create_qp_ex(w->ctx, &qp));
	NEED(w, w->ax = ibv_qp_to_qp_ex(w->a));
	printf("in order: %d\n",
	       ibv_query_qp_data_in_order(w->a, IBV_WR_SEND, 0));
}

static inline int to_rts(struct walk *w, struct ibv_qp *qp, uint32_t dest)
{
	struct ibv_qp_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = 1;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
			       IBV_ACCESS_REMOTE_READ |
			       IBV_ACCESS_REMOTE_ATOMIC;
	err = ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				    IBV_QP_ACCESS_FLAGS);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = dest;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = 1;
	attr.ah_attr.grh.dgid = w->gid;
	attr.ah_attr.grh.sgid_index = (uint8_t)w->gid_index;
	attr.ah_attr.grh.hop_limit = 1;
	err = ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC);
}

static inline void connect_both(struct walk *w)
{
	NEED(w, to_rts(w, w->a, w->b->qp_num) == 0);
	NEED(w, to_rts(w, w->b, w->a->qp_num) == 0);
}

/* -- traffic -- */

/* Prints the next completion of the extended CQ. */
static inline void print_completion(struct walk *w)
{
	struct ibv_poll_cq_attr attr;
	int ret = ENOENT;

	memset(&attr, 0, sizeof(attr));
	for (int ms = 0; ret == ENOENT && ms < 60000; ms++) {
		ret = ibv_start_poll(w->cq, &attr);
		if (ret == ENOENT)
			usleep(1000);
	}
	NEED(w, ret == 0);
	printf("completion %d: %s, opcode %d", (int)w->cq->wr_id,
	       ibv_wc_status_str(w->cq->status), ibv_wc_read_opcode(w->cq));
	if (ibv_wc_read_opcode(w->cq) & IBV_WC_RECV)
		printf(", %u bytes, imm %u", ibv_wc_read_byte_len(w->cq),
		       be32toh(ibv_wc_read_imm_data(w->cq)));
	printf("\n");
	ibv_end_poll(w->cq);
}

static inline struct ibv_sge sge_at(struct walk *w, size_t at, uint32_t length)
{
	struct ibv_sge sge;

	memset(&sge, 0, sizeof(sge));
	sge.addr = (uintptr_t)w->memory + at;
	sge.length = length;
	sge.lkey = w->mr->lkey;
	return sge;
}

static inline void send_with_wr_api(struct walk *w)
{
	struct ibv_sge sge = sge_at(w, LEN, LEN), sges[2];
	struct ibv_recv_wr recv, *bad;

	memset(w->memory, 0, 2 * LEN);
	strcpy(w->memory, "hello ");
	strcpy(w->memory + 100, "world");
	sges[0] = sge_at(w, 0, 6);
	sges[1] = sge_at(w, 100, 6);
	memset(&recv, 0, sizeof(recv));
	recv.wr_id = 1;
	recv.sg_list = &sge;
	recv.num_sge = 1;
	NEED(w, ibv_post_recv(w->b, &recv, &bad) == 0);
	ibv_wr_start(w->ax);
	w->ax->wr_id = 2;
	w->ax->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send_imm(w->ax, htobe32(77));
	ibv_wr_set_sge_list(w->ax, 2, sges);
	NEED(w, ibv_wr_complete(w->ax) == 0);
	/* a receive completes before it is acknowledged */
	print_completion(w);
	print_completion(w);
	NEED(w, strcmp(w->memory + LEN, "hello world") == 0);
}

static inline void rdma_with_wr_api(struct walk *w)
{
	uint64_t there = (uintptr_t)w->memory + LEN;
	uint64_t *word = (uint64_t *)(void *)(w->memory + LEN);

	strcpy(w->memory, "written");
	ibv_wr_start(w->ax);
	w->ax->wr_id = 3;
	w->ax->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(w->ax, w->mr->rkey, there);
	ibv_wr_set_sge(w->ax, w->mr->lkey, (uintptr_t)w->memory, 8);
	NEED(w, ibv_wr_complete(w->ax) == 0);
	print_completion(w);
	NEED(w, strcmp(w->memory + LEN, "written") == 0);

	*word = 40;
	ibv_wr_start(w->ax);
	w->ax->wr_id = 4;
	ibv_wr_atomic_fetch_add(w->ax, w->mr->rkey, there, 2);
	ibv_wr_set_sge(w->ax, w->mr->lkey, (uintptr_t)w->memory, 8);
	NEED(w, ibv_wr_complete(w->ax) == 0);
	print_completion(w);
	NEED(w, *word == 42);

	ibv_wr_start(w->ax);
	ibv_wr_rdma_read(w->ax, w->mr->rkey, there);
	ibv_wr_abort(w->ax);
}

static inline void post_with_post_send(struct walk *w)
{
	struct ibv_sge sge = sge_at(w, 0, 8);
	struct ibv_send_wr wr, *bad;

	memset(&wr, 0, sizeof(wr));
	wr.wr_id = 5;
	wr.opcode = IBV_WR_RDMA_READ;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.wr.rdma.remote_addr = sge.addr + LEN;
	wr.wr.rdma.rkey = w->mr->rkey;
	NEED(w, ibv_post_send(w->a, &wr, &bad) == 0);
	print_completion(w);
	NEED(w, memcmp(w->memory, w->memory + LEN, 8) == 0);
}

static inline void bind_window(struct walk *w)
{
	struct ibv_mw_bind bind;
	struct ibv_mw *mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_1);
	uint32_t rkey;

	if (!print_object("window", mw))
		return;
	rkey = mw->rkey;
	printf("next key: %u\n", (ibv_inc_rkey(rkey) - rkey) & 0xff);
	memset(&bind, 0, sizeof(bind));
	bind.wr_id = 6;
	bind.send_flags = IBV_SEND_SIGNALED;
	bind.bind_info.mr = w->mr;
	bind.bind_info.addr = (uintptr_t)w->memory;
	bind.bind_info.length = LEN;
	bind.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
	NEED(w, ibv_bind_mw(w->a, mw, &bind) == 0);
	print_completion(w);
	NEED(w, ibv_dealloc_mw(mw) == 0);
}

static inline void make_srq(struct walk *w)
{
	struct ibv_srq_init_attr_ex attr;
	struct ibv_srq *srq;
	uint32_t number;

	memset(&attr, 0, sizeof(attr));
	attr.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
	attr.srq_type = IBV_SRQT_BASIC;
	attr.pd = w->pd;
	attr.attr.max_wr = 4;
	attr.attr.max_sge = 1;
	srq = ibv_create_srq_ex(w->ctx, &attr);
	NEED(w, srq);
	/* a basic SRQ has no number */
	NEED(w, ibv_get_srq_num(srq, &number) != 0);
	NEED(w, ibv_destroy_srq(srq) == 0);
}

/* -- all steps -- */

static inline void open_device(struct walk *w, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			w->ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	NEED(w, w->ctx);
	NEED(w, verbs_get_ctx(w->ctx));
}

static inline void close_all(struct walk *w)
{
	NEED(w, ibv_destroy_qp(w->a) == 0);
	NEED(w, ibv_destroy_qp(w->b) == 0);
	NEED(w, ibv_destroy_cq(ibv_cq_ex_to_cq(w->cq)) == 0);
	NEED(w, ibv_dereg_mr(w->mr) == 0);
	NEED(w, ibv_dealloc_pd(w->pd) == 0);
	NEED(w, ibv_close_device(w->ctx) == 0);
	free(w->memory);
}

typedef void (*walk_step)(struct walk *w);

static const walk_step walk_steps[] = {
	query_attributes,
	make_objects,
	connect_both,
	make_optional_objects,
	flow,
	make_srq,
	send_with_wr_api,
	rdma_with_wr_api,
	post_with_post_send,
	bind_window,
	close_all,
};

#define NR_WALK_STEPS (sizeof(walk_steps) / sizeof(walk_steps[0]))

#endif
