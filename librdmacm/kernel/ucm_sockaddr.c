/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Socket addresses in commands and responses. The kernel accepts an address
 * with exactly the length of its family.
 */
#include "kernel/ucm_sockaddr.h"

#include <errno.h>
#include <infiniband/ib.h>
#include <netinet/in.h>
#include <string.h>

/* 0: unknown family */
static uint16_t sockaddr_family_len(sa_family_t family)
{
	switch (family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	default:
		return 0;
	}
}

int ucm_sockaddr_put(const struct sockaddr *addr,
		     struct sockaddr_storage *ret_storage, uint16_t *ret_len)
{
	uint16_t len = sockaddr_family_len(addr->sa_family);

	if (!len)
		return -EINVAL;
	memcpy(ret_storage, addr, len);
	*ret_len = len;
	return 0;
}

int ucm_sockaddr_get(const struct sockaddr_storage *from, uint16_t len,
		     struct sockaddr_storage *ret_addr)
{
	struct sockaddr_storage addr = {};

	if (len) {
		if (len != sockaddr_family_len(from->ss_family))
			return -EPROTO;
		memcpy(&addr, from, len);
	}
	*ret_addr = addr;
	return 0;
}
