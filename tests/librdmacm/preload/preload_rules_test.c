/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of the file preload_config. */
#include "preload/preload_rules.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

static void add_line(struct preload_rules *rules, const char *text)
{
	char line[128];

	assert_true(strlen(text) < sizeof(line));
	memcpy(line, text, strlen(text) + 1);
	preload_rules_add(rules, line, "netperf");
}

static bool matches_tcp(const struct preload_rules *rules)
{
	return preload_rules_match(rules, AF_INET, SOCK_STREAM, 0);
}

static void rules_without_lines_match_ip_sockets(void **state)
{
	struct preload_rules rules = { 0 };

	assert_true(matches_tcp(&rules));
	assert_true(preload_rules_match(&rules, AF_INET6,
					SOCK_DGRAM | SOCK_NONBLOCK, 0));
	assert_false(preload_rules_match(&rules, AF_UNIX, SOCK_STREAM, 0));
	assert_false(preload_rules_match(&rules, AF_INET, SOCK_RAW, 1));
}

static void rules_of_program_match_prefix_without_case(void **state)
{
	struct preload_rules rules = { 0 };

	add_line(&rules, "NETP inet stream tcp\n");
	assert_true(matches_tcp(&rules));
	assert_true(preload_rules_match(
		&rules, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
	assert_false(preload_rules_match(&rules, AF_INET6, SOCK_STREAM, 0));
	assert_false(preload_rules_match(&rules, AF_INET, SOCK_DGRAM, 0));
}

static void rules_of_foreign_program_match_nothing(void **state)
{
	struct preload_rules rules = { 0 };

	add_line(&rules, "iperf * * *");
	assert_false(matches_tcp(&rules));
}

static void rules_with_wildcards_match_all(void **state)
{
	struct preload_rules rules = { 0 };

	add_line(&rules, "* * SOCK_DGRAM *");
	add_line(&rules, "* PF_INET6 * IPPROTO_TCP # only IPv6");
	assert_true(preload_rules_match(&rules, AF_INET, SOCK_DGRAM, 0));
	assert_true(preload_rules_match(&rules, AF_INET6, SOCK_STREAM, 0));
	assert_false(matches_tcp(&rules));
}

static void rules_ignore_invalid_lines(void **state)
{
	static const char *const lines[] = {
		"",
		"\n",
		"# * * * *",
		"* * *",
		"* unix stream tcp",
		"* inet raw *",
		"* inet tcp",
		"* inet stream sctp",
	};
	struct preload_rules rules = { 0 };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(&rules, lines[i]);
	assert_false(rules.has_lines);
	assert_true(matches_tcp(&rules));
}

static void rules_beyond_maximum_are_dropped(void **state)
{
	struct preload_rules rules = { 0 };

	for (unsigned int i = 0; i < PRELOAD_MAX_RULES + 1; i++)
		add_line(&rules, "* inet6 * *");
	assert_int_equal(rules.nr, PRELOAD_MAX_RULES);
	assert_false(matches_tcp(&rules));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_without_lines_match_ip_sockets),
		cmocka_unit_test(rules_of_program_match_prefix_without_case),
		cmocka_unit_test(rules_of_foreign_program_match_nothing),
		cmocka_unit_test(rules_with_wildcards_match_all),
		cmocka_unit_test(rules_ignore_invalid_lines),
		cmocka_unit_test(rules_beyond_maximum_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
