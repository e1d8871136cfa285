/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scenarios: which flows there are, and what happens to the network. */
#include "net_scenarios.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net_run.h"

#define KB UINT64_C(1024)
#define MB (1024 * KB)

struct net_scenario {
	const char *name, *text;
	void (*adapt)(struct net_options *options); /* or NULL */
	void (*build)(struct net_run *run);
};

static struct net_flow *add_flow(struct net_run *run, uint32_t from,
				 uint32_t to)
{
	return net_run_flow(run, net_conn_new(&run->hosts, from, to),
			    run->options.bytes, net_run_jitter(run));
}

static void incast_adapt(struct net_options *options)
{
	options->senders = 64;
	options->bytes = 256 * KB;
}

/* The receiver is host 0. */
static void incast_build(struct net_run *run)
{
	NET_REQUIRE(run->options.senders < run->topology.nr_hosts);
	for (uint32_t i = 1; i <= run->options.senders; i++)
		(void)add_flow(run, i, 0);
}

static void permutation_adapt(struct net_options *options)
{
	options->hosts = 64;
	options->bytes = 4 * MB;
}

/* A random cycle through all hosts (Sattolo's algorithm). */
static void permutation_build(struct net_run *run)
{
	uint32_t nr = (uint32_t)run->options.hosts;
	uint32_t *to = calloc(nr, sizeof(*to));

	NET_REQUIRE(to && nr <= run->topology.nr_hosts);
	for (uint32_t i = 0; i < nr; i++)
		to[i] = i;
	for (uint32_t i = nr - 1; i; i--) {
		uint32_t other = net_random(&run->net, i), kept = to[i];

		to[i] = to[other];
		to[other] = kept;
	}
	for (uint32_t i = 0; i < nr; i++)
		(void)add_flow(run, i, to[i]);
	free(to);
}

static void alltoall_adapt(struct net_options *options)
{
	options->hosts = 16;
	options->hosts_per_leaf = 4;
	options->bytes = 512 * KB;
}

/* Each host sends to its successors in the order of their distance. */
static void alltoall_build(struct net_run *run)
{
	uint32_t nr = (uint32_t)run->options.hosts;

	for (uint32_t distance = 1; distance < nr; distance++)
		for (uint32_t i = 0; i < nr; i++)
			(void)add_flow(run, i, (i + distance) % nr);
}

static void allreduce_adapt(struct net_options *options)
{
	options->hosts = 32;
	options->bytes = 512 * KB;
}

/* Of a host of the ring. */
struct ring_host {
	struct net_conn *conn;	/* to its successor */
	uint32_t sent, arrived; /* parts */
};

/*
 * A host sends a part when the previous one has arrived at its successor, and
 * the part of its predecessor here.
 */
static void ring_go_on(struct net_run *run, uint32_t number)
{
	struct ring_host *ring = run->data;
	uint32_t nr = (uint32_t)run->options.hosts;
	uint32_t next = (number + 1) % nr;
	struct ring_host *host = &ring[number];

	if (host->sent == 2 * (nr - 1) || host->sent > host->arrived ||
	    host->sent != ring[next].arrived)
		return;
	host->sent++;
	(void)net_run_flow(run, host->conn, run->options.bytes, 0);
}

static void ring_part_arrived(struct net_run *run, struct net_flow *flow)
{
	struct ring_host *ring = run->data;
	uint32_t to = flow->conn->to->number;

	ring[to].arrived++;
	ring_go_on(run, to);
	ring_go_on(run, flow->conn->from->number);
}

/* Neighbours in the ring are in different leaves. */
static void allreduce_build(struct net_run *run)
{
	uint32_t nr = (uint32_t)run->options.hosts;
	struct ring_host *ring = calloc(nr, sizeof(*ring));

	NET_REQUIRE(ring);
	run->data = ring;
	run->ended = ring_part_arrived;
	for (uint32_t i = 0; i < nr; i++)
		ring[i].conn = net_conn_new(&run->hosts, i, (i + 1) % nr);
	for (uint32_t i = 0; i < nr; i++)
		ring_go_on(run, i);
}

static void linkfail_adapt(struct net_options *options)
{
	options->hosts = 64;
	options->bytes = 8 * MB;
	options->fail_us = 1000;
	options->reroute_us = 1000;
}

static void linkfail_cut(struct net *net, void *arg)
{
	struct net_run *run = arg;
	uint32_t upper = run->topology.nr_edges;
	struct net_link *up = net_topology_cable(&run->topology, 0, upper);
	struct net_link *down = net_topology_cable(&run->topology, upper, 0);

	up->down = true;
	down->down = true;
	net_timer_set(net, &run->reroute,
		      net->now + run->options.reroute_us * NET_US);
}

