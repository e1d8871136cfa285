/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries: see ucm_query.h. Calls ucm_submit.c and ucm_sockaddr.c. The kernel's
 * counts of records are limited to the records that it has written.
 */
#include "kernel/ucm_query.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <rdma/rdma_cma_abi.h>
#include <string.h>

#include "kernel/ucm_sockaddr.h"
#include "kernel/ucm_submit.h"
#include "util/min.h"

static int query_submit(int fd, uint32_t id, uint32_t option, void *response,
			size_t response_len)
{
	struct ucma_abi_query command = {
		.response = ucm_address(response),
		.id = id,
		.option = option,
	};

	return ucm_submit(fd, UCMA_CMD_QUERY, &command, sizeof(command),
			  response_len);
}

/* ------------------------------------------------------------------------
 * Addresses
 */

/* No sockaddr of the kernel has this length. */
#define QUERY_NO_LEN UINT16_MAX

static int query_addr_pair(int fd, uint32_t id, uint32_t option,
			   struct ucm_addr *ret_addr)
{
	struct ucma_abi_query_addr_resp response = {
		.src_size = QUERY_NO_LEN,
		.ibdev_index = UCM_NOT_WRITTEN,
	};
	struct ucm_addr addr;
	int ret;

	ret = query_submit(fd, id, option, &response, sizeof(response));
	if (!ret)
		ret = ucm_sockaddr_get(&response.src_addr, response.src_size,
				       &addr.src);
	if (!ret)
		ret = ucm_sockaddr_get(&response.dst_addr, response.dst_size,
				       &addr.dst);
	if (ret)
		return ret;
	addr.node_guid = response.node_guid;
	addr.port_num = response.port_num;
	addr.pkey = response.pkey;
	addr.ibdev_index = response.ibdev_index == UCM_NOT_WRITTEN
				   ? -1
				   : (int64_t)response.ibdev_index;
	*ret_addr = addr;
	return 0;
}

int ucm_cmd_query_addr(int fd, uint32_t id, struct ucm_addr *ret_addr)
{
	return query_addr_pair(fd, id, UCMA_QUERY_ADDR, ret_addr);
}

int ucm_cmd_query_gid(int fd, uint32_t id, struct ucm_addr *ret_addr)
{
	return query_addr_pair(fd, id, UCMA_QUERY_GID, ret_addr);
}

/* ------------------------------------------------------------------------
 * Paths. A kernel up to 6.12 fills a record only if bytes are left after it, so
 * the response has room for one more.
 */

struct query_path_response {
	uint32_t num_paths;
	uint32_t reserved;
	struct ibv_path_data records[UCM_MAX_PATHS + 1];
};
static_assert(sizeof(struct ibv_path_data) == 72, "a packed path record");

/* IBTA 15.2.5.16. On RoCE the kernel may set a bit above the flow label. */
static struct ibv_sa_path_rec query_path_record(const struct ibv_path_record *r)
{
	uint32_t flow_label_hop_limit = be32toh(r->flowlabel_hoplimit);

	return (struct ibv_sa_path_rec){
		.dgid = r->dgid,
		.sgid = r->sgid,
		.dlid = r->dlid,
		.slid = r->slid,
		.flow_label = htobe32((flow_label_hop_limit >> 8) & 0xfffff),
		.hop_limit = flow_label_hop_limit & 0xff,
		.traffic_class = r->tclass,
		.reversible =
			!!(r->reversible_numpath & IBV_PATH_RECORD_REVERSIBLE),
		.numb_path = r->reversible_numpath &
			     (uint8_t)~IBV_PATH_RECORD_REVERSIBLE,
		.pkey = r->pkey,
		.sl = be16toh(r->qosclass_sl) & 0xf,
		.mtu_selector = r->mtu >> 6,
		.mtu = r->mtu & 0x3f,
		.rate_selector = r->rate >> 6,
		.rate = r->rate & 0x3f,
		.packet_life_time_selector = r->packetlifetime >> 6,
		.packet_life_time = r->packetlifetime & 0x3f,
		.preference = r->preference,
	};
}

int ucm_cmd_query_path(int fd, uint32_t id, struct ibv_sa_path_rec *ret_paths)
{
	struct query_path_response response = { .num_paths = UCM_NOT_WRITTEN };
	uint32_t nr = 0;
	int ret;

	ret = query_submit(fd, id, UCMA_QUERY_PATH, &response,
			   sizeof(response));
	if (ret)
		return ret;
	if (response.num_paths == UCM_NOT_WRITTEN)
		return -EPROTO;
	/* A record that the kernel has written has flags. */
	while (nr < min_u32(response.num_paths, UCM_MAX_PATHS) &&
	       response.records[nr].flags)
		nr++;
	for (uint32_t i = 0; i < nr; i++)
		ret_paths[i] = query_path_record(&response.records[i].path);
	return (int)nr;
}

/* ------------------------------------------------------------------------
 * Services
 */

struct query_service_response {
	uint32_t num_service_recs;
	uint32_t reserved;
	struct ucma_user_service_rec records[UCM_MAX_SERVICES];
};
static_assert(sizeof(struct ucma_user_service_rec) == 176,
	      "a service record of the kernel");

/* IBTA 15.2.5.14 */
static struct ibv_sa_service_rec
query_service_record(const struct ucma_user_service_rec *r)
{
	struct ibv_sa_service_rec ret = {
		.id = be64toh(r->id),
		.pkey = be16toh(r->pkey),
		.lease = be32toh(r->lease),
	};

	memcpy(&ret.gid, r->gid, sizeof(ret.gid));
	memcpy(ret.key, r->key, sizeof(ret.key));
	memcpy(ret.name, r->name, sizeof(ret.name));
	memcpy(ret.data8, r->data_8, sizeof(ret.data8));
	for (int i = 0; i < 8; i++)
		ret.data16[i] = be16toh(r->data_16[i]);
	for (int i = 0; i < 4; i++)
		ret.data32[i] = be32toh(r->data_32[i]);
	for (int i = 0; i < 2; i++)
		ret.data64[i] = be64toh(r->data_64[i]);
	return ret;
}

int ucm_cmd_query_service(int fd, uint32_t id,
			  struct ibv_sa_service_rec *ret_services)
{
	struct query_service_response response = { .num_service_recs =
							   UCM_NOT_WRITTEN };
	uint32_t nr;
	int ret;

	ret = query_submit(fd, id, UCMA_QUERY_IB_SERVICE, &response,
			   sizeof(response));
	if (ret)
		return ret;
	if (response.num_service_recs == UCM_NOT_WRITTEN)
		return -EPROTO;
	nr = min_u32(response.num_service_recs, UCM_MAX_SERVICES);
	for (uint32_t i = 0; i < nr; i++)
		ret_services[i] = query_service_record(&response.records[i]);
	return (int)nr;
}
