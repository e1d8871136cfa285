// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses and paths: see tool_route.h. */
#include "tools/tool_route.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define TOOL_HOP_LIMIT 64

int tool_endpoint_query(struct ibv_context *context,
			const struct ibv_port_attr *port,
			struct tool_endpoint *endpoint)
{
	bool ethernet = port->link_layer == IBV_LINK_LAYER_ETHERNET;
	bool ib = context->device->transport_type == IBV_TRANSPORT_IB;
	union ibv_gid gid = {};

	if (endpoint->gid_index != TOOL_NO_GID &&
	    ibv_query_gid(context, endpoint->port, (int)endpoint->gid_index,
			  &gid) != 0) {
		fprintf(stderr, "can't read sgid of index %u\n",
			endpoint->gid_index);
		return -EINVAL;
	}
	if (ib && !ethernet && !port->lid) {
		fprintf(stderr, "Couldn't get local LID\n");
		return -EINVAL;
	}
	if (ib && ethernet && endpoint->gid_index == TOOL_NO_GID) {
		fprintf(stderr,
			"Port %u is an Ethernet port: choose a GID "
			"with --gid-idx (ibv_devinfo -v lists them)\n",
			endpoint->port);
		return -EINVAL;
	}
	endpoint->lid = port->lid;
	endpoint->gid = gid;
	return 0;
}

struct ibv_ah_attr tool_ah_attr(const struct tool_endpoint *endpoint,
				uint16_t lid, const union ibv_gid *gid)
{
	static const union ibv_gid none;
	struct ibv_ah_attr attr = {
		.dlid = lid,
		.sl = endpoint->sl,
		.port_num = endpoint->port,
	};

	if (memcmp(gid, &none, sizeof(none)) != 0 &&
	    endpoint->gid_index != TOOL_NO_GID) {
		attr.is_global = 1;
		attr.grh.dgid = *gid;
		attr.grh.sgid_index = endpoint->gid_index;
		attr.grh.hop_limit = TOOL_HOP_LIMIT;
	}
	return attr;
}

uint32_t tool_random_psn(void)
{
	uint32_t psn;

	/* PSNs need not be secret, but should rarely repeat */
	if (getrandom(&psn, sizeof(psn), 0) != sizeof(psn))
		psn = time(NULL);
	return psn & 0xffffff;
}

enum ibv_mtu tool_mtu_from_bytes(uint32_t bytes)
{
	return __builtin_ctz(bytes) - __builtin_ctz(256) + IBV_MTU_256;
}
