/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters on a fake PCI bus that lack a module. */
#include "tools/doctor/doctor_fixture.h"

#define FUNCTION "sys/bus/pci/devices/0000:03:00.0"
#define ALIAS	 "pci:v000015B3d00001017sv000015B3sd00000001bc02sc00i00"

static void put_modules_alias(struct doctor_fixture *fixture)
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

static void the_rdma_half_is_missing(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	put_modules_alias(fixture);
	doctor_fixture_link(fixture, FUNCTION "/driver",
			    "../../drivers/mlx5_core");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_RDMA_MODULE, NULL);
	assert_has_text(finding, "0000:03:00.0");
	assert_has_fix(finding, "modprobe mlx5_ib");
	assert_int_equal(finding->nr_fixes, 1);
}

static void the_rdma_half_must_be_installed_first(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_fixture_set_modules(fixture, "bnxt_en");
	doctor_fixture_link(fixture, FUNCTION "/driver",
			    "../../drivers/bnxt_en");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_RDMA_MODULE, NULL);
	assert_has_fix(finding, "install");
	assert_has_fix(finding, "modprobe bnxt_re");
}

static void the_rdma_half_is_loaded(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_link(fixture, FUNCTION "/driver",
			    "../../drivers/mlx5_core");
	doctor_fixture_write(fixture, "sys/module/mlx5_ib/refcnt", "0\n");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void the_rdma_half_has_another_name(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_link(fixture, FUNCTION "/driver",
			    "../../drivers/mlx5_core");
	doctor_fixture_write(fixture, FUNCTION "/infiniband/mlx5_0/node_type",
			     "1: CA");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void an_adapter_without_a_driver(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	put_modules_alias(fixture);
	doctor_fixture_write(fixture, FUNCTION "/modalias", ALIAS "\n");
	doctor_check_pci(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PCI_NO_DRIVER, NULL);
	assert_has_fix(finding, "modprobe mlx5_core");
}

static void what_is_no_adapter_does_not_matter(void **state)
{
	struct doctor_fixture *fixture = *state;

	put_modules_alias(fixture);
	doctor_fixture_write(
		fixture, FUNCTION "/modalias",
		"pci:v00008086d00001237sv00001AF4sd0bc06sc00i00\n");
	doctor_fixture_link(fixture, "sys/bus/pci/devices/0000:04:00.0/driver",
			    "../../drivers/virtio-pci");
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

static void rubbish_in_modalias(void **state)
{
	struct doctor_fixture *fixture = *state;

	put_modules_alias(fixture);
	fake_sysfs_write_bytes(&fixture->fake, FUNCTION "/modalias",
			       "[*\\\0\xff[[[", 9);
	doctor_check_pci(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(the_rdma_half_is_missing),
		doctor_test(the_rdma_half_must_be_installed_first),
		doctor_test(the_rdma_half_is_loaded),
		doctor_test(the_rdma_half_has_another_name),
		doctor_test(an_adapter_without_a_driver),
		doctor_test(what_is_no_adapter_does_not_matter),
		doctor_test(rubbish_in_modalias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
