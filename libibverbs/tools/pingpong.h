/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common code of ibv_rc_pingpong, ibv_uc_pingpong, ibv_ud_pingpong and
 * ibv_srq_pingpong. A struct pp_kind describes the differences. A server and a
 * client exchange the addresses of their queue pairs over TCP, and then send
 * messages back and forth.
 *
 *	pingpong_main.c      the sequence of steps; prints addresses and results
 *	pingpong_args.c      the command line
 *	pingpong_memory.c    message buffer: register, fill, check
 *	pingpong_queues.c    CQ, SRQ and queue pairs; QP state changes
 *	pingpong_exchange.c  exchange of addresses over TCP
 *	pingpong_traffic.c   exchange of messages over the queue pairs
 *
 * Unless their comment says otherwise, functions return 0, or -errno after a
 * message on standard error.
 */
#ifndef TOOLS_PINGPONG_H
#define TOOLS_PINGPONG_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/tool_route.h"

/** Description of one pingpong program. */
struct pp_kind {
	const char *name; /* program name */
	const char *purpose;
	const char *letters; /* letters of the supported options */
	enum ibv_qp_type type;
	bool srq;	       /* several queue pairs share an SRQ */
	uint32_t nr_addresses; /* addresses that each side sends */
	uint32_t odp_caps;     /* for -o: enum ibv_odp_transport_cap_bits */
	uint32_t size;	       /* default message size (-s) */
};

/** Values of the command line options. */
struct pp_options {
	const char *host; /* NULL: act as the server */
	const char *device;
	uint32_t tcp_port;
	uint32_t ib_port;
	uint32_t size;
	uint32_t mtu;
	uint32_t rx_depth;
	uint32_t iters;
	uint32_t sl;
	uint32_t nr_qps;
	uint32_t gid_index; /* or TOOL_NO_GID */
	bool events;
	bool odp;
	bool implicit_odp;
	bool prefetch;
	bool timestamps;
	bool validate;
	bool device_memory;
	bool new_send;
};

/** An SRQ pingpong always sends this many addresses; unused ones are 0. */
#define PP_SRQ_ADDRESSES 256

/** Q_Key of both sides (UD). */
#define PP_UD_QKEY 0x11111111

/** The address of a queue pair, as the sides exchange it. */
struct pp_address {
	uint16_t lid;
	uint32_t qpn;
	uint32_t psn;
	union ibv_gid gid;
};

/** A queue pair and the state of its message exchange. */
struct pp_qp {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qp_ex; /* with -N */
	struct ibv_ah *ah;	 /* UD: address handle of the peer */
	bool sending;		 /* a send is outstanding */
	bool waiting;		 /* the peer's message has not arrived yet */
};

/** All objects of a run; NULL until created. */
struct pp_session {
	const struct pp_kind *kind;
	const struct pp_options *options;
	struct ibv_context *context;
	struct ibv_port_attr port;
	struct ibv_device_attr_ex device;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	uint8_t *buffer;
	uint32_t header; /* bytes before a received message (UD: GRH) */
	struct tool_endpoint endpoint;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct pp_qp *qps;
	unsigned int send_flags;
	struct pp_address *local; /* arrays of kind->nr_addresses */
	struct pp_address *remote;
};

/** Statistics of the device clock ticks between consecutive receives. */
struct pp_clock_stats {
	uint64_t last;
	uint64_t min;
	uint64_t max;
	double sum;
	uint64_t count;
};

/** pp_parse_options() - parse the options and check their combinations */
int pp_parse_options(const struct pp_kind *kind, int argc, char **argv,
		     struct pp_options *ret_options);

/** pp_memory_open() - allocate, fill and register the message */
int pp_memory_open(struct pp_session *session);
/** pp_memory_check() - check the received message for the pattern of -c */
int pp_memory_check(struct pp_session *session);
/**
 * pp_memory_close() - free the message, even after a failed pp_memory_open()
 */
int pp_memory_close(struct pp_session *session);
/**
 * pp_message_sge() - return the SGE of the message
 * @with_header: include the header space before it, as receives need
 */
struct ibv_sge pp_message_sge(const struct pp_session *session,
			      bool with_header);

/** pp_queues_open() - create all queues in state INIT; fill session->local */
int pp_queues_open(struct pp_session *session);
/** pp_queues_connect() - connect all queue pairs to session->remote */
int pp_queues_connect(struct pp_session *session);
/** pp_queues_close() - free all queues, even after a failed pp_queues_open() */
int pp_queues_close(struct pp_session *session);

/** Prepares the queue pairs as soon as session->remote is known. */
typedef int (*pp_ready_fn)(struct pp_session *session);

/**
 * pp_exchange_addresses() - exchange queue pair addresses with the peer
 * @ready: connects the queue pairs to session->remote. The server calls it
 * before it sends its addresses, so that its queue pairs are ready when the
 * client sends the first message.
 */
int pp_exchange_addresses(struct pp_session *session, pp_ready_fn ready);

/**
 * pp_post_receives() - post up to @count receives; return how many succeeded
 */
uint32_t pp_post_receives(struct pp_session *session, uint32_t count);
/**
 * pp_exchange_messages() - send messages back and forth
 * @receives: number of receives that are posted already
 * @ret_clock: receives the clock statistics (-t)
 */
int pp_exchange_messages(struct pp_session *session, uint32_t receives,
			 struct pp_clock_stats *ret_clock);

/** pp_main() - run the program; return its exit code */
int pp_main(const struct pp_kind *kind, int argc, char **argv);

#endif
