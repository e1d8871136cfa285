// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints a device as text. Scripts parse this output, so labels, columns and
 * blank lines equal those of rdma-core's program. tests/tools/same_text_test.py
 * compares the output with Debian's program byte for byte.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/devinfo.h"
#include "tools/tool_names.h"

/* Columns at which values begin. */
#define DEVICE_COLUMN 40
#define WIDE_COLUMN   48
#define PORT_COLUMN   48
#define WIDEST_COLUMN 64

/* Prints a label indented by @tabs, then tabs up to the column of its value. */
static void devinfo_print_label(int tabs, const char *name, int column)
{
	int at = 8 * tabs + (int)strlen(name) + 1;

	while (tabs--)
		putchar('\t');
	printf("%s:", name);
	do {
		putchar('\t');
		at = at / 8 * 8 + 8;
	} while (at < column);
}

static void devinfo_print_number(const struct devinfo_field *field,
				 uint64_t value)
{
	switch (field->format) {
	case DEVINFO_SIGNED:
		printf("%" PRId32 "\n", (int32_t)value);
		break;
	case DEVINFO_UNSIGNED:
		printf("%" PRIu64 "\n", value);
		break;
	case DEVINFO_HEX:
		printf("0x%" PRIx64 "\n", value);
		break;
	case DEVINFO_HEX2:
		printf("0x%02" PRIx64 "\n", value);
		break;
	case DEVINFO_HEX4:
		printf("0x%04" PRIx64 "\n", value);
		break;
	case DEVINFO_HEX8:
		printf("0x%08" PRIx64 "\n", value);
		break;
	case DEVINFO_HEX_UPPER:
		printf("0x%" PRIX64 "\n", value);
		break;
	}
}

static void devinfo_print_fields(const struct devinfo_field *fields,
				 const void *from, int tabs, int column)
{
	for (; fields->name; fields++) {
		devinfo_print_label(tabs, fields->name, column);
		devinfo_print_number(fields, devinfo_field_value(fields, from));
	}
}

/* Prints the name of each known bit on a line; returns the unknown bits. */
static uint64_t devinfo_print_known_flags(const struct tool_flag *flags,
					  uint64_t value)
{
	for (; flags->mask; flags++) {
		if (value & flags->mask)
			printf("\t\t\t\t\t%s\n", flags->name);
		value &= ~flags->mask;
	}
	return value;
}

static void devinfo_print_flags(const struct tool_flag *flags, uint64_t value)
{
	value = devinfo_print_known_flags(flags, value);
	if (value)
		printf("\t\t\t\t\tUnknown flags: 0x%" PRIX64 "\n", value);
}

static void devinfo_print_identity(const struct devinfo *info)
{
	const struct ibv_device *device = info->context->device;
	const struct ibv_device_attr *attr = &info->attr.orig_attr;
	char guid[TOOL_GUID_SIZE];

	printf("hca_id:\t%s\n", ibv_get_device_name(info->context->device));
	devinfo_print_label(1, "transport", DEVICE_COLUMN);
	printf("%s (%d)\n", tool_transport_text(device->transport_type),
	       device->transport_type);
	if (attr->fw_ver[0]) {
		devinfo_print_label(1, "fw_ver", DEVICE_COLUMN);
		printf("%.*s\n", (int)sizeof(attr->fw_ver), attr->fw_ver);
	}
	devinfo_print_label(1, "node_guid", DEVICE_COLUMN);
	tool_guid_text(attr->node_guid, guid);
	puts(guid);
	devinfo_print_label(1, "sys_image_guid", DEVICE_COLUMN);
	tool_guid_text(attr->sys_image_guid, guid);
	puts(guid);
	devinfo_print_fields(devinfo_identity_fields, &info->attr, 1,
			     DEVICE_COLUMN);
	if (info->board_id[0]) {
		devinfo_print_label(1, "board_id", DEVICE_COLUMN);
		puts(info->board_id);
	}
	devinfo_print_label(1, "phys_port_cnt", DEVICE_COLUMN);
	printf("%u\n", info->nr_ports);
}

static void devinfo_print_transport_odp(const char *name, uint32_t caps)
{
	printf("\t%s:\n", name);
	if (caps)
		devinfo_print_flags(tool_transport_odp_flags, caps);
	else
		printf("\t\t\t\t\tNO SUPPORT\n");
}

