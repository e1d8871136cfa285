/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces libibverbs, the GSI, the clock and the timer: two devices, the
 * client's with the address 127.0.0.1 and the server's with 127.0.0.2, and a
 * link between them. MADs are delivered by api_net_deliver() or by a thread. A
 * third device, 10.0.0.3, has no GSI; tests of the kernel's connection manager
 * add it to the list.
 */
#ifndef LIBRDMACM_API_NET_H
#define LIBRDMACM_API_NET_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define API_NET_MS	   1000000ULL
#define API_NET_PORT	   7174
#define API_NET_MAX_RD	   16
#define API_NET_NR_CHANGES 16

/* Calls of ibv_modify_qp() and ibv_attach_mcast() for one QP */
struct api_net_qp {
	struct ibv_qp qp;
	union ibv_gid group; /* of the last ibv_attach_mcast() */
	struct ibv_ece ece;  /* of the last ibv_set_ece() */
	struct ibv_xrcd *xrcd;
	unsigned int nr_changes;
	struct api_net_change {
		struct ibv_qp_attr attr;
		int mask;
	} changes[API_NET_NR_CHANGES];
};

struct api_net {
	unsigned int nr_devices; /* that ibv_get_device_list() returns */
	unsigned int nr_drops;	 /* lose the next MADs */
	int create_ret;		 /* of ibv_create_qp(), errno value */
	int modify_ret;		 /* of ibv_modify_qp(), errno value */
	int claim_ret;		 /* of claim_service(), errno value */
	int watch_ret;		 /* of watch_owner(), errno value */
	int attach_ret;		 /* of ibv_attach_mcast(), errno value */
	/* Of new QPs; without a vendor, ECE is not supported. A QP accepts the
	 * options that it has itself. */
	struct ibv_ece ece;
	bool has_xrc;  /* devices support XRC */
	bool has_ipv6; /* the client's device also has the address ::1 */
	/* Opens the node of the kernel's connection manager; NULL: there is
	 * none */
	int (*open_node)(int *ret_fd);
	/* Counts */
	atomic_uint nr_claims, nr_pds, nr_cqs, nr_qps, nr_comp_channels;
	atomic_uint nr_sent, nr_attached;
};

extern struct api_net api_net;

/* The ops of a device that are called through its context; in api_net_verbs.c
 */
void api_net_set_ops(struct verbs_context *verbs);

/* Setup of a test: no claims, MADs or faults, two devices. */
int api_net_reset(void **state);

/* Sends a MAD from the client's device to the server's. */
void api_net_inject(const uint8_t *mad);
/* Reports to both devices that the process of one of them has ended. */
void api_net_end_owner(unsigned int device);
/* Delivers MADs until there are none. */
void api_net_deliver(void);
/* Moves the clock, and processes the deadlines up to then. */
void api_net_advance(uint64_t duration_ns);

/* A thread delivers MADs as they are sent. */
void api_net_start_thread(void);
void api_net_stop_thread(void);

/* The last two bytes of an address of 127.0.0.0/8, and a port */
struct sockaddr *api_net_address(uint8_t host, uint16_t port);

struct api_net_qp *api_net_qp_of(const struct rdma_cm_id *id);

/* Fetches and acknowledges the next event, which must be of this type. */
void api_net_expect(struct rdma_event_channel *channel,
		    enum rdma_cm_event_type type, int status);
/* The same; returns the event, which the caller acknowledges. */
struct rdma_cm_event *api_net_fetch(struct rdma_event_channel *channel,
				    enum rdma_cm_event_type type);
/* Fetches and acknowledges a CONNECT_REQUEST; returns the new id. */
struct rdma_cm_id *api_net_fetch_request(struct rdma_event_channel *channel);
/* A call must have returned -1 with this errno. */
void api_net_expect_errno(int ret, int expected);
void api_net_expect_nothing(struct rdma_event_channel *channel);

/* A channel that does not block */
struct rdma_event_channel *api_net_channel(void);

/* An id on the channel that listens at the server's address, in the port space
 * TCP or in another one. */
struct rdma_cm_id *api_net_listen(struct rdma_event_channel *channel);
struct rdma_cm_id *api_net_listen_in(struct rdma_event_channel *channel,
				     enum rdma_port_space ps);
/* An id with a route to the server, or to another address, and a QP. */
struct rdma_cm_id *api_net_route(struct rdma_event_channel *channel);
struct rdma_cm_id *api_net_route_in(struct rdma_event_channel *channel,
				    enum rdma_port_space ps);
struct rdma_cm_id *api_net_route_to(struct rdma_event_channel *channel,
				    enum rdma_port_space ps,
				    struct sockaddr *src, struct sockaddr *dst);
void api_net_create_qp(struct rdma_cm_id *id);

/* An established connection; all events are acknowledged. */
void api_net_connect(struct rdma_event_channel *client_channel,
		     struct rdma_event_channel *server_channel,
		     struct rdma_cm_id **ret_client,
		     struct rdma_cm_id **ret_server);

/* Ends a test that has destroyed its ids. Return: 0, or -1 if anything is left.
 */
int api_net_end(struct rdma_event_channel *client_channel,
		struct rdma_event_channel *server_channel);

/* Destroys the QP, if any, and the id. */
void api_net_destroy(struct rdma_cm_id *id);

#endif
