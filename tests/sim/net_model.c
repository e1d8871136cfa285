/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A link needs one event for each packet, its arrival: when it joins a queue,
 * the time at which it leaves it is known. The bytes in a queue follow from the
 * time when its last packet leaves.
 */
#include "net_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S	UINT64_C(1000000000000)
#define PACKETS_AT_ONCE 256
#define PPM		1000000u

void net_fail(const char *text, const char *file, int line)
{
	(void)fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
	abort();
}

static void *net_grow(void *memory, size_t nr, size_t size)
{
	void *grown = reallocarray(memory, nr, size);

	NET_REQUIRE(grown);
	return grown;
}

void net_init(struct net *net, uint32_t seed)
{
	*net = (struct net){
		.now = NET_MS,
		.random = seed * 2654435761u | 1,
	};
}

void net_fini(struct net *net)
{
	while (net->spare) {
		struct net_packet *packet = net->spare;

		net->spare = packet->next;
		free(packet);
	}
	free(net->events);
}

uint32_t net_random(struct net *net, uint32_t below)
{
	/* xorshift: the same on every machine */
	net->random ^= net->random << 13;
	net->random ^= net->random >> 17;
	net->random ^= net->random << 5;
	return (uint32_t)((uint64_t)net->random * below >> 32);
}

static bool event_is_earlier(const struct net_event *a,
			     const struct net_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

void net_timer_init(struct net_timer *timer,
		    void (*act)(struct net *net, void *arg), void *arg)
{
	*timer = (struct net_timer){ NET_NEVER, act, arg };
}

void net_timer_set(struct net *net, struct net_timer *timer, uint64_t at_ns)
{
	struct net_event event = { at_ns, net->order, timer };
	uint32_t at;

	if (at_ns >= timer->at_ns)
		return;
	timer->at_ns = at_ns;
	net->order++;
	if (net->nr_events == net->max_events) {
		net->max_events = net->max_events ? 2 * net->max_events : 256;
		net->events = net_grow(net->events, net->max_events,
				       sizeof(*net->events));
	}
	at = net->nr_events++;
	for (; at && event_is_earlier(&event, &net->events[(at - 1) / 2]);
	     at = (at - 1) / 2)
		net->events[at] = net->events[(at - 1) / 2];
	net->events[at] = event;
}

static void pop_event(struct net *net)
{
	struct net_event *events = net->events;
	struct net_event last = events[--net->nr_events];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < net->nr_events) {
		if (child + 1 < net->nr_events &&
		    event_is_earlier(&events[child + 1], &events[child]))
			child++;
		if (!event_is_earlier(&events[child], &last))
			break;
		events[at] = events[child];
		at = child;
	}
	events[at] = last;
}

bool net_step(struct net *net, uint64_t until_ns)
{
	struct net_timer *timer;
	uint64_t at_ns;

	if (!net->nr_events || net->events[0].at_ns > until_ns)
		return false;
	timer = net->events[0].timer;
	at_ns = net->events[0].at_ns;
	pop_event(net);
	/* else the timer was set to an earlier time later, and has acted */
	if (timer->at_ns == at_ns) {
		net->now = at_ns;
		timer->at_ns = NET_NEVER;
		timer->act(net, timer->arg);
	}
	return true;
}

void net_run_until(struct net *net, uint64_t until_ns)
{
	while (net_step(net, until_ns))
		;
	net->now = until_ns;
}

struct net_packet *net_packet_new(struct net *net)
{
	struct net_packet *packet = net->spare;

	if (packet)
		net->spare = packet->next;
	else
		packet = net_grow(NULL, 1, sizeof(*packet));
	packet->next = NULL;
	packet->list = NULL;
	return packet;
}

void net_packet_free(struct net *net, struct net_packet *packet)
{
	free(packet->list);
	packet->next = net->spare;
	net->spare = packet;
}

static struct net_link *switch_choose(const struct net *net,
				      const struct net_switch *sw,
				      const struct net_packet *packet,
				      uint32_t *ret_port)
{
	const struct net_route *route;
	uint32_t hash;

	if (packet->to - sw->first_host < sw->nr_hosts) {
		*ret_port = packet->to - sw->first_host;
		return sw->port[*ret_port];
	}
	route = &sw->routes[packet->to / net->hosts_per_edge];
	if (!route->nr)
		return NULL;
	hash = (packet->hash ^ sw->salt) * 2654435761u;
	hash ^= hash >> 15;
	hash *= 2246822519u;
	*ret_port = route->port[(uint64_t)hash * route->nr >> 32];
	return sw->port[*ret_port];
}

/* Bytes in the buffer of the switch. */
static uint64_t switch_count(const struct net *net, struct net_switch *sw)
{
	uint64_t used = 0;

	for (uint64_t busy = sw->busy; busy; busy &= busy - 1) {
		uint64_t queued =
			net_link_queued(net, sw->port[__builtin_ctzll(busy)]);

		if (!queued)
			sw->busy &= ~(busy & -busy);
		used += queued;
	}
	return used;
}