static void devinfo_print_limits(const struct ibv_device_attr_ex *attr)
{
	devinfo_print_fields(devinfo_size_fields, attr, 1, DEVICE_COLUMN);
	devinfo_print_label(1, "device_cap_flags", DEVICE_COLUMN);
	printf("0x%08x\n", attr->orig_attr.device_cap_flags);
	devinfo_print_flags(tool_device_flags,
			    attr->orig_attr.device_cap_flags);
	devinfo_print_fields(devinfo_queue_fields, attr, 1, DEVICE_COLUMN);
	devinfo_print_label(1, "atomic_cap", DEVICE_COLUMN);
	printf("%s (%d)\n", tool_atomic_text(attr->orig_attr.atomic_cap),
	       attr->orig_attr.atomic_cap);
	devinfo_print_fields(devinfo_object_fields, attr, 1, DEVICE_COLUMN);
	if (attr->orig_attr.max_fmr) {
		devinfo_print_label(1, "max_map_per_fmr", DEVICE_COLUMN);
		printf("%d\n", attr->orig_attr.max_map_per_fmr);
	}
	devinfo_print_label(1, "max_srq", DEVICE_COLUMN);
	printf("%d\n", attr->orig_attr.max_srq);
	if (attr->orig_attr.max_srq)
		devinfo_print_fields(devinfo_srq_fields, attr, 1,
				     DEVICE_COLUMN);
	devinfo_print_fields(devinfo_misc_fields, attr, 1, DEVICE_COLUMN);
}

static void devinfo_print_odp_and_clock(const struct ibv_device_attr_ex *attr)
{
	printf("\tgeneral_odp_caps:\n");
	devinfo_print_flags(tool_odp_flags, attr->odp_caps.general_caps);
	devinfo_print_transport_odp(
		"rc_odp_caps", attr->odp_caps.per_transport_caps.rc_odp_caps);
	devinfo_print_transport_odp(
		"uc_odp_caps", attr->odp_caps.per_transport_caps.uc_odp_caps);
	devinfo_print_transport_odp(
		"ud_odp_caps", attr->odp_caps.per_transport_caps.ud_odp_caps);
	devinfo_print_transport_odp("xrc_odp_caps", attr->xrc_odp_caps);
	if (attr->completion_timestamp_mask) {
		devinfo_print_label(1, "completion timestamp_mask", 56);
		printf("0x%016" PRIx64 "\n", attr->completion_timestamp_mask);
	} else {
		printf("\tcompletion_timestamp_mask not supported\n");
	}
	if (attr->hca_core_clock) {
		devinfo_print_label(1, "hca_core_clock", DEVICE_COLUMN);
		printf("%" PRIu64 "kHZ\n", attr->hca_core_clock);
	} else {
		printf("\tcore clock not supported\n");
	}
}

static void devinfo_print_qp_types(uint32_t supported_qpts)
{
	printf("\t\tsupported_qp:\n");
	devinfo_print_flags(tool_qp_type_flags, supported_qpts);
}

static void devinfo_print_offloads(const struct ibv_device_attr_ex *attr)
{
	if (attr->raw_packet_caps) {
		printf("\traw packet caps:\n");
		devinfo_print_known_flags(tool_raw_packet_flags,
					  attr->raw_packet_caps);
	}
	devinfo_print_label(1, "device_cap_flags_ex", DEVICE_COLUMN);
	printf("0x%" PRIX64 "\n", attr->device_cap_flags_ex);
	devinfo_print_flags(tool_device_flags_ex,
			    attr->device_cap_flags_ex & ~(uint64_t)UINT32_MAX);
	printf("\ttso_caps:\n");
	devinfo_print_label(2, "max_tso", WIDE_COLUMN);
	printf("%" PRId32 "\n", (int32_t)attr->tso_caps.max_tso);
	if (attr->tso_caps.max_tso)
		devinfo_print_qp_types(attr->tso_caps.supported_qpts);
	printf("\trss_caps:\n");
	devinfo_print_fields(devinfo_rss_fields, attr, 2, WIDEST_COLUMN);
	if (attr->rss_caps.supported_qpts)
		devinfo_print_qp_types(attr->rss_caps.supported_qpts);
	devinfo_print_label(1, "max_wq_type_rq", DEVICE_COLUMN);
	printf("%" PRIu32 "\n", attr->max_wq_type_rq);
	printf("\tpacket_pacing_caps:\n");
	devinfo_print_label(2, "qp_rate_limit_min", DEVICE_COLUMN);
	printf("%" PRIu32 "kbps\n", attr->packet_pacing_caps.qp_rate_limit_min);
	devinfo_print_label(2, "qp_rate_limit_max", DEVICE_COLUMN);
	printf("%" PRIu32 "kbps\n", attr->packet_pacing_caps.qp_rate_limit_max);
	if (attr->packet_pacing_caps.qp_rate_limit_max)
		devinfo_print_qp_types(attr->packet_pacing_caps.supported_qpts);
}

