/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_resolve_eth_l2_from_gid(3): the Ethernet address and VLAN of the next
 * hop to a GID. Providers call it for hardware that needs both in an address
 * handle. neigh/, which does not depend on verbs, has the look-up.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "api/api_err.h"
#include "neigh/neigh.h"

/* This function returns negative numbers; see its man page. */
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context,
				struct ibv_ah_attr *attr,
				uint8_t eth_mac[ETHERNET_LL_SIZE],
				uint16_t *vid)
{
	struct verbs_neigh_query query = {};
	struct ibv_gid_entry source = {};
	uint16_t vlan;
	int ret;

	if (!attr || !eth_mac)
		return api_ret_minus1(-EINVAL);
	/*
	 * An empty slot counts as a source GID of zeroes, which no interface
	 * has.
	 */
	ret = ibv_query_gid_ex(context, attr->port_num, attr->grh.sgid_index,
			       &source, 0);
	if (ret && ret != ENODATA)
		return api_ret_minus1(-ret);

	memcpy(query.src_gid, source.gid.raw, sizeof(query.src_gid));
	memcpy(query.dst_gid, attr->grh.dgid.raw, sizeof(query.dst_gid));
	query.src_ifindex = source.ndev_ifindex;
	ret = verbs_neigh_resolve(&query, eth_mac, &vlan);
	if (ret)
		errno = -ret;
	else if (vid) /* vid is NULL if the driver does not use it */
		*vid = vlan;
	return ret;
}
