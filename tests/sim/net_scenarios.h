/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traffic in a simulated data centre, and its results. A flow is a transfer by
 * WRITE from one host to another. README.md explains the options and results.
 */
#ifndef NET_SCENARIOS_H
#define NET_SCENARIOS_H

#include <stdbool.h>
#include <stdint.h>

struct net_options {
	uint64_t seed;
	uint64_t hosts, senders, bytes;
	uint64_t k; /* fat-tree; 0: leaf-spine with: */
	uint64_t hosts_per_leaf, spines;
	uint64_t host_mbps, trunk_mbps, delay_ns, receive_ns;
	uint64_t mtu, message_kb, outstanding;
	uint64_t buffer_kb, alpha_8;
	uint64_t ecn, mark_min_kb, mark_max_kb, mark_percent;
	uint64_t selective;
	uint64_t jitter_us; /* flows start within this time */
	uint64_t loss_ppm, slow_mbps, socket_kb, fail_us, reroute_us;
	uint64_t limit_ms; /* of simulated time */
};

/* Group 0 has the flows of the scenario, group 1 those beside them. */
#define NET_GROUPS 2

struct net_group_result {
	uint32_t nr_flows;
	uint32_t nr_unfinished;
	/* time of a flow / time in an empty network */
	double p50, p95, p99, most;
	double jain; /* of the rates of the flows */
	/* time of all / time that the busiest host needs for its bytes */
	double span;
};

struct net_result {
	struct net_group_result group[NET_GROUPS];
	double ms;				       /* simulated */
	uint64_t buffer_most_bytes, buffer_mean_bytes; /* fullest switch */
	uint64_t retransmitted_bytes;
	uint64_t timeouts, probes, dropped, marked;
	uint64_t packets, hops;
	double wall_s;
};

struct net_scenario;

/** net_scenario_list() - the scenarios, the last one is NULL */
const struct net_scenario *const *net_scenario_list(void);

/** net_scenario_find() - by its name; or NULL */
const struct net_scenario *net_scenario_find(const char *name);

const char *net_scenario_name(const struct net_scenario *scenario);
const char *net_scenario_text(const struct net_scenario *scenario);

/** net_scenario_defaults() - the options of its regression test */
struct net_options net_scenario_defaults(const struct net_scenario *scenario);

/** net_options_set() - set an option by its name; false: there is none */
bool net_options_set(struct net_options *options, const char *name,
		     uint64_t value);

/** net_options_print() - the names of all options, and their values */
void net_options_print(const struct net_options *options);

/** net_scenario_run() - simulate until all flows have ended, or the limit */
struct net_result net_scenario_run(const struct net_scenario *scenario,
				   const struct net_options *options);

/** net_result_print() - lines of a table; with a NULL result its head */
void net_result_print(const char *name, const struct net_result *result);

#endif
