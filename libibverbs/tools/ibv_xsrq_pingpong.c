// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_xsrq_pingpong: messages between one server and several clients, over XRC.
 */
#include <errno.h>
#include <stdio.h>

#include "tools/tool_args.h"
#include "tools/tool_device.h"
#include "tools/tool_tcp.h"
#include "tools/xsrq.h"

#define NAME	    "ibv_xsrq_pingpong"
#define MAX_CLIENTS 1024

static int parse(int argc, char **argv, struct xsrq_options *wishes)
{
	const struct tool_option options[] = {
		{ 'p', "port", "PORT", "TCP port to meet at (default 18515)",
		  .number = &wishes->tcp_port, .min = 1, .max = 65535 },
		{ 'd', "ib-dev", "DEVICE", "use DEVICE (default the first)",
		  .text = &wishes->device },
		{ 'i', "ib-port", "PORT", "use PORT of the device (default 1)",
		  .number = &wishes->ib_port, .min = 1, .max = 255 },
		{ 's', "size", "BYTES", "size of a message (default 4096)",
		  .number = &wishes->size, .min = 1, .max = 1U << 31 },
		{ 'm', "mtu", "BYTES", "MTU of the path (default 1024)",
		  .number = &wishes->mtu, .min = 256, .max = 4096 },
		{ 'c', "clients", "NUMBER",
		  "wait for NUMBER clients (default 1)",
		  .number = &wishes->clients, .min = 1, .max = MAX_CLIENTS },
		{ 'n', "num_tests", "NUMBER",
		  "exchange NUMBER messages with each (default 5)",
		  .number = &wishes->tests, .min = 1, .max = INT32_MAX },
		{ 0, "num-tests", "NUMBER", NULL, .number = &wishes->tests,
		  .min = 1, .max = INT32_MAX },
		{ 'l', "sl", "LEVEL", "service level (default 0)",
		  .number = &wishes->sl, .min = 0, .max = 15 },
		{ 'e', "events", NULL, "sleep until something completes",
		  .flag = &wishes->events },
		{ 'o', "odp", NULL, "register memory for on-demand paging",
		  .flag = &wishes->odp },
		{ 'g', "gid-idx", "INDEX", "use the GID at INDEX of the port",
		  .number = &wishes->gid_index, .min = 0, .max = INT32_MAX },
	};
	const struct tool_program program = {
		.name = NAME,
		.operand = "HOST",
		.purpose = "Sends messages back and forth between one server "
			   "and several clients (XRC).\nWithout HOST it waits "
			   "for clients, with HOST it connects to a server.",
		.options = options,
		.nr_options = sizeof(options) / sizeof(options[0]),
	};

	return tool_parse(&program, argc, argv, &wishes->host);
}

static int check(struct xsrq_options *options)
{
	if (options->mtu & (options->mtu - 1)) {
		fprintf(stderr,
			NAME ": --mtu is 256, 512, 1024, 2048 or 4096\n");
		return -EINVAL;
	}
	if (options->host)
		options->clients = 1; /* its peer is the server */
	return 0;
}

static void hang_up(struct xsrq_world *world)
{
	for (uint32_t i = 0; world->peers && i < world->options->clients; i++)
		if (world->peers[i].fd >= 0)
			tool_tcp_close(world->peers[i].fd);
}

int main(int argc, char **argv)
{
	struct xsrq_options options = {
		.tcp_port = 18515,
		.ib_port = 1,
		.size = 4096,
		.mtu = 1024,
		.clients = 1,
		.tests = 5,
		.gid_index = TOOL_NO_GID,
	};
	struct xsrq_world world = { .options = &options };
	int ret = parse(argc, argv, &options);

	if (ret)
		return ret < 0 ? 1 : tool_finish(0);
	ret = check(&options);
	if (ret == 0)
		ret = xsrq_open(&world);
	if (ret == 0)
		ret = xsrq_prepare(&world);
	if (ret == 0)
		ret = xsrq_meet(&world);
	if (ret == 0)
		ret = xsrq_traffic(&world);
	if (ret == 0)
		ret = xsrq_part(&world);
	hang_up(&world);
	if (xsrq_close(&world) != 0)
		ret = -EIO;
	if (ret == 0)
		printf("success\n");
	return tool_finish(ret ? 1 : 0);
}
