/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of a utility, from a table: the same table makes
 * getopt_long() understand the options, checks the range of each number, and
 * prints --help.
 */
#ifndef TOOLS_TOOL_ARGS_H
#define TOOLS_TOOL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * One option. Exactly one of the pointers is set, and says what kind it is;
 * they point to the caller's memory, which has the default.
 */
struct tool_option {
	char letter;	      /* 0: there is only the long form */
	const char *name;     /* of the long form */
	const char *argument; /* what --help calls it; NULL for a flag */
	const char *help;     /* NULL: another name of the option above it */
	bool *flag;
	const char **text;
	uint32_t *number;
	uint32_t min; /* of *number, inclusive */
	uint32_t max;
};

/** What a utility is called with; --help prints it. */
struct tool_program {
	const char *name;
	const char *operand; /* the one that may follow, e.g. "HOST", or NULL */
	const char *purpose; /* a sentence or two, with line breaks */
	const struct tool_option *options;
	int nr_options; /* at most TOOL_MAX_OPTIONS */
};

#define TOOL_MAX_OPTIONS 32

/**
 * tool_parse_options() - read a command line
 * @ret_operand: left alone when there is none; may be NULL if none is allowed
 *
 * An error is told on standard error. Options -h and --help are always there.
 *
 * Return: 0 to go on, 1 when --help was printed, -EINVAL.
 */
int tool_parse_options(const struct tool_program *program, int argc,
		       char **argv, const char **ret_operand);

/**
 * tool_parse_number() - a whole decimal (or 0x) number
 *
 * Return: 0, -EINVAL when it is none, -ERANGE when it is not in @min to @max.
 */
int tool_parse_number(const char *text, uint32_t min, uint32_t max,
		      uint32_t *ret_value);

#endif
