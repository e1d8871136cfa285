/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Table-driven command line of a utility. One table provides the options for
 * getopt_long(), the range of each number, and the text of --help.
 */
#ifndef TOOLS_TOOL_ARGS_H
#define TOOLS_TOOL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * One option. Exactly one of @flag, @text and @number is set and determines the
 * type. It points to memory of the caller, which contains the default.
 */
struct tool_option {
	char letter;	      /* 0: no short form */
	const char *name;     /* long form */
	const char *argument; /* placeholder in --help; NULL for a flag */
	const char *help;     /* NULL: undocumented alias of the option above */
	bool *flag;
	const char **text;
	uint32_t *number;
	uint32_t min; /* limits of *number, inclusive */
	uint32_t max;
};

/** Description of a program, for parsing and for --help. */
struct tool_program {
	const char *name;
	const char *operand; /* optional operand, e.g. "HOST", or NULL */
	const char *purpose; /* one or two sentences, with line breaks */
	const struct tool_option *options;
	int nr_options; /* at most TOOL_MAX_OPTIONS */
};

#define TOOL_MAX_OPTIONS 32

/**
 * tool_parse_options() - parse a command line
 * @ret_operand: unchanged without an operand; NULL if the program takes none
 *
 * Prints errors on standard error. Every program has -h and --help.
 *
 * Return: 0 to continue, 1 after printing --help, or -EINVAL.
 */
int tool_parse_options(const struct tool_program *program, int argc,
		       char **argv, const char **ret_operand);

/**
 * tool_parse_number() - parse a decimal or 0x number
 *
 * Return: 0, -EINVAL when @text is not a number, or -ERANGE when the number is
 * outside @min to @max.
 */
int tool_parse_number(const char *text, uint32_t min, uint32_t max,
		      uint32_t *ret_value);

#endif
