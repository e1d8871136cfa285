/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A netlink socket in the groups of links and addresses (rtnetlink(7)). Called
 * by ../uroce_instance.c.
 */
#include "uroce/udp/uroce_link.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/nocancel.h"

int uroce_link_open(void)
{
	struct sockaddr_nl name = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR |
			     RTMGRP_IPV6_IFADDR,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_ROUTE);
	int ret;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&name, sizeof(name))) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

void uroce_link_drain(int fd)
{
	char byte;

	/* ENOBUFS reports an overrun once; more messages may follow */
	while (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) >= 0 ||
	       errno == ENOBUFS || errno == EINTR)
		;
}
