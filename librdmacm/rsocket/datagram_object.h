/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a datagram socket: its UDP socket, a UD queue pair for each
 * local address that is in use, its destinations, and received datagrams. The
 * lock of the socket protects all of it.
 */
#ifndef RSOCKET_DATAGRAM_OBJECT_H
#define RSOCKET_DATAGRAM_OBJECT_H

#include "rsocket/datagram_wire.h"
#include "rsocket/socket_object.h"

/* A UD queue pair */
struct datagram_port {
	struct list_node node;			/* in datagram.ports */
	struct sockaddr_storage address;	/* of IPv4 rather than mapped */
	uint8_t header[DATAGRAM_UD_MAX_HEADER]; /* of sent messages */
	size_t header_len;
	size_t max_len; /* of a message, by the MTU */
	struct rdma_cm_id *id;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *recv, *send; /* slots */
	uint32_t nr_recvs, nr_sends;
	uint32_t *free_sends; /* slots */
	uint32_t nr_free_sends;
	uint32_t max_inline;
};

/* The socket of a peer */
struct datagram_dest {
	struct list_node node; /* in datagram.dests */
	struct rsocket *socket;
	struct sockaddr_storage address;
	struct datagram_port *port; /* by which it is reached */
	struct rdma_cm_id *id;	    /* to resolve its address; may be NULL */
	bool is_resolving, has_address;
	struct ibv_ah *ah; /* NULL: not yet resolved */
	uint32_t qpn;	   /* 0: not yet known */
};

/* A received datagram */
struct datagram_message {
	struct list_node node; /* in datagram.messages */
	struct sockaddr_storage from;
	const uint8_t *bytes;
	size_t len;
	struct datagram_port *port; /* of the slot; NULL: none */
	uint32_t slot;
};

#define DATAGRAM_NR_BUCKETS 256

struct datagram {
	int udp_fd;
	int epoll_fd; /* of the UDP socket and the completion channels */
	struct rdma_event_channel *cm_channel;
	struct list_node ports;
	struct list_node dests[DATAGRAM_NR_BUCKETS]; /* by the address */
	uint32_t nr_dests;
	struct datagram_dest *peer; /* of rconnect(); NULL: none */
	struct list_node messages;
	uint32_t nr_messages;
	bool is_read_shut, is_write_shut;
};

#endif
