/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables, and which library programs get. */
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_lab.h"

static int setup(void **state)
{
	clearenv();
	return doctor_lab_setup(state);
}

static void set(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

/* The lab itself has another sysfs. */
static void check(struct doctor_lab *lab)
{
	struct doctor_finding *first;

	lab->doctor.findings.count = 0;
	doctor_check_environment(&lab->doctor);
	first = lab->doctor.findings.list;
	assert_int_equal(first->id, DOCTOR_ENV_SYSFS_PATH);
	assert_has_cure(first, "unset SYSFS_PATH");
	lab->doctor.findings.count--;
	memmove(first, first + 1, lab->doctor.findings.count * sizeof(*first));
}

static void nothing_is_set(void **state)
{
	struct doctor_lab *lab = *state;

	set("PATH", "/bin");
	set("VERBOSE", "1");
	check(lab);
	assert_no_findings(lab);
}

static void what_is_known_is_no_finding(void **state)
{
	struct doctor_lab *lab = *state;

	set("IBV_SHOW_WARNINGS", "1");
	set("RDMAV_FORK_SAFE", "1");
	set("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	set("UROCE_DEVICES", "lo, 10.0.0.1 fe80::1,auto");
	set("UROCE_LOCAL", "none");
	set("UROCE_PCAP", "/tmp/x");
	set("UROCE_SPLIT", "always");
	/* should the interface be down, its port says so */
	doctor_device_get(&lab->doctor, "uroce_lo")->listed = true;
	check(lab);
	assert_no_findings(lab);
}

static void a_slip(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	set("RDMAV_FORKSAFE", "1");
	check(lab);
	finding = doctor_lab_found(lab, DOCTOR_ENV_UNKNOWN, NULL);
	assert_has_cure(finding, "unset RDMAV_FORKSAFE");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void a_name_that_is_too_long(void **state)
{
	struct doctor_lab *lab = *state;
	char name[4096];

	memset(name, 'X', sizeof(name));
	memcpy(name, "IBV_", 4);
	name[sizeof(name) - 1] = '\0';
	set(name, "1");
	check(lab);
	assert_no_findings(lab);
}

static void a_provider_that_is_not_there(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	doctor_lab_write(lab, "opt/lib/libibverbs/librxe-rdmav34.so", "x");
	set("RDMAV_DRIVERS", "rxe:rxe-rdmav34;/some/path:nes");
	strcpy(lab->doctor.library.said, "warning: nes: no module\nmore");
	check(lab);
	finding = doctor_lab_found(lab, DOCTOR_ENV_DRIVER_MISSING, NULL);
	assert_has_text(finding, "RDMAV_DRIVERS names the provider nes");
	assert_string_equal(finding->reason, "nes: no module");
	assert_int_equal(finding->severity, DOCTOR_WARNING);
}

static void a_release_that_is_not_there(void **state)
{
	struct doctor_lab *lab = *state;

	doctor_lab_write(lab, "opt/lib/libibverbs/librxe-rdmav34.so", "x");
	set("IBV_DRIVERS", "rxe-rdmav59");
	check(lab);
	assert_has_cure(doctor_lab_found(lab, DOCTOR_ENV_DRIVER_MISSING, NULL),
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
	struct doctor_lab *lab = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		clearenv();
		lab->doctor.library.fork_needless = true;
		lab->doctor.library.ours =
			strcmp(rows[i].name, "UROCE_DEVICES") != 0;
		set(rows[i].name, rows[i].value);
		if (rows[i].second)
			set(rows[i].second, "/x");
		check(lab);
		assert_has_text(doctor_lab_found(lab, DOCTOR_ENV_IGNORED, NULL),
				rows[i].name);
		assert_int_equal(lab->doctor.findings.count, 1);
	}
}

static void variables_with_effect(void **state)
{
	struct doctor_lab *lab = *state;

	set("VERBS_LOG_LEVEL", "4");
	set("VERBS_LOG_FILE", "/tmp/x");
	set("RDMAV_FORK_SAFE", "1");
	set("RDMAV_HUGEPAGES_SAFE", "1");
	check(lab);
	assert_no_findings(lab);
}

static void an_interface_that_is_not_there(void **state)
{
	struct doctor_lab *lab = *state;

	doctor_device_get(&lab->doctor, "uroce_lo")->listed = true;
	set("UROCE_DEVICES", "lo,../net/lo,10.0.0.1");
	check(lab);
	assert_has_text(doctor_lab_found(lab, DOCTOR_UROCE_INTERFACE, NULL),
			"names ../net/lo");
	clearenv();
	set("UROCE_DEVICES", "no_such_0");
	check(lab);
	assert_has_cure(doctor_lab_found(lab, DOCTOR_UROCE_INTERFACE, NULL),
			"UROCE_DEVICES=auto");
}

/* ------------------------------------------------------------------------ */

static void one_library(void **state)
{
	struct doctor_lab *lab = *state;

	doctor_lab_write(lab, "opt/lib/libibverbs.so.1", "x");
	doctor_check_library(&lab->doctor);
	assert_no_findings(lab);
}

static void two_libraries(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	doctor_lab_write(lab, "opt/lib/libibverbs.so.1", "x");
	doctor_lab_write(lab, "usr/lib64/libibverbs.so.1", "x");
	doctor_check_library(&lab->doctor);
	finding = doctor_lab_found(lab, DOCTOR_LIBRARY_SEVERAL, NULL);
	assert_has_text(finding, "/usr/lib64/libibverbs.so.1");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void two_names_of_one_library(void **state)
{
	struct doctor_lab *lab = *state;

	doctor_lab_write(lab, "opt/lib/libibverbs.so.1", "x");
	doctor_lab_link(lab, "usr/lib64/libibverbs.so.1",
			"../../opt/lib/libibverbs.so.1");
	doctor_check_library(&lab->doctor);
	assert_no_findings(lab);
}

static void another_library_is_first(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	doctor_lab_write(lab, "opt/lib/libibverbs.so.1", "x");
	lab->doctor.library.ours = false;
	doctor_check_library(&lab->doctor);
	finding = doctor_lab_found(lab, DOCTOR_LIBRARY_OTHER, NULL);
	assert_has_text(finding, "/opt/lib/libibverbs.so.1");
	assert_has_cure(finding, "/etc/ld.so.conf.d/");
	assert_has_cure(finding, DOCTOR_LIBDIR);
}

static void a_variable_put_it_first(void **state)
{
	struct doctor_lab *lab = *state;

	lab->doctor.library.ours = false;
	set("LD_LIBRARY_PATH", "/op::/opt:/opt/lib");
	doctor_check_library(&lab->doctor);
	assert_has_cure(doctor_lab_found(lab, DOCTOR_LIBRARY_OTHER, NULL),
			"unset LD_LIBRARY_PATH");
	lab->doctor.findings.count = 0;
	set("LD_LIBRARY_PATH", "/op:/opt/lib2");
	doctor_check_library(&lab->doctor);
	assert_has_cure(doctor_lab_found(lab, DOCTOR_LIBRARY_OTHER, NULL),
			"ldconfig");
	lab->doctor.findings.count = 0;
	set("LD_PRELOAD", "/opt/lib/libibverbs.so.1");
	doctor_check_library(&lab->doctor);
	assert_has_cure(doctor_lab_found(lab, DOCTOR_LIBRARY_OTHER, NULL),
			"unset LD_PRELOAD");
}

#define environment_test(name) \
	cmocka_unit_test_setup_teardown(name, setup, doctor_lab_teardown)

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
