/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which sockets of a program become rsockets. */
#ifndef PRELOAD_PRELOAD_RULES_H
#define PRELOAD_PRELOAD_RULES_H

#include <stdbool.h>

#define PRELOAD_MAX_RULES 64

/* A value of 0 matches all. */
struct preload_rule {
	int domain, type, protocol;
};

struct preload_rules {
	bool has_lines; /* of any program: only matching sockets convert */
	unsigned int nr;
	struct preload_rule rules[PRELOAD_MAX_RULES];
};

/**
 * preload_rules_add() - a line of the file: program, domain, type, protocol
 * @line: changed
 * @program: of this process; those of others are not stored
 *
 * Ignores comments and invalid lines.
 */
void preload_rules_add(struct preload_rules *rules, char *line,
		       const char *program);

/** preload_rules_match() - whether a socket becomes an rsocket */
bool preload_rules_match(const struct preload_rules *rules, int domain,
			 int type, int protocol);

#endif
