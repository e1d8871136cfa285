// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds and opens the device of a utility, with the messages that all utilities
 * print. Scripts search for these messages.
 */
#include "tools/tool_device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct ibv_device **tool_list_devices(int *ret_count)
{
	struct ibv_device **list = ibv_get_device_list(ret_count);

	if (!list)
		fprintf(stderr, "Failed to get IB devices list: %s\n",
			strerror(errno));
	return list;
}

static struct ibv_device *tool_find_device(struct ibv_device **list,
					   const char *name)
{
	if (!name)
		return list[0];
	for (; *list; list++)
		if (strcmp(ibv_get_device_name(*list), name) == 0)
			break;
	return *list;
}

struct ibv_context *tool_open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list, *device;

	list = tool_list_devices(NULL);
	if (!list)
		return NULL;
	device = tool_find_device(list, name);
	if (device)
		context = ibv_open_device(device);
	if (!device && name)
		fprintf(stderr, "IB device %s not found\n", name);
	else if (!device)
		fprintf(stderr, "No IB devices found\n");
	else if (!context)
		fprintf(stderr, "Couldn't get context for %s: %s\n",
			ibv_get_device_name(device), strerror(errno));
	/* the open context keeps a reference on its device */
	ibv_free_device_list(list);
	return context;
}

int tool_exit_code(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "Couldn't write to standard output\n");
	return 1;
}
