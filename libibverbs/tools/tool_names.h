/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of attribute values in the output of the utilities. Scripts parse these
 * names, so they are part of the output format. The functions never return
 * NULL; an unknown value has a name that says so.
 */
#ifndef TOOLS_TOOL_NAMES_H
#define TOOLS_TOOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/** One or more bits of a mask, and their name. A table ends with mask 0. */
struct tool_flag {
	uint64_t mask;
	const char *name;
};

extern const struct tool_flag tool_device_flags[];    /* the low 32 bits */
extern const struct tool_flag tool_device_flags_ex[]; /* the high 32 bits */
extern const struct tool_flag tool_odp_flags[];	      /* general_caps */
extern const struct tool_flag tool_transport_odp_flags[];
extern const struct tool_flag tool_raw_packet_flags[];
extern const struct tool_flag tool_tm_flags[];
extern const struct tool_flag tool_qp_type_flags[]; /* supported_qpts */

/** Room for "0123:4567:89ab:cdef" */
#define TOOL_GUID_SIZE 20

/** tool_guid_text() - format a GUID as four groups of four hex digits */
void tool_guid_text(__be64 guid, char text[TOOL_GUID_SIZE]);

const char *tool_transport_text(int transport_type);
const char *tool_atomic_text(int atomic_cap);
const char *tool_port_state_text(int state);
const char *tool_link_layer_text(int link_layer);
const char *tool_mtu_text(int mtu);
const char *tool_vl_text(int max_vl_num);
const char *tool_width_text(int active_width);
const char *tool_speed_text(uint32_t active_speed);
const char *tool_phys_state_text(int phys_state);
const char *tool_gid_type_text(uint32_t gid_type);

#endif
