// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The queues of ibv_xsrq_pingpong: see xsrq.h. An XRC queue pair has one
 * direction: the initiator (XRC_SEND) sends, the target (XRC_RECV) receives.
 * The target belongs to an XRC domain and consumes receives of the domain's
 * SRQs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool_device.h"
#include "tools/tool_queue.h"
#include "tools/xsrq.h"

static int xsrq_open_device(struct xsrq_session *session)
{
	const struct xsrq_options *options = session->options;
	struct ibv_port_attr port;

	session->context = tool_open_device(options->device);
	if (!session->context)
		return -ENODEV;
	if (ibv_query_port(session->context, options->ib_port, &port) != 0) {
		fprintf(stderr, "Failed to get port info: port %u of %s\n",
			options->ib_port,
			ibv_get_device_name(session->context->device));
		return -EINVAL;
	}
	session->endpoint =
		(struct tool_endpoint){ .port = options->ib_port,
					.sl = options->sl,
					.gid_index = options->gid_index };
	return tool_endpoint_query(session->context, &port, &session->endpoint);
}

static int xsrq_check_odp_caps(struct xsrq_session *session)
{
	const uint32_t needed = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
				IBV_ODP_SUPPORT_SRQ_RECV;
	struct ibv_device_attr_ex attr;

	if (ibv_query_device_ex(session->context, NULL, &attr) == 0 &&
	    (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) &&
	    (attr.xrc_odp_caps & needed) == needed)
		return 0;
	fprintf(stderr, "The device isn't ODP capable or does not support XRC "
			"send, receive and srq with ODP\n");
	return -EOPNOTSUPP;
}

static int xsrq_register_memory(struct xsrq_session *session)
{
	const struct xsrq_options *options = session->options;
	int access = IBV_ACCESS_LOCAL_WRITE;

	if (options->odp) {
		int ret = xsrq_check_odp_caps(session);

		if (ret)
			return ret;
		access |= IBV_ACCESS_ON_DEMAND;
	}
	session->pd = ibv_alloc_pd(session->context);
	if (!session->pd)
		return tool_print_failure("allocate PD");
	session->buffer = calloc(1, options->size);
	if (!session->buffer)
		return tool_print_failure("allocate work buf");
	session->mr =
		ibv_reg_mr(session->pd, session->buffer, options->size, access);
	return session->mr ? 0 : tool_print_failure("register MR");
}

static int xsrq_create_srq(struct xsrq_session *session)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, /* private domain: not shared through a file */
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 2 * session->options->clients,
			  .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = session->pd,
	};

	session->xrcd = ibv_open_xrcd(session->context, &domain);
	if (!session->xrcd)
		return tool_print_failure("open the XRC domain");
	if (session->options->events) {
		session->channel = ibv_create_comp_channel(session->context);
		if (!session->channel)
			return tool_print_failure("create completion channel");
	}
	session->cq = ibv_create_cq(session->context,
				    3 * (int)session->options->clients, NULL,
				    session->channel, 0);
	if (!session->cq)
		return tool_print_failure("create CQ");
	attr.xrcd = session->xrcd;
	attr.cq = session->cq;
	session->srq = ibv_create_srq_ex(session->context, &attr);
	return session->srq ? 0 : tool_print_failure("create SRQ");
}

static int xsrq_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
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

static int xsrq_create_peer_qps(struct xsrq_session *session,
				struct xsrq_peer *peer)
{
	const int mask = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	struct ibv_qp_init_attr_ex receive = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = session->xrcd,
	};
	struct ibv_qp_init_attr_ex send = {
		.qp_type = IBV_QPT_XRC_SEND,
		.send_cq = session->cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = session->pd,
	};
	struct ibv_qp_attr attr = { .port_num = session->endpoint.port };
	uint32_t srqn;
	int ret = ibv_get_srq_num(session->srq, &srqn);

	if (ret) {
		fprintf(stderr, "Couldn't get SRQ num: %s\n", strerror(ret));
		return -EIO;
	}
	peer->receive_qp = ibv_create_qp_ex(session->context, &receive);
	if (!peer->receive_qp)
		return tool_print_failure("create recv QP");
	peer->send_qp = ibv_create_qp_ex(session->context, &send);
	if (!peer->send_qp)
		return tool_print_failure("create send QP");
	peer->local = (struct xsrq_address){
		.lid = session->endpoint.lid,
		.receive_qpn = peer->receive_qp->qp_num,
		.send_qpn = peer->send_qp->qp_num,
		.psn = tool_random_psn(),
		.srqn = srqn,
		.gid = session->endpoint.gid,
	};
	ret = xsrq_modify_qp(peer->receive_qp, &attr, IBV_QPS_INIT, mask,
			     "recv QP to INIT");
	if (ret == 0)
		ret = xsrq_modify_qp(peer->send_qp, &attr, IBV_QPS_INIT, mask,
				     "send QP to INIT");
	return ret;
}

