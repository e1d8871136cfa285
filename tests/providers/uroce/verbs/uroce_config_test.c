/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of the user: providers/uroce/uroce_config.c. Linked with WRAP
 * secure_getenv.
 */
#include "uroce/uroce_config.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <provider/log.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* last: needs the headers above */
#include <cmocka.h>

#include "uroce/shm/uroce_cma.h"

static bool privileged;
static unsigned int nr_reports;
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
	nr_reports++;
}

static int setup(void **state)
{
	privileged = false;
	nr_reports = 0;
	(void)unsetenv(UROCE_DEVICES_VARIABLE);
	(void)unsetenv(UROCE_RNDV_VARIABLE);
	(void)unsetenv(UROCE_OLD_RNDV_VARIABLE);
	(void)unsetenv(UROCE_CMA_VARIABLE);
	(void)unsetenv(UROCE_WORKERS_VARIABLE);
	(void)unsetenv("UROCE_WIRE_FAULTS");
	(void)unsetenv(UROCE_CHAOS_VARIABLE);
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

static void assert_setting(const char *expected)
{
	memset(wish, 'x', sizeof(wish));
	uroce_config_read(CONFIG_FILE, wish);
	assert_string_equal(wish, expected);
}

/* -- source of the setting -- */

static void config_without_setting_enables_nothing(void **state)
{
	assert_setting("");
	set_env("");
	assert_setting("");
	assert_int_equal(nr_reports, 0);
}

static void config_variable_selects_devices(void **state)
{
	set_env("eth0,lo");
	assert_setting("eth0,lo");
}

static void config_variable_overrides_file(void **state)
{
	write_file("devices = auto\n");
	set_env("none");
	assert_setting("none");
	set_env("");
	assert_setting(" auto");
}

static void config_privileged_program_ignores_variable(void **state)
{
	privileged = true;
	set_env("eth0");
	assert_setting("");
	write_file("devices=lo\n");
	assert_setting("lo");
}

static void config_file_comments_are_skipped(void **state)
{
	write_file("# what we have\n\n  devices\t=eth0 # and no more\n");
	assert_setting("eth0 ");
	assert_int_equal(nr_reports, 0);
}

static void config_unknown_lines_are_reported(void **state)
{
	write_file("devices\nports = 1\ndevices two = 2\n= 3\ndevices=lo\n");
	assert_setting("lo");
	assert_int_equal(nr_reports, 4);
}

static void config_overlong_value_is_ignored(void **state)
{
	char text[UROCE_WISH_LEN + 100];

	memset(text, 'e', sizeof(text));
	text[UROCE_WISH_LEN] = '\0';
	set_env(text);
	assert_setting("");
	text[UROCE_WISH_LEN] = 'e';
	memcpy(text, "devices=", 8);
	text[8 + UROCE_WISH_LEN] = '\0';
	set_env("");
	write_file(text);
	assert_setting("");
	assert_int_equal(nr_reports, 2);
}

/* -- device selection -- */

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

static void config_names_match_as_whole(void **state)
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

static void config_addresses_match_devices(void **state)
{
	assert_true(uroce_config_wants("192.0.2.1", &eth0, false));
	assert_false(uroce_config_wants("192.0.2.2", &eth0, false));
	assert_true(uroce_config_wants("192.0.2.1,::1", &lo, false));
	assert_false(uroce_config_wants("::2", &lo, false));
}

static void config_auto_prefers_network_over_loopback(void **state)
{
	assert_true(uroce_config_wants("auto", &eth0, false));
	assert_false(uroce_config_wants("auto", &lo, false));
	assert_true(uroce_config_wants("auto", &lo, true));
	assert_true(uroce_config_wants("auto,lo", &lo, false));
}

/* -- chosen names -- */

#define MAX_ENTRIES 8

static struct {
	char names[MAX_ENTRIES][IBV_SYSFS_NAME_MAX];
	char interfaces[MAX_ENTRIES][64];
	size_t nr;
} entries;

static int entry_record(void *arg, const char *name, const char *interface)
{
	const size_t *stop = arg;

	assert_true(entries.nr < MAX_ENTRIES);
	assert_true(strlen(name) < sizeof(entries.names[0]));
	assert_true(strlen(interface) < sizeof(entries.interfaces[0]));
	memcpy(entries.names[entries.nr], name, strlen(name) + 1);
	memcpy(entries.interfaces[entries.nr], interface,
	       strlen(interface) + 1);
	entries.nr++;
	return stop && entries.nr == *stop ? -ENOMEM : 0;
}

static void assert_entry(size_t i, const char *name, const char *interface)
{
	assert_true(i < entries.nr);
	assert_string_equal(entries.names[i], name);
	assert_string_equal(entries.interfaces[i], interface);
}

static void read_names(const char *list)
{
	entries.nr = 0;
	assert_int_equal(
		uroce_config_for_each_name(list, true, entry_record, NULL), 0);
}

static void config_chosen_names_are_read_in_order(void **state)
{
	read_names("mlx5_0=eth0, lo\tmlx5_1=192.0.2.1,a=::1,auto");
	assert_int_equal(entries.nr, 3);
	assert_entry(0, "mlx5_0", "eth0");
	assert_entry(1, "mlx5_1", "192.0.2.1");
	assert_entry(2, "a", "::1");
	assert_int_equal(nr_reports, 0);
}

static void config_chosen_names_are_read_from_file(void **state)
{
	write_file("devices = mlx5_0=eth0 mlx5_1=eth0 # two\n");
	assert_setting(" mlx5_0=eth0 mlx5_1=eth0 ");
	read_names(wish);
	assert_int_equal(entries.nr, 2);
	assert_entry(1, "mlx5_1", "eth0");
	assert_int_equal(nr_reports, 0);
}

static void config_chosen_name_leaves_default_device_out(void **state)
{
	assert_false(uroce_config_wants("mlx5_0=eth0", &eth0, false));
	assert_true(uroce_config_wants("mlx5_0=eth0,eth0", &eth0, false));
	assert_true(uroce_config_is_on(&eth0, "eth0"));
	assert_true(uroce_config_is_on(&eth0, "192.0.2.1"));
	assert_false(uroce_config_is_on(&eth0, "lo"));
}

static void config_invalid_names_are_reported(void **state)
{
	char longest[IBV_SYSFS_NAME_MAX + 8] = {};
	static const char *const lists[] = {
		"=eth0",	   "a/b=eth0",	    "../x=eth0",
		"-a=eth0",	   "_a=eth0",	    "a:1=eth0",
		"a\x01=eth0",	   "\xc3\xa4=eth0", "uroce_a=eth0",
		"uroce_eth0=eth0",
	};
	const unsigned int nr = sizeof(lists) / sizeof(lists[0]);

	for (unsigned int i = 0; i < nr; i++) {
		read_names(lists[i]);
		assert_int_equal(entries.nr, 0);
		assert_int_equal(nr_reports, i + 1);
	}
	memset(longest, 'n', IBV_SYSFS_NAME_MAX - 1);
	memcpy(longest + IBV_SYSFS_NAME_MAX - 1, "=lo", 4);
	read_names(longest);
	assert_int_equal(entries.nr, 1);
	assert_int_equal(nr_reports, nr);
	memset(longest, 'n', IBV_SYSFS_NAME_MAX);
	memcpy(longest + IBV_SYSFS_NAME_MAX, "=lo", 4);
	read_names(longest);
	assert_int_equal(entries.nr, 0);
	assert_int_equal(nr_reports, nr + 1);
}

static void config_duplicate_name_keeps_first_entry(void **state)
{
	read_names("a=eth0,a/=lo,a=lo,b=lo,a/=eth0");
	assert_int_equal(entries.nr, 2);
	assert_entry(0, "a", "eth0");
	assert_entry(1, "b", "lo");
	assert_int_equal(nr_reports, 3);
	assert_int_equal(uroce_config_for_each_name("a=eth0,a=lo", false,
						    entry_record, NULL),
			 0);
	assert_int_equal(nr_reports, 3);
}

static void config_name_callback_error_ends_list(void **state)
{
	size_t stop = 2;

	entries.nr = 0;
	assert_int_equal(uroce_config_for_each_name("a=lo,b=lo,c=lo", true,
						    entry_record, &stop),
			 -ENOMEM);
	assert_int_equal(entries.nr, 2);
}

static int entry_count(void *arg, const char *name, const char *interface)
{
	(*(size_t *)arg)++;
	return 0;
}

static void config_list_of_shortest_entries_is_read(void **state)
{
	size_t len = 0, nr = 0, called = 0;

	/* "a=,b=,...": distinct names, and many duplicates behind them */
	while (len + 4 < sizeof(wish)) {
		wish[len++] = (char)(nr++ % 26 + 'a');
		wish[len++] = '=';
		wish[len++] = ',';
	}
	wish[len] = '\0';
	assert_int_equal(
		uroce_config_for_each_name(wish, true, entry_count, &called),
		0);
	assert_int_equal(called, 26);
	assert_int_equal(nr_reports, nr - 26);
}

/* -- enumerated settings -- */

static unsigned int rndv_with(const char *value)
{
	assert_int_equal(setenv(UROCE_RNDV_VARIABLE, value, 1), 0);
	return uroce_config_rndv();
}

static unsigned int ways_with(const char *value)
{
	assert_int_equal(setenv(UROCE_CMA_VARIABLE, value, 1), 0);
	return uroce_config_cma_kinds();
}

static void config_rndv_setting_is_applied(void **state)
{
	assert_int_equal(uroce_config_rndv(), UROCE_SHM_RNDV_TRY);
	assert_int_equal(rndv_with(""), UROCE_SHM_RNDV_TRY);
	assert_int_equal(rndv_with("auto"), UROCE_SHM_RNDV_TRY);
	assert_int_equal(rndv_with("never"), UROCE_SHM_RNDV_NEVER);
	assert_int_equal(rndv_with("always"), UROCE_SHM_RNDV_ALWAYS);
	assert_int_equal(nr_reports, 0);
}

static void config_old_rndv_variable_is_ignored_with_warning(void **state)
{
	assert_int_equal(setenv(UROCE_OLD_RNDV_VARIABLE, "never", 1), 0);
	assert_int_equal(uroce_config_rndv(), UROCE_SHM_RNDV_TRY);
	assert_int_equal(nr_reports, 1);
}

static void config_cma_setting_is_applied(void **state)
{
	const unsigned int all = UROCE_CMA_VM | UROCE_CMA_MEM;

	assert_int_equal(uroce_config_cma_kinds(), all);
	assert_int_equal(ways_with(""), all);
	assert_int_equal(ways_with("auto"), all);
	assert_int_equal(ways_with("none"), 0);
	assert_int_equal(ways_with("vm"), UROCE_CMA_VM);
	assert_int_equal(ways_with("mem"), UROCE_CMA_MEM);
	assert_int_equal(nr_reports, 0);
}

static void config_unknown_setting_is_reported(void **state)
{
	static const char *const words[] = { "Never", "alwa", "always ", "0",
					     "vm" };

	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(rndv_with(words[i]), UROCE_SHM_RNDV_TRY);
		assert_int_equal(nr_reports, i + 1);
	}
	assert_int_equal(ways_with("never"), UROCE_CMA_VM | UROCE_CMA_MEM);
	assert_int_equal(nr_reports, 6);
}

