/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies of socket addresses. */
#include "rsocket/socket_name.h"

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
