/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks ports and address vectors, for ibv_modify_qp(3) and ibv_create_ah(3).
 * Calls queries of the provider.
 */
#include <string.h>

#include "layers/explain.h"
#include "layers/layers.h"

/* GID indexes that a message lists, and those that are searched for it. */
#define MAX_LISTED_GIDS	  8
#define MAX_SEARCHED_GIDS 256

bool explain_port(struct explain_text *text, struct ibv_context *ctx,
		  unsigned int port)
{
	struct ibv_device_attr_ex attr = {};

	if (LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &attr,
			      sizeof(attr)) != 0 ||
	    (port >= 1 && port <= attr.orig_attr.phys_port_cnt))
		return false;
	explain_add(text,
		    "port_num is %u, but the device has the ports 1 to %u",
		    port, attr.orig_attr.phys_port_cnt);
	return true;
}

static bool address_gid_is_used(struct ibv_context *ctx, uint8_t port,
				int index)
{
	static const union ibv_gid zero;
	struct ibv_gid_entry entry = {};

	return LAYERS_CALL_BELOW(ctx, query_gid_entry, ctx, port,
				 (uint32_t)index, &entry) == 0 &&
	       memcmp(&entry.gid, &zero, sizeof(zero)) != 0;
}

static void address_list_gids(struct explain_text *text,
			      struct ibv_context *ctx, uint8_t port, int len)
{
	int nr = 0;

	for (int i = 0; i < len && i < MAX_SEARCHED_GIDS; i++) {
		if (!address_gid_is_used(ctx, port, i))
			continue;
		if (nr++ == MAX_LISTED_GIDS) {
			explain_add(text, ", ...");
			return;
		}
		explain_add(text,
			    nr == 1 ? "; use one of the indexes %d" : ", %d",
			    i);
	}
	if (nr == 0)
		explain_add(text, "; the port has no address at all");
}

static bool address_check_gid_index(struct explain_text *text,
				    struct ibv_context *ctx, uint8_t port,
				    const struct ibv_port_attr *port_attr,
				    int index)
{
	if (index < port_attr->gid_tbl_len &&
	    address_gid_is_used(ctx, port, index))
		return false;
	explain_add(text, "GID index %d of port %u has no address", index,
		    port);
	if (index >= port_attr->gid_tbl_len)
		explain_add(text, " (the table has %d entries)",
			    port_attr->gid_tbl_len);
	address_list_gids(text, ctx, port, port_attr->gid_tbl_len);
	return true;
}

bool explain_address(struct explain_text *text, struct ibv_context *ctx,
		     uint8_t port, const struct ibv_ah_attr *ah_attr)
{
	static const union ibv_gid zero;
	struct ibv_port_attr port_attr = {};

	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &port_attr) != 0)
		return false;
	if (!ah_attr->is_global) {
		if (port_attr.link_layer != IBV_LINK_LAYER_ETHERNET)
			return false;
		explain_add(text,
			    "the address has no GRH, which port %u needs "
			    "because it is Ethernet; set is_global to 1, "
			    "grh.dgid to the GID of the peer and "
			    "grh.sgid_index to an own GID",
			    port);
		return true;
	}
	if (address_check_gid_index(text, ctx, port, &port_attr,
				    ah_attr->grh.sgid_index))
		return true;
	if (memcmp(&ah_attr->grh.dgid, &zero, sizeof(zero)) == 0) {
		explain_add(text, "grh.dgid is zero; set it to the GID of the "
				  "peer, which the peer must send first");
		return true;
	}
	return false;
}

bool explain_unreachable(struct explain_text *text, int error)
{
	switch (error) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
		explain_add(text,
			    "there is no route to the GID of the peer, or its "
			    "host does not respond; check the address, the "
			    "GID index and the link (ping, ip route get)");
		return true;
	default:
		return false;
	}
}
