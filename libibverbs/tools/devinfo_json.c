// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints a device as JSON. ibv_devinfo(1) describes the schema. Members may be
 * added to it, but no member is removed or changes its meaning. Numbers are
 * JSON numbers: MTUs in bytes, rates in Gbit/s. A code that the text form
 * prints in parentheses appears as a name. A mask is an object with its value
 * and the names of its bits.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdlib.h>

#include "tools/devinfo.h"
#include "tools/tool_names.h"

static void devinfo_json_fields(struct json_out *json,
				const struct devinfo_field *fields,
				const void *from)
{
	for (; fields->name; fields++) {
		uint64_t value = devinfo_field_value(fields, from);

		if (fields->format == DEVINFO_SIGNED && fields->size == 4)
			json_int(json, fields->name, (int32_t)value);
		else
			json_uint(json, fields->name, value);
	}
}

static void devinfo_json_flag_names(struct json_out *json,
				    const struct tool_flag *flags,
				    uint64_t value)
{
	for (; flags->mask; flags++)
		if (value & flags->mask)
			json_string(json, NULL, flags->name);
}

static void devinfo_json_flags(struct json_out *json, const char *key,
			       const struct tool_flag *flags, uint64_t value)
{
	json_object(json, key);
	json_uint(json, "value", value);
	json_array(json, "names");
	devinfo_json_flag_names(json, flags, value);
	json_array_end(json);
	json_object_end(json);
}

static void devinfo_json_identity(struct json_out *json,
				  const struct devinfo *info)
{
	const struct ibv_device *device = info->context->device;
	const struct ibv_device_attr *attr = &info->attr.orig_attr;
	char guid[TOOL_GUID_SIZE];

	json_string(json, "name", ibv_get_device_name(info->context->device));
	json_string(json, "node_type", ibv_node_type_str(device->node_type));
	json_string(json, "transport",
		    tool_transport_text(device->transport_type));
	json_string(json, "verbs_device", device->dev_name);
	json_format(json, "fw_ver", "%.*s", (int)sizeof(attr->fw_ver),
		    attr->fw_ver);
	tool_guid_text(attr->node_guid, guid);
	json_string(json, "node_guid", guid);
	tool_guid_text(attr->sys_image_guid, guid);
	json_string(json, "sys_image_guid", guid);
	devinfo_json_fields(json, devinfo_identity_fields, &info->attr);
	json_string(json, "board_id",
		    info->board_id[0] ? info->board_id : NULL);
	json_uint(json, "phys_port_cnt", info->nr_ports);
}

static void devinfo_json_limits(struct json_out *json,
				const struct ibv_device_attr_ex *attr)
{
	devinfo_json_fields(json, devinfo_size_fields, attr);
	json_object(json, "device_cap_flags");
	json_uint(json, "value",
		  attr->device_cap_flags_ex | attr->orig_attr.device_cap_flags);
	json_array(json, "names");
	devinfo_json_flag_names(json, tool_device_flags,
				attr->orig_attr.device_cap_flags);
	devinfo_json_flag_names(json, tool_device_flags_ex,
				attr->device_cap_flags_ex);
	json_array_end(json);
	json_object_end(json);
	devinfo_json_fields(json, devinfo_queue_fields, attr);
	json_string(json, "atomic_cap",
		    tool_atomic_text(attr->orig_attr.atomic_cap));
	devinfo_json_fields(json, devinfo_object_fields, attr);
	json_int(json, "max_map_per_fmr", attr->orig_attr.max_map_per_fmr);
	json_int(json, "max_srq", attr->orig_attr.max_srq);
	devinfo_json_fields(json, devinfo_srq_fields, attr);
	devinfo_json_fields(json, devinfo_misc_fields, attr);
}

static void devinfo_json_odp_caps(struct json_out *json,
				  const struct ibv_device_attr_ex *attr)
{
	const struct tool_flag *flags = tool_transport_odp_flags;

	json_object(json, "odp_caps");
	devinfo_json_flags(json, "general", tool_odp_flags,
			   attr->odp_caps.general_caps);
	devinfo_json_flags(json, "rc", flags,
			   attr->odp_caps.per_transport_caps.rc_odp_caps);
	devinfo_json_flags(json, "uc", flags,
			   attr->odp_caps.per_transport_caps.uc_odp_caps);
	devinfo_json_flags(json, "ud", flags,
			   attr->odp_caps.per_transport_caps.ud_odp_caps);
	devinfo_json_flags(json, "xrc", flags, attr->xrc_odp_caps);
	json_object_end(json);
}

