/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds leaf-spine and fat-tree networks, and their routes. */
#include "net_topology.h"

#include <stdlib.h>
#include <string.h>

#define UNREACHABLE UINT32_MAX

static uint32_t add_port(struct net_switch *sw, struct net_link *link,
			 struct net_switch *peer)
{
	NET_REQUIRE(sw->nr_ports < NET_MAX_PORTS);
	sw->port[sw->nr_ports] = link;
	sw->peer[sw->nr_ports] = peer;
	return sw->nr_ports++;
}

static void add_cable(struct net_topology *t,
		      const struct net_topology_config *config, uint32_t a,
		      uint32_t b)
{
	struct net_link *there = &t->links[t->nr_links++];
	struct net_link *back = &t->links[t->nr_links++];

	net_link_init(there, config->trunk_bits_per_s, config->delay_ns,
		      &t->switches[b]);
	net_link_init(back, config->trunk_bits_per_s, config->delay_ns,
		      &t->switches[a]);
	add_port(&t->switches[a], there, &t->switches[b]);
	add_port(&t->switches[b], back, &t->switches[a]);
}

static void add_hosts(struct net_topology *t,
		      const struct net_topology_config *config,
		      uint32_t per_edge)
{
	for (uint32_t h = 0; h < t->nr_hosts; h++) {
		struct net_switch *edge = &t->switches[h / per_edge];

		net_link_init(&t->from_host[h], config->host_bits_per_s,
			      config->delay_ns, edge);
		net_link_init(&t->to_host[h], config->host_bits_per_s,
			      config->delay_ns, NULL);
		add_port(edge, &t->to_host[h], NULL);
		edge->first_host = h / per_edge * per_edge;
		edge->nr_hosts = per_edge;
	}
}

/* Edge switches, then aggregation switches, pod by pod; then the core. */
static void add_fat_tree(struct net_topology *t,
			 const struct net_topology_config *config)
{
	uint32_t half = config->k / 2;

	for (uint32_t edge = 0; edge < t->nr_edges; edge++)
		for (uint32_t i = 0; i < half; i++)
			add_cable(t, config, edge,
				  t->nr_edges + edge / half * half + i);
	for (uint32_t agg = 0; agg < t->nr_edges; agg++)
		for (uint32_t i = 0; i < half; i++)
			add_cable(t, config, t->nr_edges + agg,
				  2 * t->nr_edges + agg % half * half + i);
}

static void add_leaf_spine(struct net_topology *t,
			   const struct net_topology_config *config)
{
	for (uint32_t leaf = 0; leaf < config->leaves; leaf++)
		for (uint32_t spine = 0; spine < config->spines; spine++)
			add_cable(t, config, leaf, config->leaves + spine);
}

void net_topology_init(struct net_topology *topology, struct net *net,
		       const struct net_topology_config *config)
{
	struct net_topology *t = topology;
	uint32_t k = config->k;
	uint32_t per_edge = k ? k / 2 : config->hosts_per_leaf;
	uint32_t nr_cables = k ? k * k * k / 2
			       : config->leaves * config->spines;

	*t = (struct net_topology){
		.nr_edges = k ? k * k / 2 : config->leaves,
		.nr_switches = k ? k * k * 5 / 4
				 : config->leaves + config->spines,
	};
	t->nr_hosts = t->nr_edges * per_edge;
	NET_REQUIRE(t->nr_edges && per_edge);
	net->hosts_per_edge = per_edge;
	t->switches = calloc(t->nr_switches, sizeof(*t->switches));
	t->links = calloc(2 * nr_cables + 1, sizeof(*t->links));
	t->to_host = calloc(t->nr_hosts, sizeof(*t->to_host));
	t->from_host = calloc(t->nr_hosts, sizeof(*t->from_host));
	NET_REQUIRE(t->switches && t->links && t->to_host && t->from_host);
	add_hosts(t, config, per_edge);
	if (k)
		add_fat_tree(t, config);
	else
		add_leaf_spine(t, config);
	for (uint32_t i = 0; i < t->nr_switches; i++) {
		t->switches[i].queueing = config->queueing;
		t->switches[i].salt = net_random(net, UINT32_MAX);
		t->switches[i].routes =
			calloc(t->nr_edges, sizeof(struct net_route));
		NET_REQUIRE(t->switches[i].routes);
	}
	net_topology_route(t);
}

void net_topology_fini(struct net_topology *topology, struct net *net)
{
	for (uint32_t i = 0; i < topology->nr_links; i++)
		net_link_clear(net, &topology->links[i]);
	for (uint32_t h = 0; h < topology->nr_hosts; h++) {
		net_link_clear(net, &topology->to_host[h]);
		net_link_clear(net, &topology->from_host[h]);
	}
	for (uint32_t i = 0; i < topology->nr_switches; i++)
		free(topology->switches[i].routes);
	if (topology->socket)
		net_link_clear(net, &topology->socket->link);
	free(topology->socket);
	free(topology->switches);
	free(topology->links);
	free(topology->to_host);
	free(topology->from_host);
}

