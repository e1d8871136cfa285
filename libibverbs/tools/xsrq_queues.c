// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The queues of ibv_xsrq_pingpong: see xsrq.h. XRC queue pairs are halves: one
 * sends (the initiator), the other receives (the target) and belongs to a
 * domain instead of a queue.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool_device.h"
#include "tools/tool_queue.h"
#include "tools/xsrq.h"

static int open_device(struct xsrq_world *world)
{
	const struct xsrq_options *options = world->options;
	struct ibv_port_attr port;

	world->context = tool_open(options->device);
	if (!world->context)
		return -ENODEV;
	if (ibv_query_port(world->context, options->ib_port, &port) != 0) {
		fprintf(stderr, "Failed to get port info: port %u of %s\n",
			options->ib_port,
			ibv_get_device_name(world->context->device));
		return -EINVAL;
	}
	world->end = (struct tool_end){ .port = options->ib_port,
					.sl = options->sl,
					.gid_index = options->gid_index };
	return tool_end_find(world->context, &port, &world->end);
}

static int check_odp(struct xsrq_world *world)
{
	const uint32_t needed = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
				IBV_ODP_SUPPORT_SRQ_RECV;
	struct ibv_device_attr_ex attr;

	if (ibv_query_device_ex(world->context, NULL, &attr) == 0 &&
	    (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) &&
	    (attr.xrc_odp_caps & needed) == needed)
		return 0;
	fprintf(stderr, "The device isn't ODP capable or does not support XRC "
			"send, receive and srq with ODP\n");
	return -EOPNOTSUPP;
}

static int open_memory(struct xsrq_world *world)
{
	const struct xsrq_options *options = world->options;
	int access = IBV_ACCESS_LOCAL_WRITE;

	if (options->odp) {
		int ret = check_odp(world);

		if (ret)
			return ret;
		access |= IBV_ACCESS_ON_DEMAND;
	}
	world->pd = ibv_alloc_pd(world->context);
	if (!world->pd)
		return tool_failed("allocate PD");
	world->buffer = calloc(1, options->size);
	if (!world->buffer)
		return tool_failed("allocate work buf");
	world->mr = ibv_reg_mr(world->pd, world->buffer, options->size, access);
	return world->mr ? 0 : tool_failed("register MR");
}

static int open_srq(struct xsrq_world *world)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, /* nobody else is to find it */
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 2 * world->options->clients, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = world->pd,
	};

	world->xrcd = ibv_open_xrcd(world->context, &domain);
	if (!world->xrcd)
		return tool_failed("open the XRC domain");
	if (world->options->events) {
		world->channel = ibv_create_comp_channel(world->context);
		if (!world->channel)
			return tool_failed("create completion channel");
	}
	world->cq = ibv_create_cq(world->context, 3 * world->options->clients,
				  NULL, world->channel, 0);
	if (!world->cq)
		return tool_failed("create CQ");
	attr.xrcd = world->xrcd;
	attr.cq = world->cq;
	world->srq = ibv_create_srq_ex(world->context, &attr);
	return world->srq ? 0 : tool_failed("create SRQ");
}

static int change(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		  enum ibv_qp_state state, int mask, const char *what)
{
	int ret;

	attr->qp_state = state;
	ret = ibv_modify_qp(qp, attr, IBV_QP_STATE | mask);
	if (ret)
		fprintf(stderr, "Failed to modify %s: %s\n", what,
			strerror(ret));
	return ret ? -EIO : 0;
}