static void config_privileged_program_uses_defaults(void **state)
{
	(void)rndv_with("never");
	(void)ways_with("none");
	privileged = true;
	assert_int_equal(uroce_config_rndv(), UROCE_SHM_RNDV_TRY);
	assert_int_equal(uroce_config_cma_kinds(),
			 UROCE_CMA_VM | UROCE_CMA_MEM);
	assert_int_equal(nr_reports, 0);
}

static void config_wire_faults_allow_single_worker(void **state)
{
	assert_int_equal(setenv(UROCE_WORKERS_VARIABLE, "4", 1), 0);
	assert_int_equal(setenv("UROCE_WIRE_FAULTS", "", 1), 0);
	assert_int_equal(uroce_config_workers(), 4);
	assert_true(uroce_config_local());
	assert_int_equal(setenv("UROCE_WIRE_FAULTS", "@rules", 1), 0);
	assert_int_equal(uroce_config_workers(), 1);
	assert_false(uroce_config_local());
	privileged = true;
	assert_int_equal(uroce_config_workers(), 4);
	assert_true(uroce_config_local());
}

static void config_chaos_allows_single_worker(void **state)
{
	assert_int_equal(setenv(UROCE_WORKERS_VARIABLE, "4", 1), 0);
	assert_int_equal(setenv(UROCE_CHAOS_VARIABLE, "0", 1), 0);
	assert_int_equal(uroce_config_chaos(), 0);
	assert_int_equal(uroce_config_workers(), 4);
	assert_true(uroce_config_local());
	assert_int_equal(setenv(UROCE_CHAOS_VARIABLE, "17", 1), 0);
	assert_int_equal(uroce_config_chaos(), 17);
	assert_int_equal(uroce_config_workers(), 1);
	assert_false(uroce_config_local());
	privileged = true;
	assert_int_equal(uroce_config_chaos(), 0);
	assert_int_equal(uroce_config_workers(), 4);
	assert_true(uroce_config_local());
	assert_int_equal(nr_reports, 0);
}

