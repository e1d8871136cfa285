/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_environment.c and doctor_search.c. */
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

static int environment_setup(void **state)
{
	clearenv();
	return doctor_fixture_setup(state);
}

static void set_variable(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

/*
 * Runs the check and removes the finding env-sysfs-path, which the fixture
 * causes.
 */
static void check_environment(struct doctor_fixture *fixture)
{
	struct doctor_finding *first;

	fixture->doctor.findings.count = 0;
	doctor_check_environment(&fixture->doctor);
	first = fixture->doctor.findings.list;
	assert_int_equal(first->id, DOCTOR_ENV_SYSFS_PATH);
	assert_has_fix(first, "unset SYSFS_PATH");
	fixture->doctor.findings.count--;
	memmove(first, first + 1,
		fixture->doctor.findings.count * sizeof(*first));
}

static void doctor_environment_without_variables_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	set_variable("PATH", "/bin");
	set_variable("VERBOSE", "1");
	check_environment(fixture);
	assert_no_findings(fixture);
}

static void doctor_environment_known_variables_have_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	set_variable("IBV_SHOW_WARNINGS", "1");
	set_variable("RDMAV_FORK_SAFE", "1");
	set_variable("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	set_variable("UROCE_DEVICES", "lo, 10.0.0.1 fe80::1,auto");
	set_variable("UROCE_LOCAL", "none");
	set_variable("UROCE_PCAP", "/tmp/x");
	set_variable("UROCE_RNDV", "always");
	/* a listed device has no finding even if lo is down */
	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	check_environment(fixture);
	assert_no_findings(fixture);
}

static void doctor_environment_misspelled_variable_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	set_variable("RDMAV_FORKSAFE", "1");
	check_environment(fixture);
	finding = doctor_fixture_find(fixture, DOCTOR_ENV_UNKNOWN, NULL);
	assert_has_fix(finding, "unset RDMAV_FORKSAFE");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void doctor_environment_long_variable_name_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;
	char name[4096];

	memset(name, 'X', sizeof(name));
	memcpy(name, "IBV_", 4);
	name[sizeof(name) - 1] = '\0';
	set_variable(name, "1");
	check_environment(fixture);
	assert_no_findings(fixture);
}

static void doctor_environment_missing_provider_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "opt/lib/libibverbs/librxe-rdmav34.so",
			     "x");
	set_variable("RDMAV_DRIVERS", "rxe:rxe-rdmav34;/some/path:nes");
	strcpy(fixture->doctor.library.messages,
	       "warning: nes: no module\nmore");
	check_environment(fixture);
	finding = doctor_fixture_find(fixture, DOCTOR_ENV_DRIVER_MISSING, NULL);
	assert_has_text(finding, "RDMAV_DRIVERS names the provider nes");
	assert_string_equal(finding->reason, "nes: no module");
	assert_int_equal(finding->severity, DOCTOR_WARNING);
}

static void doctor_environment_missing_provider_release_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs/librxe-rdmav34.so",
			     "x");
	set_variable("IBV_DRIVERS", "rxe-rdmav59");
	check_environment(fixture);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_ENV_DRIVER_MISSING, NULL),
		"unset IBV_DRIVERS");
}

static void doctor_environment_ineffective_variable_is_noted(void **state)
{
	static const struct {
		const char *name, *value, *second;
	} rows[] = {
		{ "VERBS_LOG_LEVEL", "4", NULL },
		{ "VERBS_LOG_FILE", "/tmp/x", NULL },
		{ "RDMAV_HUGEPAGES_SAFE", "1", NULL },
		{ "IBV_DRIVERS", "/x", "RDMAV_DRIVERS" },
		{ "RDMAV_FORK_SAFE", "1", NULL },
		{ "UROCE_DEVICES", "nothing", NULL },
	};
	struct doctor_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		clearenv();
		fixture->doctor.library.fork_init_unneeded = true;
		fixture->doctor.library.is_anyverbs =
			strcmp(rows[i].name, "UROCE_DEVICES") != 0;
		set_variable(rows[i].name, rows[i].value);
		if (rows[i].second)
			set_variable(rows[i].second, "/x");
		check_environment(fixture);
		assert_has_text(
			doctor_fixture_find(fixture, DOCTOR_ENV_IGNORED, NULL),
			rows[i].name);
		assert_int_equal(fixture->doctor.findings.count, 1);
	}
}

