/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A network in simulated time: a virtual clock with its events, links with a
 * rate and a delay, and switches whose ports share a buffer. Packets are those
 * of the engine (struct uroce_packet); their payload is not copied.
 *
 * net_topology.h builds the switches, net_host.h the hosts. The same seed gives
 * the same result on every machine.
 */
#ifndef NET_MODEL_H
#define NET_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

#define NET_NEVER     UINT64_MAX
#define NET_US	      UINT64_C(1000)
#define NET_MS	      UINT64_C(1000000)
#define NET_MAX_PORTS 64 /* of a switch */

struct net;
struct net_host;

struct net_timer {
	uint64_t at_ns; /* NET_NEVER: not set */
	void (*act)(struct net *net, void *arg);
	void *arg;
};

struct net_event {
	uint64_t at_ns;
	uint64_t order; /* of events at the same time */
	struct net_timer *timer;
};

/* A packet in flight. */
struct net_packet {
	struct net_packet *next;
	uint64_t at_ns; /* arrival at the end of its link */
	uint32_t bytes; /* on the link, with headers and gap */
	uint32_t hash;	/* of its addresses and UDP source port (ECMP) */
	uint32_t to;	/* number of the host */
	bool may_mark;	/* ECT(0) */
	uint8_t *list;	/* copy of the payload of a NAK */
	struct uroce_packet packet;
};

/* One direction of a cable. Packets wait at its beginning. */
struct net_link {
	struct net_timer timer;	  /* arrival of the first packet at @to */
	struct net_switch *to;	  /* NULL: a host, which empties the list */
	struct net_timer *reader; /* set for the first packet of the list */
	uint64_t reader_delay_ns;
	uint64_t ps_per_byte;
	uint64_t delay_ns;
	uint64_t free_ps; /* when the last packet has left the queue */
	uint32_t loss_ppm;
	uint32_t early_ppm; /* these are not delayed, and overtake others */
	bool down;
	struct net_packet *first, *last; /* in the queue and on the cable */
};

/* How switches queue, drop and mark. */
struct net_queueing {
	uint64_t buffer_bytes; /* of a switch, shared by its ports */
	/*
	 * Dynamic threshold: a port may fill alpha_8 / 8 of the buffer that is
	 * free. 0: each port has @buffer_bytes of its own.
	 */
	uint32_t alpha_8;
	/*
	 * Between these lengths of a queue the probability of a mark rises to
	 * @mark_percent; above the second one all packets are marked. 0: no
	 * marks.
	 */
	uint64_t mark_min_bytes, mark_max_bytes;
	uint32_t mark_percent;
};

struct net_route {
	uint8_t nr; /* ports to choose from, by the hash */
	uint8_t port[NET_MAX_PORTS - 1];
};

struct net_switch {
	struct net_link *port[NET_MAX_PORTS];
	struct net_switch *peer[NET_MAX_PORTS]; /* NULL: a host */
	uint32_t nr_ports;
	uint32_t first_host, nr_hosts; /* on the first ports */
	uint64_t busy;		       /* bits of ports with a queue */
	uint32_t salt;		       /* of the hash */
	struct net_route *routes;      /* by the edge switch of the host */
	struct net_queueing queueing;
	uint64_t most_bytes; /* in the buffer */
	uint64_t byte_ns;    /* integral of bytes in the buffer */
};

struct net_stats {
	uint64_t packets;	/* sent by hosts */
	uint64_t payload_bytes; /* of requests and responses with data */
	uint64_t hops;		/* packets received by switches */
	uint64_t no_room, lost, no_path; /* packets dropped */
	uint64_t marked;
};

struct net {
	uint64_t now;
	struct net_event *events; /* heap */
	uint32_t nr_events, max_events;
	uint64_t order;
	uint32_t random;
	struct net_packet *spare;
	uint32_t hosts_per_edge; /* for routes */
	struct net_stats stats;
};

/* As assert(), but also in builds without it. */
#define NET_REQUIRE(condition) \
	((condition) ? (void)0 : net_fail(#condition, __FILE__, __LINE__))

_Noreturn void net_fail(const char *text, const char *file, int line);

/** net_init() - an empty network; memory of the caller */
void net_init(struct net *net, uint32_t seed);

/** net_fini() - free events and spare packets; no packet is in flight */
void net_fini(struct net *net);

/** net_random() - a number from 0 to @below - 1 */
uint32_t net_random(struct net *net, uint32_t below);

/** net_timer_init() - a timer that is not set; it will call @act(net, @arg) */
void net_timer_init(struct net_timer *timer,
		    void (*act)(struct net *net, void *arg), void *arg);

/**
 * net_timer_set() - have a timer act at @at_ns, unless it does so before
 *
 * It acts once.
 */
void net_timer_set(struct net *net, struct net_timer *timer, uint64_t at_ns);

/** net_step() - run the next event, at @until_ns or before; false: none is */
bool net_step(struct net *net, uint64_t until_ns);

/** net_run_until() - run all events until a time, which is the time then */
void net_run_until(struct net *net, uint64_t until_ns);

struct net_packet *net_packet_new(struct net *net);
void net_packet_free(struct net *net, struct net_packet *packet);

/** net_link_init() - a link to a switch, or with @reader to a host */
void net_link_init(struct net_link *link, uint64_t bits_per_s,
		   uint64_t delay_ns, struct net_switch *to);

/** net_link_send() - queue a packet; also drops it as the link demands */
void net_link_send(struct net *net, struct net_link *link,
		   struct net_packet *packet);

/** net_link_take() - take the first packet that has arrived; or NULL */
struct net_packet *net_link_take(const struct net *net, struct net_link *link);

/** net_link_clear() - free all packets of a link */
void net_link_clear(struct net *net, struct net_link *link);

/** net_link_queued() - bytes that wait or are being sent */
static inline uint64_t net_link_queued(const struct net *net,
				       const struct net_link *link)
{
	uint64_t now_ps = net->now * 1000;

	return link->free_ps <= now_ps
		       ? 0
		       : (link->free_ps - now_ps) / link->ps_per_byte;
}

#endif
