// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_devinfo: prints attributes and capabilities of the RDMA devices of this
 * host.
 */
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/devinfo.h"
#include "tools/tool_args.h"
#include "tools/tool_device.h"

struct devinfo_options {
	const char *device;
	uint32_t port; /* 0: all */
	bool list;
	bool verbose;
	bool json;
};

static bool devinfo_device_is_selected(const struct devinfo_options *options,
				       struct ibv_device *device)
{
	return !options->device ||
	       strcmp(ibv_get_device_name(device), options->device) == 0;
}

static void devinfo_list_names(const struct devinfo_options *options,
			       struct ibv_device **list, int count)
{
	struct json_out json;

	if (!options->json) {
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
	(void)json_end(&json); /* tool_exit_code() reports it */
}

/* Prints each selected device. Returns the exit code. */
static int devinfo_print_devices(const struct devinfo_options *options,
				 struct ibv_device **list,
				 struct json_out *json)
{
	int code = 0, found = 0;

	for (; *list; list++) {
		struct devinfo info;

		if (!devinfo_device_is_selected(options, *list))
			continue;
		found++;
		if (devinfo_query(*list, options->port,
				  options->verbose || options->json, &info)) {
			code = 1;
			continue;
		}
		if (options->json)
			devinfo_print_json(json, &info);
		else
			devinfo_print_text(&info, options->verbose);
		devinfo_free(&info);
	}
	if (found)
		return code;
	if (options->device)
		fprintf(stderr, "IB device '%s' wasn't found\n",
			options->device);
	else
		fprintf(stderr, "No IB devices found\n");
	return 1;
}

static int devinfo_print_report(const struct devinfo_options *options,
				struct ibv_device **list)
{
	struct json_out json;
	int code;

	if (!options->json)
		return devinfo_print_devices(options, list, NULL);
	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "devices");
	code = devinfo_print_devices(options, list, &json);
	json_array_end(&json);
	json_object_end(&json);
	(void)json_end(&json); /* tool_exit_code() reports it */
	return code;
}

static int devinfo_parse_options(int argc, char **argv,
				 struct devinfo_options *options)
{
	const struct tool_option table[] = {
		{ 'd', "ib-dev", "DEVICE",
		  "print only DEVICE (default: all devices)",
		  .text = &options->device },
		{ 'i', "ib-port", "PORT",
		  "print only PORT (default: all ports)",
		  .number = &options->port, .min = 1,
		  .max = DEVINFO_MAX_PORTS },
		{ 'l', "list", NULL, "print only device names",
		  .flag = &options->list },
		{ 'v', "verbose", NULL, "print all attributes",
		  .flag = &options->verbose },
		{ 0, "json", NULL, "print all attributes as JSON",
		  .flag = &options->json },
	};
	const struct tool_program program = {
		.name = "ibv_devinfo",
		.purpose = "Print attributes and capabilities of RDMA devices.",
		.options = table,
		.nr_options = sizeof(table) / sizeof(table[0]),
	};

	return tool_parse_options(&program, argc, argv, NULL);
}

int main(int argc, char **argv)
{
	struct devinfo_options options = {};
	struct ibv_device **list;
	int count, code = 0;
	int ret = devinfo_parse_options(argc, argv, &options);

	if (ret)
		return ret < 0 ? 1 : tool_exit_code(0);
	list = tool_list_devices(&count);
	if (!list)
		return 1;
	if (options.list)
		devinfo_list_names(&options, list, count);
	else
		code = devinfo_print_report(&options, list);
	ibv_free_device_list(list);
	return tool_exit_code(code);
}