static void linkfail_reroute(struct net *net, void *arg)
{
	struct net_run *run = arg;

	(void)net;
	net_topology_route(&run->topology);
}

static void linkfail_build(struct net_run *run)
{
	permutation_build(run);
	net_timer_init(&run->fail, linkfail_cut, run);
	net_timer_init(&run->reroute, linkfail_reroute, run);
	net_timer_set(&run->net, &run->fail,
		      run->net.now + run->options.fail_us * NET_US);
}

static void slow_adapt(struct net_options *options)
{
	options->senders = 8;
	options->hosts = 32;
	options->bytes = 4 * MB;
	options->slow_mbps = 2500;
	options->socket_kb = 1024;
}

/* Senders transfer to the slow host 0, and to a host of their own. */
static void slow_build(struct net_run *run)
{
	uint32_t nr = (uint32_t)run->options.senders;

	NET_REQUIRE(2 * nr < run->topology.nr_hosts);
	net_topology_slow_down(&run->topology, 0,
			       run->options.slow_mbps * 1000000,
			       run->options.socket_kb * KB);
	net_host_attach(&run->hosts.host[0], &run->topology.from_host[0],
			net_topology_inbound(&run->topology, 0));
	for (uint32_t i = 1; i <= nr; i++) {
		(void)add_flow(run, i, 0);
		add_flow(run, i, i + nr)->group = 1;
	}
}

static void victim_adapt(struct net_options *options)
{
	options->senders = 32;
	options->hosts = 64;
	options->bytes = 1 * MB;
}

/*
 * An incast to host 0, and a flow of the same length to host 1, from a leaf of
 * senders.
 */
static void victim_build(struct net_run *run)
{
	uint32_t nr = (uint32_t)run->options.senders;
	uint32_t first = run->net.hosts_per_edge;

	NET_REQUIRE(first + nr < run->topology.nr_hosts);
	for (uint32_t i = 1; i <= nr; i++)
		(void)add_flow(run, first + i, 0);
	add_flow(run, first, 1)->group = 1;
}

static void lossy_adapt(struct net_options *options)
{
	options->hosts = 32;
	options->bytes = 4 * MB;
	options->loss_ppm = 100000;
}

/* The link of host 0 is lossy in both directions. */
static void lossy_build(struct net_run *run)
{
	run->topology.from_host[0].loss_ppm = (uint32_t)run->options.loss_ppm;
	run->topology.to_host[0].loss_ppm = (uint32_t)run->options.loss_ppm;
	permutation_build(run);
	for (struct net_flow *f = run->flows; f; f = f->next)
		f->group = f->conn->from->number && f->conn->to->number;
}

static const struct net_scenario incast = { "incast", "many hosts send to one",
					    incast_adapt, incast_build };
static const struct net_scenario permutation = { "permutation",
						 "each host sends to one other",
						 permutation_adapt,
						 permutation_build };
static const struct net_scenario alltoall = {
	"alltoall", "each host sends to all others (MPI_Alltoall)",
	alltoall_adapt, alltoall_build
};
static const struct net_scenario allreduce = {
	"allreduce", "ring all-reduce; a flow is a step of one host",
	allreduce_adapt, allreduce_build
};
static const struct net_scenario linkfail = {
	"linkfail", "permutation; a link between switches fails",
	linkfail_adapt, linkfail_build
};
static const struct net_scenario slow = {
	"slow",
	"incast to a host that is slower than its link; beside it flows of the "
	"same senders to other hosts",
	slow_adapt, slow_build
};
static const struct net_scenario victim = {
	"victim", "incast; beside it a flow to a neighbour of the receiver",
	victim_adapt, victim_build
};
static const struct net_scenario lossy = {
	"lossy", "permutation; the link of a host loses packets at random",
	lossy_adapt, lossy_build
};
static const struct net_scenario *const scenarios[] = {
	&incast, &permutation, &alltoall, &allreduce, &linkfail,
	&slow,	 &victim,      &lossy,	  NULL
};

const struct net_scenario *const *net_scenario_list(void)
{
	return scenarios;
}

const struct net_scenario *net_scenario_find(const char *name)
{
	for (size_t i = 0; scenarios[i]; i++)
		if (strcmp(scenarios[i]->name, name) == 0)
			return scenarios[i];
	return NULL;
}

const char *net_scenario_name(const struct net_scenario *scenario)
{
	return scenario->name;
}

const char *net_scenario_text(const struct net_scenario *scenario)
{
	return scenario->text;
}

