/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Source addresses while the addresses of the host change. */
#include "api/ip_route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce_netns.h"

#define LABEL "lo:1"

/* The source address of packets to @dst as text */
static int find_source(const char *bound, const char *dst, char *ret_text)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = 7 };
	struct sockaddr_storage source;
	int ret;

	assert_int_equal(inet_pton(AF_INET, bound, &from.sin_addr), 1);
	assert_int_equal(inet_pton(AF_INET, dst, &to.sin_addr), 1);
	ret = ip_route_source((struct sockaddr *)&from, (struct sockaddr *)&to,
			      &source);
	if (!ret)
		assert_non_null(inet_ntop(
			AF_INET, &((struct sockaddr_in *)&source)->sin_addr,
			ret_text, INET_ADDRSTRLEN));
	return ret;
}

static void assert_source(const char *bound, const char *dst,
			  const char *expected)
{
	char text[INET_ADDRSTRLEN];

	/* The second result is that of the first question. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(find_source(bound, dst, text), 0);
		assert_string_equal(text, expected);
	}
}

static void route_source_of_changed_address_is_new(void **state)
{
	char text[INET_ADDRSTRLEN];

	if (!uroce_netns_entered())
		skip();
	uroce_netns_set_address(LABEL, "192.0.2.1");
	assert_source("0.0.0.0", "192.0.2.9", "192.0.2.1");
	uroce_netns_set_address(LABEL, "192.0.2.2");
	assert_source("0.0.0.0", "192.0.2.9", "192.0.2.2");
	uroce_netns_set_address(LABEL, "198.51.100.1");
	assert_int_equal(find_source("0.0.0.0", "192.0.2.9", text),
			 -ENETUNREACH);
	assert_source("0.0.0.0", "198.51.100.9", "198.51.100.1");
}

static void route_source_differs_for_different_questions(void **state)
{
	char text[INET_ADDRSTRLEN];

	assert_source("0.0.0.0", "127.0.0.1", "127.0.0.1");
	assert_source("127.0.0.2", "127.0.0.1", "127.0.0.2");
	assert_source("0.0.0.0", "127.0.0.1", "127.0.0.1");
	assert_int_equal(find_source("192.0.2.77", "127.0.0.1", text),
			 -EADDRNOTAVAIL);
}

static void route_change_is_noticed_despite_child(void **state)
{
	int status;
	pid_t pid;

	if (!uroce_netns_entered())
		skip();
	uroce_netns_set_address(LABEL, "192.0.2.1");
	assert_source("0.0.0.0", "192.0.2.9", "192.0.2.1");
	uroce_netns_set_address(LABEL, "192.0.2.2");
	pid = fork();
	if (!pid) {
		char text[INET_ADDRSTRLEN];

		_exit(find_source("0.0.0.0", "192.0.2.9", text) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_source("0.0.0.0", "192.0.2.9", "192.0.2.2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(route_source_of_changed_address_is_new),
		cmocka_unit_test(route_source_differs_for_different_questions),
		cmocka_unit_test(route_change_is_noticed_despite_child),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
