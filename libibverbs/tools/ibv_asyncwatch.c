// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_asyncwatch: prints asynchronous events of a device until the program is
 * interrupted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/tool_args.h"
#include "tools/tool_device.h"

/*
 * This program creates no QP, CQ or SRQ, so only port and device events occur.
 */
static const char *asyncwatch_event_name(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_DEVICE_FATAL:
		return "IBV_EVENT_DEVICE_FATAL";
	case IBV_EVENT_PORT_ACTIVE:
		return "IBV_EVENT_PORT_ACTIVE";
	case IBV_EVENT_PORT_ERR:
		return "IBV_EVENT_PORT_ERR";
	case IBV_EVENT_LID_CHANGE:
		return "IBV_EVENT_LID_CHANGE";
	case IBV_EVENT_PKEY_CHANGE:
		return "IBV_EVENT_PKEY_CHANGE";
	case IBV_EVENT_SM_CHANGE:
		return "IBV_EVENT_SM_CHANGE";
	case IBV_EVENT_CLIENT_REREGISTER:
		return "IBV_EVENT_CLIENT_REREGISTER";
	case IBV_EVENT_GID_CHANGE:
		return "IBV_EVENT_GID_CHANGE";
	default:
		return "unexpected";
	}
}

/* Returns when reading the next event fails. */
static void asyncwatch_print_events(struct ibv_context *context)
{
	struct ibv_async_event event;

	while (ibv_get_async_event(context, &event) == 0) {
		printf("  event_type %s (%d), port %d\n",
		       asyncwatch_event_name(event.event_type),
		       event.event_type, event.element.port_num);
		fflush(stdout); /* show events at once if stdout is a pipe */
		ibv_ack_async_event(&event);
	}
	fprintf(stderr, "Failed to get an event: %s\n", strerror(errno));
}

int main(int argc, char **argv)
{
	const char *device = NULL;
	const struct tool_option options[] = {
		{ 'd', "ib-dev", "DEVICE",
		  "watch DEVICE (default: first device)", .text = &device },
	};
	const struct tool_program program = {
		.name = "ibv_asyncwatch",
		.purpose = "Print the asynchronous events of an RDMA device.",
		.options = options,
		.nr_options = sizeof(options) / sizeof(options[0]),
	};
	struct ibv_context *context;
	int ret = tool_parse_options(&program, argc, argv, NULL);

	if (ret)
		return ret < 0 ? 1 : tool_exit_code(0);
	context = tool_open_device(device);
	if (!context)
		return 1;
	printf("%s: async event FD %d\n", ibv_get_device_name(context->device),
	       context->async_fd);
	fflush(stdout);
	asyncwatch_print_events(context);
	ibv_close_device(context);
	return 1;
}
