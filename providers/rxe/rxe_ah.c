/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address handles. Since 5.16 the kernel keeps the address and numbers the AH;
 * a UD work request carries that number. The kernel has resolved the neighbour
 * when it returns the number. An older kernel returns no number, and every work
 * request carries the whole address. Only in this case the provider builds the
 * address here, and looks up the source GID and the neighbour's MAC address
 * once.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "rxe/rxe.h"

/* A RoCE v2 GID is an IPv6 address or an IPv4-mapped one. */
static void rxe_gid_to_sockaddr_in6(const union ibv_gid *gid,
				    struct sockaddr_in6 *ret_addr)
{
	*ret_addr = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
	memcpy(&ret_addr->sin6_addr, gid->raw, sizeof(gid->raw));
}

static void rxe_gid_to_sockaddr_in(const union ibv_gid *gid,
				   struct sockaddr_in *ret_addr)
{
	*ret_addr = (struct sockaddr_in){ .sin_family = AF_INET };
	memcpy(&ret_addr->sin_addr, &gid->raw[12], sizeof(ret_addr->sin_addr));
}

/* ::ffff:a.b.c.d */
static bool rxe_gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

static int rxe_av_init(struct ibv_context *ctx, struct ibv_ah_attr *attr,
		       struct rxe_av *ret_av)
{
	const struct ibv_global_route *grh = &attr->grh;
	struct ibv_gid_entry sgid = {};
	struct rxe_av av = {};
	uint16_t vid;
	int err;

	if (!attr->is_global) /* RoCE always needs a GRH */
		return -EINVAL;
	err = verbs_cmd_query_gid_entry(ctx, attr->port_num, grh->sgid_index,
					&sgid);
	if (err)
		return err == -ENODATA ? -EINVAL : err;
	/* The man page leaves the sign of the errno open. */
	err = ibv_resolve_eth_l2_from_gid(ctx, attr, av.dmac, &vid);
	if (err)
		return err < 0 ? err : -err;

	av.port_num = attr->port_num;
	memcpy(av.grh.dgid.raw, grh->dgid.raw, sizeof(av.grh.dgid.raw));
	av.grh.flow_label = grh->flow_label;
	av.grh.sgid_index = grh->sgid_index;
	av.grh.hop_limit = grh->hop_limit;
	av.grh.traffic_class = grh->traffic_class;
	if (rxe_gid_is_ipv4(&sgid.gid)) {
		av.network_type = RXE_NETWORK_TYPE_IPV4;
		rxe_gid_to_sockaddr_in(&sgid.gid, &av.sgid_addr._sockaddr_in);
		rxe_gid_to_sockaddr_in(&grh->dgid, &av.dgid_addr._sockaddr_in);
	} else {
		av.network_type = RXE_NETWORK_TYPE_IPV6;
		rxe_gid_to_sockaddr_in6(&sgid.gid, &av.sgid_addr._sockaddr_in6);
		rxe_gid_to_sockaddr_in6(&grh->dgid,
					&av.dgid_addr._sockaddr_in6);
	}
	*ret_av = av;
	return 0;
}

int rxe_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
		  struct ibv_ah **ret_ah)
{
	struct rxe_create_ah_resp resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};
	struct rxe_ah *ah;
	int err;

	ah = malloc(sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	*ah = (struct rxe_ah){};

	err = verbs_cmd_create_ah(pd, attr, &ah->ah, &udata);
	if (err)
		goto err_free;

	ah->ah_num = resp.ah_num;
	if (!ah->ah_num) {
		err = rxe_av_init(pd->context, attr, &ah->av);
		if (err)
			goto err_destroy;
	}
	*ret_ah = &ah->ah;
	return 0;

err_destroy:
	(void)verbs_cmd_destroy_ah(&ah->ah); /* err is returned */
err_free:
	free(ah);
	return err;
}

int rxe_destroy_ah(struct ibv_ah *ibah)
{
	struct rxe_ah *ah = to_rxe_ah(ibah);
	int err;

	err = verbs_cmd_destroy_ah(ibah);
	if (err)
		return err;
	free(ah);
	return 0;
}
