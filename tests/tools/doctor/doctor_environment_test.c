/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables, and which library programs get. */
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

static int setup(void **state)
{
	clearenv();
	return doctor_fixture_setup(state);
}

static void set(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

/* The lab itself has another sysfs. */
static void check(struct doctor_fixture *fixture)
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

static void nothing_is_set(void **state)
{
	struct doctor_fixture *fixture = *state;

	set("PATH", "/bin");
	set("VERBOSE", "1");
	check(fixture);
	assert_no_findings(fixture);
}

static void what_is_known_is_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	set("IBV_SHOW_WARNINGS", "1");
	set("RDMAV_FORK_SAFE", "1");
	set("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	set("UROCE_DEVICES", "lo, 10.0.0.1 fe80::1,auto");
	set("UROCE_LOCAL", "none");
	set("UROCE_PCAP", "/tmp/x");
	set("UROCE_SPLIT", "always");
	/* should the interface be down, its port says so */
	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	check(fixture);
	assert_no_findings(fixture);
}

static void a_slip(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	set("RDMAV_FORKSAFE", "1");
	check(fixture);
	finding = doctor_fixture_find(fixture, DOCTOR_ENV_UNKNOWN, NULL);
	assert_has_fix(finding, "unset RDMAV_FORKSAFE");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void a_name_that_is_too_long(void **state)
{
	struct doctor_fixture *fixture = *state;
	char name[4096];

	memset(name, 'X', sizeof(name));
	memcpy(name, "IBV_", 4);
	name[sizeof(name) - 1] = '\0';
	set(name, "1");
	check(fixture);
	assert_no_findings(fixture);
}

static void a_provider_that_is_not_there(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "opt/lib/libibverbs/librxe-rdmav34.so",
			     "x");
	set("RDMAV_DRIVERS", "rxe:rxe-rdmav34;/some/path:nes");
	strcpy(fixture->doctor.library.messages,
	       "warning: nes: no module\nmore");
	check(fixture);
	finding = doctor_fixture_find(fixture, DOCTOR_ENV_DRIVER_MISSING, NULL);
	assert_has_text(finding, "RDMAV_DRIVERS names the provider nes");
	assert_string_equal(finding->reason, "nes: no module");
	assert_int_equal(finding->severity, DOCTOR_WARNING);
}

static void a_release_that_is_not_there(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs/librxe-rdmav34.so",
			     "x");
	set("IBV_DRIVERS", "rxe-rdmav59");
	check(fixture);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_ENV_DRIVER_MISSING, NULL),
		"unset IBV_DRIVERS");
}

static void variables_without_effect(void **state)
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
		set(rows[i].name, rows[i].value);
		if (rows[i].second)
			set(rows[i].second, "/x");
		check(fixture);
		assert_has_text(
			doctor_fixture_find(fixture, DOCTOR_ENV_IGNORED, NULL),
			rows[i].name);
		assert_int_equal(fixture->doctor.findings.count, 1);
	}
}

static void variables_with_effect(void **state)
{
	struct doctor_fixture *fixture = *state;

	set("VERBS_LOG_LEVEL", "4");
	set("VERBS_LOG_FILE", "/tmp/x");
	set("RDMAV_FORK_SAFE", "1");
	set("RDMAV_HUGEPAGES_SAFE", "1");
	check(fixture);
	assert_no_findings(fixture);
}

static void an_interface_that_is_not_there(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	set("UROCE_DEVICES", "lo,../net/lo,10.0.0.1");
	check(fixture);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_UROCE_INTERFACE, NULL),
		"names ../net/lo");
	clearenv();
	set("UROCE_DEVICES", "no_such_0");
	check(fixture);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_UROCE_INTERFACE, NULL),
		"UROCE_DEVICES=auto");
}

/* ------------------------------------------------------------------------ */

static void one_library(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	doctor_check_library(&fixture->doctor);
	assert_no_findings(fixture);
}

static void two_libraries(void **state)
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

static void two_names_of_one_library(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "opt/lib/libibverbs.so.1", "x");
	doctor_fixture_link(fixture, "usr/lib64/libibverbs.so.1",
			    "../../opt/lib/libibverbs.so.1");
	doctor_check_library(&fixture->doctor);
	assert_no_findings(fixture);
}

static void another_library_is_first(void **state)
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

static void a_variable_put_it_first(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.library.is_anyverbs = false;
	set("LD_LIBRARY_PATH", "/op::/opt:/opt/lib");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "unset LD_LIBRARY_PATH");
	fixture->doctor.findings.count = 0;
	set("LD_LIBRARY_PATH", "/op:/opt/lib2");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "ldconfig");
	fixture->doctor.findings.count = 0;
	set("LD_PRELOAD", "/opt/lib/libibverbs.so.1");
	doctor_check_library(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_LIBRARY_OTHER, NULL),
		       "unset LD_PRELOAD");
}

#define environment_test(name) \
	cmocka_unit_test_setup_teardown(name, setup, doctor_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		environment_test(nothing_is_set),
		environment_test(what_is_known_is_no_finding),
		environment_test(a_slip),
		environment_test(a_name_that_is_too_long),
		environment_test(a_provider_that_is_not_there),
		environment_test(a_release_that_is_not_there),
		environment_test(variables_without_effect),
		environment_test(variables_with_effect),
		environment_test(an_interface_that_is_not_there),
		environment_test(one_library),
		environment_test(two_libraries),
		environment_test(two_names_of_one_library),
		environment_test(another_library_is_first),
		environment_test(a_variable_put_it_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
