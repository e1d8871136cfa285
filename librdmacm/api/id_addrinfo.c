/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names as addresses, by getaddrinfo(3). Only its first result is used, as in
 * other releases of the library. There is no path resolver to ask on RoCE.
 */

#include "api/api_err.h"
#include "api/ip_address.h"

#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	while (res) {
		struct rdma_addrinfo *next = res->ai_next;

		free(res->ai_src_addr);
		free(res->ai_dst_addr);
		free(res->ai_src_canonname);
		free(res->ai_dst_canonname);
		free(res->ai_route);
		free(res->ai_connect);
		free(res);
		res = next;
	}
}

static int socket_type_of(int qp_type)
{
	switch (qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return SOCK_STREAM;
	case IBV_QPT_UD:
		return SOCK_DGRAM;
	default:
		return 0;
	}
}

static int protocol_of(int port_space, int socket_type)
{
	switch (port_space) {
	case RDMA_PS_TCP:
		return IPPROTO_TCP;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return IPPROTO_UDP;
	case RDMA_PS_IB:
		return socket_type == SOCK_STREAM  ? IPPROTO_TCP
		       : socket_type == SOCK_DGRAM ? IPPROTO_UDP
						   : 0;
	default:
		return 0;
	}
}

static void hints_translate(const struct rdma_addrinfo *hints,
			    struct addrinfo *ret_hints)
{
	memset(ret_hints, 0, sizeof(*ret_hints));
	if (hints->ai_flags & RAI_PASSIVE)
		ret_hints->ai_flags |= AI_PASSIVE;
	if (hints->ai_flags & RAI_NUMERICHOST)
		ret_hints->ai_flags |= AI_NUMERICHOST;
	/* AF_IB is not a family of names. */
	if (hints->ai_family == AF_INET || hints->ai_family == AF_INET6)
		ret_hints->ai_family = hints->ai_family;
	ret_hints->ai_socktype = socket_type_of(hints->ai_qp_type);
	ret_hints->ai_protocol =
		protocol_of(hints->ai_port_space, ret_hints->ai_socktype);
}

/* Copies an address; 0 bytes are no address. */
static int address_duplicate(const struct sockaddr *address, socklen_t len,
			     struct sockaddr **ret_address, socklen_t *ret_len)
{
	if (!address || !len)
		return 0;
	*ret_address = malloc(len);
	if (!*ret_address)
		return -ENOMEM;
	memcpy(*ret_address, address, len);
	*ret_len = len;
	return 0;
}

static int result_fill(const struct addrinfo *found,
		       const struct rdma_addrinfo *hints,
		       struct rdma_addrinfo *ret)
{
	int datagram = found->ai_socktype == SOCK_DGRAM;
	int ret_copy;

	ret->ai_family = found->ai_family;
	ret->ai_qp_type = hints->ai_qp_type ? hints->ai_qp_type
			  : datagram	    ? IBV_QPT_UD
					    : IBV_QPT_RC;
	ret->ai_port_space = hints->ai_port_space ? hints->ai_port_space
			     : datagram		  ? RDMA_PS_UDP
						  : RDMA_PS_TCP;
	if (hints->ai_flags & RAI_PASSIVE) {
		ret->ai_flags = RAI_PASSIVE;
		return address_duplicate(found->ai_addr, found->ai_addrlen,
					 &ret->ai_src_addr, &ret->ai_src_len);
	}
	ret_copy = address_duplicate(found->ai_addr, found->ai_addrlen,
				     &ret->ai_dst_addr, &ret->ai_dst_len);
	if (ret_copy)
		return ret_copy;
	return address_duplicate(hints->ai_src_addr, hints->ai_src_len,
				 &ret->ai_src_addr, &ret->ai_src_len);
}

/* Without a name, the result is a copy of the hints. */
static int result_copy(const struct rdma_addrinfo *hints,
		       struct rdma_addrinfo *ret)
{
	int ret_copy;

	ret->ai_flags = hints->ai_flags;
	ret->ai_family = hints->ai_family;
	ret->ai_qp_type = hints->ai_qp_type;
	ret->ai_port_space = hints->ai_port_space;
	ret_copy = address_duplicate(hints->ai_dst_addr, hints->ai_dst_len,
				     &ret->ai_dst_addr, &ret->ai_dst_len);
	if (ret_copy)
		return ret_copy;
	return address_duplicate(hints->ai_src_addr, hints->ai_src_len,
				 &ret->ai_src_addr, &ret->ai_src_len);
}

int rdma_getaddrinfo(const char *node, const char *service,
		     const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	static const struct rdma_addrinfo no_hints;
	struct addrinfo *found = NULL;
	struct rdma_addrinfo *result;
	struct addrinfo ip_hints;
	int ret;

	if (!node && !service && !hints)
		return api_ret_minus1(-EINVAL);
	/* RoCE has no subnet administrator that knows services. */
	if (hints && (hints->ai_flags & RAI_SA))
		return api_ret_minus1(-ENOENT);
	if (!hints)
		hints = &no_hints;
	if (node || service) {
		hints_translate(hints, &ip_hints);
		ret = getaddrinfo(node, service, &ip_hints, &found);
		if (ret)
			return ret; /* an EAI_ code, which is negative */
	}
	result = calloc(1, sizeof(*result));
	ret = -ENOMEM;
	if (result)
		ret = found ? result_fill(found, hints, result)
			    : result_copy(hints, result);
	if (found)
		freeaddrinfo(found);
	if (ret) {
		rdma_freeaddrinfo(result);
		return api_ret_minus1(ret);
	}
	*res = result;
	return 0;
}
