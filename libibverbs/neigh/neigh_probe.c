/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends a datagram to a neighbour until the kernel knows its Ethernet address:
 * see neigh/neigh_probe.h. The kernel tells by a notification; because one may
 * be lost, or may have come before we listened, each round ends with a question
 * as well.
 */
#include "neigh/neigh_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/handlers.h>
#include <netlink/netlink.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "neigh/neigh_msg.h"
#include "neigh/neigh_socket.h"

/* The kernel gives up after three requests, one second apart. */
#define TOTAL_MS 3000
#define ROUNDS	 11

#define DISCARD_PORT 9 /* RFC 863 */

struct probe {
	const struct verbs_neigh_addr *addr;
	uint32_t ifindex;
	struct nl_sock *events;
	int udp_fd;
	bool found;
	uint8_t *mac;
};

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct probe *probe = arg;

	if (!probe->found)
		probe->found =
			verbs_neigh_msg_parse_entry(nlmsg_hdr(msg), probe->addr,
						    probe->ifindex, probe->mac);
	return NL_OK;
}

static int open_events(struct probe *probe)
{
	struct nl_sock *events;
	int ret;

	ret = verbs_neigh_socket_new(&events);
	if (ret)
		return ret;
	if (nl_socket_modify_cb(events, NL_CB_VALID, NL_CB_CUSTOM, on_event,
				probe) ||
	    nl_socket_set_nonblocking(events) ||
	    nl_socket_add_membership(events, RTNLGRP_NEIGH)) {
		nl_socket_free(events);
		return -EIO;
	}
	probe->events = events;
	return 0;
}

/* A socket whose datagrams leave by the given interface. */
static int open_udp(sa_family_t family, uint32_t ifindex)
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
		(void)close(fd); /* nothing was written */
		return ret;
	}
	return fd;
}

static int provoke(const struct probe *probe)
{
	struct sockaddr_storage to;
	socklen_t len = verbs_neigh_addr_to_sockaddr(
		probe->addr, probe->ifindex, DISCARD_PORT, &to);

	if (sendto(probe->udp_fd, "", 0, 0, (struct sockaddr *)&to, len) < 0 &&
	    errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
		return -EHOSTUNREACH;
	return 0;
}

/* Reads notifications until ours has come or @end_ms has passed. */
static void wait_for_event(struct probe *probe, int64_t end_ms)
{
	struct pollfd poll_fd = { .fd = nl_socket_get_fd(probe->events),
				  .events = POLLIN };
	int64_t left_ms;

	while (!probe->found && (left_ms = end_ms - now_ms()) > 0)
		if (poll(&poll_fd, 1, (int)left_ms) > 0)
			/* What was lost is asked for after the round. */
			(void)nl_recvmsgs_default(probe->events);
}

static int run_rounds(struct probe *probe, struct nl_sock *questions)
{
	int64_t start_ms = now_ms();
	int ret = -EHOSTUNREACH;

	for (int round = 1; round <= ROUNDS; round++) {
		ret = provoke(probe);
		if (ret)
			return ret;
		wait_for_event(probe, start_ms + TOTAL_MS * round / ROUNDS);
		if (probe->found)
			return 0;
		ret = verbs_neigh_socket_entry(questions, probe->addr,
					       probe->ifindex, probe->mac);
		if (ret != -EHOSTUNREACH)
			return ret;
	}
	return ret;
}

int verbs_neigh_probe(struct nl_sock *questions,
		      const struct verbs_neigh_addr *addr, uint32_t ifindex,
		      uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct probe probe = { .addr = addr,
			       .ifindex = ifindex,
			       .mac = ret_mac };
	int ret;

	ret = open_events(&probe);
	if (ret)
		return ret;
	probe.udp_fd = open_udp(addr->family, ifindex);
	if (probe.udp_fd < 0) {
		ret = probe.udp_fd;
		goto free_events;
	}

	ret = run_rounds(&probe, questions);
	(void)close(probe.udp_fd); /* nothing that could get lost */
free_events:
	nl_socket_free(probe.events);
	return ret;
}