struct net_options net_scenario_defaults(const struct net_scenario *scenario)
{
	struct net_options options = {
		.seed = 1,
		.hosts_per_leaf = 16,
		.spines = 4,
		.host_mbps = 25000,
		.trunk_mbps = 100000,
		.delay_ns = 1000,
		.receive_ns = 2000,
		.mtu = 4096,
		.message_kb = 256,
		.outstanding = 4,
		.buffer_kb = 4096,
		.alpha_8 = 8,
		.ecn = 1,
		.mark_min_kb = 100,
		.mark_max_kb = 400,
		.mark_percent = 20,
		.selective = 1,
		.jitter_us = 10,
		.limit_ms = 5000,
	};

	if (scenario->adapt)
		scenario->adapt(&options);
	return options;
}

#define OPTION(name)                                      \
	{                                                 \
#name, offsetof(struct net_options, name) \
	}

static const struct option {
	const char *name;
	size_t at;
} option_table[] = {
	OPTION(seed),	     OPTION(hosts),
	OPTION(senders),     OPTION(bytes),
	OPTION(k),	     OPTION(hosts_per_leaf),
	OPTION(spines),	     OPTION(host_mbps),
	OPTION(trunk_mbps),  OPTION(delay_ns),
	OPTION(receive_ns),  OPTION(mtu),
	OPTION(message_kb),  OPTION(outstanding),
	OPTION(buffer_kb),   OPTION(alpha_8),
	OPTION(ecn),	     OPTION(mark_min_kb),
	OPTION(mark_max_kb), OPTION(mark_percent),
	OPTION(selective),   OPTION(jitter_us),
	OPTION(loss_ppm),    OPTION(slow_mbps),
	OPTION(socket_kb),   OPTION(fail_us),
	OPTION(reroute_us),  OPTION(limit_ms),
};

#define NR_OPTIONS (sizeof(option_table) / sizeof(option_table[0]))

bool net_options_set(struct net_options *options, const char *name,
		     uint64_t value)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (strcmp(option_table[i].name, name) == 0) {
			memcpy((char *)options + option_table[i].at, &value,
			       sizeof(value));
			return true;
		}
	return false;
}

void net_options_print(const struct net_options *options)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		uint64_t value;

		memcpy(&value, (const char *)options + option_table[i].at,
		       sizeof(value));
		printf("%s=%llu%s", option_table[i].name,
		       (unsigned long long)value,
		       i + 1 < NR_OPTIONS ? " " : "\n");
	}
}

static double wall_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct net_result net_scenario_run(const struct net_scenario *scenario,
				   const struct net_options *options)
{
	struct net_options o = *options;
	struct net_result result;
	struct net_run run;
	double start_s;

	if (o.hosts <= o.senders)
		o.hosts = o.senders + 1;
	net_run_init(&run, &o);
	scenario->build(&run);
	start_s = wall_s();
	net_run_all(&run);
	result = net_run_result(&run);
	result.wall_s = wall_s() - start_s;
	free(run.data);
	net_run_fini(&run);
	return result;
}

void net_result_print(const char *name, const struct net_result *result)
{
	if (!result) {
		printf("%-18s %6s %5s %7s %7s %7s %7s %5s %6s %8s %8s %8s %9s "
		       "%8s %7s %8s %9s %9s\n",
		       "scenario", "flows", "open", "p50", "p95", "p99", "max",
		       "Jain", "span", "ms", "buf max", "buf mean", "retrans",
		       "timeouts", "dropped", "marked", "packets", "packets/s");
		return;
	}
	for (int i = 0; i < NET_GROUPS; i++) {
		const struct net_group_result *g = &result->group[i];

		if (!g->nr_flows)
			continue;
		printf("%-18s %6u %5u %7.2f %7.2f %7.2f %7.2f %5.2f %6.2f",
		       i ? "  beside" : name, g->nr_flows, g->nr_unfinished,
		       g->p50, g->p95, g->p99, g->most, g->jain, g->span);
		if (i) {
			printf("\n");
			continue;
		}
		printf(" %8.2f %6lluKB %6lluKB %7lluKB %8llu %7llu %8llu %9llu "
		       "%9.0f\n",
		       result->ms,
		       (unsigned long long)(result->buffer_most_bytes / KB),
		       (unsigned long long)(result->buffer_mean_bytes / KB),
		       (unsigned long long)(result->retransmitted_bytes / KB),
		       (unsigned long long)result->timeouts,
		       (unsigned long long)result->dropped,
		       (unsigned long long)result->marked,
		       (unsigned long long)result->packets,
		       (double)result->packets / result->wall_s);
	}
}
