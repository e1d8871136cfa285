/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address handles, and the conversion of an address vector to a path of
 * packets for ibv_create_ah() and ibv_modify_qp(). The kernel routes the UDP
 * packets, so only the source GID is looked up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"

#define DEFAULT_HOP_LIMIT 64

static bool is_zero(const uint8_t *gid)
{
	static const uint8_t zero[UROCE_GID_LEN];

	return memcmp(gid, zero, sizeof(zero)) == 0;
}

int uroce_path_resolve(struct uroce_context *ctx,
		       const struct ibv_ah_attr *attr, uint32_t qpn,
		       uint32_t dest_qpn, struct uroce_path *ret_path)
{
	const struct ibv_global_route *grh = &attr->grh;
	struct uroce_netdev dev;
	const uint8_t *sgid;

	/* IBTA A17.4.4: RoCE addresses are global */
	if (!attr->is_global || attr->port_num != UROCE_PORT)
		return -EINVAL;
	uroce_instance_netdev(ctx->instance, &dev);
	if (grh->sgid_index >= dev.nr_gids)
		return -EINVAL;
	sgid = dev.gids[grh->sgid_index];
	if (is_zero(sgid) || is_zero(grh->dgid.raw) ||
	    uroce_gid_is_ipv4(sgid) != uroce_gid_is_ipv4(grh->dgid.raw))
		return -EINVAL;

	*ret_path = (struct uroce_path){
		.flow_label = grh->flow_label & UROCE_FLOW_LABEL_MASK,
		.sport = uroce_instance_sport(ctx->instance, qpn, dest_qpn),
		.tclass = grh->traffic_class,
		.hop_limit = grh->hop_limit ? grh->hop_limit
					    : DEFAULT_HOP_LIMIT,
		.max_kbps = uroce_port_static_kbps(&dev, attr->static_rate),
	};
	memcpy(ret_path->sgid, sgid, UROCE_GID_LEN);
	memcpy(ret_path->dgid, grh->dgid.raw, UROCE_GID_LEN);
	return 0;
}

int uroce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
		    struct ibv_ah **ret_ah)
{
	struct uroce_path path;
	struct uroce_ah *ah;
	int ret;

	ret = uroce_check_pd(pd);
	if (ret)
		return ret;
	ret = uroce_path_resolve(to_uroce_context(pd->context), attr, 0, 0,
				 &path);
	if (ret)
		return ret;
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	path.here = uroce_instance_is_here(
		to_uroce_context(pd->context)->instance, path.dgid);
	ah->path = path;
	ah->ah.context = pd->context;
	ah->ah.pd = pd;
	ah->ah.handle = uroce_handle_new();
	ah->identity = (struct uroce_identity){ pd->context, ah->ah.handle };
	uroce_use(&to_uroce_pd(pd)->users);
	*ret_ah = &ah->ah;
	return 0;
}

int uroce_destroy_ah(struct ibv_ah *ibah)
{
	int ret = uroce_check_ah(ibah);

	if (ret)
		return ret;
	uroce_pd_put(to_uroce_pd(ibah->pd));
	free(to_uroce_ah(ibah));
	return 0;
}