static int open_peer(struct xsrq_world *world, struct xsrq_peer *peer)
{
	const int mask = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	struct ibv_qp_init_attr_ex receive = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = world->xrcd,
	};
	struct ibv_qp_init_attr_ex send = {
		.qp_type = IBV_QPT_XRC_SEND,
		.send_cq = world->cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = world->pd,
	};
	struct ibv_qp_attr attr = { .port_num = world->end.port };
	uint32_t srqn;
	int ret = ibv_get_srq_num(world->srq, &srqn);

	if (ret) {
		fprintf(stderr, "Couldn't get SRQ num: %s\n", strerror(ret));
		return -EIO;
	}
	peer->receive_qp = ibv_create_qp_ex(world->context, &receive);
	if (!peer->receive_qp)
		return tool_failed("create recv QP");
	peer->send_qp = ibv_create_qp_ex(world->context, &send);
	if (!peer->send_qp)
		return tool_failed("create send QP");
	peer->local = (struct xsrq_address){
		.lid = world->end.lid,
		.receive_qpn = peer->receive_qp->qp_num,
		.send_qpn = peer->send_qp->qp_num,
		.psn = tool_psn(),
		.srqn = srqn,
		.gid = world->end.gid,
	};
	ret = change(peer->receive_qp, &attr, IBV_QPS_INIT, mask,
		     "recv QP to INIT");
	if (ret == 0)
		ret = change(peer->send_qp, &attr, IBV_QPS_INIT, mask,
			     "send QP to INIT");
	return ret;
}

int xsrq_open(struct xsrq_world *world)
{
	uint32_t clients = world->options->clients;
	int ret = open_device(world);

	if (ret == 0)
		ret = open_memory(world);
	if (ret == 0)
		ret = open_srq(world);
	if (ret)
		return ret;
	world->peers = calloc(clients, sizeof(*world->peers));
	if (!world->peers)
		return tool_failed("allocate memory");
	for (uint32_t i = 0; i < clients; i++)
		world->peers[i].fd = -1;
	for (uint32_t i = 0; i < clients && ret == 0; i++)
		ret = open_peer(world, &world->peers[i]);
	return ret;
}

int xsrq_connect(struct xsrq_world *world, struct xsrq_peer *peer)
{
	const int route = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN;
	const int time = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	struct ibv_qp_attr attr = {
		.path_mtu = tool_mtu(world->options->mtu),
		.dest_qp_num = peer->remote.send_qpn,
		.rq_psn = peer->remote.psn,
		.sq_psn = peer->local.psn,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = TOOL_RNR_TIMER,
		.timeout = TOOL_TIMEOUT,
		.retry_cnt = TOOL_RETRIES,
		.rnr_retry = TOOL_RNR_ENDLESS,
		.ah_attr = tool_route(&world->end, peer->remote.lid,
				      &peer->remote.gid),
	};
	int ret;

	ret = change(peer->receive_qp, &attr, IBV_QPS_RTR,
		     route | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		     "recv QP to RTR");
	if (ret == 0)
		ret = change(peer->receive_qp, &attr, IBV_QPS_RTS, time,
			     "recv QP to RTS");
	attr.dest_qp_num = peer->remote.receive_qpn;
	if (ret == 0)
		ret = change(peer->send_qp, &attr, IBV_QPS_RTR, route,
			     "send QP to RTR");
	if (ret == 0)
		ret = change(peer->send_qp, &attr, IBV_QPS_RTS,
			     time | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_MAX_QP_RD_ATOMIC,
			     "send QP to RTS");
	return ret;
}

int xsrq_close(struct xsrq_world *world)
{
	int bad = 0;

	for (uint32_t i = 0; world->peers && i < world->options->clients; i++) {
		struct xsrq_peer *peer = &world->peers[i];

		if (peer->send_qp)
			bad += tool_gone(ibv_destroy_qp(peer->send_qp),
					 "send QP");
		if (peer->receive_qp)
			bad += tool_gone(ibv_destroy_qp(peer->receive_qp),
					 "recv QP");
	}
	free(world->peers);
	if (world->srq)
		bad += tool_gone(ibv_destroy_srq(world->srq), "SRQ");
	if (world->cq)
		bad += tool_gone(ibv_destroy_cq(world->cq), "CQ");
	if (world->channel)
		bad += tool_gone(ibv_destroy_comp_channel(world->channel),
				 "completion channel");
	if (world->xrcd)
		bad += tool_gone(ibv_close_xrcd(world->xrcd), "XRC domain");
	if (world->mr)
		bad += tool_gone(ibv_dereg_mr(world->mr), "MR");
	free(world->buffer);
	if (world->pd)
		bad += tool_gone(ibv_dealloc_pd(world->pd), "PD");
	if (world->context)
		bad += tool_gone(ibv_close_device(world->context), "context");
	return bad ? -EIO : 0;
}
