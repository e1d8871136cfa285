/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_xsrq_pingpong: one server and several clients exchange messages over XRC.
 * Each side has one shared receive queue, and for each peer one queue pair for
 * sends and one for receives. The server sends first. A side sends one message
 * for each message that it receives.
 *
 *	ibv_xsrq_pingpong.c  the command line, and the sequence of steps
 *	xsrq_queues.c        XRC domain, SRQ and queue pairs; QP state changes
 *	xsrq_exchange.c      exchange of addresses over TCP, and the end
 *	xsrq_traffic.c       exchange of messages
 *
 * Functions return 0, or -errno after a message on standard error.
 */
#ifndef TOOLS_XSRQ_H
#define TOOLS_XSRQ_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/tool_route.h"

/** Values of the command line options. */
struct xsrq_options {
	const char *host; /* NULL: act as the server */
	const char *device;
	uint32_t tcp_port;
	uint32_t ib_port;
	uint32_t size;
	uint32_t mtu;
	uint32_t clients; /* number of peers; 1 on a client */
	uint32_t tests;	  /* messages to send to each peer */
	uint32_t sl;
	uint32_t gid_index;
	bool events;
	bool odp;
};

/** The addresses of one side for one peer. */
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
	uint32_t due; /* messages to send as soon as possible */
	bool sending; /* a send is outstanding */
};

/** All objects of a run; NULL until created. */
struct xsrq_session {
	const struct xsrq_options *options;
	struct ibv_context *context;
	struct tool_endpoint endpoint;
	struct ibv_pd *pd;
	uint8_t *buffer;
	struct ibv_mr *mr;
	struct ibv_xrcd *xrcd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq; /* for all queue pairs */
	struct ibv_srq *srq;
	struct xsrq_peer *peers; /* array of options->clients */
};

/** xsrq_open() - open the device and create all queues in state INIT */
int xsrq_open(struct xsrq_session *session);
/**
 * xsrq_connect_peer() - connect the queue pairs to a peer with known address
 */
int xsrq_connect_peer(struct xsrq_session *session, struct xsrq_peer *peer);
/** xsrq_close() - free all objects, even after a failed xsrq_open() */
int xsrq_close(struct xsrq_session *session);

/**
 * xsrq_exchange_addresses() - exchange addresses with each peer, and connect
 */
int xsrq_exchange_addresses(struct xsrq_session *session);
/** xsrq_exchange_end() - confirm to each peer that all messages have arrived */
int xsrq_exchange_end(struct xsrq_session *session);

/**
 * xsrq_prepare_receives() - post the first receives
 *
 * Call it before xsrq_exchange_addresses(), because a peer may send as soon as
 * it has the address.
 */
int xsrq_prepare_receives(struct xsrq_session *session);
/** xsrq_exchange_messages() - send and receive all messages */
int xsrq_exchange_messages(struct xsrq_session *session);

#endif