static void devinfo_print_queue_caps(const struct ibv_device_attr_ex *attr)
{
	const struct ibv_cq_moderation_caps *cq = &attr->cq_mod_caps;

	if (attr->tm_caps.max_num_tags) {
		devinfo_print_fields(devinfo_tm_fields, attr, 1, DEVICE_COLUMN);
		printf("\tflags:\n");
		devinfo_print_known_flags(tool_tm_flags, attr->tm_caps.flags);
	} else {
		printf("\ttag matching not supported\n");
	}
	if (cq->max_cq_count && cq->max_cq_period) {
		printf("\n\tcq moderation caps:\n");
		printf("\t\tmax_cq_count:\t%u\n", cq->max_cq_count);
		printf("\t\tmax_cq_period:\t%u us\n\n", cq->max_cq_period);
	}
	if (attr->max_dm_size)
		printf("\tmaximum available device memory:\t%" PRIu64
		       "Bytes\n\n",
		       attr->max_dm_size);
}

static void devinfo_print_gid(const struct ibv_gid_entry *entry, bool ethernet)
{
	const uint8_t *raw = entry->gid.raw;
	char text[INET6_ADDRSTRLEN];

	printf("\t\t\tGID[%3u]:\t\t", entry->gid_index);
	if (entry->gid_type == IBV_GID_TYPE_ROCE_V2) {
		inet_ntop(AF_INET6, raw, text, sizeof(text));
		printf("%s", text);
	} else {
		for (int i = 0; i < 16; i += 2)
			printf("%s%02x%02x", i ? ":" : "", raw[i], raw[i + 1]);
	}
	if (ethernet)
		printf(", %s", entry->gid_type == IBV_GID_TYPE_ROCE_V2
				       ? "RoCE v2"
				       : "RoCE v1");
	putchar('\n');
}

static void devinfo_print_port_details(const struct devinfo *info,
				       unsigned int number)
{
	const struct ibv_port_attr *port = &info->ports[number - 1];
	uint32_t speed = port->active_speed_ex ? port->active_speed_ex
					       : port->active_speed;

	devinfo_print_fields(devinfo_port_flag_fields, port, 3, PORT_COLUMN);
	devinfo_print_label(3, "max_vl_num", PORT_COLUMN);
	printf("%s (%d)\n", tool_vl_text(port->max_vl_num), port->max_vl_num);
	devinfo_print_fields(devinfo_port_counter_fields, port, 3, PORT_COLUMN);
	devinfo_print_label(3, "active_width", PORT_COLUMN);
	printf("%sX (%d)\n", tool_width_text(port->active_width),
	       port->active_width);
	devinfo_print_label(3, "active_speed", PORT_COLUMN);
	printf("%s (%" PRIu32 ")\n", tool_speed_text(speed), speed);
	if (info->context->device->transport_type == IBV_TRANSPORT_IB) {
		devinfo_print_label(3, "phys_state", PORT_COLUMN);
		printf("%s (%d)\n", tool_phys_state_text(port->phys_state),
		       port->phys_state);
	}
	for (size_t i = 0; i < info->nr_gids; i++)
		if (info->gids[i].port_num == number)
			devinfo_print_gid(&info->gids[i],
					  port->link_layer ==
						  IBV_LINK_LAYER_ETHERNET);
}

static void devinfo_print_port(const struct devinfo *info, unsigned int number,
			       bool verbose)
{
	const struct ibv_port_attr *port = &info->ports[number - 1];

	printf("\t\tport:\t%u\n", number);
	devinfo_print_label(3, "state", PORT_COLUMN);
	printf("%s (%d)\n", tool_port_state_text(port->state), port->state);
	devinfo_print_label(3, "max_mtu", PORT_COLUMN);
	printf("%s (%d)\n", tool_mtu_text(port->max_mtu), port->max_mtu);
	devinfo_print_label(3, "active_mtu", PORT_COLUMN);
	printf("%s (%d)\n", tool_mtu_text(port->active_mtu), port->active_mtu);
	devinfo_print_fields(devinfo_lid_fields, port, 3, PORT_COLUMN);
	devinfo_print_label(3, "link_layer", PORT_COLUMN);
	puts(tool_link_layer_text(port->link_layer));
	if (verbose)
		devinfo_print_port_details(info, number);
	putchar('\n');
}

void devinfo_print_text(const struct devinfo *info, bool verbose)
{
	devinfo_print_identity(info);
	if (verbose) {
		devinfo_print_limits(&info->attr);
		devinfo_print_odp_and_clock(&info->attr);
		devinfo_print_offloads(&info->attr);
		devinfo_print_queue_caps(&info->attr);
		devinfo_print_label(1, "num_comp_vectors", DEVICE_COLUMN);
		printf("%d\n", info->context->num_comp_vectors);
	}
	for (unsigned int i = info->first_port; i <= info->last_port; i++)
		devinfo_print_port(info, i, verbose);
}
