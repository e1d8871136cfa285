// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command line of a pingpong: see pingpong.h. One table contains all
 * options; each program offers those whose letters its struct pp_kind lists.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_args.h"

/* Upper limit before the device is queried; a device may support less. */
#define PP_MAX_RX_DEPTH (1U << 24)
#define PP_MAX_SIZE	(1U << 31)

/* All options, and those that the program offers. */
struct pp_option_table {
	struct tool_option all[TOOL_MAX_OPTIONS];
	struct tool_option selected[TOOL_MAX_OPTIONS];
	int nr_all;
	int nr_selected;
};

static void pp_args_add_numbers(struct pp_option_table *table,
				struct pp_options *options, bool small_messages)
{
	const struct tool_option rows[] = {
		{ 'p', "port", "PORT", "use TCP port PORT (default 18515)",
		  .number = &options->tcp_port, .min = 1, .max = 65535 },
		{ 'd', "ib-dev", "DEVICE", "use DEVICE (default: first device)",
		  .text = &options->device },
		{ 'i', "ib-port", "PORT", "use PORT of the device (default 1)",
		  .number = &options->ib_port, .min = 1, .max = 255 },
		{ 's', "size", "BYTES",
		  small_messages ? "message size (default 1024)"
				 : "message size (default 4096)",
		  .number = &options->size, .min = 1, .max = PP_MAX_SIZE },
		{ 'm', "mtu", "BYTES", "path MTU (default 1024)",
		  .number = &options->mtu, .min = 256, .max = 4096 },
		{ 'q', "num-qp", "NUMBER",
		  "use NUMBER queue pairs (default 16)",
		  .number = &options->nr_qps, .min = 1,
		  .max = PP_SRQ_ADDRESSES },
		{ 'r', "rx-depth", "NUMBER",
		  "post NUMBER receives at a time (default 500)",
		  .number = &options->rx_depth, .min = 1,
		  .max = PP_MAX_RX_DEPTH },
		{ 'n', "iters", "NUMBER",
		  "exchange NUMBER messages (default 1000)",
		  .number = &options->iters, .min = 1, .max = INT32_MAX },
		{ 'l', "sl", "LEVEL", "service level (default 0)",
		  .number = &options->sl, .min = 0, .max = 15 },
		{ 'g', "gid-idx", "INDEX",
		  "use the GID at INDEX of the port's GID table",
		  .number = &options->gid_index, .min = 0, .max = INT32_MAX },
	};

	memcpy(table->all, rows, sizeof(rows));
	table->nr_all = sizeof(rows) / sizeof(rows[0]);
}

static void pp_args_add_flags(struct pp_option_table *table,
			      struct pp_options *options)
{
	const struct tool_option rows[] = {
		{ 'e', "events", NULL, "sleep on CQ events instead of polling",
		  .flag = &options->events },
		{ 'o', "odp", NULL,
		  "register the message with on-demand paging",
		  .flag = &options->odp },
		{ 'O', "iodp", NULL, "use implicit on-demand paging",
		  .flag = &options->implicit_odp },
		{ 'P', "prefetch", NULL, "with -o or -O: prefetch the pages",
		  .flag = &options->prefetch },
		{ 't', "ts", NULL, "measure with completion timestamps",
		  .flag = &options->timestamps },
		{ 'c', "chk", NULL, "check the received message",
		  .flag = &options->validate },
		{ 'j', "dm", NULL, "place the message in device memory",
		  .flag = &options->device_memory },
		{ 'N', "new_send", NULL, "send with the ibv_wr_*() functions",
		  .flag = &options->new_send },
	};

	memcpy(&table->all[table->nr_all], rows, sizeof(rows));
	table->nr_all += sizeof(rows) / sizeof(rows[0]);
}

static void pp_args_select(struct pp_option_table *table, const char *letters)
{
	for (int i = 0; i < table->nr_all; i++)
		if (strchr(letters, table->all[i].letter))
			table->selected[table->nr_selected++] = table->all[i];
}

static int pp_args_refuse(const struct pp_kind *kind, const char *sentence)
{
	fprintf(stderr, "%s: %s\n", kind->name, sentence);
	return -EINVAL;
}

static int pp_args_check_combinations(const struct pp_kind *kind,
				      struct pp_options *options)
{
	if (options->mtu & (options->mtu - 1))
		return pp_args_refuse(
			kind, "--mtu: use 256, 512, 1024, 2048 or 4096");
	options->odp = options->odp || options->implicit_odp;
	if (options->odp && options->device_memory)
		return pp_args_refuse(kind,
				      "DM memory region can't be on demand");
	if (options->prefetch && !options->odp)
		return pp_args_refuse(kind,
				      "prefetch is valid only with on-demand "
				      "memory region");
	if (kind->srq && options->rx_depth < options->nr_qps) {
		fprintf(stderr,
			"%s: rx_depth %u is too small for %u QPs -- must have "
			"at least one receive per QP.\n",
			kind->name, options->rx_depth, options->nr_qps);
		return -EINVAL;
	}
	return 0;
}

int pp_parse_options(const struct pp_kind *kind, int argc, char **argv,
		     struct pp_options *ret_options)
{
	struct pp_options options = {
		.tcp_port = 18515,
		.ib_port = 1,
		.size = kind->size,
		.mtu = 1024,
		.rx_depth = 500,
		.iters = 1000,
		.nr_qps = kind->srq ? 16 : 1,
		.gid_index = TOOL_NO_GID,
	};
	struct pp_option_table table = {};
	struct tool_program program = {
		.name = kind->name,
		.operand = "HOST",
		.purpose = kind->purpose,
		.options = table.selected,
	};
	int ret;

	pp_args_add_numbers(&table, &options, kind->size == 1024);
	pp_args_add_flags(&table, &options);
	pp_args_select(&table, kind->letters);
	program.nr_options = table.nr_selected;
	ret = tool_parse_options(&program, argc, argv, &options.host);
	if (ret == 0)
		ret = pp_args_check_combinations(kind, &options);
	if (ret == 0)
		*ret_options = options;
	return ret;
}