static bool switch_has_room(const struct net_queueing *q, uint64_t used,
			    uint64_t queued, uint32_t bytes)
{
	uint64_t unused = q->buffer_bytes > used ? q->buffer_bytes - used : 0;

	if (!q->alpha_8)
		return queued + bytes <= q->buffer_bytes;
	return bytes <= unused && queued + bytes <= unused * q->alpha_8 / 8;
}

/* RED (Floyd, Jacobson 1993), with the length of the queue at this time. */
static bool switch_marks(struct net *net, const struct net_queueing *q,
			 uint64_t queued)
{
	uint64_t width = q->mark_max_bytes - q->mark_min_bytes;

	if (!q->mark_max_bytes || queued <= q->mark_min_bytes)
		return false;
	if (queued >= q->mark_max_bytes)
		return true;
	return net_random(net, PPM) < (queued - q->mark_min_bytes) *
					      q->mark_percent * (PPM / 100) /
					      width;
}

static void switch_receive(struct net *net, struct net_switch *sw,
			   struct net_packet *packet)
{
	uint32_t port;
	struct net_link *link = switch_choose(net, sw, packet, &port);
	uint64_t used, queued;

	net->stats.hops++;
	if (!link) {
		net->stats.no_path++;
		net_packet_free(net, packet);
		return;
	}
	used = switch_count(net, sw);
	queued = net_link_queued(net, link);
	if (!switch_has_room(&sw->queueing, used, queued, packet->bytes)) {
		net->stats.no_room++;
		net_packet_free(net, packet);
		return;
	}
	if (packet->may_mark && switch_marks(net, &sw->queueing, queued)) {
		if (!packet->packet.fecn)
			net->stats.marked++;
		packet->packet.fecn = true;
	}
	sw->busy |= UINT64_C(1) << port;
	if (used + packet->bytes > sw->most_bytes)
		sw->most_bytes = used + packet->bytes;
	/* waits for all bytes before it, and leaves while it is sent */
	sw->byte_ns += packet->bytes * (queued + packet->bytes / 2) *
		       link->ps_per_byte / 1000;
	net_link_send(net, link, packet);
}

static void link_arrive(struct net *net, void *arg)
{
	struct net_link *link = arg;
	struct net_packet *packet = net_link_take(net, link);

	if (link->first)
		net_timer_set(net, &link->timer, link->first->at_ns);
	if (packet)
		switch_receive(net, link->to, packet);
}

void net_link_init(struct net_link *link, uint64_t bits_per_s,
		   uint64_t delay_ns, struct net_switch *to)
{
	*link = (struct net_link){
		.to = to,
		.reader = &link->timer,
		.ps_per_byte = 8 * PS_PER_S / bits_per_s,
		.delay_ns = delay_ns,
	};
	net_timer_init(&link->timer, link_arrive, link);
}

/* Inserts a packet by the time of its arrival. */
static void link_insert(struct net_link *link, struct net_packet *packet)
{
	struct net_packet **at = &link->first;

	while (*at && (*at)->at_ns <= packet->at_ns)
		at = &(*at)->next;
	packet->next = *at;
	*at = packet;
	if (!packet->next)
		link->last = packet;
}

void net_link_send(struct net *net, struct net_link *link,
		   struct net_packet *packet)
{
	uint64_t now_ps = net->now * 1000;

	if (link->free_ps < now_ps)
		link->free_ps = now_ps;
	link->free_ps += packet->bytes * link->ps_per_byte;
	if (link->down) {
		net->stats.no_path++;
		net_packet_free(net, packet);
		return;
	}
	if (link->loss_ppm && net_random(net, PPM) < link->loss_ppm) {
		net->stats.lost++;
		net_packet_free(net, packet);
		return;
	}
	packet->at_ns = link->free_ps / 1000;
	if (link->early_ppm && net_random(net, PPM) < link->early_ppm) {
		link_insert(link, packet);
	} else {
		packet->at_ns += link->delay_ns;
		packet->next = NULL;
		*(link->first ? &link->last->next : &link->first) = packet;
		link->last = packet;
	}
	if (link->first == packet)
		net_timer_set(net, link->reader,
			      packet->at_ns + link->reader_delay_ns);
}

struct net_packet *net_link_take(const struct net *net, struct net_link *link)
{
	struct net_packet *packet = link->first;

	if (!packet || packet->at_ns > net->now)
		return NULL;
	link->first = packet->next;
	return packet;
}

void net_link_clear(struct net *net, struct net_link *link)
{
	while (link->first) {
		struct net_packet *packet = link->first;

		link->first = packet->next;
		net_packet_free(net, packet);
	}
}
