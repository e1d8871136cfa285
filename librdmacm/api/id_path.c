/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The path of an id: as the address vector of an RC QP or of the AHs of a UD
 * QP, and for MADs.
 */
#include "api/id_path.h"

#include <endian.h>
#include <string.h>

#define PATH_SELECT_EXACT 2

void id_path_set(struct own_id *own)
{
	const struct rdma_ib_addr *pair = &own->id.route.addr.addr.ibaddr;

	own->path = (struct ibv_sa_path_rec){
		.dgid = pair->dgid,
		.sgid = pair->sgid,
		.reversible = 1,
		.numb_path = 1,
		.mtu_selector = PATH_SELECT_EXACT,
		.rate_selector = PATH_SELECT_EXACT,
		.packet_life_time_selector = PATH_SELECT_EXACT,
	};
	own->id.route.path_rec = &own->path;
	own->id.route.num_paths = 1;
}

void id_path_ah(const struct own_id *own, struct ibv_ah_attr *ret_attr)
{
	const struct ibv_sa_path_rec *path = &own->path;

	*ret_attr = (struct ibv_ah_attr){
		.grh.dgid = path->dgid,
		.grh.flow_label = be32toh(path->flow_label),
		.grh.sgid_index = (uint8_t)own->sgid_index,
		.grh.hop_limit = path->hop_limit ? path->hop_limit
						 : ID_PATH_HOP_LIMIT,
		.grh.traffic_class = path->traffic_class,
		.sl = path->sl,
		.is_global = 1,
		.port_num = own->id.port_num,
	};
}

void id_path_mad(const struct own_id *own, struct cm_path *ret_path)
{
	const struct ibv_sa_path_rec *path = &own->path;

	*ret_path = (struct cm_path){
		.flow_label = be32toh(path->flow_label),
		.traffic_class = path->traffic_class,
		.hop_limit = path->hop_limit,
	};
	memcpy(ret_path->sgid, path->sgid.raw, CM_GID_LEN);
	memcpy(ret_path->dgid, path->dgid.raw, CM_GID_LEN);
}
