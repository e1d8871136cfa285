/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of the file preload_config. */
#include "preload/preload_rules.h"

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#ifndef AF_IB
#define AF_IB 27
#endif

#define RULES_SEPARATORS " \t\r\n"

struct rules_name {
	const char *name;
	int value;
};

static const struct rules_name rules_domains[] = {
	{ "*", 0 },
	{ "inet", AF_INET },
	{ "af_inet", AF_INET },
	{ "pf_inet", AF_INET },
	{ "inet6", AF_INET6 },
	{ "af_inet6", AF_INET6 },
	{ "pf_inet6", AF_INET6 },
	{ "ib", AF_IB },
	{ "af_ib", AF_IB },
	{ "pf_ib", AF_IB },
	{ NULL, 0 },
};

static const struct rules_name rules_types[] = {
	{ "*", 0 },
	{ "stream", SOCK_STREAM },
	{ "sock_stream", SOCK_STREAM },
	{ "dgram", SOCK_DGRAM },
	{ "sock_dgram", SOCK_DGRAM },
	{ NULL, 0 },
};

static const struct rules_name rules_protocols[] = {
	{ "*", 0 },
	{ "tcp", IPPROTO_TCP },
	{ "ipproto_tcp", IPPROTO_TCP },
	{ "udp", IPPROTO_UDP },
	{ "ipproto_udp", IPPROTO_UDP },
	{ NULL, 0 },
};

static bool rules_read_name(const struct rules_name *names, char **save,
			    int *ret_value)
{
	const char *word = strtok_r(NULL, RULES_SEPARATORS, save);

	for (; word && names->name; names++) {
		if (strcasecmp(names->name, word) == 0) {
			*ret_value = names->value;
			return true;
		}
	}
	return false;
}

static bool program_matches(const char *pattern, const char *program)
{
	return strcmp(pattern, "*") == 0 ||
	       strncasecmp(pattern, program, strlen(pattern)) == 0;
}

void preload_rules_add(struct preload_rules *rules, char *line,
		       const char *program)
{
	struct preload_rule rule;
	const char *pattern;
	char *save;

	line[strcspn(line, "#")] = '\0';
	pattern = strtok_r(line, RULES_SEPARATORS, &save);
	if (!pattern || !rules_read_name(rules_domains, &save, &rule.domain) ||
	    !rules_read_name(rules_types, &save, &rule.type) ||
	    !rules_read_name(rules_protocols, &save, &rule.protocol))
		return;
	rules->has_lines = true;
	if (program_matches(pattern, program) && rules->nr < PRELOAD_MAX_RULES)
		rules->rules[rules->nr++] = rule;
}

/* Protocol 0 of a socket is that of its type. */
static int type_protocol(int type)
{
	return type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
}

static bool rule_matches(int wanted, int value)
{
	return !wanted || wanted == value;
}

bool preload_rules_match(const struct preload_rules *rules, int domain,
			 int type, int protocol)
{
	type &= ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
	if ((domain != AF_INET && domain != AF_INET6) ||
	    (type != SOCK_STREAM && type != SOCK_DGRAM))
		return false;
	if (!rules->has_lines)
		return true;
	if (!protocol)
		protocol = type_protocol(type);
	for (unsigned int i = 0; i < rules->nr; i++) {
		const struct preload_rule *rule = &rules->rules[i];

		if (rule_matches(rule->domain, domain) &&
		    rule_matches(rule->type, type) &&
		    rule_matches(rule->protocol, protocol))
			return true;
	}
	return false;
}