static void config_chaos_without_number_is_reported(void **state)
{
	assert_int_equal(setenv(UROCE_CHAOS_VARIABLE, "1x", 1), 0);
	assert_int_equal(uroce_config_chaos(), 0);
	assert_true(uroce_config_local());
	assert_int_equal(nr_reports, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(config_without_setting_enables_nothing,
				       setup),
		cmocka_unit_test_setup(config_variable_selects_devices, setup),
		cmocka_unit_test_setup(config_variable_overrides_file, setup),
		cmocka_unit_test_setup(
			config_privileged_program_ignores_variable, setup),
		cmocka_unit_test_setup(config_file_comments_are_skipped, setup),
		cmocka_unit_test_setup(config_unknown_lines_are_reported,
				       setup),
		cmocka_unit_test_setup(config_overlong_value_is_ignored, setup),
		cmocka_unit_test_setup(config_names_match_as_whole, setup),
		cmocka_unit_test_setup(config_addresses_match_devices, setup),
		cmocka_unit_test_setup(
			config_auto_prefers_network_over_loopback, setup),
		cmocka_unit_test_setup(config_chosen_names_are_read_in_order,
				       setup),
		cmocka_unit_test_setup(config_chosen_names_are_read_from_file,
				       setup),
		cmocka_unit_test_setup(
			config_chosen_name_leaves_default_device_out, setup),
		cmocka_unit_test_setup(config_invalid_names_are_reported,
				       setup),
		cmocka_unit_test_setup(config_duplicate_name_keeps_first_entry,
				       setup),
		cmocka_unit_test_setup(config_name_callback_error_ends_list,
				       setup),
		cmocka_unit_test_setup(config_list_of_shortest_entries_is_read,
				       setup),
		cmocka_unit_test_setup(config_rndv_setting_is_applied, setup),
		cmocka_unit_test_setup(
			config_old_rndv_variable_is_ignored_with_warning,
			setup),
		cmocka_unit_test_setup(config_cma_setting_is_applied, setup),
		cmocka_unit_test_setup(config_unknown_setting_is_reported,
				       setup),
		cmocka_unit_test_setup(config_privileged_program_uses_defaults,
				       setup),
		cmocka_unit_test_setup(config_wire_faults_allow_single_worker,
				       setup),
		cmocka_unit_test_setup(config_chaos_allows_single_worker,
				       setup),
		cmocka_unit_test_setup(config_chaos_without_number_is_reported,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