/* Distances to a switch by breadth-first search; cables fail as a whole. */
static void measure_distances(const struct net_topology *t, uint32_t to,
			      uint32_t *distance, uint32_t *queue)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->nr_switches; i++)
		distance[i] = UNREACHABLE;
	distance[to] = 0;
	queue[nr++] = to;
	for (uint32_t i = 0; i < nr; i++) {
		const struct net_switch *sw = &t->switches[queue[i]];

		for (uint32_t port = 0; port < sw->nr_ports; port++) {
			uint32_t next;

			if (!sw->peer[port] || sw->port[port]->down)
				continue;
			next = (uint32_t)(sw->peer[port] - t->switches);
			if (distance[next] != UNREACHABLE)
				continue;
			distance[next] = distance[queue[i]] + 1;
			queue[nr++] = next;
		}
	}
}

void net_topology_route(struct net_topology *topology)
{
	struct net_topology *t = topology;
	uint32_t *distance = calloc(2 * t->nr_switches, sizeof(*distance));

	NET_REQUIRE(distance);
	for (uint32_t edge = 0; edge < t->nr_edges; edge++) {
		measure_distances(t, edge, distance, distance + t->nr_switches);
		for (uint32_t i = 0; i < t->nr_switches; i++) {
			struct net_switch *sw = &t->switches[i];
			struct net_route *route = &sw->routes[edge];

			route->nr = 0;
			for (uint32_t port = 0; port < sw->nr_ports; port++)
				if (sw->peer[port] && !sw->port[port]->down &&
				    distance[i] != UNREACHABLE &&
				    distance[sw->peer[port] - t->switches] +
						    1 ==
					    distance[i])
					route->port[route->nr++] =
						(uint8_t)port;
		}
	}
	free(distance);
}

void net_topology_slow_down(struct net_topology *topology, uint32_t host,
			    uint64_t bits_per_s, uint64_t bytes)
{
	struct net_socket *socket = calloc(1, sizeof(*socket));

	NET_REQUIRE(socket && !topology->socket);
	net_link_init(&socket->link, bits_per_s, 0, NULL);
	add_port(&socket->buffer, &socket->link, NULL);
	socket->buffer.first_host = host;
	socket->buffer.nr_hosts = 1;
	socket->buffer.queueing.buffer_bytes = bytes;
	socket->host = host;
	topology->socket = socket;
	topology->to_host[host].to = &socket->buffer;
	topology->to_host[host].reader = &topology->to_host[host].timer;
	topology->to_host[host].reader_delay_ns = 0;
}

struct net_link *net_topology_inbound(struct net_topology *topology,
				      uint32_t host)
{
	if (topology->socket && topology->socket->host == host)
		return &topology->socket->link;
	return &topology->to_host[host];
}

struct net_link *net_topology_cable(struct net_topology *topology,
				    uint32_t from, uint32_t to)
{
	struct net_switch *sw = &topology->switches[from];

	for (uint32_t port = 0; port < sw->nr_ports; port++)
		if (sw->peer[port] == &topology->switches[to])
			return sw->port[port];
	return NULL;
}

/* Adds a link; @slowest is the time of a byte on the slowest one so far. */
static void add_ideal(const struct net_link *link, uint32_t packet_bytes,
		      uint64_t *ns, uint64_t *slowest_ps)
{
	*ns += link->delay_ns + link->ps_per_byte * packet_bytes / 1000;
	if (link->ps_per_byte > *slowest_ps)
		*slowest_ps = link->ps_per_byte;
}

uint64_t net_topology_ideal_ns(const struct net_topology *topology,
			       uint32_t from, uint32_t to, uint64_t bytes,
			       uint32_t packet_bytes)
{
	const struct net_topology *t = topology;
	const struct net_switch *sw = t->from_host[from].to;
	const struct net_switch *edge = t->from_host[to].to;
	uint64_t ns = 0, slowest_ps = 0;

	if (bytes < packet_bytes)
		packet_bytes = (uint32_t)bytes;
	add_ideal(&t->from_host[from], packet_bytes, &ns, &slowest_ps);
	while (sw != edge) {
		const struct net_route *route = &sw->routes[edge - t->switches];

		NET_REQUIRE(route->nr);
		add_ideal(sw->port[route->port[0]], packet_bytes, &ns,
			  &slowest_ps);
		sw = sw->peer[route->port[0]];
	}
	add_ideal(&t->to_host[to], packet_bytes, &ns, &slowest_ps);
	if (t->socket && t->socket->host == to)
		add_ideal(&t->socket->link, packet_bytes, &ns, &slowest_ps);
	return ns + (bytes - packet_bytes) * slowest_ps / 1000;
}
