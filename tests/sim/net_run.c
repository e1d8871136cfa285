/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds the network of a scenario, and evaluates its flows. */
#include "net_run.h"

#include <stdlib.h>
#include <string.h>

#define MBPS	   UINT64_C(1000000)
#define KB	   UINT64_C(1024)
#define ROOM_BYTES (8u << 20)

static void run_connect_hosts(struct net_run *run)
{
	for (uint32_t i = 0; i < run->topology.nr_hosts; i++)
		net_host_attach(&run->hosts.host[i],
				&run->topology.from_host[i],
				net_topology_inbound(&run->topology, i));
}

void net_run_init(struct net_run *run, const struct net_options *options)
{
	const struct net_options *o = options;
	struct net_topology_config topology = {
		.k = (uint32_t)o->k,
		.leaves = (uint32_t)((o->hosts + o->hosts_per_leaf - 1) /
				     o->hosts_per_leaf),
		.spines = (uint32_t)o->spines,
		.hosts_per_leaf = (uint32_t)o->hosts_per_leaf,
		.host_bits_per_s = o->host_mbps * MBPS,
		.trunk_bits_per_s =
			(o->k ? o->host_mbps : o->trunk_mbps) * MBPS,
		.delay_ns = o->delay_ns,
		.queueing = { .buffer_bytes = o->buffer_kb * KB,
			      .alpha_8 = (uint32_t)o->alpha_8 },
	};
	struct net_host_config host = {
		.mtu = (uint32_t)o->mtu,
		.message_bytes = (uint32_t)(o->message_kb * KB),
		.outstanding = (uint32_t)o->outstanding,
		.timeout = 14,
		.room_bytes = ROOM_BYTES,
		.receive_ns = o->receive_ns,
		.go_back_n = !o->selective,
		.ect = o->ecn && !o->selective,
	};

	if (o->ecn) {
		topology.queueing.mark_min_bytes = o->mark_min_kb * KB;
		topology.queueing.mark_max_bytes = o->mark_max_kb * KB;
		topology.queueing.mark_percent = (uint32_t)o->mark_percent;
	}
	*run = (struct net_run){ .options = *o };
	net_init(&run->net, (uint32_t)o->seed);
	net_topology_init(&run->topology, &run->net, &topology);
	net_hosts_init(&run->hosts, &run->net, run->topology.nr_hosts, &host);
	run_connect_hosts(run);
}

void net_run_fini(struct net_run *run)
{
	while (run->flows) {
		struct net_flow *flow = run->flows;

		run->flows = flow->next;
		free(flow);
	}
	net_hosts_fini(&run->hosts);
	net_topology_fini(&run->topology, &run->net);
	net_fini(&run->net);
}

static void flow_begin(struct net *net, void *arg)
{
	struct net_flow *flow = arg;

	flow->start_ns = net->now;
	net_conn_start(flow->conn, flow->bytes);
}

static void flow_end(struct net *net, struct net_conn *conn)
{
	struct net_flow *flow = conn->arg;
	struct net_run *run = flow->run;

	flow->end_ns = net->now;
	run->nr_open--;
	if (run->ended)
		run->ended(run, flow);
}

struct net_flow *net_run_flow(struct net_run *run, struct net_conn *conn,
			      uint64_t bytes, uint64_t wait_ns)
{
	struct net_flow *flow = calloc(1, sizeof(*flow));

	NET_REQUIRE(flow);
	flow->run = run;
	flow->conn = conn;
	flow->bytes = bytes;
	flow->next = run->flows;
	run->flows = flow;
	run->nr_flows++;
	run->nr_open++;
	conn->arg = flow;
	conn->done = flow_end;
	net_timer_init(&flow->start, flow_begin, flow);
	net_timer_set(&run->net, &flow->start, run->net.now + wait_ns);
	return flow;
}

uint64_t net_run_jitter(struct net_run *run)
{
	return net_random(&run->net,
			  (uint32_t)(run->options.jitter_us * NET_US) + 1);
}

void net_run_all(struct net_run *run)
{
	uint64_t end_ns = run->net.now + run->options.limit_ms * NET_MS;

	while (run->nr_open && net_step(&run->net, end_ns))
		;
}

/* Bytes on a link of a flow. */
static uint64_t flow_frame_bytes(const struct net_run *run,
				 const struct net_flow *flow,
				 uint64_t *ret_packet_bytes)
{
	struct uroce_packet packet = { .payload_len =
					       (uint32_t)run->options.mtu };
	uint64_t nr = (flow->bytes + run->options.mtu - 1) / run->options.mtu;
	uint64_t header;

	*ret_packet_bytes = net_host_frame_bytes(&packet);
	header = *ret_packet_bytes - run->options.mtu;
	return flow->bytes + nr * header;
}

