/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the pingpongs over RC, UC, UD and a shared receive queue have in common;
 * they differ in a struct pp_kind. Two programs meet over TCP, tell each other
 * the addresses of their queue pairs, and then send a message back and forth.
 *
 *	pingpong_main.c      the order of events; what is printed
 *	pingpong_args.c      the command line
 *	pingpong_memory.c    the message: registered, filled, checked
 *	pingpong_queues.c    completion queue, SRQ, queue pairs and their states
 *	pingpong_exchange.c  the meeting over TCP
 *	pingpong_traffic.c   back and forth
 *
 * Functions return 0, or -errno after a message on standard error, unless they
 * say otherwise.
 */
#ifndef TOOLS_PINGPONG_H
#define TOOLS_PINGPONG_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/tool_route.h"

/** What one of the programs is. */
struct pp_kind {
	const char *name; /* of the program */
	const char *purpose;
	const char *letters; /* options that it has */
	enum ibv_qp_type type;
	bool srq;	       /* several queue pairs on a shared queue */
	uint32_t nr_addresses; /* that each side tells the other */
	uint32_t odp_caps;     /* for -o: enum ibv_odp_transport_cap_bits */
	uint32_t size;	       /* default of -s */
};

/** The command line. */
struct pp_options {
	const char *host; /* NULL: wait for the other */
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

/** SRQ pingpongs tell each other this many addresses; unused ones are 0. */
#define PP_SRQ_ADDRESSES 256

/** Q_Key of both sides, for UD. */
#define PP_UD_QKEY 0x11111111

/** Where a queue pair is, as the other side has to know. */
struct pp_address {
	uint16_t lid;
	uint32_t qpn;
	uint32_t psn;
	union ibv_gid gid;
};

/** A queue pair, and how far it is. */
struct pp_qp {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qp_ex; /* with -N */
	struct ibv_ah *ah;	 /* UD: the other side */
	bool sending;		 /* a message is on its way */
	bool waiting;		 /* for the other's message */
};

/** All objects; what is not there is NULL. */
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
	uint32_t header; /* bytes in front of a received message (UD: a GRH) */
	struct tool_endpoint endpoint;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct pp_qp *qps;
	unsigned int send_flags;
	struct pp_address *local; /* kind->nr_addresses of each */
	struct pp_address *remote;
};

/** Time stamps of received messages: differences of neighbours. */
struct pp_clock_stats {
	uint64_t last;
	uint64_t min;
	uint64_t max;
	double sum;
	uint64_t count;
};

/** pp_parse_options() - as tool_parse_options(), and what options say together
 */
int pp_parse_options(const struct pp_kind *kind, int argc, char **argv,
		     struct pp_options *ret_options);

/** pp_memory_open() - allocate, fill and register the message */
int pp_memory_open(struct pp_session *session);
/** pp_memory_check() - is what was received what the client of -c sends? */
int pp_memory_check(struct pp_session *session);
/** pp_memory_close() - also what pp_memory_open() left behind when it failed */
int pp_memory_close(struct pp_session *session);
/** pp_message_sge() - the message: without, or with, room for the header */
struct ibv_sge pp_message_sge(const struct pp_session *session,
			      bool with_header);

/** pp_queues_open() - queues, in state INIT, with addresses in world->local */
int pp_queues_open(struct pp_session *session);
/** pp_queues_connect() - to world->remote */
int pp_queues_connect(struct pp_session *session);
/** pp_queues_close() - also what pp_queues_open() left behind when it failed */
int pp_queues_close(struct pp_session *session);

/** What a server does when it knows the addresses, before it tells its own. */
typedef int (*pp_ready_fn)(struct pp_session *session);

/**
 * pp_exchange_addresses() - meet the other side
 * @ready: called in between, so that the client finds the server's queues ready
 */
int pp_exchange_addresses(struct pp_session *session, pp_ready_fn ready);

/** pp_post_receives() - @count of them; the number that were posted */
uint32_t pp_post_receives(struct pp_session *session, uint32_t count);
/**
 * pp_exchange_messages() - send back and forth
 * @receives: that are posted
 * @ret_clock: time stamps, with -t
 */
int pp_exchange_messages(struct pp_session *session, uint32_t receives,
			 struct pp_clock_stats *ret_clock);

/** pp_main() - the program; its exit code */
int pp_main(const struct pp_kind *kind, int argc, char **argv);

#endif
