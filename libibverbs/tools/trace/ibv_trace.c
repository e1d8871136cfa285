/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_trace(1): runs programs with the layer trace, and reads trace files. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace/trace_tool.h"

/* Of one command. */
#define MAX_FILES 64

static void print_help(void)
{
	printf("Usage: ibv_trace [OPTION]... PROGRAM [ARGUMENT]...\n"
	       "       ibv_trace [--json] summary FILE\n"
	       "       ibv_trace [--json] dump FILE\n"
	       "       ibv_trace [--json] match FILE FILE...\n"
	       "       ibv_trace perfetto FILE... OUTPUT\n"
	       "       ibv_trace top [OPTION]... PID|FILE\n"
	       "       ibv_trace metrics PID|FILE\n"
	       "Run a program, record its verbs calls, and print a summary; "
	       "or print the\nstate of a program that runs.\n"
	       "\n"
	       "  -o, --output=FILE      keep the trace in FILE; %%p stands "
	       "for the process\n"
	       "  -d, --delay=SECONDS    top: the time between two tables; "
	       "1 by default\n"
	       "  -n, --count=NUMBER     top: print so many tables\n"
	       "      --once             top: print one table\n"
	       "      --json             print JSON\n"
	       "  -h, --help             print this text\n");
}

static int usage_error(void)
{
	fprintf(stderr, "ibv_trace: see ibv_trace --help\n");
	return 2;
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

struct trace_options {
	struct trace_run run;
	struct trace_top_options top;
	bool json;
	bool help;
};

static int print_view(char **words, const struct trace_view *view,
		      const struct trace_options *options)
{
	return trace_print_file(stdout, words[0], view, options->json);
}

static int command_summary(char **words, int nr,
			   const struct trace_options *options)
{
	return print_view(words, &trace_summary, options);
}

static int command_dump(char **words, int nr,
			const struct trace_options *options)
{
	return print_view(words, &trace_dump, options);
}

static int command_match(char **words, int nr,
			 const struct trace_options *options)
{
	return trace_match_run(words, (size_t)nr, options->json);
}

static int command_perfetto(char **words, int nr,
			    const struct trace_options *options)
{
	return trace_perfetto_run(words, (size_t)nr - 1, words[nr - 1]);
}

static int command_top(char **words, int nr,
		       const struct trace_options *options)
{
	return trace_top(words[0], &options->top);
}

static int command_metrics(char **words, int nr,
			   const struct trace_options *options)
{
	struct trace_target target;
	struct trace_data data;
	int ret = trace_target_open(words[0], &target);

	if (ret)
		return ret;
	ret = trace_target_read(&target, &data);
	if (ret == 0) {
		trace_metrics_print(stdout, &data,
				    trace_target_has_ended(&target, 0));
		trace_file_free(&data);
	}
	trace_target_close(&target);
	return ret;
}

static const struct trace_command {
	const char *name;
	int min_words, max_words; /* after the name */
	int (*run)(char **words, int nr, const struct trace_options *options);
} commands[] = {
	{ "summary", 1, 1, command_summary },
	{ "dump", 1, 1, command_dump },
	{ "match", 2, MAX_FILES, command_match },
	{ "perfetto", 2, MAX_FILES + 1, command_perfetto },
	{ "top", 1, 1, command_top },
	{ "metrics", 1, 1, command_metrics },
};

static const struct trace_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int run_command(const struct trace_command *command, char **words,
		       int nr, const struct trace_options *options)
{
	if (nr < command->min_words || nr > command->max_words)
		return usage_error();
	return exit_code(command->run(words, nr, options));
}

static bool parse_delay(const char *text, int *ret_ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001 && seconds <= 1e6))
		return false;
	*ret_ms = (int)(seconds * 1000);
	return true;
}

static bool parse_count(const char *text, unsigned int *ret_count)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || count == 0 ||
	    count > UINT32_MAX)
		return false;
	*ret_count = (unsigned int)count;
	return true;
}

static bool parse_option(int letter, struct trace_options *options)
{
	switch (letter) {
	case 'o':
		options->run.file = optarg;
		return true;
	case 'd':
		return parse_delay(optarg, &options->top.delay_ms);
	case 'n':
		return parse_count(optarg, &options->top.count);
	case '1':
		options->top.count = 1;
		return true;
	case 'j':
		options->json = true;
		options->run.json = true;
		options->top.json = true;
		return true;
	case 'h':
		options->help = true;
		return true;
	default:
		return false;
	}
}

/* Ends at the first word, since a program has options of its own. */
static bool parse_options(int argc, char **argv, struct trace_options *options)
{
	static const struct option names[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "delay", required_argument, NULL, 'd' },
		{ "count", required_argument, NULL, 'n' },
		{ "once", no_argument, NULL, '1' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "+o:d:n:h", names, NULL)) !=
	       -1)
		if (!parse_option(letter, options))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct trace_options options = { .top.delay_ms = 1000 };
	const struct trace_command *command;

	if (!parse_options(argc, argv, &options))
		return usage_error();
	command = optind < argc ? find_command(argv[optind]) : NULL;
	if (command) {
		optind++;
		if (!parse_options(argc, argv, &options))
			return usage_error();
	}
	if (options.help) {
		print_help();
		return exit_code(0);
	}
	if (command)
		return run_command(command, argv + optind, argc - optind,
				   &options);
	if (optind == argc)
		return usage_error();
	options.run.program = argv + optind;
	return trace_run(&options.run);
}
