/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * struct ibv_port_attr at the time when ibv_query_port() became an exported
 * function. Programs that call the function instead of the current inline have
 * room for these members only; the public header only declares the struct.
 * Used by the code behind the exported symbol.
 */
#ifndef PROVIDER_COMPAT_PORT_ATTR_H
#define PROVIDER_COMPAT_PORT_ATTR_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* The first 48 bytes of struct ibv_port_attr, member by member. */
struct _compat_ibv_port_attr {
	enum ibv_port_state state;
	enum ibv_mtu max_mtu;
	enum ibv_mtu active_mtu;
	int gid_tbl_len;
	uint32_t port_cap_flags;
	uint32_t max_msg_sz;
	uint32_t bad_pkey_cntr;
	uint32_t qkey_viol_cntr;
	uint16_t pkey_tbl_len;
	uint16_t lid;
	uint16_t sm_lid;
	uint8_t lmc;
	uint8_t max_vl_num;
	uint8_t sm_sl;
	uint8_t subnet_timeout;
	uint8_t init_type_reply;
	uint8_t active_width;
	uint8_t active_speed;
	uint8_t phys_state;
	uint8_t link_layer;
	uint8_t flags;
};

#endif /* PROVIDER_COMPAT_PORT_ATTR_H */
