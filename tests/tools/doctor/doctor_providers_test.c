/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_providers.c: devices that the library does not list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

#define PROVIDER_DIR "opt/lib/libibverbs/"

static void write_module(struct doctor_fixture *fixture, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PROVIDER_DIR "%s", file);
	doctor_fixture_write(fixture, path, "ELF");
}

static void write_driver_file(struct doctor_fixture *fixture, const char *file,
			      const char *text)
{
	char path[PATH_MAX];

	/* without the leading slash */
	snprintf(path, sizeof(path), "%s/%s", &IBV_CONFIG_DIR[1], file);
	doctor_fixture_write(fixture, path, "%s", text);
}

static void doctor_providers_listed_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_device(fixture, 0)->listed = true;
	doctor_check_providers(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_providers_missing_module_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxex-rdmav34.so");
	write_module(fixture, "librxe.so");
	doctor_fixture_write(fixture, "etc/os-release", "ID=ubuntu\n");
	doctor_check_providers(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PROVIDER_MISSING, "rxe0");
	assert_has_text(finding, "its name is rxe.");
	assert_has_fix(finding, "apt-get install ibverbs-providers");
}

static void doctor_providers_unsupported_release_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-rdmav25.so");
	write_driver_file(fixture, "rxe.driver", "driver rxe\n");
	doctor_check_providers(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_PROVIDER_RELEASE, "rxe0"),
		"/opt/lib/libibverbs/librxe-rdmav25.so");
}

static void doctor_providers_missing_driver_file_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-rdmav34.so");
	write_driver_file(
		fixture, "other",
		"driver rx\ndriver rxe2\n# driver rxe\ndriver\nrxe\n");
	write_module(fixture, "librx-rdmav34.so");
	write_module(fixture, "librxe2-rdmav34.so");
	doctor_check_providers(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PROVIDER_NOT_CONFIGURED,
				      "rxe0");
	assert_has_fix(finding,
		       "echo \"driver rxe\" > " IBV_CONFIG_DIR "/rxe.driver");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_providers_abi_message_finds_provider_abi(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-rdmav34.so");
	write_driver_file(fixture, "rxe.driver", "driver\trxe-rdmav34\n");
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: provider rxe: supports versions 1 to 1 of its "
	       "kernel driver's ABI, but rxe0 has version 2\n"
	       "libibverbs: no provider for rxe0 (kernel driver rxe, ABI 2)\n"
	       "libibverbs: something about mlx5\n");
	doctor_check_providers(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PROVIDER_ABI, "rxe0");
	assert_true(finding->has_reason);
	assert_non_null(strstr(finding->reason, "versions 1 to 1"));
	assert_null(strstr(finding->reason, "mlx5"));
}

static void
doctor_providers_anyverbs_module_rejection_finds_provider_abi(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-anyverbs1.so");
	assert_int_equal(setenv("RDMAV_DRIVERS", "siw:rxe-anyverbs1", 1), 0);
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: no provider for rxe0 (kernel driver rxe, ABI 9)\n");
	doctor_check_providers(&fixture->doctor);
	assert_int_equal(unsetenv("RDMAV_DRIVERS"), 0);
	assert_non_null(
		strstr(doctor_fixture_find(fixture, DOCTOR_PROVIDER_ABI, "rxe0")
			       ->reason,
		       "ABI 9"));
}

static void doctor_providers_load_error_finds_provider_broken(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-anyverbs1.so");
	write_driver_file(fixture, "a.driver", "driver rxe\n");
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: provider rxe: librxe.so: undefined symbol: x");
	doctor_check_providers(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PROVIDER_BROKEN, "rxe0");
	assert_string_equal(finding->reason, fixture->doctor.library.messages);
	assert_has_fix(finding, "ldd -r /opt/lib/libibverbs/");
}

static void doctor_providers_name_comes_from_library_message(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_fixture_write(fixture,
			     "sys/class/infiniband_verbs/uverbs0/ibdev",
			     "ibp1s0\n");
	doctor_read_devices(&fixture->doctor);
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: no provider for ibp1s0 (kernel driver hns, ABI "
	       "1)\n");
	doctor_check_providers(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_PROVIDER_MISSING, "ibp1s0"),
		"name is hns.");
}

