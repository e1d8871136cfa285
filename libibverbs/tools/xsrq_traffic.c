// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The message exchange of ibv_xsrq_pingpong: see xsrq.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool_queue.h"
#include "tools/xsrq.h"

/* Values of wr_id. */
enum { XSRQ_WR_RECEIVE = 1, XSRQ_WR_SEND = 2 };

struct xsrq_traffic_state {
	struct xsrq_session *session;
	uint64_t sent; /* totals of all peers */
	uint64_t received;
	unsigned int events;
};

static struct ibv_sge xsrq_message_sge(const struct xsrq_session *session)
{
	return (struct ibv_sge){ .addr = (uintptr_t)session->buffer,
				 .length = session->options->size,
				 .lkey = session->mr->lkey };
}

static int xsrq_post_receive(struct xsrq_session *session)
{
	struct ibv_sge sge = xsrq_message_sge(session);
	struct ibv_recv_wr wr = { .wr_id = XSRQ_WR_RECEIVE,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;
	int ret = ibv_post_srq_recv(session->srq, &wr, &bad);

	if (ret)
		fprintf(stderr, "Failed to post receive to SRQ: %s\n",
			strerror(ret));
	return ret ? -EIO : 0;
}

/*
 * Posts the next send to a peer, if one is due. The send queue has one entry,
 * and the peer's message may arrive before the completion of the previous send.
 */
static int xsrq_post_send(struct xsrq_session *session, struct xsrq_peer *peer)
{
	struct ibv_sge sge = xsrq_message_sge(session);
	struct ibv_send_wr wr = { .wr_id = XSRQ_WR_SEND,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	int ret;

	if (peer->sending || !peer->due ||
	    peer->posted == session->options->tests)
		return 0;
	wr.qp_type.xrc.remote_srqn = peer->remote.srqn;
	ret = ibv_post_send(peer->send_qp, &wr, &bad);
	if (ret) {
		fprintf(stderr, "Couldn't post send: %s\n", strerror(ret));
		return -EIO;
	}
	peer->sending = true;
	peer->due--;
	peer->posted++;
	return 0;
}

static struct xsrq_peer *
xsrq_find_peer_by_send_qpn(struct xsrq_session *session, uint32_t qpn)
{
	for (uint32_t i = 0; i < session->options->clients; i++)
		if (session->peers[i].local.send_qpn == qpn)
			return &session->peers[i];
	return NULL;
}

/*
 * Finds the sender of a received message. Depending on the device, wc->qp_num
 * is the number of the local XRC target QP, or only wc->src_qp identifies the
 * peer.
 */
static struct xsrq_peer *xsrq_find_peer_by_receive(struct xsrq_session *session,
						   const struct ibv_wc *wc)
{
	uint32_t clients = session->options->clients;

	for (uint32_t i = 0; i < clients; i++)
		if (session->peers[i].local.receive_qpn == wc->qp_num)
			return &session->peers[i];
	for (uint32_t i = 0; i < clients; i++)
		if (session->peers[i].remote.send_qpn == wc->src_qp)
			return &session->peers[i];
	return clients == 1 ? session->peers : NULL;
}

static int xsrq_handle_completion(struct xsrq_traffic_state *traffic,
				  const struct ibv_wc *wc)
{
	struct xsrq_session *session = traffic->session;
	struct xsrq_peer *peer;
	int ret = 0;

	if (wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "Work completion error %d: %s\n", wc->status,
			ibv_wc_status_str(wc->status));
		return -EIO;
	}
	peer = wc->wr_id == XSRQ_WR_SEND
		       ? xsrq_find_peer_by_send_qpn(session, wc->qp_num)
		       : xsrq_find_peer_by_receive(session, wc);
	if (!peer) {
		fprintf(stderr, "Unable to find qp %x\n", wc->qp_num);
		return -EIO;
	}
	if (wc->wr_id == XSRQ_WR_SEND) {
		peer->sending = false;
		traffic->sent++;
	} else {
		peer->due++;
		traffic->received++;
		ret = xsrq_post_receive(session);
	}
	return ret ? ret : xsrq_post_send(session, peer);
}

static bool xsrq_traffic_is_finished(const struct xsrq_traffic_state *traffic)
{
	const struct xsrq_options *options = traffic->session->options;
	uint64_t all = (uint64_t)options->tests * options->clients;

	return traffic->sent >= all && traffic->received >= all;
}

static int xsrq_poll_cq(struct xsrq_traffic_state *traffic)
{
	while (!xsrq_traffic_is_finished(traffic)) {
		struct ibv_wc wc;
		int ret = ibv_poll_cq(traffic->session->cq, 1, &wc);

		if (ret < 0) {
			fprintf(stderr, "Error polling cq %d\n", ret);
			return -EIO;
		}
		if (ret == 0)
			return 0;
		ret = xsrq_handle_completion(traffic, &wc);
		if (ret)
			return ret;
	}
	return 0;
}

int xsrq_prepare_receives(struct xsrq_session *session)
{
	int ret = 0;

	/* each peer has one message in flight and may send the next one soon */
	for (uint32_t i = 0; i < 2 * session->options->clients && ret == 0; i++)
		ret = xsrq_post_receive(session);
	if (ret == 0 && session->channel &&
	    ibv_req_notify_cq(session->cq, 0) != 0) {
		fprintf(stderr, "Couldn't request CQ notification\n");
		ret = -EIO;
	}
	return ret;
}

int xsrq_exchange_messages(struct xsrq_session *session)
{
	struct xsrq_traffic_state traffic = { .session = session };
	int ret = 0;

	for (uint32_t i = 0; i < session->options->clients && ret == 0; i++)
		if (!session->options->host) {
			session->peers[i].due = 1;
			ret = xsrq_post_send(session, &session->peers[i]);
		}
	while (ret == 0 && !xsrq_traffic_is_finished(&traffic)) {
		if (session->channel)
			ret = tool_wait_cq_event(session->channel, session->cq,
						 &traffic.events);
		if (ret == 0)
			ret = xsrq_poll_cq(&traffic);
	}
	if (traffic.events)
		ibv_ack_cq_events(session->cq, traffic.events);
	return ret;
}