static void doctor_environment_effective_variables_have_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	set_variable("VERBS_LOG_LEVEL", "4");
	set_variable("VERBS_LOG_FILE", "/tmp/x");
	set_variable("RDMAV_FORK_SAFE", "1");
	set_variable("RDMAV_HUGEPAGES_SAFE", "1");
	check_environment(fixture);
	assert_no_findings(fixture);
}

static void doctor_environment_missing_interface_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	set_variable("UROCE_DEVICES", "lo,../net/lo,10.0.0.1");
	check_environment(fixture);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_UROCE_INTERFACE, NULL),
		"names ../net/lo");
	clearenv();
	set_variable("UROCE_DEVICES", "no_such_0");
	check_environment(fixture);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_UROCE_INTERFACE, NULL),
		"UROCE_DEVICES=auto");
}

static void doctor_environment_chosen_names_are_accepted(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	set_variable("UROCE_DEVICES", "mlx5_0=lo,mlx5_1=10.0.0.1,lo");
	check_environment(fixture);
	assert_no_findings(fixture);
	clearenv();
	set_variable("UROCE_DEVICES", "mlx5_0=auto");
	check_environment(fixture);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_UROCE_INTERFACE, NULL),
		"names auto");
}

/* ------------------------------------------------------------------------ */

static void doctor_search_single_library_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	doctor_check_library(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_search_second_library_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	doctor_fixture_write(fixture, "usr/lib64/libibverbs.so.1", "x");
	doctor_check_library(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_LIBRARY_SEVERAL, NULL);
	assert_has_text(finding, "/usr/lib64/libibverbs.so.1");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void doctor_search_symbolic_link_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	doctor_fixture_link(fixture, "usr/lib64/libibverbs.so.1",
			    "../../opt/lib/libibverbs.so.1");
	doctor_check_library(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_search_foreign_library_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	fixture->doctor.library.is_anyverbs = false;
	doctor_check_library(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL);
	assert_has_text(finding, "/opt/lib/libibverbs.so.1");
	assert_has_fix(finding, "/etc/ld.so.conf.d/");
	assert_has_fix(finding, DOCTOR_LIBDIR);
}

static void doctor_search_foreign_library_fix_unsets_variable(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.library.is_anyverbs = false;
	set_variable("LD_LIBRARY_PATH", "/op::/opt:/opt/lib");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "unset LD_LIBRARY_PATH");
	fixture->doctor.findings.count = 0;
	set_variable("LD_LIBRARY_PATH", "/op:/opt/lib2");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "ldconfig");
	fixture->doctor.findings.count = 0;
	set_variable("LD_PRELOAD", "/opt/lib/libibverbs.so.1");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "unset LD_PRELOAD");
}

#define environment_test(name)                                   \
	cmocka_unit_test_setup_teardown(name, environment_setup, \
					doctor_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		environment_test(
			doctor_environment_without_variables_has_no_finding),
		environment_test(
			doctor_environment_known_variables_have_no_finding),
		environment_test(
			doctor_environment_misspelled_variable_is_noted),
		environment_test(
			doctor_environment_long_variable_name_has_no_finding),
		environment_test(doctor_environment_missing_provider_is_found),
		environment_test(
			doctor_environment_missing_provider_release_is_found),
		environment_test(
			doctor_environment_ineffective_variable_is_noted),
		environment_test(
			doctor_environment_effective_variables_have_no_finding),
		environment_test(doctor_environment_missing_interface_is_found),
		environment_test(doctor_environment_chosen_names_are_accepted),
		environment_test(doctor_search_single_library_has_no_finding),
		environment_test(doctor_search_second_library_is_noted),
		environment_test(doctor_search_symbolic_link_has_no_finding),
		environment_test(doctor_search_foreign_library_is_found),
		environment_test(
			doctor_search_foreign_library_fix_unsets_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
