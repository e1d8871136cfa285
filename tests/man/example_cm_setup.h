/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that the examples of the pages of librdmacm use, with the names
 * that the pages use. A thread plays the peer: it accepts every connection to
 * the address, and completes every connection that the setup begins.
 * check_examples.py includes this file in front of each example that is not a
 * complete program, and puts the example into the function example().
 */
#ifndef MAN_EXAMPLE_CM_SETUP_H
#define MAN_EXAMPLE_CM_SETUP_H

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/ib.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXAMPLE_TIMEOUT_MS 2000

static struct sockaddr_in address;	   /* of the peer, which listens */
static struct rdma_event_channel *channel; /* no event is pending */
static struct rdma_cm_id *id;		   /* connected to the peer */
static struct rdma_cm_id *new_id;	   /* route resolved, with a QP */
static struct rdma_cm_id *listener;	/* a request of the peer is pending */
static struct ibv_qp_init_attr qp_attr; /* RC, CQs of the library */
static char buf[8192];			/* in the memory region mr */
static struct ibv_mr *mr;
static uint64_t remote_addr; /* second half of buf */
static uint32_t rkey;

static struct rdma_event_channel *peer_channel;
static struct rdma_cm_id *peer_listener;
static char peer_buf[4096];
static struct ibv_mr *peer_mr;

static int example(void);

static void require_success(int ret, const char *call)
{
	if (ret)
		err(1, "%s", call);
}

static void *require_object(void *object, const char *call)
{
	if (!object)
		err(1, "%s", call);
	return object;
}

/* The library writes to the attributes. */
static void create_qp(struct rdma_cm_id *of)
{
	struct ibv_qp_init_attr attr = qp_attr;

	require_success(rdma_create_qp(of, NULL, &attr), "rdma_create_qp");
}

static struct rdma_cm_id *create_id(struct rdma_event_channel *of)
{
	struct rdma_cm_id *created = NULL;

	require_success(rdma_create_id(of, &created, NULL, RDMA_PS_TCP),
			"rdma_create_id");
	return created;
}

static void accept_request(struct rdma_cm_id *request)
{
	create_qp(request);
	if (!peer_mr)
		peer_mr = require_object(
			rdma_reg_msgs(request, peer_buf, sizeof(peer_buf)),
			"rdma_reg_msgs");
	for (int i = 0; i < 4; i++)
		require_success(rdma_post_recv(request, NULL, peer_buf,
					       sizeof(peer_buf), peer_mr),
				"rdma_post_recv");
	require_success(rdma_accept(request, NULL), "rdma_accept");
}

static void *play_peer(void *unused)
{
	struct rdma_cm_event *event;

	while (rdma_get_cm_event(peer_channel, &event) == 0) {
		struct rdma_cm_id *of = event->id;
		enum rdma_cm_event_type type = event->event;

		(void)rdma_ack_cm_event(event);
		if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
			accept_request(of);
		else if (type == RDMA_CM_EVENT_DISCONNECTED)
			(void)rdma_disconnect(of);
	}
	return unused;
}

static void wait_for_event(struct rdma_event_channel *of,
			   enum rdma_cm_event_type expected)
{
	struct rdma_cm_event *event;

	require_success(rdma_get_cm_event(of, &event), "rdma_get_cm_event");
	if (event->event != expected)
		errx(1, "%s instead of %s", rdma_event_str(event->event),
		     rdma_event_str(expected));
	require_success(rdma_ack_cm_event(event), "rdma_ack_cm_event");
}

static void resolve(struct rdma_cm_id *of, struct sockaddr *to)
{
	require_success(rdma_resolve_addr(of, NULL, to, EXAMPLE_TIMEOUT_MS),
			"rdma_resolve_addr");
	wait_for_event(of->channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	require_success(rdma_resolve_route(of, EXAMPLE_TIMEOUT_MS),
			"rdma_resolve_route");
	wait_for_event(of->channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	create_qp(of);
}

static struct rdma_cm_id *create_listener(struct rdma_event_channel *of)
{
	struct sockaddr_in any_port = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct rdma_cm_id *created = create_id(of);

	require_success(rdma_bind_addr(created, (struct sockaddr *)&any_port),
			"rdma_bind_addr");
	require_success(rdma_listen(created, 0), "rdma_listen");
	return created;
}

static void create_objects(void)
{
	struct rdma_cm_id *client;
	pthread_t thread;

	qp_attr.cap.max_send_wr = 16;
	qp_attr.cap.max_recv_wr = 16;
	qp_attr.cap.max_send_sge = 2;
	qp_attr.cap.max_recv_sge = 2;
	qp_attr.cap.max_inline_data = 64;
	qp_attr.qp_type = IBV_QPT_RC;
	channel = require_object(rdma_create_event_channel(),
				 "rdma_create_event_channel");
	peer_channel = require_object(rdma_create_event_channel(),
				      "rdma_create_event_channel");
	peer_listener = create_listener(peer_channel);
	memcpy(&address, rdma_get_local_addr(peer_listener), sizeof(address));
	listener = create_listener(require_object(rdma_create_event_channel(),
						  "rdma_create_event_channel"));

	client = create_id(peer_channel);
	resolve(client, rdma_get_local_addr(listener));
	require_success(rdma_connect(client, NULL), "rdma_connect");
	require_success(pthread_create(&thread, NULL, play_peer, NULL),
			"pthread_create");

	id = create_id(channel);
	resolve(id, (struct sockaddr *)&address);
	require_success(rdma_connect(id, NULL), "rdma_connect");
	wait_for_event(channel, RDMA_CM_EVENT_ESTABLISHED);
	new_id = create_id(channel);
	resolve(new_id, (struct sockaddr *)&address);
	mr = require_object(ibv_reg_mr(id->pd, buf, sizeof(buf),
				       IBV_ACCESS_LOCAL_WRITE |
					       IBV_ACCESS_REMOTE_READ |
					       IBV_ACCESS_REMOTE_WRITE),
			    "ibv_reg_mr");
	remote_addr = (uintptr_t)buf + sizeof(buf) / 2;
	rkey = mr->rkey;
}

int main(void)
{
	/* An example that blocks is killed. */
	(void)alarm(60);
	create_objects();
	return example();
}

#endif
