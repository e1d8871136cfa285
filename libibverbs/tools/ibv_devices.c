// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_devices: lists the RDMA devices of this host and their GUIDs, as a table
 * or as JSON.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

#include <infiniband/verbs.h>

#include "tools/json_out.h"
#include "tools/tool_args.h"
#include "tools/tool_device.h"
#include "tools/tool_names.h"

static void devices_print_table(struct ibv_device **list)
{
	printf("    %-16s\t   node GUID\n", "device");
	printf("    %-16s\t----------------\n", "------");
	for (; *list; list++)
		printf("    %-16s\t%016" PRIx64 "\n",
		       ibv_get_device_name(*list),
		       (uint64_t)be64toh(ibv_get_device_guid(*list)));
}

static int devices_print_json(struct ibv_device **list)
{
	struct json_out json;

	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "devices");
	for (; *list; list++) {
		char guid[TOOL_GUID_SIZE];

		tool_guid_text(ibv_get_device_guid(*list), guid);
		json_object(&json, NULL);
		json_string(&json, "name", ibv_get_device_name(*list));
		json_string(&json, "node_guid", guid);
		json_int(&json, "index", ibv_get_device_index(*list));
		json_string(&json, "node_type",
			    ibv_node_type_str((*list)->node_type));
		json_string(&json, "transport",
			    tool_transport_text((*list)->transport_type));
		json_string(&json, "verbs_device", (*list)->dev_name);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	return json_end(&json);
}

int main(int argc, char **argv)
{
	bool json = false;
	const struct tool_option options[] = {
		{ .name = "json", .flag = &json, .help = "print JSON" },
	};
	const struct tool_program program = {
		.name = "ibv_devices",
		.purpose = "List the RDMA devices that programs can use.",
		.options = options,
		.nr_options = sizeof(options) / sizeof(options[0]),
	};
	struct ibv_device **list;
	int ret = tool_parse_options(&program, argc, argv, NULL);

	if (ret)
		return ret < 0 ? 1 : tool_exit_code(0);
	list = tool_list_devices(NULL);
	if (!list)
		return 1;
	if (json)
		(void)devices_print_json(list);
	else
		devices_print_table(list);
	ibv_free_device_list(list);
	return tool_exit_code(0);
}
