// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_devinfo: what the RDMA devices of this machine are and can do.
 */
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/devinfo.h"
#include "tools/tool_args.h"
#include "tools/tool_device.h"

struct wishes {
	const char *device;
	uint32_t port; /* 0: all */
	bool list;
	bool verbose;
	bool json;
};

static bool wanted(const struct wishes *wishes, struct ibv_device *device)
{
	return !wishes->device ||
	       strcmp(ibv_get_device_name(device), wishes->device) == 0;
}

static void list_names(const struct wishes *wishes, struct ibv_device **list,
		       int count)
{
	struct json_out json;

	if (!wishes->json) {
		printf("%d HCA%s found:\n", count, count == 1 ? "" : "s");
		for (; *list; list++)
			printf("\t%s\n", ibv_get_device_name(*list));
		putchar('\n');
		return;
	}
	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "devices");
	for (; *list; list++) {
		json_object(&json, NULL);
		json_string(&json, "name", ibv_get_device_name(*list));
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	(void)json_end(&json); /* tool_finish() tells, too */
}

/* The devices that are wanted, one after the other; the exit code. */
static int show_devices(const struct wishes *wishes, struct ibv_device **list,
			struct json_out *json)
{
	int code = 0, found = 0;

	for (; *list; list++) {
		struct devinfo info;

		if (!wanted(wishes, *list))
			continue;
		found++;
		if (devinfo_query(*list, wishes->port,
				  wishes->verbose || wishes->json, &info)) {
			code = 1;
			continue;
		}
		if (wishes->json)
			devinfo_json(json, &info);
		else
			devinfo_text(&info, wishes->verbose);
		devinfo_free(&info);
	}
	if (found)
		return code;
	if (wishes->device)
		fprintf(stderr, "IB device '%s' wasn't found\n",
			wishes->device);
	else
		fprintf(stderr, "No IB devices found\n");
	return 1;
}

static int show(const struct wishes *wishes, struct ibv_device **list)
{
	struct json_out json;
	int code;

	if (!wishes->json)
		return show_devices(wishes, list, NULL);
	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "devices");
	code = show_devices(wishes, list, &json);
	json_array_end(&json);
	json_object_end(&json);
	(void)json_end(&json); /* tool_finish() tells, too */
	return code;
}

static int parse(int argc, char **argv, struct wishes *wishes)
{
	const struct tool_option options[] = {
		{ 'd', "ib-dev", "DEVICE", "show DEVICE only (default all)",
		  .text = &wishes->device },
		{ 'i', "ib-port", "PORT", "show PORT only (default all)",
		  .number = &wishes->port, .min = 1, .max = DEVINFO_MAX_PORTS },
		{ 'l', "list", NULL, "print only the names of the devices",
		  .flag = &wishes->list },
		{ 'v', "verbose", NULL, "print everything that is known",
		  .flag = &wishes->verbose },
		{ 0, "json", NULL, "print everything, as JSON",
		  .flag = &wishes->json },
	};
	const struct tool_program program = {
		.name = "ibv_devinfo",
		.purpose = "Prints what RDMA devices are and can do.",
		.options = options,
		.nr_options = sizeof(options) / sizeof(options[0]),
	};

	return tool_parse(&program, argc, argv, NULL);
}

int main(int argc, char **argv)
{
	struct wishes wishes = {};
	struct ibv_device **list;
	int count, code = 0;
	int ret = parse(argc, argv, &wishes);

	if (ret)
		return ret < 0 ? 1 : tool_finish(0);
	list = tool_list(&count);
	if (!list)
		return 1;
	if (wishes.list)
		list_names(&wishes, list, count);
	else
		code = show(&wishes, list);
	ibv_free_device_list(list);
	return tool_finish(code);
}