static double flow_slowdown(const struct net_run *run,
			    const struct net_flow *flow)
{
	uint64_t packet_bytes;
	uint64_t bytes = flow_frame_bytes(run, flow, &packet_bytes);
	uint64_t ideal_ns = net_topology_ideal_ns(
		&run->topology, flow->conn->from->number,
		flow->conn->to->number, bytes, (uint32_t)packet_bytes);

	return (double)(flow->end_ns - flow->start_ns) /
	       (double)(ideal_ns + run->options.receive_ns);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The time that the busiest link of a host needs for the bytes of a group. */
static double group_needs_ns(const struct net_run *run, uint32_t group)
{
	uint32_t nr = run->topology.nr_hosts;
	double *ns = calloc(2 * (size_t)nr, sizeof(*ns)), most = 0;

	NET_REQUIRE(ns);
	for (const struct net_flow *f = run->flows; f; f = f->next) {
		uint32_t to = f->conn->to->number, from = f->conn->from->number;
		const struct net_link *in = f->conn->to->in;
		uint64_t packet_bytes;
		double bytes;

		if (f->group != group)
			continue;
		bytes = (double)flow_frame_bytes(run, f, &packet_bytes);
		ns[to] += bytes * (double)in->ps_per_byte / 1000;
		ns[nr + from] +=
			bytes * (double)f->conn->from->out->ps_per_byte / 1000;
	}
	for (uint32_t i = 0; i < 2 * nr; i++)
		if (ns[i] > most)
			most = ns[i];
	free(ns);
	return most;
}

static struct net_group_result group_result(const struct net_run *run,
					    uint32_t group)
{
	struct net_group_result result = {};
	double *slow = calloc(run->nr_flows + 1, sizeof(*slow));
	double sum = 0, squares = 0;
	uint64_t start_ns = UINT64_MAX, end_ns = 0;
	uint32_t nr = 0;

	NET_REQUIRE(slow);
	for (const struct net_flow *f = run->flows; f; f = f->next) {
		double rate;

		if (f->group != group)
			continue;
		result.nr_flows++;
		if (!f->end_ns) {
			result.nr_unfinished++;
			continue;
		}
		slow[nr++] = flow_slowdown(run, f);
		rate = (double)f->bytes / (double)(f->end_ns - f->start_ns);
		sum += rate;
		squares += rate * rate;
		if (f->start_ns < start_ns)
			start_ns = f->start_ns;
		if (f->end_ns > end_ns)
			end_ns = f->end_ns;
	}
	if (nr) {
		qsort(slow, nr, sizeof(*slow), compare_doubles);
		result.p50 = slow[(nr - 1) * 50 / 100];
		result.p95 = slow[(nr - 1) * 95 / 100];
		result.p99 = slow[(nr - 1) * 99 / 100];
		result.most = slow[nr - 1];
		result.jain = sum * sum / nr / squares;
		result.span = (double)(end_ns - start_ns) /
			      group_needs_ns(run, group);
	}
	free(slow);
	return result;
}

struct net_result net_run_result(const struct net_run *run)
{
	const struct net_stats *stats = &run->net.stats;
	const struct net_hosts *hosts = &run->hosts;
	uint64_t ns = run->net.now - NET_MS, useful = 0;
	struct net_result result = {
		.ms = (double)ns / (double)NET_MS,
		.timeouts = net_hosts_count(hosts, UROCE_C_TIMEOUTS),
		.probes = net_hosts_count(hosts, UROCE_C_PROBES),
		.dropped = stats->no_room + stats->lost + stats->no_path,
		.marked = stats->marked,
		.packets = stats->packets,
		.hops = stats->hops,
	};

	for (const struct net_flow *f = run->flows; f; f = f->next)
		useful += f->bytes - f->conn->left_bytes * !f->end_ns;
	if (stats->payload_bytes > useful)
		result.retransmitted_bytes = stats->payload_bytes - useful;
	for (uint32_t i = 0; i < run->topology.nr_switches; i++) {
		const struct net_switch *sw = &run->topology.switches[i];

		if (sw->most_bytes < result.buffer_most_bytes)
			continue;
		result.buffer_most_bytes = sw->most_bytes;
		result.buffer_mean_bytes = ns ? sw->byte_ns / ns : 0;
	}
	for (uint32_t group = 0; group < NET_GROUPS; group++)
		result.group[group] = group_result(run, group);
	return result;
}
