/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Switches and the links between them: leaf-spine (two tiers) and fat-tree (Al-
 * Fares, SIGCOMM 2008). Routes are the shortest paths over links that work; of
 * several the hash of a packet selects one (ECMP). The edge switches, to which
 * hosts are connected, are the first ones.
 */
#ifndef NET_TOPOLOGY_H
#define NET_TOPOLOGY_H

#include "net_model.h"

struct net_topology_config {
	uint32_t k;	 /* fat-tree; 0: leaf-spine */
	uint32_t leaves; /* leaf-spine */
	uint32_t spines;
	uint32_t hosts_per_leaf;
	uint64_t host_bits_per_s, trunk_bits_per_s; /* fat-tree: the first */
	uint64_t delay_ns;			    /* of each link */
	struct net_queueing queueing;
};

struct net_topology {
	struct net_switch *switches;
	uint32_t nr_switches, nr_edges;
	struct net_link *links; /* of switches, in pairs of directions */
	uint32_t nr_links;
	uint32_t nr_hosts;
	struct net_link *to_host, *from_host; /* by the number of the host */
	struct net_socket *socket;	      /* of one host; NULL: none */
};

/* The receive buffer of a host that is slower than its link. */
struct net_socket {
	struct net_switch buffer;
	struct net_link link; /* with the rate of the host */
	uint32_t host;
};

/** net_topology_init() - build switches, links and routes */
void net_topology_init(struct net_topology *topology, struct net *net,
		       const struct net_topology_config *config);

void net_topology_fini(struct net_topology *topology, struct net *net);

/** net_topology_route() - compute routes over the links that are not down */
void net_topology_route(struct net_topology *topology);

/**
 * net_topology_slow_down() - have a host receive at a lower rate
 * @topology: the network, in which no packet is in flight
 * @host: its number
 * @bits_per_s: rate at which it receives
 * @bytes: of its socket; other packets are dropped
 */
void net_topology_slow_down(struct net_topology *topology, uint32_t host,
			    uint64_t bits_per_s, uint64_t bytes);

/** net_topology_inbound() - the link from which a host receives */
struct net_link *net_topology_inbound(struct net_topology *topology,
				      uint32_t host);

/** net_topology_cable() - the link from one switch to another, or NULL */
struct net_link *net_topology_cable(struct net_topology *topology,
				    uint32_t from, uint32_t to);

/**
 * net_topology_ideal_ns() - time to transfer bytes through an empty network
 * @topology: the network
 * @from, @to: numbers of different hosts
 * @bytes: on the links, with headers
 * @packet_bytes: of a full packet
 *
 * Return: from the first byte sent until the last packet has arrived.
 */
uint64_t net_topology_ideal_ns(const struct net_topology *topology,
			       uint32_t from, uint32_t to, uint64_t bytes,
			       uint32_t packet_bytes);

#endif
