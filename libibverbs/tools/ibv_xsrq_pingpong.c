// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_xsrq_pingpong: exchanges messages between one server and several clients
 * over XRC.
 */
#include <errno.h>
#include <stdio.h>

#include "tools/tool_args.h"
#include "tools/tool_device.h"
#include "tools/tool_tcp.h"
#include "tools/xsrq.h"

#define XSRQ_NAME	 "ibv_xsrq_pingpong"
#define XSRQ_MAX_CLIENTS 1024

static int xsrq_parse_options(int argc, char **argv,
			      struct xsrq_options *options)
{
	const struct tool_option table[] = {
		{ 'p', "port", "PORT", "use TCP port PORT (default 18515)",
		  .number = &options->tcp_port, .min = 1, .max = 65535 },
		{ 'd', "ib-dev", "DEVICE", "use DEVICE (default: first device)",
		  .text = &options->device },
		{ 'i', "ib-port", "PORT", "use PORT of the device (default 1)",
		  .number = &options->ib_port, .min = 1, .max = 255 },
		{ 's', "size", "BYTES", "message size (default 4096)",
		  .number = &options->size, .min = 1, .max = 1U << 31 },
		{ 'm', "mtu", "BYTES", "path MTU (default 1024)",
		  .number = &options->mtu, .min = 256, .max = 4096 },
		{ 'c', "clients", "NUMBER",
		  "wait for NUMBER clients (default 1)",
		  .number = &options->clients, .min = 1,
		  .max = XSRQ_MAX_CLIENTS },
		{ 'n', "num_tests", "NUMBER",
		  "exchange NUMBER messages with each peer (default 5)",
		  .number = &options->tests, .min = 1, .max = INT32_MAX },
		{ 0, "num-tests", "NUMBER", NULL, .number = &options->tests,
		  .min = 1, .max = INT32_MAX },
		{ 'l', "sl", "LEVEL", "service level (default 0)",
		  .number = &options->sl, .min = 0, .max = 15 },
		{ 'e', "events", NULL, "sleep on CQ events instead of polling",
		  .flag = &options->events },
		{ 'o', "odp", NULL, "register memory with on-demand paging",
		  .flag = &options->odp },
		{ 'g', "gid-idx", "INDEX",
		  "use the GID at INDEX of the port's GID table",
		  .number = &options->gid_index, .min = 0, .max = INT32_MAX },
	};
	const struct tool_program program = {
		.name = XSRQ_NAME,
		.operand = "HOST",
		.purpose = "Exchange messages between one server and several "
			   "clients (XRC).\nWithout HOST, wait for clients; "
			   "with HOST, connect to that server.",
		.options = table,
		.nr_options = sizeof(table) / sizeof(table[0]),
	};

	return tool_parse_options(&program, argc, argv, &options->host);
}

static int xsrq_check_options(struct xsrq_options *options)
{
	if (options->mtu & (options->mtu - 1)) {
		fprintf(stderr, XSRQ_NAME
			": --mtu: use 256, 512, 1024, 2048 or 4096\n");
		return -EINVAL;
	}
	if (options->host)
		options->clients = 1; /* a client has one peer, the server */
	return 0;
}

static void xsrq_close_connections(struct xsrq_session *session)
{
	for (uint32_t i = 0; session->peers && i < session->options->clients;
	     i++)
		if (session->peers[i].fd >= 0)
			tool_tcp_close(session->peers[i].fd);
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
	struct xsrq_session session = { .options = &options };
	int ret = xsrq_parse_options(argc, argv, &options);

	if (ret)
		return ret < 0 ? 1 : tool_exit_code(0);
	ret = xsrq_check_options(&options);
	if (ret == 0)
		ret = xsrq_open(&session);
	if (ret == 0)
		ret = xsrq_prepare_receives(&session);
	if (ret == 0)
		ret = xsrq_exchange_addresses(&session);
	if (ret == 0)
		ret = xsrq_exchange_messages(&session);
	if (ret == 0)
		ret = xsrq_exchange_end(&session);
	xsrq_close_connections(&session);
	if (xsrq_close(&session) != 0)
		ret = -EIO;
	if (ret == 0)
		printf("success\n");
	return tool_exit_code(ret ? 1 : 0);
}
