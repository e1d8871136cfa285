// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The messages of ibv_xsrq_pingpong: see xsrq.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool_queue.h"
#include "tools/xsrq.h"

/* Identifiers of requests. */
enum { RECEIVE = 1, SEND = 2 };

struct traffic {
	struct xsrq_world *world;
	uint64_t sent; /* of all peers together */
	uint64_t received;
	unsigned int events;
};

static struct ibv_sge message(const struct xsrq_world *world)
{
	return (struct ibv_sge){ .addr = (uintptr_t)world->buffer,
				 .length = world->options->size,
				 .lkey = world->mr->lkey };
}

static int post_receive(struct xsrq_world *world)
{
	struct ibv_sge sge = message(world);
	struct ibv_recv_wr wr = { .wr_id = RECEIVE,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;
	int ret = ibv_post_srq_recv(world->srq, &wr, &bad);

	if (ret)
		fprintf(stderr, "Failed to post receive to SRQ: %s\n",
			strerror(ret));
	return ret ? -EIO : 0;
}

/*
 * The next message to a peer, if one is due. The peer's message may overtake
 * the acknowledgement of ours; the queue has room for one.
 */
static int post_send(struct xsrq_world *world, struct xsrq_peer *peer)
{
	struct ibv_sge sge = message(world);
	struct ibv_send_wr wr = { .wr_id = SEND,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	int ret;

	if (peer->sending || !peer->due ||
	    peer->posted == world->options->tests)
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

static struct xsrq_peer *find_sender(struct xsrq_world *world, uint32_t qpn)
{
	for (uint32_t i = 0; i < world->options->clients; i++)
		if (world->peers[i].local.send_qpn == qpn)
			return &world->peers[i];
	return NULL;
}

/* Who sent a message: devices tell our queue pair, or only the peer's. */
static struct xsrq_peer *find_peer(struct xsrq_world *world,
				   const struct ibv_wc *wc)
{
	uint32_t clients = world->options->clients;

	for (uint32_t i = 0; i < clients; i++)
		if (world->peers[i].local.receive_qpn == wc->qp_num)
			return &world->peers[i];
	for (uint32_t i = 0; i < clients; i++)
		if (world->peers[i].remote.send_qpn == wc->src_qp)
			return &world->peers[i];
	return clients == 1 ? world->peers : NULL;
}

static int handle(struct traffic *traffic, const struct ibv_wc *wc)
{
	struct xsrq_world *world = traffic->world;
	struct xsrq_peer *peer;
	int ret = 0;

	if (wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "Work completion error %d: %s\n", wc->status,
			ibv_wc_status_str(wc->status));
		return -EIO;
	}
	peer = wc->wr_id == SEND ? find_sender(world, wc->qp_num)
				 : find_peer(world, wc);
	if (!peer) {
		fprintf(stderr, "Unable to find qp %x\n", wc->qp_num);
		return -EIO;
	}
	if (wc->wr_id == SEND) {
		peer->sending = false;
		traffic->sent++;
	} else {
		peer->due++;
		traffic->received++;
		ret = post_receive(world);
	}
	return ret ? ret : post_send(world, peer);
}

static bool finished(const struct traffic *traffic)
{
	const struct xsrq_options *options = traffic->world->options;
	uint64_t all = (uint64_t)options->tests * options->clients;

	return traffic->sent >= all && traffic->received >= all;
}

static int poll_all(struct traffic *traffic)
{
	while (!finished(traffic)) {
		struct ibv_wc wc;
		int ret = ibv_poll_cq(traffic->world->cq, 1, &wc);

		if (ret < 0) {
			fprintf(stderr, "Error polling cq %d\n", ret);
			return -EIO;
		}
		if (ret == 0)
			return 0;
		ret = handle(traffic, &wc);
		if (ret)
			return ret;
	}
	return 0;
}

int xsrq_prepare(struct xsrq_world *world)
{
	int ret = 0;

	/* a peer has one message on its way, and may have the next one soon */
	for (uint32_t i = 0; i < 2 * world->options->clients && ret == 0; i++)
		ret = post_receive(world);
	if (ret == 0 && world->channel &&
	    ibv_req_notify_cq(world->cq, 0) != 0) {
		fprintf(stderr, "Couldn't request CQ notification\n");
		ret = -EIO;
	}
	return ret;
}

int xsrq_traffic(struct xsrq_world *world)
{
	struct traffic traffic = { .world = world };
	int ret = 0;

	for (uint32_t i = 0; i < world->options->clients && ret == 0; i++)
		if (!world->options->host) {
			world->peers[i].due = 1;
			ret = post_send(world, &world->peers[i]);
		}
	while (ret == 0 && !finished(&traffic)) {
		if (world->channel)
			ret = tool_wait(world->channel, world->cq,
					&traffic.events);
		if (ret == 0)
			ret = poll_all(&traffic);
	}
	if (traffic.events)
		ibv_ack_cq_events(world->cq, traffic.events);
	return ret;
}
