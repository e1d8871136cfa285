/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two hosts with a communication manager each, a link between them that may
 * lose, duplicate, delay and reorder MADs, and a virtual clock. All random
 * decisions come from a seed.
 */
#ifndef CM_NET_H
#define CM_NET_H

#include "cm/cm_engine.h"

#define CM_NET_CONNS	 64
#define CM_NET_SIDRS	 16
#define CM_NET_PACKETS	 512
#define CM_NET_BUCKETS	 16
#define CM_NET_TRACE_LEN 1024
#define CM_NET_EVENTS	 (CM_EVENT_SIDR_REPLY + 1)

#define CM_NET_MS	  1000000ULL
#define CM_NET_SERVICE_ID 0x1061b5aULL
#define CM_NET_SIDR_ID	  0x1111b5cULL

enum cm_net_side { CM_NET_CLIENT, CM_NET_SERVER };

struct cm_net;

struct cm_net_host {
	enum cm_net_side side;
	struct cm_engine cm;
	struct list_node buckets[CM_NR_TABLES * CM_NET_BUCKETS];
	struct cm_listener listener;
	struct cm_listener sidr_listener;
	/* The first nr_conns are in use, the next one is the spare. */
	struct cm_conn conns[CM_NET_CONNS];
	unsigned int nr_conns;
	struct cm_sidr sidrs[CM_NET_SIDRS];
	unsigned int nr_sidrs;
	/* What the owner of each connection has seen */
	struct cm_net_log {
		unsigned int nr[CM_NET_EVENTS];
		int status; /* of the latest event */
	} logs[CM_NET_CONNS], sidr_logs[CM_NET_SIDRS];
	struct cm_mad received; /* with the latest event */
	/* Called for each event; may call cm_net_... functions */
	void (*on_event)(struct cm_net *net, struct cm_net_host *host,
			 const struct cm_event *event);
};

struct cm_net {
	struct cm_net_host hosts[2];
	uint64_t now_ns;
	uint64_t random;
	/* The link; percentages are of 100 */
	unsigned int loss, duplication;
	uint64_t delay_ns, jitter_ns;
	/* Lose the next n MADs of an attribute */
	unsigned int nr_drops;
	enum cm_attr drop_attr;
	struct cm_net_packet {
		bool used;
		uint64_t arrival_ns;
		enum cm_net_side to;
		struct cm_path path;
		uint8_t bytes[CM_MAD_LEN];
	} packets[CM_NET_PACKETS];
	/* Every MAD that was sent, as "C.REQ S.REP", lost ones in parentheses
	 */
	char trace[CM_NET_TRACE_LEN];
	size_t trace_len;
	bool without_trace;
	struct cm_output out;
};

/* A net whose server listens with a backlog of 8. */
void cm_net_init(struct cm_net *net, uint64_t seed);

uint64_t cm_net_random(struct cm_net *net, uint64_t below);

/* Sends what a call of host's engine has put into net->out; logs its event. */
void cm_net_flush(struct cm_net *net, struct cm_net_host *host);

/* Processes packets and deadlines up to a time. */
void cm_net_run_until(struct cm_net *net, uint64_t end_ns);
void cm_net_run(struct cm_net *net, uint64_t duration_ns);

/* Processes packets and deadlines until there are none; fails after a day. */
void cm_net_run_to_end(struct cm_net *net);

/* Delivers a MAD to a host at once, as if its peer had sent it. */
void cm_net_inject(struct cm_net *net, enum cm_net_side to,
		   const struct cm_mad *message);

/* The client sends a REQ; returns its connection. */
struct cm_conn *cm_net_connect(struct cm_net *net);
void cm_net_connect_param(struct cm_connect_param *ret_param, uint32_t qpn);

/* Calls on a connection of a host; each must succeed. */
void cm_net_accept(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn);
void cm_net_confirm(struct cm_net *net, struct cm_net_host *host,
		    struct cm_conn *conn);
void cm_net_reject(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn, enum cm_reject_reason reason);
void cm_net_disconnect(struct cm_net *net, struct cm_net_host *host,
		       struct cm_conn *conn);
void cm_net_remove(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn);

/* Owners that accept, confirm and disconnect as soon as they can */
void cm_net_be_polite(struct cm_net *net, struct cm_net_host *host,
		      const struct cm_event *event);

struct cm_net_log *cm_net_log_of(struct cm_net_host *host,
				 const struct cm_conn *conn);

#endif
