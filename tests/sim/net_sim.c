/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * net_sim SCENARIO|all [OPTION=VALUE]...: simulate and print a table. Without
 * arguments: list scenarios and options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net_scenarios.h"

static int list_scenarios(void)
{
	const struct net_scenario *const *list = net_scenario_list();

	printf("net_sim SCENARIO|all [OPTION=VALUE]...\n\n");
	for (; *list; list++) {
		struct net_options options = net_scenario_defaults(*list);

		printf("%s: %s\n  ", net_scenario_name(*list),
		       net_scenario_text(*list));
		net_options_print(&options);
	}
	return 2;
}

/* "name=value" */
static bool parse_option(const char *text, struct net_options *options)
{
	const char *equal = strchr(text, '=');
	char name[32], *end;
	uint64_t value;

	if (!equal || equal == text || (size_t)(equal - text) >= sizeof(name))
		return false;
	memcpy(name, text, (size_t)(equal - text));
	name[equal - text] = 0;
	errno = 0;
	value = strtoull(equal + 1, &end, 0);
	return !errno && end != equal + 1 && !*end &&
	       net_options_set(options, name, value);
}

int main(int argc, char **argv)
{
	const struct net_scenario *const *list = net_scenario_list();
	bool all = argc > 1 && strcmp(argv[1], "all") == 0;

	if (argc < 2 || (!all && !net_scenario_find(argv[1])))
		return list_scenarios();
	net_result_print(NULL, NULL);
	for (; *list; list++) {
		struct net_options options = net_scenario_defaults(*list);
		struct net_result result;

		if (!all && *list != net_scenario_find(argv[1]))
			continue;
		for (int i = 2; i < argc; i++)
			if (!parse_option(argv[i], &options)) {
				(void)fprintf(stderr, "%s: no option\n",
					      argv[i]);
				return 2;
			}
		result = net_scenario_run(*list, &options);
		net_result_print(net_scenario_name(*list), &result);
	}
	return 0;
}
