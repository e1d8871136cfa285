// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of attribute values: see tool_names.h. */
#include "tools/tool_names.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

#define TOOL_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

const struct tool_flag tool_device_flags[] = {
	{ IBV_DEVICE_RESIZE_MAX_WR, "RESIZE_MAX_WR" },
	{ IBV_DEVICE_BAD_PKEY_CNTR, "BAD_PKEY_CNTR" },
	{ IBV_DEVICE_BAD_QKEY_CNTR, "BAD_QKEY_CNTR" },
	{ IBV_DEVICE_RAW_MULTI, "RAW_MULTI" },
	{ IBV_DEVICE_AUTO_PATH_MIG, "AUTO_PATH_MIG" },
	{ IBV_DEVICE_CHANGE_PHY_PORT, "CHANGE_PHY_PORT" },
	{ IBV_DEVICE_UD_AV_PORT_ENFORCE, "UD_AV_PORT_ENFORCE" },
	{ IBV_DEVICE_CURR_QP_STATE_MOD, "CURR_QP_STATE_MOD" },
	{ IBV_DEVICE_SHUTDOWN_PORT, "SHUTDOWN_PORT" },
	{ IBV_DEVICE_INIT_TYPE, "INIT_TYPE" },
	{ IBV_DEVICE_PORT_ACTIVE_EVENT, "PORT_ACTIVE_EVENT" },
	{ IBV_DEVICE_SYS_IMAGE_GUID, "SYS_IMAGE_GUID" },
	{ IBV_DEVICE_RC_RNR_NAK_GEN, "RC_RNR_NAK_GEN" },
	{ IBV_DEVICE_SRQ_RESIZE, "SRQ_RESIZE" },
	{ IBV_DEVICE_N_NOTIFY_CQ, "N_NOTIFY_CQ" },
	{ IBV_DEVICE_MEM_WINDOW, "MEM_WINDOW" },
	{ IBV_DEVICE_UD_IP_CSUM, "UD_IP_CSUM" },
	{ IBV_DEVICE_XRC, "XRC" },
	{ IBV_DEVICE_MEM_MGT_EXTENSIONS, "MEM_MGT_EXTENSIONS" },
	{ IBV_DEVICE_MEM_WINDOW_TYPE_2A, "MEM_WINDOW_TYPE_2A" },
	{ IBV_DEVICE_MEM_WINDOW_TYPE_2B, "MEM_WINDOW_TYPE_2B" },
	{ IBV_DEVICE_RC_IP_CSUM, "RC_IP_CSUM" },
	{ IBV_DEVICE_RAW_IP_CSUM, "RAW_IP_CSUM" },
	{ IBV_DEVICE_MANAGED_FLOW_STEERING, "MANAGED_FLOW_STEERING" },
	{}
};

const struct tool_flag tool_device_flags_ex[] = {
	{ IBV_DEVICE_RAW_SCATTER_FCS, "RAW_SCATTER_FCS" },
	{ IBV_DEVICE_PCI_WRITE_END_PADDING, "PCI_WRITE_END_PADDING" },
	{}
};

const struct tool_flag tool_odp_flags[] = { { IBV_ODP_SUPPORT, "ODP_SUPPORT" },
					    { IBV_ODP_SUPPORT_IMPLICIT,
					      "ODP_SUPPORT_IMPLICIT" },
					    {} };

const struct tool_flag tool_transport_odp_flags[] = {
	{ IBV_ODP_SUPPORT_SEND, "SUPPORT_SEND" },
	{ IBV_ODP_SUPPORT_RECV, "SUPPORT_RECV" },
	{ IBV_ODP_SUPPORT_WRITE, "SUPPORT_WRITE" },
	{ IBV_ODP_SUPPORT_READ, "SUPPORT_READ" },
	{ IBV_ODP_SUPPORT_ATOMIC, "SUPPORT_ATOMIC" },
	{ IBV_ODP_SUPPORT_SRQ_RECV, "SUPPORT_SRQ" },
	{}
};

const struct tool_flag tool_raw_packet_flags[] = {
	{ IBV_RAW_PACKET_CAP_CVLAN_STRIPPING, "C-VLAN stripping offload" },
	{ IBV_RAW_PACKET_CAP_SCATTER_FCS, "Scatter FCS offload" },
	{ IBV_RAW_PACKET_CAP_IP_CSUM, "IP csum offload" },
	{ IBV_RAW_PACKET_CAP_DELAY_DROP, "Delay drop" },
	{}
};

const struct tool_flag tool_tm_flags[] = { { IBV_TM_CAP_RC, "IBV_TM_CAP_RC" },
					   {} };

const struct tool_flag tool_qp_type_flags[] = {
	{ 1 << IBV_QPT_RAW_PACKET, "SUPPORT_RAW_PACKET" },
	{ 1 << IBV_QPT_UD, "SUPPORT_UD" },
	{}
};

