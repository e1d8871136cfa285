/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_trace(1): runs programs with the layer trace, and reads trace files. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/trace/trace_tool.h"

static void print_help(void)
{
	printf("Usage: ibv_trace [OPTION]... PROGRAM [ARGUMENT]...\n"
	       "       ibv_trace [--json] summary FILE\n"
	       "       ibv_trace [--json] dump FILE\n"
	       "       ibv_trace perfetto FILE OUTPUT\n"
	       "Run a program, record its verbs calls, and print a summary.\n"
	       "\n"
	       "  -o, --output=FILE      keep the trace in FILE; %%p stands "
	       "for the process\n"
	       "      --json             print JSON\n"
	       "  -h, --help             print this text\n");
}

static int usage_error(void)
{
	fprintf(stderr, "ibv_trace: see ibv_trace --help\n");
	return 2;
}

static int write_perfetto_data(const char *path, const struct trace_data *data)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int ret;

	if (!out) {
		ret = -errno;
		if (fd >= 0)
			(void)close(fd);
		return ret;
	}
	ret = trace_perfetto_write(out, data);
	if (fclose(out) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

static int write_perfetto(const char *path, const char *output)
{
	struct trace_data data;
	int ret = trace_load(path, &data);

	if (ret)
		return ret;
	ret = write_perfetto_data(output, &data);
	if (ret)
		fprintf(stderr, "ibv_trace: %s: %s\n", output, strerror(-ret));
	trace_file_free(&data);
	return ret;
}

static int exit_code(int ret)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "ibv_trace: standard output: %s\n",
			strerror(errno));
		return 1;
	}
	return ret ? 1 : 0;
}

static int print_view(int nr, char **words, const struct trace_view *view,
		      bool json)
{
	return nr == 2 ? exit_code(
				 trace_print_file(stdout, words[1], view, json))
		       : usage_error();
}

/* Return: the exit code, or -1: no command. */
static int run_command(int nr, char **words, bool json)
{
	if (strcmp(words[0], "summary") == 0)
		return print_view(nr, words, &trace_summary, json);
	if (strcmp(words[0], "dump") == 0)
		return print_view(nr, words, &trace_dump, json);
	if (strcmp(words[0], "perfetto") == 0)
		return nr == 3 ? exit_code(write_perfetto(words[1], words[2]))
			       : usage_error();
	return -1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct trace_run run = {};
	int letter, ret;

	/* + ends at the program, whose options are its own. */
	while ((letter = getopt_long(argc, argv, "+o:h", options, NULL)) !=
	       -1) {
		switch (letter) {
		case 'o':
			run.file = optarg;
			break;
		case 'j':
			run.json = true;
			break;
		case 'h':
			print_help();
			return exit_code(0);
		default:
			return usage_error();
		}
	}
	if (optind == argc)
		return usage_error();
	ret = run_command(argc - optind, argv + optind, run.json);
	if (ret >= 0)
		return ret;
	run.program = argv + optind;
	return trace_run(&run);
}
