/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends datagrams to a neighbour until the kernel has its Ethernet address: see
 * neigh/neigh_probe.h. The kernel sends a notification (RTNLGRP_NEIGH) when the
 * address is resolved. A notification can be lost, or can precede the
 * subscription, so each round ends with a request for the neighbour entry.
 */
#include "neigh/neigh_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/handlers.h>
#include <netlink/netlink.h>
#include <poll.h>
#include <unistd.h>

#include "neigh/neigh_msg.h"
#include "neigh/neigh_socket.h"
#include "util/clock.h"

/* The kernel gives up after three requests, one second apart. */
#define NEIGH_PROBE_TOTAL_MS 3000
#define NEIGH_PROBE_ROUNDS   11

#define NEIGH_DISCARD_PORT 9 /* RFC 863 */

struct neigh_probe {
	const struct verbs_neigh_addr *addr;
	uint32_t ifindex;
	struct nl_sock *events;
	int udp_fd;
	bool found;
	uint8_t *mac;
};

static int64_t neigh_now_ms(void)
{
	return (int64_t)(verbs_now_ns() / VERBS_NS_PER_MS);
}

static int neigh_probe_on_event(struct nl_msg *msg, void *arg)
{
	struct neigh_probe *probe = arg;

	if (!probe->found)
		probe->found = verbs_neigh_msg_parse_neigh(
			msg, probe->addr, probe->ifindex, probe->mac);
	return NL_OK;
}

static int neigh_probe_open_events(struct neigh_probe *probe)
{
	struct nl_sock *events;
	int ret;

	ret = verbs_neigh_socket_new(&events);
	if (ret)
		return ret;
	if (nl_socket_modify_cb(events, NL_CB_VALID, NL_CB_CUSTOM,
				neigh_probe_on_event, probe) ||
	    nl_socket_set_nonblocking(events) ||
	    nl_socket_add_membership(events, RTNLGRP_NEIGH)) {
		nl_socket_free(events);
		return -EIO;
	}
	probe->events = events;
	return 0;
}

/* Opens a socket whose datagrams leave through the given interface. */
static int neigh_probe_open_udp(sa_family_t family, uint32_t ifindex)
{
	int level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	int option = family == AF_INET ? IP_UNICAST_IF : IPV6_UNICAST_IF;
	uint32_t ifindex_be = htonl(ifindex);
	int fd, ret;

	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, level, option, &ifindex_be, sizeof(ifindex_be))) {
		ret = -errno;
		(void)close(fd); /* no data to lose */
		return ret;
	}
	return fd;
}

static int neigh_probe_send(const struct neigh_probe *probe)
{
	struct sockaddr_storage to;
	socklen_t len = verbs_neigh_addr_to_sockaddr(
		probe->addr, probe->ifindex, NEIGH_DISCARD_PORT, &to);

	if (sendto(probe->udp_fd, "", 0, 0, (struct sockaddr *)&to, len) < 0 &&
	    errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
		return -EHOSTUNREACH;
	return 0;
}

/* Reads notifications until the neighbour is resolved or @end_ms passes. */
static void neigh_probe_wait(struct neigh_probe *probe, int64_t end_ms)
{
	struct pollfd poll_fd = { .fd = nl_socket_get_fd(probe->events),
				  .events = POLLIN };
	int64_t left_ms;

	while (!probe->found && (left_ms = end_ms - neigh_now_ms()) > 0)
		if (poll(&poll_fd, 1, (int)left_ms) > 0)
			/* The request after the round covers an overrun. */
			(void)nl_recvmsgs_default(probe->events);
}

static int neigh_probe_run(struct neigh_probe *probe, struct nl_sock *requests)
{
	int64_t start_ms = neigh_now_ms(), end_ms;
	int ret = -EHOSTUNREACH;

	for (int round = 1; round <= NEIGH_PROBE_ROUNDS; round++) {
		ret = neigh_probe_send(probe);
		if (ret)
			return ret;
		end_ms = start_ms +
			 NEIGH_PROBE_TOTAL_MS * round / NEIGH_PROBE_ROUNDS;
		neigh_probe_wait(probe, end_ms);
		if (probe->found)
			return 0;
		ret = verbs_neigh_socket_get_neigh(requests, probe->addr,
						   probe->ifindex, probe->mac);
		if (ret != -EHOSTUNREACH)
			return ret;
	}
	return ret;
}

int verbs_neigh_probe(struct nl_sock *requests,
		      const struct verbs_neigh_addr *addr, uint32_t ifindex,
		      uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct neigh_probe probe = { .addr = addr,
				     .ifindex = ifindex,
				     .mac = ret_mac };
	int ret;

	ret = neigh_probe_open_events(&probe);
	if (ret)
		return ret;
	probe.udp_fd = neigh_probe_open_udp(addr->family, ifindex);
	if (probe.udp_fd < 0) {
		ret = probe.udp_fd;
		goto free_events;
	}

	ret = neigh_probe_run(&probe, requests);
	(void)close(probe.udp_fd); /* no data to lose */
free_events:
	nl_socket_free(probe.events);
	return ret;
}
