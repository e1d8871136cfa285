/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The socket addresses of an id in the header of the RDMA IP CM service.
 * Written by the files of the active side, read by those of requests.
 */
#include "api/ip_header.h"

#include "api/ip_address.h"
#include "cm/cm_service.h"

#include <string.h>

/* The IPv4 address in 16 bytes, and in a GID */
#define HEADER_IPV4_OFFSET 12

void ip_header_write(const struct rdma_addr *addresses, uint8_t *ret_bytes)
{
	bool is_ipv4 = addresses->src_addr.sa_family == AF_INET;
	size_t skip = is_ipv4 ? HEADER_IPV4_OFFSET : 0;
	struct cm_ip_header header = {
		.ip_version = is_ipv4 ? 4 : 6,
		.src_port = ip_address_port(&addresses->src_addr),
	};
	union ibv_gid src, dst;

	ip_address_to_gid(&addresses->src_addr, &src);
	ip_address_to_gid(&addresses->dst_addr, &dst);
	/* Not the prefix of an IPv4-mapped address */
	memcpy(&header.src_addr[skip], &src.raw[skip], CM_IP_ADDR_LEN - skip);
	memcpy(&header.dst_addr[skip], &dst.raw[skip], CM_IP_ADDR_LEN - skip);
	/* It fails only for other IP versions. */
	(void)cm_ip_header_encode(&header, ret_bytes);
}

static void header_address(const struct cm_ip_header *header,
			   const uint8_t *bytes, uint16_t port,
			   struct sockaddr_storage *ret_address)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)(void *)ret_address;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)(void *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (header->ip_version == 4) {
		sin->sin_family = AF_INET;
		memcpy(&sin->sin_addr, &bytes[HEADER_IPV4_OFFSET],
		       sizeof(sin->sin_addr));
	} else {
		sin6->sin6_family = AF_INET6;
		memcpy(&sin6->sin6_addr, bytes, sizeof(sin6->sin6_addr));
	}
	ip_address_set_port((struct sockaddr *)ret_address, port);
}

int ip_header_read(const uint8_t *bytes, uint16_t dst_port,
		   struct sockaddr_storage *ret_src,
		   struct sockaddr_storage *ret_dst)
{
	struct cm_ip_header header;
	int ret = cm_ip_header_decode(bytes, &header);

	if (ret)
		return ret;
	header_address(&header, header.src_addr, header.src_port, ret_src);
	header_address(&header, header.dst_addr, dst_port, ret_dst);
	return 0;
}
