/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Local addresses and routes. A UDP socket that is connected has the source
 * address that the kernel's routing chooses; no packet is sent for it.
 */
#include "api/ip_route.h"

#include "api/ip_address.h"

#include <errno.h>
#include <unistd.h>

/* Any port; it is part of the route only with rules for ports. */
#define ROUTE_PORT 4791

static int socket_bind(int fd, const struct sockaddr *address)
{
	struct sockaddr_storage without_port;

	ip_address_copy(&without_port, address);
	ip_address_set_port((struct sockaddr *)&without_port, 0);
	return bind(fd, (struct sockaddr *)&without_port,
		    ip_address_size(address)) == 0
		       ? 0
		       : -errno;
}

bool ip_route_is_local(const struct sockaddr *address)
{
	int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_local;

	if (fd < 0)
		return false;
	is_local = socket_bind(fd, address) == 0;
	(void)close(fd);
	return is_local;
}

static int socket_find_source(int fd, const struct sockaddr *bound,
			      const struct sockaddr *dst,
			      struct sockaddr_storage *ret_source)
{
	struct sockaddr_storage to;
	socklen_t len = sizeof(*ret_source);
	int ret;

	if (!ip_address_is_any(bound)) {
		ret = socket_bind(fd, bound);
		if (ret)
			return ret;
	}
	ip_address_copy(&to, dst);
	ip_address_set_port((struct sockaddr *)&to, ROUTE_PORT);
	if (connect(fd, (struct sockaddr *)&to, ip_address_size(dst)) != 0)
		return -errno;
	ip_address_set_any(ret_source, dst->sa_family);
	if (getsockname(fd, (struct sockaddr *)ret_source, &len) != 0)
		return -errno;
	ip_address_set_port((struct sockaddr *)ret_source, 0);
	return 0;
}

int ip_route_source(const struct sockaddr *bound, const struct sockaddr *dst,
		    struct sockaddr_storage *ret_source)
{
	int fd = socket(dst->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = socket_find_source(fd, bound, dst, ret_source);
	(void)close(fd);
	return ret;
}
