/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of a scenario: a network, its hosts, and flows with their times. */
#ifndef NET_RUN_H
#define NET_RUN_H

#include "net_host.h"
#include "net_scenarios.h"
#include "net_topology.h"

struct net_flow {
	struct net_timer start; /* when it begins */
	struct net_run *run;
	struct net_conn *conn;
	uint32_t group;
	uint64_t bytes;
	uint64_t start_ns, end_ns; /* 0: not yet */
	struct net_flow *next;	   /* in the run */
};

struct net_run {
	struct net net;
	struct net_topology topology;
	struct net_hosts hosts;
	struct net_options options;
	struct net_flow *flows;
	uint32_t nr_flows, nr_open;
	/* called when a flow has ended; may begin others; or NULL */
	void (*ended)(struct net_run *run, struct net_flow *flow);
	struct net_timer fail, reroute; /* of a cable */
	void *data;			/* of the scenario */
};

void net_run_init(struct net_run *run, const struct net_options *options);
void net_run_fini(struct net_run *run);

/** net_run_flow() - begin a flow after @wait_ns; at most one per connection */
struct net_flow *net_run_flow(struct net_run *run, struct net_conn *conn,
			      uint64_t bytes, uint64_t wait_ns);

/** net_run_jitter() - random time until a flow begins */
uint64_t net_run_jitter(struct net_run *run);

/** net_run_all() - simulate until all flows have ended, or the limit */
void net_run_all(struct net_run *run);

/** net_run_result() - what has happened */
struct net_result net_run_result(const struct net_run *run);

#endif
