/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the user wants: providers/uroce/uroce_config.c.
 *
 * Linked with WRAP secure_getenv.
 */
#include "uroce/uroce_config.h"

#include <fcntl.h>
#include <provider/log.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* last: it needs those above */
#include <cmocka.h>

#include "uroce/local/uroce_reach.h"

static bool privileged;
static unsigned int nr_complaints;
static char wish[UROCE_WISH_LEN];

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *fmt, ...)
{
	nr_complaints++;
}

static int setup(void **state)
{
	privileged = false;
	nr_complaints = 0;
	(void)unsetenv(UROCE_DEVICES_VARIABLE);
	(void)unsetenv(UROCE_SPLIT_VARIABLE);
	(void)unsetenv(UROCE_CMA_VARIABLE);
	(void)unlink(CONFIG_FILE);
	return 0;
}

static void set_env(const char *value)
{
	assert_int_equal(setenv(UROCE_DEVICES_VARIABLE, value, 1), 0);
}

static void write_file(const char *text)
{
	int fd = open(CONFIG_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

static void assert_wish(const char *expected)
{
	memset(wish, 'x', sizeof(wish));
	uroce_config_read(CONFIG_FILE, wish);
	assert_string_equal(wish, expected);
}

/* -- where the wish comes from -- */

static void nobody_wants_anything(void **state)
{
	assert_wish("");
	set_env("");
	assert_wish("");
	assert_int_equal(nr_complaints, 0);
}

static void variable_is_the_wish(void **state)
{
	set_env("eth0,lo");
	assert_wish("eth0,lo");
}

static void variable_hides_the_file(void **state)
{
	write_file("devices = auto\n");
	set_env("none");
	assert_wish("none");
	set_env("");
	assert_wish(" auto");
}

static void privileged_program_sees_the_file_only(void **state)
{
	privileged = true;
	set_env("eth0");
	assert_wish("");
	write_file("devices=lo\n");
	assert_wish("lo");
}

static void file_may_have_comments(void **state)
{
	write_file("# what we have\n\n  devices\t=eth0 # and no more\n");
	assert_wish("eth0 ");
	assert_int_equal(nr_complaints, 0);
}

static void other_lines_are_complained_about(void **state)
{
	write_file("devices\nports = 1\ndevices two = 2\n= 3\ndevices=lo\n");
	assert_wish("lo");
	assert_int_equal(nr_complaints, 4);
}

static void what_is_too_long_is_no_wish(void **state)
{
	char text[UROCE_WISH_LEN + 100];

	memset(text, 'e', sizeof(text));
	text[UROCE_WISH_LEN] = '\0';
	set_env(text);
	assert_wish("");
	text[UROCE_WISH_LEN] = 'e';
	memcpy(text, "devices=", 8);
	text[8 + UROCE_WISH_LEN] = '\0';
	set_env("");
	write_file(text);
	assert_wish("");
	assert_int_equal(nr_complaints, 2);
}

/* -- what is wanted -- */

static const struct uroce_netdev eth0 = {
	.name = "eth0",
	.nr_gids = 2,
	.gids = { {}, { [10] = 0xff, 0xff, 192, 0, 2, 1 } },
};

static const struct uroce_netdev lo = {
	.name = "lo",
	.loopback = true,
	.nr_gids = 1,
	.gids = { { [15] = 1 } },
};

static void names_are_whole(void **state)
{
	assert_true(uroce_config_wants("eth0", &eth0, false));
	assert_true(uroce_config_wants("lo, eth0", &eth0, false));
	assert_true(uroce_config_wants(" eth0\t", &eth0, false));
	assert_false(uroce_config_wants("eth", &eth0, false));
	assert_false(uroce_config_wants("eth01", &eth0, false));
	assert_false(uroce_config_wants("lo", &eth0, false));
	assert_false(uroce_config_wants("none", &eth0, false));
	assert_false(uroce_config_wants("", &eth0, false));
}

static void addresses_are_names_as_well(void **state)
{
	assert_true(uroce_config_wants("192.0.2.1", &eth0, false));
	assert_false(uroce_config_wants("192.0.2.2", &eth0, false));
	assert_true(uroce_config_wants("192.0.2.1,::1", &lo, false));
	assert_false(uroce_config_wants("::2", &lo, false));
}

static void auto_prefers_the_network(void **state)
{
	assert_true(uroce_config_wants("auto", &eth0, false));
	assert_false(uroce_config_wants("auto", &lo, false));
	assert_true(uroce_config_wants("auto", &lo, true));
	assert_true(uroce_config_wants("auto,lo", &lo, false));
}

/* -- one of a few words -- */

static unsigned int split_with(const char *value)
{
	assert_int_equal(setenv(UROCE_SPLIT_VARIABLE, value, 1), 0);
	return uroce_config_split();
}

static unsigned int ways_with(const char *value)
{
	assert_int_equal(setenv(UROCE_CMA_VARIABLE, value, 1), 0);
	return uroce_config_reach_ways();
}

static void long_messages_are_split_as_is_wanted(void **state)
{
	assert_int_equal(uroce_config_split(), UROCE_LOCAL_SPLIT_TRY);
	assert_int_equal(split_with(""), UROCE_LOCAL_SPLIT_TRY);
	assert_int_equal(split_with("auto"), UROCE_LOCAL_SPLIT_TRY);
	assert_int_equal(split_with("never"), UROCE_LOCAL_SPLIT_NEVER);
	assert_int_equal(split_with("always"), UROCE_LOCAL_SPLIT_ALWAYS);
	assert_int_equal(nr_complaints, 0);
}

static void memory_is_reached_as_is_wanted(void **state)
{
	const unsigned int all = UROCE_REACH_VM | UROCE_REACH_MEM;

	assert_int_equal(uroce_config_reach_ways(), all);
	assert_int_equal(ways_with(""), all);
	assert_int_equal(ways_with("auto"), all);
	assert_int_equal(ways_with("none"), 0);
	assert_int_equal(ways_with("vm"), UROCE_REACH_VM);
	assert_int_equal(ways_with("mem"), UROCE_REACH_MEM);
	assert_int_equal(nr_complaints, 0);
}

static void other_words_are_complained_about(void **state)
{
	static const char *const words[] = { "Never", "alwa", "always ", "0",
					     "vm" };

	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(split_with(words[i]), UROCE_LOCAL_SPLIT_TRY);
		assert_int_equal(nr_complaints, i + 1);
	}
	assert_int_equal(ways_with("never"), UROCE_REACH_VM | UROCE_REACH_MEM);
	assert_int_equal(nr_complaints, 6);
}

static void privileged_program_has_no_choice(void **state)
{
	(void)split_with("never");
	(void)ways_with("none");
	privileged = true;
	assert_int_equal(uroce_config_split(), UROCE_LOCAL_SPLIT_TRY);
	assert_int_equal(uroce_config_reach_ways(),
			 UROCE_REACH_VM | UROCE_REACH_MEM);
	assert_int_equal(nr_complaints, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nobody_wants_anything, setup),
		cmocka_unit_test_setup(variable_is_the_wish, setup),
		cmocka_unit_test_setup(variable_hides_the_file, setup),
		cmocka_unit_test_setup(privileged_program_sees_the_file_only,
				       setup),
		cmocka_unit_test_setup(file_may_have_comments, setup),
		cmocka_unit_test_setup(other_lines_are_complained_about, setup),
		cmocka_unit_test_setup(what_is_too_long_is_no_wish, setup),
		cmocka_unit_test_setup(names_are_whole, setup),
		cmocka_unit_test_setup(addresses_are_names_as_well, setup),
		cmocka_unit_test_setup(auto_prefers_the_network, setup),
		cmocka_unit_test_setup(long_messages_are_split_as_is_wanted,
				       setup),
		cmocka_unit_test_setup(memory_is_reached_as_is_wanted, setup),
		cmocka_unit_test_setup(other_words_are_complained_about, setup),
		cmocka_unit_test_setup(privileged_program_has_no_choice, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
