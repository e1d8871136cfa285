/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of a device and of its port, and the attributes of every device. The
 * limits are high, so that only a provider's own limits take effect.
 */
#include <endian.h>
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "shim.h"

#define LINK_INFINIBAND 1
#define LINK_ETHERNET	2
#define PORT_ACTIVE	4
#define PORT_LINK_UP	5
#define MTU_1024	3
#define MTU_4096	5
#define ATOMIC_HCA	1

static const struct shim_device *device_of(const struct shim_call *call)
{
	return shim_file_device(call->file);
}

static int get_context(struct shim_call *call)
{
	struct ib_uverbs_get_context_resp resp = {
		.num_comp_vectors = SHIM_NR_VECTORS,
	};
	int fd = shim_quiet_fd();

	if (fd < 0)
		return -EMFILE;
	resp.async_fd = (uint32_t)fd;
	memcpy(call->out, &resp, sizeof(resp));
	return shim_fill_response(call);
}

static struct ib_uverbs_query_device_resp
device_attributes(const struct shim_device *device)
{
	return (struct ib_uverbs_query_device_resp){
		.fw_ver = 0x000c001b03e8,
		.node_guid = htobe64(device->guid),
		.sys_image_guid = htobe64(device->guid),
		.max_mr_size = 1ull << 40,
		.page_size_cap = 0xfffff000,
		.vendor_id = 0x1234,
		.vendor_part_id = 0x5678,
		.hw_ver = 1,
		.max_qp = 4096,
		.max_qp_wr = 4096,
		.device_cap_flags =
			0x00221000, /* SRQ, RNR, memory windows of type 2B */
		.max_sge = 16,
		.max_sge_rd = 16,
		.max_cq = 4096,
		.max_cqe = 65536,
		.max_mr = 4096,
		.max_pd = 4096,
		.max_qp_rd_atom = 16,
		.max_res_rd_atom = 4096,
		.max_qp_init_rd_atom = 16,
		.atomic_cap = ATOMIC_HCA,
		.max_mw = 4096,
		.max_raw_ethy_qp = 16,
		.max_mcast_grp = 256,
		.max_mcast_qp_attach = 16,
		.max_total_mcast_qp_attach = 4096,
		.max_ah = 4096,
		.max_srq = 1024,
		.max_srq_wr = 4096,
		.max_srq_sge = 16,
		.max_pkeys = 1,
		.local_ca_ack_delay = 15,
		.phys_port_cnt = 1,
	};
}

static int query_device(struct shim_call *call)
{
	const struct ib_uverbs_query_device_resp resp =
		device_attributes(device_of(call));

	memcpy(call->out, &resp, sizeof(resp));
	return shim_fill_response(call);
}

static int query_device_ex(struct shim_call *call)
{
	struct ib_uverbs_ex_query_device_resp resp = {
		.base = device_attributes(device_of(call)),
		.timestamp_mask = 0xffffffffffff,
		.hca_core_clock = 156250,
		.device_cap_flags_ex = 0x00221000,
		.rss_caps = {
			.supported_qpts = 1 << 8, /* raw packet QPs */
			.max_rwq_indirection_tables = 16,
			.max_rwq_indirection_table_size = 64,
		},
		.max_wq_type_rq = 64,
		.raw_packet_caps = 1,
		.cq_moderation_caps = {
			.max_cq_moderation_count = 64,
			.max_cq_moderation_period = 64,
		},
		.max_dm_size = 4096,
	};
	size_t len = sizeof(resp) < call->out_len ? sizeof(resp)
						  : call->out_len;

	resp.response_length = (uint32_t)len;
	memcpy(call->out, &resp, len);
	return shim_fill_response(call);
}

void shim_fill_port(const struct shim_device *device,
		    struct ib_uverbs_query_port_resp *resp)
{
	*resp = (struct ib_uverbs_query_port_resp){
		.port_cap_flags = 0x00010000, /* CM */
		.max_msg_sz = 1u << 30,
		.gid_tbl_len = SHIM_GID_TABLE_LEN,
		.pkey_tbl_len = 1,
		.lid = device->is_ethernet ? 0 : 7,
		.sm_lid = device->is_ethernet ? 0 : 1,
		.state = PORT_ACTIVE,
		.max_mtu = MTU_4096,
		.active_mtu = MTU_1024,
		.max_vl_num = 1,
		.active_width = 2,
		.active_speed = 32,
		.phys_state = PORT_LINK_UP,
		.link_layer = device->is_ethernet ? LINK_ETHERNET
						  : LINK_INFINIBAND,
	};
}

static int query_port(struct shim_call *call)
{
	struct ib_uverbs_query_port_resp resp;
	struct ib_uverbs_query_port request;

	memcpy(&request, call->in, sizeof(request));
	shim_note(call, " port=%u", request.port_num);
	if (request.port_num != 1)
		return -EINVAL;
	shim_fill_port(device_of(call), &resp);
	memcpy(call->out, &resp, sizeof(resp));
	return 0;
}

/* A link-local GID, and on Ethernet ports 192.0.2.1 for RoCE v2. */
bool shim_fill_gid(const struct shim_device *device, uint32_t index,
		   struct ib_uverbs_gid_entry *entry)
{
	*entry = (struct ib_uverbs_gid_entry){
		.gid_index = index,
		.port_num = 1,
		.gid_type = device->is_ethernet ? IB_UVERBS_GID_TYPE_ROCE_V2
						: IB_UVERBS_GID_TYPE_IB,
	};
	if (index >= SHIM_NR_GIDS)
		return false;
	entry->gid[0] = htobe64(index ? 0 : 0xfe80000000000000);
	entry->gid[1] = htobe64(index ? 0x0000ffffc0000201 : device->guid);
	return true;
}

static int create_comp_channel(struct shim_call *call)
{
	struct ib_uverbs_create_comp_channel_resp resp;
	int fd = shim_quiet_fd();

	if (fd < 0)
		return -EMFILE;
	resp.fd = (uint32_t)fd;
	memcpy(call->out, &resp, sizeof(resp));
	return 0;
}

#define COMMAND(n, request, resp, function)                               \
	{                                                                 \
		.number = IB_USER_VERBS_CMD_##n, .name = #n,              \
		.in_len = (request), .out_len = (resp), .run = (function) \
	}

const struct shim_command shim_device_commands[] = {
	COMMAND(GET_CONTEXT, sizeof(struct ib_uverbs_get_context),
		sizeof(struct ib_uverbs_get_context_resp), get_context),
	COMMAND(QUERY_DEVICE, sizeof(struct ib_uverbs_query_device),
		sizeof(struct ib_uverbs_query_device_resp), query_device),
	COMMAND(QUERY_PORT, sizeof(struct ib_uverbs_query_port),
		sizeof(struct ib_uverbs_query_port_resp), query_port),
	COMMAND(CREATE_COMP_CHANNEL,
		sizeof(struct ib_uverbs_create_comp_channel),
		sizeof(struct ib_uverbs_create_comp_channel_resp),
		create_comp_channel),
	{
		.number = IB_USER_VERBS_EX_CMD_QUERY_DEVICE | SHIM_EXTENDED,
		.name = "QUERY_DEVICE_EX",
		.in_len = sizeof(struct ib_uverbs_ex_query_device),
		.out_len = offsetof(struct ib_uverbs_ex_query_device_resp,
				    odp_caps),
		.run = query_device_ex,
	},
	{},
};
