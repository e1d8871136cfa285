/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a pingpong is reached, and how it reaches the other.
 */
#ifndef TOOLS_TOOL_ROUTE_H
#define TOOLS_TOOL_ROUTE_H

#include <stdint.h>

#include <infiniband/verbs.h>

/** No --gid-idx: LIDs will do. */
#define TOOL_NO_GID UINT32_MAX

/** Reliable connections: as patient as a lossy network needs. */
#define TOOL_RNR_TIMER	 12 /* 0.64 ms (IBTA 9.7.5.2.8) */
#define TOOL_TIMEOUT	 14 /* 4.096 us * 2^14 */
#define TOOL_RETRIES	 7
#define TOOL_RNR_ENDLESS 7

/** Our end of a path. */
struct tool_endpoint {
	uint8_t port;
	uint8_t sl;
	uint32_t gid_index; /* or TOOL_NO_GID */
	uint16_t lid;	    /* tool_endpoint_query() sets it, and the GID */
	union ibv_gid gid;  /* all zero without an index */
};

/**
 * tool_endpoint_query() - the addresses of a port
 * @end: its port and index are known
 *
 * Return: 0, -EINVAL after a message: the port or index is not there, or the
 * port cannot be reached so.
 */
int tool_endpoint_query(struct ibv_context *context,
			const struct ibv_port_attr *port,
			struct tool_endpoint *endpoint);

/** tool_ah_attr() - the way from @end to another port */
struct ibv_ah_attr tool_ah_attr(const struct tool_endpoint *endpoint,
				uint16_t lid, const union ibv_gid *gid);

/** tool_random_psn() - a random first packet number, of 24 bits */
uint32_t tool_random_psn(void);

/** tool_mtu_from_bytes() - @bytes, a power of 2 from 256 on, as the verbs name
 * it */
enum ibv_mtu tool_mtu_from_bytes(uint32_t bytes);

#endif
