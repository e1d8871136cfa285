/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_pci.c with a fake PCI bus. */
#include "tools/doctor/doctor_fixture.h"

#define PCI_FUNCTION_DIR "sys/bus/pci/devices/0000:03:00.0"
#define PCI_MODALIAS	 "pci:v000015B3d00001017sv000015B3sd00000001bc02sc00i00"

static void write_modules_alias(struct doctor_fixture *fixture)
{
	doctor_fixture_set_modules(fixture, "mlx5_core mlx5_ib");
	doctor_fixture_write(fixture, "lib/modules/6.1.0/modules.alias",
			     "# comment\n"
			     "alias\n"
			     "alias pci:v000015B3d*\n"
			     "alias pci:v*d*sv*sd*bc*sc*i* some_bridge\n"
			     "alias pci:v000015B3d00001017sv*sd*bc*sc*i* "
			     "mlx5_core\n");
}

static void doctor_pci_rdma_module_not_loaded_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	write_modules_alias(fixture);
	doctor_fixture_link(fixture, PCI_FUNCTION_DIR "/driver",
			    "../../drivers/mlx5_core");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_RDMA_MODULE, NULL);
	assert_has_text(finding, "0000:03:00.0");
	assert_has_fix(finding, "modprobe mlx5_ib");
	assert_int_equal(finding->nr_fixes, 1);
}

static void
doctor_pci_rdma_module_not_installed_fix_installs_package(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_set_modules(fixture, "bnxt_en");
	doctor_fixture_link(fixture, PCI_FUNCTION_DIR "/driver",
			    "../../drivers/bnxt_en");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_RDMA_MODULE, NULL);
	assert_has_fix(finding, "install");
	assert_has_fix(finding, "modprobe bnxt_re");
}

static void doctor_pci_rdma_module_loaded_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_link(fixture, PCI_FUNCTION_DIR "/driver",
			    "../../drivers/mlx5_core");
	doctor_fixture_write(fixture, "sys/module/mlx5_ib/refcnt", "0\n");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_pci_function_with_rdma_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_link(fixture, PCI_FUNCTION_DIR "/driver",
			    "../../drivers/mlx5_core");
	doctor_fixture_write(fixture,
			     PCI_FUNCTION_DIR "/infiniband/mlx5_0/node_type",
			     "1: CA");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_pci_adapter_without_driver_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	write_modules_alias(fixture);
	doctor_fixture_write(fixture, PCI_FUNCTION_DIR "/modalias",
			     PCI_MODALIAS "\n");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_NO_DRIVER, NULL);
	assert_has_fix(finding, "modprobe mlx5_core");
}

static void doctor_pci_unrelated_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	write_modules_alias(fixture);
	doctor_fixture_write(
		fixture, PCI_FUNCTION_DIR "/modalias",
		"pci:v00008086d00001237sv00001AF4sd0bc06sc00i00\n");
	doctor_fixture_link(fixture, "sys/bus/pci/devices/0000:04:00.0/driver",
			    "../../drivers/virtio-pci");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_pci_invalid_modalias_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	write_modules_alias(fixture);
	fake_sysfs_write_bytes(&fixture->fake, PCI_FUNCTION_DIR "/modalias",
			       "[*\\\0\xff[[[", 9);
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_pci_rdma_module_not_loaded_is_found),
		doctor_test(
			doctor_pci_rdma_module_not_installed_fix_installs_package),
		doctor_test(doctor_pci_rdma_module_loaded_has_no_finding),
		doctor_test(
			doctor_pci_function_with_rdma_device_has_no_finding),
		doctor_test(doctor_pci_adapter_without_driver_is_found),
		doctor_test(doctor_pci_unrelated_device_has_no_finding),
		doctor_test(doctor_pci_invalid_modalias_has_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
