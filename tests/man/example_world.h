/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the examples of the manual pages take for granted: an open device and an
 * object of each common kind, under the names that the pages use. Queue pairs
 * are connected to themselves, so what one sends it receives. check_examples.py
 * includes this file in front of each example that is not a whole program, and
 * defines example() with it.
 */
#ifndef MAN_EXAMPLE_WORLD_H
#define MAN_EXAMPLE_WORLD_H

#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORLD_QKEY 0x11111111

static struct ibv_device *device;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;	/* of qp, ud_qp; with the channel */
static struct ibv_cq_ex *cq_ex; /* of qpx */
static struct ibv_srq *srq;
static struct ibv_qp *qp;	/* RC, in RTS */
static struct ibv_qp_ex *qpx;	/* the same with ibv_wr_*() */
static struct ibv_qp *ud_qp;	/* UD, in RTS */
static struct ibv_ah *ah;	/* the way to this port */
static struct ibv_ah_attr path; /* the same, for connections */
static struct ibv_mr *mr;	/* all of buf, with all rights */
static char buf[8192] __attribute__((aligned(4096)));
static uint64_t remote_addr; /* the second half of buf */
static uint32_t rkey, remote_qpn, remote_qkey;

static int example(void);

static void *must(void *object, const char *what)
{
	if (!object)
		err(1, "%s", what);
	return object;
}

static void must_modify(struct ibv_qp *q, struct ibv_qp_attr attr, int mask)
{
	errno = ibv_modify_qp(q, &attr, mask);
	if (errno)
		err(1, "ibv_modify_qp");
}

static void find_path(void)
{
	struct ibv_gid_entry table[64];
	ssize_t n = ibv_query_gid_table(context, table, 64, 0);

	for (ssize_t i = 0; i < n; i++) {
		if (table[i].gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    table[i].gid.raw[10] != 0xff)
			continue;
		path.grh.dgid = table[i].gid;
		path.grh.sgid_index = (uint8_t)table[i].gid_index;
		path.grh.hop_limit = 64;
		path.is_global = 1;
		path.port_num = 1;
		return;
	}
	errx(1, "no GID of IPv4");
}

static void connect_rc(struct ibv_qp *q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = q->qp_num,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};

	attr.ah_attr = path;
	must_modify(q, attr,
		    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	attr.qp_state = IBV_QPS_RTR;
	must_modify(q, attr,
		    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	must_modify(q, attr,
		    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			    IBV_QP_MAX_QP_RD_ATOMIC);
}

static void ready_ud(struct ibv_qp *q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = WORLD_QKEY,
	};

	must_modify(q, attr,
		    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	must_modify(q, attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	must_modify(q, attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static void make_qps(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 2,
			 .max_recv_sge = 2,
			 .max_inline_data = 64 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_init_attr_ex attr_ex = {
		.send_cq = ibv_cq_ex_to_cq(cq_ex),
		.recv_cq = ibv_cq_ex_to_cq(cq_ex),
		.cap = attr.cap,
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags =
			IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
			IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ,
	};

	qp = must(ibv_create_qp(pd, &attr), "ibv_create_qp");
	attr.qp_type = IBV_QPT_UD;
	ud_qp = must(ibv_create_qp(pd, &attr), "ibv_create_qp");
	qpx = ibv_qp_to_qp_ex(
		must(ibv_create_qp_ex(context, &attr_ex), "ibv_create_qp_ex"));
	connect_rc(qp);
	connect_rc(&qpx->qp_base);
	ready_ud(ud_qp);
	remote_qpn = ud_qp->qp_num;
	remote_qkey = WORLD_QKEY;
}

static void make_world(void)
{
	struct ibv_device **list = must(ibv_get_device_list(NULL), "list");
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 64,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = 16, .max_sge = 1 },
	};

	device = list[0];
	context = must(device ? ibv_open_device(device) : NULL, "open");
	ibv_free_device_list(list);
	find_path();
	pd = must(ibv_alloc_pd(context), "ibv_alloc_pd");
	channel = must(ibv_create_comp_channel(context), "channel");
	cq = must(ibv_create_cq(context, 64, NULL, channel, 0), "cq");
	cq_ex = must(ibv_create_cq_ex(context, &cq_attr), "cq_ex");
	srq = must(ibv_create_srq(pd, &srq_attr), "srq");
	ah = must(ibv_create_ah(pd, &path), "ah");
	mr = must(ibv_reg_mr(pd, buf, sizeof(buf),
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				     IBV_ACCESS_REMOTE_READ |
				     IBV_ACCESS_REMOTE_ATOMIC |
				     IBV_ACCESS_MW_BIND),
		  "ibv_reg_mr");
	remote_addr = (uintptr_t)buf + sizeof(buf) / 2;
	rkey = mr->rkey;
	make_qps();
}

int main(void)
{
	/* What fails is to be seen, and nothing is to be waited for. */
	(void)alarm(60);
	make_world();
	return example();
}

#endif
