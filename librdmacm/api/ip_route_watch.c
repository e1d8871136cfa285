/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A netlink socket in the groups of all changes that may affect a source
 * address (rtnetlink(7)). The kernel queues a message before the system call
 * that causes the change returns. No message is parsed: after the first one, a
 * new socket takes the place of the old one. Called by ip_route.c.
 */
#include "api/ip_route_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

/* The bit of a group in a netlink address */
#define WATCH_GROUP(group) (1u << ((group)-1))

static int watch_fd = -1;
/* A child of fork() shares the socket, so its parent would miss messages. */
static pid_t watch_pid;

static int watch_open(void)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = WATCH_GROUP(RTNLGRP_LINK) |
			     WATCH_GROUP(RTNLGRP_IPV4_IFADDR) |
			     WATCH_GROUP(RTNLGRP_IPV4_ROUTE) |
			     WATCH_GROUP(RTNLGRP_IPV4_RULE) |
			     WATCH_GROUP(RTNLGRP_IPV6_IFADDR) |
			     WATCH_GROUP(RTNLGRP_IPV6_ROUTE) |
			     WATCH_GROUP(RTNLGRP_IPV6_RULE) |
			     WATCH_GROUP(RTNLGRP_NEXTHOP),
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_ROUTE);

	if (fd >= 0 &&
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

bool ip_route_changed(void)
{
	pid_t pid = getpid();
	char byte;

	if (watch_fd >= 0 && watch_pid == pid &&
	    recv(watch_fd, &byte, sizeof(byte), 0) < 0 && errno == EAGAIN)
		return false;
	if (watch_fd >= 0)
		(void)close(watch_fd);
	watch_fd = watch_open();
	watch_pid = pid;
	return true;
}
