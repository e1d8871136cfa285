/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The socket addresses of an id in the private data of a REQ or SIDR_REQ. */
#ifndef API_IP_HEADER_H
#define API_IP_HEADER_H

#include <rdma/rdma_cma.h>

/* Writes CM_IP_HEADER_LEN bytes. */
void ip_header_write(const struct rdma_addr *addresses, uint8_t *ret_bytes);

/**
 * ip_header_read() - the addresses of a request
 * @bytes: CM_IP_HEADER_LEN bytes, from the network
 * @dst_port: of the service id; the header has only the source's
 *
 * Return: 0, or -EPROTO.
 */
int ip_header_read(const uint8_t *bytes, uint16_t dst_port,
		   struct sockaddr_storage *ret_src,
		   struct sockaddr_storage *ret_dst);

#endif
