/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The local address of a pingpong, and the path to its peer. */
#ifndef TOOLS_TOOL_ROUTE_H
#define TOOLS_TOOL_ROUTE_H

#include <stdint.h>

#include <infiniband/verbs.h>

/** No --gid-idx option: address the peer by its LID alone. */
#define TOOL_NO_GID UINT32_MAX

/** QP attributes of reliable connections, suitable for a lossy network. */
#define TOOL_RNR_TIMER	 12 /* 0.64 ms (IBTA 9.7.5.2.8) */
#define TOOL_TIMEOUT	 14 /* 4.096 us * 2^14 */
#define TOOL_RETRIES	 7
#define TOOL_RNR_ENDLESS 7

/** The local end of a path. */
struct tool_endpoint {
	uint8_t port;
	uint8_t sl;
	uint32_t gid_index; /* or TOOL_NO_GID */
	uint16_t lid;	    /* set by tool_endpoint_query() */
	union ibv_gid gid;  /* set likewise; all 0 without an index */
};

/**
 * tool_endpoint_query() - query the LID and GID of the local port
 * @endpoint: with port, service level and GID index set
 *
 * Return: 0, or -EINVAL after a message when the GID index does not exist, the
 * port has no LID, or an Ethernet port has no GID index.
 */
int tool_endpoint_query(struct ibv_context *context,
			const struct ibv_port_attr *port,
			struct tool_endpoint *endpoint);

/** tool_ah_attr() - return the address vector of the path to a peer */
struct ibv_ah_attr tool_ah_attr(const struct tool_endpoint *endpoint,
				uint16_t lid, const union ibv_gid *gid);

/** tool_random_psn() - return a random 24-bit PSN */
uint32_t tool_random_psn(void);

/**
 * tool_mtu_from_bytes() - convert @bytes (256, 512, ... 4096) to enum ibv_mtu
 */
enum ibv_mtu tool_mtu_from_bytes(uint32_t bytes);

#endif
