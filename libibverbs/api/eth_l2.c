/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_resolve_eth_l2_from_gid(3): Ethernet address and VLAN on the way to a
 * GID. Providers call it for hardware that wants both in an address handle. The
 * look-up itself is in neigh/, which knows nothing of verbs.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "api/api_err.h"
#include "neigh/neigh.h"

/* Unlike its neighbours this one returns negative numbers; see the man page. */
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
	/* An empty slot is a source of zeroes, which nobody owns. */
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
	else if (vid) /* drivers that have no use for it pass NULL */
		*vid = vlan;
	return ret;
}
