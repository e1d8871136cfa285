/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks ports and address vectors, for ibv_modify_qp(3) and ibv_create_ah(3).
 * Calls queries of the provider.
 */
#include <string.h>

#include "layers/checks.h"
#include "layers/layers.h"

/* GID indexes that a message lists, and those that are searched for it. */
#define MAX_LISTED_GIDS	  8
#define MAX_SEARCHED_GIDS 256

enum layers_rule check_port(struct explain_text *text, struct ibv_context *ctx,
			    unsigned int port)
{
	struct ibv_device_attr_ex attr = {};

	if (LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &attr,
			      sizeof(attr)) != 0 ||
	    (port >= 1 && port <= attr.orig_attr.phys_port_cnt))
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "port_num is %u, but the device has the ports 1 to %u",
		    port, attr.orig_attr.phys_port_cnt);
	return AV_QP_004;
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

static enum layers_rule
address_check_gid_index(struct explain_text *text, struct ibv_context *ctx,
			uint8_t port, const struct ibv_port_attr *port_attr,
			int index)
{
	if (index < port_attr->gid_tbl_len &&
	    address_gid_is_used(ctx, port, index))
		return LAYERS_RULE_NONE;
	explain_add(text, "GID index %d of port %u has no address", index,
		    port);
	if (index >= port_attr->gid_tbl_len)
		explain_add(text, " (the table has %d entries)",
			    port_attr->gid_tbl_len);
	address_list_gids(text, ctx, port, port_attr->gid_tbl_len);
	return AV_AD_002;
}

static bool address_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid->raw, mapped, sizeof(mapped)) == 0;
}

/* @grh: its sgid_index is valid */
static enum layers_rule address_check_dgid(struct explain_text *text,
					   struct ibv_context *ctx,
					   uint8_t port,
					   const struct ibv_global_route *grh)
{
	static const union ibv_gid zero;
	struct ibv_gid_entry entry = {};

	if (memcmp(&grh->dgid, &zero, sizeof(zero)) == 0) {
		explain_add(text, "grh.dgid is zero; set it to the GID of the "
				  "peer, which the peer must send first");
		return AV_AD_005;
	}
	if (LAYERS_CALL_BELOW(ctx, query_gid_entry, ctx, port, grh->sgid_index,
			      &entry) != 0 ||
	    address_is_ipv4(&entry.gid) == address_is_ipv4(&grh->dgid))
		return LAYERS_RULE_NONE;
	explain_add(text, "grh.dgid ");
	explain_add_gid(text, &grh->dgid);
	explain_add(text, " and the GID of sgid_index %u, ", grh->sgid_index);
	explain_add_gid(text, &entry.gid);
	explain_add(text, ", are an IPv4 and an IPv6 address; use two of the "
			  "same kind");
	return AV_AD_005;
}

enum layers_rule check_address(struct explain_text *text,
			       struct ibv_context *ctx, uint8_t port,
			       const struct ibv_ah_attr *ah_attr)
{
	struct ibv_port_attr port_attr = {};
	enum layers_rule rule;

	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &port_attr) != 0)
		return LAYERS_RULE_NONE;
	if (!ah_attr->is_global) {
		if (port_attr.link_layer != IBV_LINK_LAYER_ETHERNET)
			return LAYERS_RULE_NONE;
		explain_add(text,
			    "the address has no GRH, which port %u needs "
			    "because it is Ethernet; set is_global to 1, "
			    "grh.dgid to the GID of the peer and "
			    "grh.sgid_index to an own GID",
			    port);
		return AV_AD_001;
	}
	rule = address_check_gid_index(text, ctx, port, &port_attr,
				       ah_attr->grh.sgid_index);
	return rule ? rule : address_check_dgid(text, ctx, port, &ah_attr->grh);
}

enum layers_rule check_create_ah(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_ah_attr *attr)
{
	enum layers_rule rule = check_port(text, ctx, attr->port_num);

	return rule ? rule : check_address(text, ctx, attr->port_num, attr);
}
