/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Service ids and the header of the RDMA IP CM service. */
#include "cm/cm_service.h"

#include "cm/cm_bytes.h"

#include <errno.h>
#include <string.h>

/* Offsets in the header */
#define IP_HEADER_VERSION    0
#define IP_HEADER_IP_VERSION 1
#define IP_HEADER_SRC_PORT   2
#define IP_HEADER_SRC_ADDR   4
#define IP_HEADER_DST_ADDR   20

#define IPV4_ADDR_OFFSET 12 /* in an address of 16 bytes */

uint64_t cm_service_id(uint16_t port_space, uint16_t port)
{
	return (uint64_t)port_space << 16 | port;
}

int cm_ip_header_encode(const struct cm_ip_header *header, uint8_t *ret_bytes)
{
	if (header->ip_version != 4 && header->ip_version != 6)
		return -EINVAL;
	ret_bytes[IP_HEADER_VERSION] = 0;
	ret_bytes[IP_HEADER_IP_VERSION] = (uint8_t)(header->ip_version << 4);
	cm_bytes_put(ret_bytes + IP_HEADER_SRC_PORT, 2, header->src_port);
	memcpy(ret_bytes + IP_HEADER_SRC_ADDR, header->src_addr,
	       CM_IP_ADDR_LEN);
	memcpy(ret_bytes + IP_HEADER_DST_ADDR, header->dst_addr,
	       CM_IP_ADDR_LEN);
	return 0;
}

int cm_ip_header_decode(const uint8_t *bytes, struct cm_ip_header *ret_header)
{
	uint8_t ip_version = bytes[IP_HEADER_IP_VERSION] >> 4;

	if (bytes[IP_HEADER_VERSION] != 0 ||
	    (ip_version != 4 && ip_version != 6))
		return -EPROTO;
	ret_header->ip_version = ip_version;
	ret_header->src_port =
		(uint16_t)cm_bytes_get(bytes + IP_HEADER_SRC_PORT, 2);
	memcpy(ret_header->src_addr, bytes + IP_HEADER_SRC_ADDR,
	       CM_IP_ADDR_LEN);
	memcpy(ret_header->dst_addr, bytes + IP_HEADER_DST_ADDR,
	       CM_IP_ADDR_LEN);
	if (ip_version == 4) {
		memset(ret_header->src_addr, 0, IPV4_ADDR_OFFSET);
		memset(ret_header->dst_addr, 0, IPV4_ADDR_OFFSET);
	}
	return 0;
}
