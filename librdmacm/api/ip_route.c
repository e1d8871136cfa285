/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Local addresses and routes. A UDP socket that is connected has the source
 * address that the kernel's routing chooses; no packet is sent for it. The last
 * result is valid until a route or an address changes: most programs connect
 * many times to the same host. Called by engine_bind.c and id_resolve.c.
 */
#include "api/ip_route.h"

#include "api/ip_address.h"
#include "api/ip_route_watch.h"

#include "util/lock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Any port; it is part of the route only with rules for ports. */
#define ROUTE_PORT 4791

/* A question and its result, without ports */
struct route_source {
	struct sockaddr_storage bound, dst, source;
};

static struct verbs_mutex route_mutex = VERBS_MUTEX_INIT;
static struct route_source route_last GUARDED_BY(route_mutex);

static void address_copy_without_port(struct sockaddr_storage *ret_to,
				      const struct sockaddr *from)
{
	ip_address_copy(ret_to, from);
	ip_address_set_port((struct sockaddr *)ret_to, 0);
}

static int socket_bind(int fd, const struct sockaddr *address)
{
	struct sockaddr_storage without_port;

	address_copy_without_port(&without_port, address);
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

bool ip_route_is_v6only(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int is_v6only = 0;
	socklen_t len = sizeof(is_v6only);

	if (fd < 0)
		return false;
	(void)getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &is_v6only, &len);
	(void)close(fd);
	return is_v6only != 0;
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

static int route_find_source(struct route_source *route)
{
	const struct sockaddr *dst = (const struct sockaddr *)&route->dst;
	int fd = socket(dst->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = socket_find_source(fd, (const struct sockaddr *)&route->bound,
				 dst, &route->source);
	(void)close(fd);
	return ret;
}

/* Compares all bytes, also those without a meaning (sin_zero). */
static bool route_is_last_locked(const struct route_source *route)
	REQUIRES(route_mutex)
{
	return !memcmp(&route->bound, &route_last.bound,
		       sizeof(route->bound)) &&
	       !memcmp(&route->dst, &route_last.dst, sizeof(route->dst));
}

int ip_route_source(const struct sockaddr *bound, const struct sockaddr *dst,
		    struct sockaddr_storage *ret_source)
{
	struct route_source route;
	int ret = 0;

	address_copy_without_port(&route.bound, bound);
	address_copy_without_port(&route.dst, dst);
	verbs_mutex_lock(&route_mutex);
	if (ip_route_changed())
		memset(&route_last, 0, sizeof(route_last));
	if (!route_is_last_locked(&route)) {
		ret = route_find_source(&route);
		if (!ret)
			route_last = route;
	}
	if (!ret)
		*ret_source = route_last.source;
	verbs_mutex_unlock(&route_mutex);
	return ret;
}