int xsrq_open(struct xsrq_session *session)
{
	uint32_t clients = session->options->clients;
	int ret = xsrq_open_device(session);

	if (ret == 0)
		ret = xsrq_register_memory(session);
	if (ret == 0)
		ret = xsrq_create_srq(session);
	if (ret)
		return ret;
	session->peers = calloc(clients, sizeof(*session->peers));
	if (!session->peers)
		return tool_print_failure("allocate memory");
	for (uint32_t i = 0; i < clients; i++)
		session->peers[i].fd = -1;
	for (uint32_t i = 0; i < clients && ret == 0; i++)
		ret = xsrq_create_peer_qps(session, &session->peers[i]);
	return ret;
}

int xsrq_connect_peer(struct xsrq_session *session, struct xsrq_peer *peer)
{
	const int route = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN;
	const int time = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	struct ibv_qp_attr attr = {
		.path_mtu = tool_mtu_from_bytes(session->options->mtu),
		.dest_qp_num = peer->remote.send_qpn,
		.rq_psn = peer->remote.psn,
		.sq_psn = peer->local.psn,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = TOOL_RNR_TIMER,
		.timeout = TOOL_TIMEOUT,
		.retry_cnt = TOOL_RETRIES,
		.rnr_retry = TOOL_RNR_ENDLESS,
		.ah_attr = tool_ah_attr(&session->endpoint, peer->remote.lid,
					&peer->remote.gid),
	};
	int ret;

	ret = xsrq_modify_qp(peer->receive_qp, &attr, IBV_QPS_RTR,
			     route | IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER,
			     "recv QP to RTR");
	if (ret == 0)
		ret = xsrq_modify_qp(peer->receive_qp, &attr, IBV_QPS_RTS, time,
				     "recv QP to RTS");
	attr.dest_qp_num = peer->remote.receive_qpn;
	if (ret == 0)
		ret = xsrq_modify_qp(peer->send_qp, &attr, IBV_QPS_RTR, route,
				     "send QP to RTR");
	if (ret == 0)
		ret = xsrq_modify_qp(peer->send_qp, &attr, IBV_QPS_RTS,
				     time | IBV_QP_RETRY_CNT |
					     IBV_QP_RNR_RETRY |
					     IBV_QP_MAX_QP_RD_ATOMIC,
				     "send QP to RTS");
	return ret;
}

int xsrq_close(struct xsrq_session *session)
{
	int bad = 0;

	for (uint32_t i = 0; session->peers && i < session->options->clients;
	     i++) {
		struct xsrq_peer *peer = &session->peers[i];

		if (peer->send_qp)
			bad += tool_check_destroyed(
				ibv_destroy_qp(peer->send_qp), "send QP");
		if (peer->receive_qp)
			bad += tool_check_destroyed(
				ibv_destroy_qp(peer->receive_qp), "recv QP");
	}
	free(session->peers);
	if (session->srq)
		bad += tool_check_destroyed(ibv_destroy_srq(session->srq),
					    "SRQ");
	if (session->cq)
		bad += tool_check_destroyed(ibv_destroy_cq(session->cq), "CQ");
	if (session->channel)
		bad += tool_check_destroyed(
			ibv_destroy_comp_channel(session->channel),
			"completion channel");
	if (session->xrcd)
		bad += tool_check_destroyed(ibv_close_xrcd(session->xrcd),
					    "XRC domain");
	if (session->mr)
		bad += tool_check_destroyed(ibv_dereg_mr(session->mr), "MR");
	free(session->buffer);
	if (session->pd)
		bad += tool_check_destroyed(ibv_dealloc_pd(session->pd), "PD");
	if (session->context)
		bad += tool_check_destroyed(ibv_close_device(session->context),
					    "context");
	return bad ? -EIO : 0;
}
