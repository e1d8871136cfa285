/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that the examples of the manual pages use: an open device and one
 * object of each common type, with the names that the pages use. Each queue
 * pair is connected to itself and receives the messages that it sends.
 * check_examples.py includes this file in front of each example that is not a
 * complete program, and puts the example into the function example().
 */
#ifndef MAN_EXAMPLE_SETUP_H
#define MAN_EXAMPLE_SETUP_H

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

#define EXAMPLE_QKEY 0x11111111

static struct ibv_device *device;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;	/* for qp and ud_qp; uses the channel */
static struct ibv_cq_ex *cq_ex; /* for qpx */
static struct ibv_srq *srq;
static struct ibv_qp *qp;	/* RC, state RTS */
static struct ibv_qp_ex *qpx;	/* RC, state RTS, with ibv_wr_*() */
static struct ibv_qp *ud_qp;	/* UD, state RTS */
static struct ibv_ah *ah;	/* destination: this port */
static struct ibv_ah_attr path; /* address vector of this port */
static struct ibv_mr *mr;	/* all of buf, all access flags */
static char buf[8192] __attribute__((aligned(4096)));
static uint64_t remote_addr; /* second half of buf */
static uint32_t rkey, remote_qpn, remote_qkey;

static int example(void);

static void *require_object(void *object, const char *call)
{
	if (!object)
		err(1, "%s", call);
	return object;
}

static void modify_qp(struct ibv_qp *q, struct ibv_qp_attr attr, int mask)
{
	errno = ibv_modify_qp(q, &attr, mask);
	if (errno)
		err(1, "ibv_modify_qp");
}

static void init_address_vector(void)
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
	errx(1, "no RoCEv2 GID with an IPv4 address");
}

static void connect_rc_qp(struct ibv_qp *q)
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
	modify_qp(q, attr,
		  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS);
	attr.qp_state = IBV_QPS_RTR;
	modify_qp(q, attr,
		  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	modify_qp(q, attr,
		  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC);
}

static void activate_ud_qp(struct ibv_qp *q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = EXAMPLE_QKEY,
	};

	modify_qp(q, attr,
		  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	modify_qp(q, attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	modify_qp(q, attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static void create_qps(void)
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

	qp = require_object(ibv_create_qp(pd, &attr), "ibv_create_qp");
	attr.qp_type = IBV_QPT_UD;
	ud_qp = require_object(ibv_create_qp(pd, &attr), "ibv_create_qp");
	qpx = ibv_qp_to_qp_ex(require_object(
		ibv_create_qp_ex(context, &attr_ex), "ibv_create_qp_ex"));
	connect_rc_qp(qp);
	connect_rc_qp(&qpx->qp_base);
	activate_ud_qp(ud_qp);
	remote_qpn = ud_qp->qp_num;
	remote_qkey = EXAMPLE_QKEY;
}

static void create_objects(void)
{
	struct ibv_device **list = require_object(ibv_get_device_list(NULL),
						  "ibv_get_device_list");
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 64,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = 16, .max_sge = 1 },
	};

	device = list[0];
	context = require_object(device ? ibv_open_device(device) : NULL,
				 "ibv_open_device");
	ibv_free_device_list(list);
	init_address_vector();
	pd = require_object(ibv_alloc_pd(context), "ibv_alloc_pd");
	channel = require_object(ibv_create_comp_channel(context),
				 "ibv_create_comp_channel");
	cq = require_object(ibv_create_cq(context, 64, NULL, channel, 0),
			    "ibv_create_cq");
	cq_ex = require_object(ibv_create_cq_ex(context, &cq_attr),
			       "ibv_create_cq_ex");
	srq = require_object(ibv_create_srq(pd, &srq_attr), "ibv_create_srq");
	ah = require_object(ibv_create_ah(pd, &path), "ibv_create_ah");
	mr = require_object(ibv_reg_mr(pd, buf, sizeof(buf),
				       IBV_ACCESS_LOCAL_WRITE |
					       IBV_ACCESS_REMOTE_WRITE |
					       IBV_ACCESS_REMOTE_READ |
					       IBV_ACCESS_REMOTE_ATOMIC |
					       IBV_ACCESS_MW_BIND),
			    "ibv_reg_mr");
	remote_addr = (uintptr_t)buf + sizeof(buf) / 2;
	rkey = mr->rkey;
	create_qps();
}

int main(void)
{
	/* An example that blocks is killed. */
	(void)alarm(60);
	create_objects();
	return example();
}

#endif