static void doctor_providers_name_comes_from_sysfs_driver(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_fixture_write(fixture,
			     "sys/class/infiniband_verbs/uverbs0/ibdev",
			     "ibp1s0\n");
	doctor_fixture_link(fixture,
			    "sys/class/infiniband/ibp1s0/device/driver",
			    "../mlx4_core");
	doctor_read_devices(&fixture->doctor);
	doctor_check_providers(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_PROVIDER_MISSING, "ibp1s0"),
		"name is mlx4.");
}

static void doctor_providers_unknown_name_finds_provider_missing(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_fixture_write(fixture,
			     "sys/class/infiniband_verbs/uverbs0/ibdev",
			     "ibp1s0\n");
	strcpy(fixture->doctor.library.messages,
	       "no provider for ibp1s0 (kernel driver unknown, ABI 1)");
	doctor_read_devices(&fixture->doctor);
	doctor_check_providers(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_PROVIDER_MISSING, "ibp1s0");
}

static void doctor_providers_missing_node_has_no_provider_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "dev/infiniband/rdma_cm", " ");
	doctor_check_nodes(&fixture->doctor);
	doctor_check_providers(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe0");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_providers_stale_driver_file_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	write_module(fixture, "librxe-rdmav34.so");
	write_driver_file(fixture, "rxe.driver", "driver rxe\n");
	write_driver_file(fixture, "abs.driver", "driver /some/where/libx\n");
	write_driver_file(fixture, "it's old", "driver nes\n");
	doctor_check_providers(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_DRIVER_FILE_STALE, NULL);
	assert_has_text(finding, "nes");
	assert_has_fix(finding, "rm '" IBV_CONFIG_DIR "/it'\\''s old'");
}

static void doctor_providers_invalid_driver_file_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	char rubbish[9000];

	memset(rubbish, 0xfe, sizeof(rubbish));
	memcpy(rubbish, "driver *\ndriver ?\ndriver %s%n\n", 30);
	fake_sysfs_write_bytes(&fixture->fake, &IBV_CONFIG_DIR "/x.driver"[1],
			       rubbish, sizeof(rubbish));
	doctor_check_providers(&fixture->doctor);
	assert_int_equal(
		doctor_fixture_count(fixture, DOCTOR_DRIVER_FILE_STALE), 3);
}

static void doctor_providers_foreign_library_uses_etc_libibverbs_d(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-rdmav25.so");
	fixture->doctor.library.is_anyverbs = false;
	doctor_check_providers(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(
			       fixture, DOCTOR_PROVIDER_NOT_CONFIGURED, "rxe0"),
		       "> /etc/libibverbs.d/rxe.driver");
}

static void
doctor_providers_foreign_library_messages_are_understood(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_module(fixture, "librxe-rdmav34.so");
	doctor_fixture_write(fixture, "etc/libibverbs.d/rxe.driver",
			     "driver rxe\n");
	fixture->doctor.library.is_anyverbs = false;
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: Warning: couldn't load driver 'librxe-rdmav34.so'");
	doctor_check_providers(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_PROVIDER_BROKEN, "rxe0");

	fixture->doctor.findings.count = 0;
	strcpy(fixture->doctor.library.messages,
	       "libibverbs: Warning: Driver rxe does not support the kernel "
	       "ABI "
	       "of 6 (supports 1 to 1) for device rxe0");
	doctor_check_providers(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_PROVIDER_ABI, "rxe0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_providers_listed_device_has_no_finding),
		doctor_test(doctor_providers_missing_module_is_found),
		doctor_test(doctor_providers_unsupported_release_is_found),
		doctor_test(doctor_providers_missing_driver_file_is_found),
		doctor_test(doctor_providers_abi_message_finds_provider_abi),
		doctor_test(
			doctor_providers_anyverbs_module_rejection_finds_provider_abi),
		doctor_test(doctor_providers_load_error_finds_provider_broken),
		doctor_test(doctor_providers_name_comes_from_library_message),
		doctor_test(doctor_providers_name_comes_from_sysfs_driver),
		doctor_test(
			doctor_providers_unknown_name_finds_provider_missing),
		doctor_test(
			doctor_providers_missing_node_has_no_provider_finding),
		doctor_test(doctor_providers_stale_driver_file_is_noted),
		doctor_test(doctor_providers_invalid_driver_file_is_noted),
		doctor_test(
			doctor_providers_foreign_library_uses_etc_libibverbs_d),
		doctor_test(
			doctor_providers_foreign_library_messages_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
