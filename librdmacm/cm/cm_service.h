/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA IP CM service (IBTA annex A11): IP ports as service ids, and the
 * header with the IP addresses in the private data of REQ and SIDR_REQ.
 */
#ifndef CM_CM_SERVICE_H
#define CM_CM_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#define CM_IP_HEADER_LEN 36
#define CM_IP_ADDR_LEN	 16

struct cm_ip_header {
	uint8_t ip_version; /* 4 or 6 */
	uint16_t src_port;  /* host order */
	/* IPv6 address; of IPv4, the last 4 bytes, after 12 that are 0 */
	uint8_t src_addr[CM_IP_ADDR_LEN];
	uint8_t dst_addr[CM_IP_ADDR_LEN];
};

/**
 * cm_service_id() - the service id of a port
 * @port_space: as enum rdma_port_space
 * @port: host order
 */
uint64_t cm_service_id(uint16_t port_space, uint16_t port);

/**
 * cm_ip_header_encode() - write the header
 * @ret_bytes: CM_IP_HEADER_LEN bytes
 *
 * Return: 0, or -EINVAL if the IP version is neither 4 nor 6.
 */
int cm_ip_header_encode(const struct cm_ip_header *header, uint8_t *ret_bytes);

/**
 * cm_ip_header_decode() - read the header from private data
 * @bytes: CM_IP_HEADER_LEN bytes, from the network
 *
 * The addresses are not checked. The low bits of the byte with the IP version
 * and the first 12 bytes of an IPv4 address are reserved and become 0.
 *
 * Return: 0, or -EPROTO if the version of the header is not 0 or the IP version
 * is neither 4 nor 6.
 */
int cm_ip_header_decode(const uint8_t *bytes, struct cm_ip_header *ret_header);

#endif
