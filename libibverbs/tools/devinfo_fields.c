// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of the attributes that are plain numbers: see devinfo.h. */
#include <string.h>

#include "tools/devinfo.h"

#define FIELD(type, name, member, format)                                  \
	{                                                                  \
		name, offsetof(type, member), sizeof(((type *)0)->member), \
			format                                             \
	}
#define DEVICE(member, format) \
	FIELD(struct ibv_device_attr_ex, #member, orig_attr.member, format)
#define DEVICE_EX(group, member, format) \
	FIELD(struct ibv_device_attr_ex, #member, group.member, format)
#define PORT(member, format) \
	FIELD(struct ibv_port_attr, #member, member, format)

const struct devinfo_field devinfo_identity_fields[] = {
	DEVICE(vendor_id, DEVINFO_HEX4),
	DEVICE(vendor_part_id, DEVINFO_SIGNED),
	DEVICE(hw_ver, DEVINFO_HEX_UPPER),
	{},
};

const struct devinfo_field devinfo_size_fields[] = {
	DEVICE(max_mr_size, DEVINFO_HEX),
	DEVICE(page_size_cap, DEVINFO_HEX),
	DEVICE(max_qp, DEVINFO_SIGNED),
	DEVICE(max_qp_wr, DEVINFO_SIGNED),
	{},
};

const struct devinfo_field devinfo_queue_fields[] = {
	DEVICE(max_sge, DEVINFO_SIGNED),
	DEVICE(max_sge_rd, DEVINFO_SIGNED),
	DEVICE(max_cq, DEVINFO_SIGNED),
	DEVICE(max_cqe, DEVINFO_SIGNED),
	DEVICE(max_mr, DEVINFO_SIGNED),
	DEVICE(max_pd, DEVINFO_SIGNED),
	DEVICE(max_qp_rd_atom, DEVINFO_SIGNED),
	DEVICE(max_ee_rd_atom, DEVINFO_SIGNED),
	DEVICE(max_res_rd_atom, DEVINFO_SIGNED),
	DEVICE(max_qp_init_rd_atom, DEVINFO_SIGNED),
	DEVICE(max_ee_init_rd_atom, DEVINFO_SIGNED),
	{},
};

const struct devinfo_field devinfo_object_fields[] = {
	DEVICE(max_ee, DEVINFO_SIGNED),
	DEVICE(max_rdd, DEVINFO_SIGNED),
	DEVICE(max_mw, DEVINFO_SIGNED),
	DEVICE(max_raw_ipv6_qp, DEVINFO_SIGNED),
	DEVICE(max_raw_ethy_qp, DEVINFO_SIGNED),
	DEVICE(max_mcast_grp, DEVINFO_SIGNED),
	DEVICE(max_mcast_qp_attach, DEVINFO_SIGNED),
	DEVICE(max_total_mcast_qp_attach, DEVINFO_SIGNED),
	DEVICE(max_ah, DEVINFO_SIGNED),
	DEVICE(max_fmr, DEVINFO_SIGNED),
	{},
};

const struct devinfo_field devinfo_srq_fields[] = {
	DEVICE(max_srq_wr, DEVINFO_SIGNED),
	DEVICE(max_srq_sge, DEVINFO_SIGNED),
	{},
};

const struct devinfo_field devinfo_misc_fields[] = {
	DEVICE(max_pkeys, DEVINFO_SIGNED),
	DEVICE(local_ca_ack_delay, DEVINFO_SIGNED),
	{},
};

const struct devinfo_field devinfo_rss_fields[] = {
	DEVICE_EX(rss_caps, max_rwq_indirection_tables, DEVINFO_UNSIGNED),
	DEVICE_EX(rss_caps, max_rwq_indirection_table_size, DEVINFO_UNSIGNED),
	DEVICE_EX(rss_caps, rx_hash_function, DEVINFO_HEX),
	DEVICE_EX(rss_caps, rx_hash_fields_mask, DEVINFO_HEX_UPPER),
	{},
};

const struct devinfo_field devinfo_tm_fields[] = {
	DEVICE_EX(tm_caps, max_rndv_hdr_size, DEVINFO_UNSIGNED),
	DEVICE_EX(tm_caps, max_num_tags, DEVINFO_UNSIGNED),
	DEVICE_EX(tm_caps, max_ops, DEVINFO_UNSIGNED),
	DEVICE_EX(tm_caps, max_sge, DEVINFO_UNSIGNED),
	{},
};

const struct devinfo_field devinfo_lid_fields[] = {
	PORT(sm_lid, DEVINFO_SIGNED),
	FIELD(struct ibv_port_attr, "port_lid", lid, DEVINFO_SIGNED),
	FIELD(struct ibv_port_attr, "port_lmc", lmc, DEVINFO_HEX2),
	{},
};

const struct devinfo_field devinfo_port_flag_fields[] = {
	PORT(max_msg_sz, DEVINFO_HEX),
	PORT(port_cap_flags, DEVINFO_HEX8),
	PORT(port_cap_flags2, DEVINFO_HEX4),
	{},
};

const struct devinfo_field devinfo_port_counter_fields[] = {
	PORT(bad_pkey_cntr, DEVINFO_HEX),
	PORT(qkey_viol_cntr, DEVINFO_HEX),
	PORT(sm_sl, DEVINFO_SIGNED),
	PORT(pkey_tbl_len, DEVINFO_SIGNED),
	PORT(gid_tbl_len, DEVINFO_SIGNED),
	PORT(subnet_timeout, DEVINFO_SIGNED),
	PORT(init_type_reply, DEVINFO_SIGNED),
	{},
};

uint64_t devinfo_field_value(const struct devinfo_field *field,
			     const void *from)
{
	const char *at = (const char *)from + field->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (field->size) {
	case 8:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	case 4:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case 2:
		memcpy(&u16, at, sizeof(u16));
		return u16;
	default:
		return *(const uint8_t *)at;
	}
}
