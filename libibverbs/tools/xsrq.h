/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_xsrq_pingpong: one server, several clients, over XRC. A side has one
 *shared receive queue, and for each peer a queue pair to send with and one to
 *receive with. The server begins; a peer answers each message with one.
 *
 *	ibv_xsrq_pingpong.c  the command line, and the order of events
 *	xsrq_queues.c        domain, SRQ, queue pairs and their states
 *	xsrq_exchange.c      the meeting over TCP, and the end
 *	xsrq_exchange_messages.c       messages
 *
 * Functions return 0, or -errno after a message on standard error.
 */
#ifndef TOOLS_XSRQ_H
#define TOOLS_XSRQ_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/tool_route.h"

/** The command line. */
struct xsrq_options {
	const char *host; /* NULL: wait for clients */
	const char *device;
	uint32_t tcp_port;
	uint32_t ib_port;
	uint32_t size;
	uint32_t mtu;
	uint32_t clients; /* 1 for a client: the server */
	uint32_t tests;	  /* messages each way, for each client */
	uint32_t sl;
	uint32_t gid_index;
	bool events;
	bool odp;
};

/** Where a side is, for one peer. */
struct xsrq_address {
	uint16_t lid;
	uint32_t receive_qpn;
	uint32_t send_qpn;
	uint32_t psn; /* of both queue pairs */
	uint32_t srqn;
	union ibv_gid gid;
};

struct xsrq_peer {
	int fd; /* -1: not connected */
	struct ibv_qp *receive_qp;
	struct ibv_qp *send_qp;
	struct xsrq_address local;
	struct xsrq_address remote;
	uint32_t posted;
	uint32_t due; /* messages that are to be sent */
	bool sending; /* one is on its way */
};

/** All objects; what is not there is NULL. */
struct xsrq_session {
	const struct xsrq_options *options;
	struct ibv_context *context;
	struct tool_endpoint endpoint;
	struct ibv_pd *pd;
	uint8_t *buffer;
	struct ibv_mr *mr;
	struct ibv_xrcd *xrcd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq; /* of everything */
	struct ibv_srq *srq;
	struct xsrq_peer *peers; /* options->clients of them */
};

/** xsrq_open() - all queues, in state INIT */
int xsrq_open(struct xsrq_session *session);
/** xsrq_connect_peer() - the queue pairs of a peer whose address is known */
int xsrq_connect_peer(struct xsrq_session *session, struct xsrq_peer *peer);
/** xsrq_close() - also what xsrq_open() left behind when it failed */
int xsrq_close(struct xsrq_session *session);

/** xsrq_exchange_addresses() - meet all peers, and connect */
int xsrq_exchange_addresses(struct xsrq_session *session);
/** xsrq_exchange_end() - tell each other that all went well */
int xsrq_exchange_end(struct xsrq_session *session);

/** xsrq_prepare_receives() - be ready for the first message, before anybody
 * knows of us
 */
int xsrq_prepare_receives(struct xsrq_session *session);
/** xsrq_exchange_messages() - all messages */
int xsrq_exchange_messages(struct xsrq_session *session);

#endif
