// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parsing of command lines: see tool_args.h. */
#include "tools/tool_args.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return values of getopt_long() for long options: above all letters. */
#define TOOL_FIRST_VALUE 256
#define TOOL_HELP_VALUE	 (TOOL_FIRST_VALUE + TOOL_MAX_OPTIONS)

int tool_parse_number(const char *text, uint32_t min, uint32_t max,
		      uint32_t *ret_value)
{
	unsigned long long value;
	char *end;

	/* strtoull() accepts a sign and leading blanks */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end)
		return -EINVAL;
	if (errno || value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

static void tool_print_option(const struct tool_option *option)
{
	char left[64];

	snprintf(left, sizeof(left), "%s%.1s%s--%s%s%s",
		 option->letter ? "-" : "", &option->letter,
		 option->letter ? ", " : "    ", option->name,
		 option->argument ? "=" : "",
		 option->argument ? option->argument : "");
	printf("  %-22s %s\n", left, option->help);
}

static void tool_print_help(const struct tool_program *program)
{
	static const struct tool_option help = { .letter = 'h',
						 .name = "help",
						 .help = "print this help" };

	printf("Usage: %s [OPTION]...%s%s%s\n\n%s\n\nOptions:\n", program->name,
	       program->operand ? " [" : "",
	       program->operand ? program->operand : "",
	       program->operand ? "]" : "", program->purpose);
	for (int i = 0; i < program->nr_options; i++)
		if (program->options[i].help)
			tool_print_option(&program->options[i]);
	tool_print_option(&help);
}

static int tool_suggest_help(const struct tool_program *program)
{
	fprintf(stderr, "Try '%s --help'.\n", program->name);
	return -EINVAL;
}

/* Returns the option for a return value of getopt_long(). */
static const struct tool_option *
tool_find_option(const struct tool_program *program, int value)
{
	if (value >= TOOL_FIRST_VALUE &&
	    value < TOOL_FIRST_VALUE + program->nr_options)
		return &program->options[value - TOOL_FIRST_VALUE];
	for (int i = 0; i < program->nr_options; i++)
		if (program->options[i].letter == value)
			return &program->options[i];
	return NULL;
}

static int tool_apply_option(const struct tool_program *program,
			     const struct tool_option *option)
{
	if (option->flag) {
		*option->flag = true;
		return 0;
	}
	if (option->text) {
		*option->text = optarg;
		return 0;
	}
	if (tool_parse_number(optarg, option->min, option->max,
			      option->number) == 0)
		return 0;
	fprintf(stderr, "%s: --%s: use a number from %u to %u, not '%s'\n",
		program->name, option->name, option->min, option->max, optarg);
	return tool_suggest_help(program);
}

/* Converts the option table to the two forms that getopt_long() takes. */
static void tool_build_getopt_tables(const struct tool_program *program,
				     char *letters, struct option *names)
{
	int n;

	for (n = 0; n < program->nr_options; n++) {
		const struct tool_option *option = &program->options[n];

		assert(!option->flag + !option->text + !option->number == 2);
		names[n] = (struct option){
			.name = option->name,
			.has_arg = option->argument ? required_argument
						    : no_argument,
			.val = TOOL_FIRST_VALUE + n,
		};
		if (!option->letter)
			continue;
		*letters++ = option->letter;
		if (option->argument)
			*letters++ = ':';
	}
	names[n++] = (struct option){ .name = "help", .val = TOOL_HELP_VALUE };
	names[n] = (struct option){};
	*letters++ = 'h';
	*letters = '\0';
}

int tool_parse_options(const struct tool_program *program, int argc,
		       char **argv, const char **ret_operand)
{
	char letters[2 * TOOL_MAX_OPTIONS + 2];
	struct option names[TOOL_MAX_OPTIONS + 2];
	int operands = program->operand ? 1 : 0;
	int value;

	assert(program->nr_options <= TOOL_MAX_OPTIONS);
	tool_build_getopt_tables(program, letters, names);
	while ((value = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct tool_option *option;

		if (value == TOOL_HELP_VALUE || value == 'h') {
			tool_print_help(program);
			return 1;
		}
		option = tool_find_option(program, value);
		if (!option) /* getopt_long() has printed the reason */
			return tool_suggest_help(program);
		if (tool_apply_option(program, option) != 0)
			return -EINVAL;
	}
	if (argc - optind > operands) {
		fprintf(stderr, "%s: unexpected argument '%s'\n", program->name,
			argv[optind + operands]);
		return tool_suggest_help(program);
	}
	if (argc > optind)
		*ret_operand = argv[optind];
	return 0;
}