static void devinfo_json_offloads(struct json_out *json,
				  const struct ibv_device_attr_ex *attr)
{
	const struct ibv_packet_pacing_caps *pacing = &attr->packet_pacing_caps;

	json_uint(json, "completion_timestamp_mask",
		  attr->completion_timestamp_mask);
	json_uint(json, "hca_core_clock_khz", attr->hca_core_clock);
	devinfo_json_flags(json, "raw_packet_caps", tool_raw_packet_flags,
			   attr->raw_packet_caps);
	json_object(json, "tso_caps");
	json_uint(json, "max_tso", attr->tso_caps.max_tso);
	devinfo_json_flags(json, "supported_qp", tool_qp_type_flags,
			   attr->tso_caps.supported_qpts);
	json_object_end(json);
	json_object(json, "rss_caps");
	devinfo_json_fields(json, devinfo_rss_fields, attr);
	devinfo_json_flags(json, "supported_qp", tool_qp_type_flags,
			   attr->rss_caps.supported_qpts);
	json_object_end(json);
	json_uint(json, "max_wq_type_rq", attr->max_wq_type_rq);
	json_object(json, "packet_pacing_caps");
	json_uint(json, "qp_rate_limit_min_kbps", pacing->qp_rate_limit_min);
	json_uint(json, "qp_rate_limit_max_kbps", pacing->qp_rate_limit_max);
	devinfo_json_flags(json, "supported_qp", tool_qp_type_flags,
			   pacing->supported_qpts);
	json_object_end(json);
}

static void devinfo_json_queue_caps(struct json_out *json,
				    const struct ibv_device_attr_ex *attr)
{
	json_object(json, "tm_caps");
	devinfo_json_fields(json, devinfo_tm_fields, attr);
	devinfo_json_flags(json, "flags", tool_tm_flags, attr->tm_caps.flags);
	json_object_end(json);
	json_object(json, "cq_moderation_caps");
	json_uint(json, "max_cq_count", attr->cq_mod_caps.max_cq_count);
	json_uint(json, "max_cq_period_us", attr->cq_mod_caps.max_cq_period);
	json_object_end(json);
	json_uint(json, "max_dm_size", attr->max_dm_size);
	json_object(json, "pci_atomic_caps");
	json_uint(json, "fetch_add", attr->pci_atomic_caps.fetch_add);
	json_uint(json, "swap", attr->pci_atomic_caps.swap);
	json_uint(json, "compare_swap", attr->pci_atomic_caps.compare_swap);
	json_object_end(json);
}

static void devinfo_json_gids(struct json_out *json, const struct devinfo *info,
			      unsigned int port)
{
	json_array(json, "gids");
	for (size_t i = 0; i < info->nr_gids; i++) {
		const struct ibv_gid_entry *entry = &info->gids[i];
		char gid[INET6_ADDRSTRLEN], name[IF_NAMESIZE];

		if (entry->port_num != port)
			continue;
		inet_ntop(AF_INET6, entry->gid.raw, gid, sizeof(gid));
		json_object(json, NULL);
		json_uint(json, "index", entry->gid_index);
		json_string(json, "gid", gid);
		json_string(json, "type", tool_gid_type_text(entry->gid_type));
		/*
		 * NULL (JSON null) if the netdev is in another network
		 * namespace
		 */
		json_string(json, "net_device",
			    if_indextoname(entry->ndev_ifindex, name));
		json_uint(json, "ndev_ifindex", entry->ndev_ifindex);
		json_object_end(json);
	}
	json_array_end(json);
}

/* Writes the number that @text contains, or null if @text is a word. */
static void devinfo_json_decimal(struct json_out *json, const char *key,
				 const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text)
		json_null(json, key);
	else
		json_uint(json, key, value);
}

static void devinfo_json_port(struct json_out *json, const struct devinfo *info,
			      unsigned int number)
{
	const struct ibv_port_attr *port = &info->ports[number - 1];
	uint32_t speed = port->active_speed_ex ? port->active_speed_ex
					       : port->active_speed;

	json_object(json, NULL);
	json_uint(json, "port", number);
	json_string(json, "state", tool_port_state_text(port->state));
	json_string(json, "phys_state", tool_phys_state_text(port->phys_state));
	devinfo_json_decimal(json, "max_mtu", tool_mtu_text(port->max_mtu));
	devinfo_json_decimal(json, "active_mtu",
			     tool_mtu_text(port->active_mtu));
	devinfo_json_fields(json, devinfo_lid_fields, port);
	json_string(json, "link_layer", tool_link_layer_text(port->link_layer));
	devinfo_json_fields(json, devinfo_port_flag_fields, port);
	devinfo_json_decimal(json, "max_vl_num",
			     tool_vl_text(port->max_vl_num));
	devinfo_json_fields(json, devinfo_port_counter_fields, port);
	devinfo_json_decimal(json, "active_width",
			     tool_width_text(port->active_width));
	json_uint(json, "active_speed", speed);
	json_string(json, "active_speed_name", tool_speed_text(speed));
	devinfo_json_gids(json, info, number);
	json_object_end(json);
}

void devinfo_print_json(struct json_out *json, const struct devinfo *info)
{
	json_object(json, NULL);
	devinfo_json_identity(json, info);
	devinfo_json_limits(json, &info->attr);
	devinfo_json_odp_caps(json, &info->attr);
	devinfo_json_offloads(json, &info->attr);
	devinfo_json_queue_caps(json, &info->attr);
	json_int(json, "num_comp_vectors", info->context->num_comp_vectors);
	json_array(json, "ports");
	for (unsigned int i = info->first_port; i <= info->last_port; i++)
		devinfo_json_port(json, info, i);
	json_array_end(json);
	json_object_end(json);
}