void tool_guid_text(__be64 guid, char text[TOOL_GUID_SIZE])
{
	uint64_t value = be64toh(guid);

	snprintf(text, TOOL_GUID_SIZE, "%04x:%04x:%04x:%04x",
		 (unsigned int)(value >> 48),
		 (unsigned int)(value >> 32) & 0xffff,
		 (unsigned int)(value >> 16) & 0xffff,
		 (unsigned int)value & 0xffff);
}

/* Returns the name of a small number, or @otherwise if it has none. */
static const char *tool_value_name(const char *const *texts, size_t size,
				   unsigned int value, const char *otherwise)
{
	return value < size && texts[value] ? texts[value] : otherwise;
}

const char *tool_transport_text(int transport_type)
{
	static const char *const texts[] = {
		[IBV_TRANSPORT_IB] = "InfiniBand",
		[IBV_TRANSPORT_IWARP] = "iWARP",
		[IBV_TRANSPORT_USNIC] = "usNIC",
		[IBV_TRANSPORT_USNIC_UDP] = "usNIC UDP",
		[IBV_TRANSPORT_UNSPECIFIED] = "unspecified",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), transport_type,
			       "invalid transport");
}

const char *tool_atomic_text(int atomic_cap)
{
	static const char *const texts[] = {
		[IBV_ATOMIC_NONE] = "ATOMIC_NONE",
		[IBV_ATOMIC_HCA] = "ATOMIC_HCA",
		[IBV_ATOMIC_GLOB] = "ATOMIC_GLOB",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), atomic_cap,
			       "invalid atomic capability");
}

const char *tool_port_state_text(int state)
{
	static const char *const texts[] = {
		[IBV_PORT_DOWN] = "PORT_DOWN",
		[IBV_PORT_INIT] = "PORT_INIT",
		[IBV_PORT_ARMED] = "PORT_ARMED",
		[IBV_PORT_ACTIVE] = "PORT_ACTIVE",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), state,
			       "invalid state");
}

const char *tool_link_layer_text(int link_layer)
{
	static const char *const texts[] = {
		[IBV_LINK_LAYER_UNSPECIFIED] = "Unspecified",
		[IBV_LINK_LAYER_INFINIBAND] = "InfiniBand",
		[IBV_LINK_LAYER_ETHERNET] = "Ethernet",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), link_layer,
			       "Unknown");
}

const char *tool_mtu_text(int mtu)
{
	static const char *const texts[] = {
		[IBV_MTU_256] = "256",	 [IBV_MTU_512] = "512",
		[IBV_MTU_1024] = "1024", [IBV_MTU_2048] = "2048",
		[IBV_MTU_4096] = "4096",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), mtu,
			       "invalid MTU");
}

/* PortInfo:VLCap (IBTA 14.2.5.6): number of data virtual lanes */
const char *tool_vl_text(int max_vl_num)
{
	static const char *const texts[] = { NULL, "1", "2", "4", "8", "15" };

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), max_vl_num,
			       "invalid value");
}

/* PortInfo:LinkWidthActive: number of lanes */
const char *tool_width_text(int active_width)
{
	static const char *const texts[] = {
		[1] = "1", [2] = "4", [4] = "8", [8] = "12", [16] = "2"
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), active_width,
			       "invalid width");
}

/* Speed of one lane: bits of PortInfo:LinkSpeedActive and LinkSpeedExtActive */
const char *tool_speed_text(uint32_t active_speed)
{
	static const struct tool_flag texts[] = {
		{ 1, "2.5 Gbps" },    { 2, "5.0 Gbps" },
		{ 4, "10.0 Gbps" },   { 8, "10.0 Gbps" },
		{ 16, "14.0 Gbps" },  { 32, "25.0 Gbps" },
		{ 64, "50.0 Gbps" },  { 128, "100.0 Gbps" },
		{ 256, "200.0 Gbps" }
	};

	for (size_t i = 0; i < TOOL_ARRAY_SIZE(texts); i++)
		if (texts[i].mask == active_speed)
			return texts[i].name;
	return "invalid speed";
}

/* PortInfo:PortPhysicalState */
const char *tool_phys_state_text(int phys_state)
{
	static const char *const texts[] = {
		[1] = "SLEEP",
		[2] = "POLLING",
		[3] = "DISABLED",
		[4] = "PORT_CONFIGURATION TRAINNING", /* rdma-core's spelling;
							 scripts may match it */
		[5] = "LINK_UP",
		[6] = "LINK_ERROR_RECOVERY",
		[7] = "PHY TEST",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), phys_state,
			       "invalid physical state");
}

const char *tool_gid_type_text(uint32_t gid_type)
{
	static const char *const texts[] = {
		[IBV_GID_TYPE_IB] = "IB",
		[IBV_GID_TYPE_ROCE_V1] = "RoCE v1",
		[IBV_GID_TYPE_ROCE_V2] = "RoCE v2",
	};

	return tool_value_name(texts, TOOL_ARRAY_SIZE(texts), gid_type,
			       "Invalid gid type");
}
