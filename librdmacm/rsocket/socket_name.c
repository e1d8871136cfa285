/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks and copies of socket addresses. */
#include "rsocket/socket_name.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

void socket_name_copy(const struct sockaddr *from, struct sockaddr *address,
		      socklen_t *len)
{
	socklen_t needed = from->sa_family == AF_INET6
				   ? sizeof(struct sockaddr_in6)
				   : sizeof(struct sockaddr_in);

	if (!address || !len)
		return;
	memcpy(address, from, *len < needed ? *len : needed);
	*len = needed;
}

int socket_name_check(int domain, const struct sockaddr *address, socklen_t len,
		      struct sockaddr_storage *ret_copy)
{
	size_t needed = domain == AF_INET ? sizeof(struct sockaddr_in)
					  : sizeof(struct sockaddr_in6);

	if (!address)
		return -EFAULT;
	if (len < needed)
		return -EINVAL;
	if (address->sa_family != domain)
		return -EAFNOSUPPORT;
	memset(ret_copy, 0, sizeof(*ret_copy));
	memcpy(ret_copy, address, needed);
	return 0;
}

void socket_name_unmap(struct sockaddr_storage *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6;

	memcpy(&in6, address, sizeof(in6));
	if (in6.sin6_family != AF_INET6 ||
	    !IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
		return;
	in.sin_port = in6.sin6_port;
	memcpy(&in.sin_addr, &in6.sin6_addr.s6_addr[12], sizeof(in.sin_addr));
	memset(address, 0, sizeof(*address));
	memcpy(address, &in, sizeof(in));
}

void socket_name_map(struct sockaddr_storage *address)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in;

	memcpy(&in, address, sizeof(in));
	if (in.sin_family != AF_INET)
		return;
	in6.sin6_port = in.sin_port;
	memset(&in6.sin6_addr.s6_addr[10], 0xff, 2);
	memcpy(&in6.sin6_addr.s6_addr[12], &in.sin_addr, sizeof(in.sin_addr));
	memcpy(address, &in6, sizeof(in6));
}
