/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_kernel.c: kernels with and without RDMA support. */
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

static void doctor_kernel_modules_invisible_finds_no_rdma(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_fixture_write(fixture, "proc/sys/kernel/osrelease", "6.1.0\n");
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_KERNEL_NO_RDMA, NULL);
	assert_has_text(finding, "6.1.0");
	assert_has_text(finding, "not visible");
	assert_has_fix(finding, "modprobe ib_uverbs");
	assert_int_equal(finding->severity, DOCTOR_ERROR);
}

static void doctor_kernel_without_ib_uverbs_finds_no_rdma(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_fixture_set_modules(fixture, "my_ib_uverbs ib_uverbs2 core");
	doctor_fixture_write(fixture, "etc/os-release",
			     "NAME=X\nID_LIKE=debian\n");
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_KERNEL_NO_RDMA, NULL);
	assert_has_text(finding, "ib_uverbs is not installed");
	assert_has_fix(finding, "apt-get install linux-modules-extra-");
}

static void doctor_kernel_on_fedora_fix_uses_dnf(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_fixture_set_modules(fixture, "");
	doctor_fixture_write(fixture, "etc/os-release", "ID=\"fedora\"\n");
	doctor_check_kernel(&fixture->doctor);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_KERNEL_NO_RDMA, NULL),
		"dnf install kernel-modules-");
}

static void doctor_kernel_ib_uverbs_not_loaded_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_fixture_set_modules(fixture, "ib-uverbs");
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_MODULE_NOT_LOADED, NULL);
	assert_has_fix(finding, "modprobe ib_uverbs");
	assert_has_fix(finding, "/etc/modules-load.d/");
	assert_int_equal(doctor_fixture_count(fixture, DOCTOR_KERNEL_NO_RDMA),
			 0);
}

static void doctor_kernel_in_container_fix_is_on_the_host(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_fixture_set_modules(fixture, "ib_uverbs");
	fixture->doctor.in_container = true;
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_MODULE_NOT_LOADED, NULL);
	assert_has_text(finding, "on the host");
	assert_int_equal(finding->nr_fixes, 1);
}

static void doctor_kernel_device_without_ib_uverbs_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_write(fixture, "sys/class/infiniband/mlx5_0/node_type",
			     "1: CA");
	doctor_read_devices(&fixture->doctor);
	doctor_check_kernel(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_MODULE_NOT_LOADED, NULL);
	assert_int_equal(fixture->doctor.nr_devices, 1);
	assert_true(fixture->doctor.devices[0].in_kernel);
}

static void doctor_kernel_wrong_sysfs_path_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_SYSFS_MISSING, NULL);
	/* the fake sysfs is not at /sys */
	assert_has_fix(finding, "unset SYSFS_PATH");
}

static void doctor_kernel_sysfs_not_mounted_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	/* the root folder of the fixture contains no sysfs either */
	fake_sysfs_remove(&fixture->fake, "sys");
	doctor_check_kernel(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_SYSFS_MISSING, NULL);
}

static void doctor_kernel_unsupported_abi_is_found(void **state)
{
	static const struct {
		const char *abi, *too_old;
	} rows[] = {
		{ "2\n", "The kernel is too old" },
		{ "3\n", NULL },
		{ "6\n", NULL },
		{ "7\n", "The library is too old" },
		{ "\xff\xff", NULL }, /* no valid version */
	};
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fixture->doctor.findings.count = 0;
		fake_sysfs_class(&fixture->fake, rows[i].abi);
		doctor_check_kernel(&fixture->doctor);
		if (rows[i].too_old)
			assert_has_text(doctor_fixture_find(fixture,
							    DOCTOR_KERNEL_ABI,
							    NULL),
					rows[i].too_old);
		else
			assert_no_findings(fixture);
	}
}

static void doctor_kernel_no_device_fix_adds_soft_device(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_fixture_set_modules(fixture, "ib_uverbs rdma_rxe siw");
	doctor_fixture_write(fixture, "sys/class/net/ens1/flags", "0x1002\n");
	doctor_fixture_write(fixture, "sys/class/net/ens2/flags", "0x1003\n");
	doctor_fixture_write(fixture, "sys/class/net/lo/flags", "0x9\n");
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NO_DEVICE, NULL);
	assert_has_fix(finding, "rdma link add rxe0 type rxe netdev ens2");
	assert_has_fix(finding, "rdma link add siw0 type siw netdev ens2");
}

static void doctor_kernel_no_device_without_modules_fix_is_lspci(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_check_kernel(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_NO_DEVICE, NULL),
		       "lspci");
}

static void doctor_kernel_user_space_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	doctor_check_kernel(&fixture->doctor);
	assert_no_findings(fixture);
	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_check_kernel(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_kernel_netns_exclusive_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	fake_sysfs_class(&fixture->fake, "6\n");
	doctor_fixture_write(fixture,
			     "sys/module/ib_core/parameters/netns_mode", "N\n");
	doctor_check_kernel(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NETNS_EXCLUSIVE, NULL);
	assert_has_fix(finding, "rdma dev set");
	assert_int_equal(doctor_fixture_count(fixture, DOCTOR_NO_DEVICE), 0);

	fixture->doctor.findings.count = 0;
	doctor_fixture_write(fixture,
			     "sys/module/ib_core/parameters/netns_mode", "Y\n");
	doctor_check_kernel(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_NO_DEVICE, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_kernel_modules_invisible_finds_no_rdma),
		doctor_test(doctor_kernel_without_ib_uverbs_finds_no_rdma),
		doctor_test(doctor_kernel_on_fedora_fix_uses_dnf),
		doctor_test(doctor_kernel_ib_uverbs_not_loaded_is_found),
		doctor_test(doctor_kernel_in_container_fix_is_on_the_host),
		doctor_test(doctor_kernel_device_without_ib_uverbs_is_found),
		doctor_test(doctor_kernel_wrong_sysfs_path_is_found),
		doctor_test(doctor_kernel_sysfs_not_mounted_is_found),
		doctor_test(doctor_kernel_unsupported_abi_is_found),
		doctor_test(doctor_kernel_no_device_fix_adds_soft_device),
		doctor_test(
			doctor_kernel_no_device_without_modules_fix_is_lspci),
		doctor_test(doctor_kernel_user_space_device_has_no_finding),
		doctor_test(doctor_kernel_netns_exclusive_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
