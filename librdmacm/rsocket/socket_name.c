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
