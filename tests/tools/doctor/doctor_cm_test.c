/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of doctor_cm.c. The node rdma_cm in the fake /dev is a link to
 * /dev/null, so open() succeeds. A wrapper of open() returns the errors that
 * would need permissions, a control group or a missing driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

#define CM_NODE	    "dev/infiniband/rdma_cm"
#define CM_DEV	    "sys/class/misc/rdma_cm/dev"
#define UFW_CONF    "etc/ufw/ufw.conf"
#define UFW_RULES   "etc/ufw/user.rules"
#define FIREWALLD   "run/systemd/units/invocation:firewalld.service"
#define ZONE	    "etc/firewalld/zones/public.xml"
#define ZONE_PORT   "  <port port=\"%s\" protocol=\"udp\"/>\n"
#define INVOCATION  "0123456789abcdef"
#define OTHER_NODES "dev/infiniband/uverbs0"

static int node_error; /* errno of opening rdma_cm; 0: call the real open() */

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (node_error && strstr(path, "/dev/infiniband/rdma_cm")) {
		errno = node_error;
		return -1;
	}
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

/* A kernel device, with the folder of nodes and without rdma_cm. */
static struct doctor_device *add_kernel_device(struct doctor_fixture *fixture)
{
	doctor_fixture_link(fixture, OTHER_NODES, "/dev/null");
	return doctor_fixture_add_open_device(fixture, 0);
}

static void add_node(struct doctor_fixture *fixture)
{
	(void)add_kernel_device(fixture);
	doctor_fixture_link(fixture, CM_NODE, "/dev/null");
}

static void check_with_error(struct doctor_fixture *fixture, int error)
{
	node_error = error;
	doctor_check_cm(&fixture->doctor);
	node_error = 0;
}

static struct doctor_device *add_uroce(struct doctor_fixture *fixture,
				       const char *name)
{
	struct doctor_device *device =
		doctor_device_get(&fixture->doctor, name);

	device->listed = true;
	return device;
}

static void doctor_cm_usable_node_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	add_node(fixture);
	doctor_fixture_write(fixture, CM_DEV, "1:3\n");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_node_without_sysfs_entry_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	add_node(fixture);
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_missing_node_fix_is_modprobe(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_kernel_device(fixture);
	doctor_fixture_set_modules(fixture, "ib_uverbs rdma_ucm");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_text(finding, "rdma_ucm is not loaded");
	assert_string_equal(finding->fixes[0], "modprobe rdma_ucm");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void doctor_cm_missing_module_fix_is_package(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_kernel_device(fixture);
	doctor_fixture_set_modules(fixture, "ib_uverbs");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_text(finding, "is not installed");
	assert_has_fix(finding, "install kernel-modules-$(uname -r)");
	assert_has_fix(finding, "modprobe rdma_ucm");
}

static void doctor_cm_missing_node_with_module_fix_is_mknod(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_kernel_device(fixture);
	doctor_fixture_write(fixture, CM_DEV, "10:58\n");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_text(finding, "rdma_ucm is loaded");
	assert_string_equal(finding->fixes[0],
			    "mknod -m 666 /dev/infiniband/rdma_cm c 10 58");
}

static void doctor_cm_missing_node_in_container_fix_is_docker(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_kernel_device(fixture);
	fixture->doctor.in_container = true;
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_fix(finding, "modprobe rdma_ucm   # on the host");
	assert_has_fix(finding, "--device=/dev/infiniband/rdma_cm");
}

static void doctor_cm_missing_node_with_iwarp_is_warning(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	add_kernel_device(fixture)->transport = IBV_TRANSPORT_IWARP;
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_text(finding, "iWARP device rxe0");
	assert_int_equal(finding->severity, DOCTOR_WARNING);
}

static void doctor_cm_missing_folder_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_open_device(fixture, 0);
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_missing_node_without_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	add_kernel_device(fixture)->selected = false;
	(void)add_uroce(fixture, "uroce_eth0");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_eacces_finds_node_forbidden(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	add_node(fixture);
	check_with_error(fixture, EACCES);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_FORBIDDEN, NULL);
	assert_has_text(finding, "mode is 666");
	assert_has_fix(finding, "chmod 666 /dev/infiniband/rdma_cm");
	assert_int_equal(finding->severity, DOCTOR_WARNING);
}

static void doctor_cm_eperm_finds_control_group(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	add_node(fixture);
	check_with_error(fixture, EPERM);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_FORBIDDEN, NULL);
	assert_has_text(finding, "control group");
	assert_has_fix(finding, "docker run --device=/dev/infiniband/rdma_cm");
	assert_has_fix(finding, "DeviceAllow=\"/dev/infiniband/rdma_cm rw\"");
}

static void doctor_cm_node_without_driver_is_wrong(void **state)
{
	static const int errors[] = { ENXIO, ENODEV };
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	add_node(fixture);
	for (size_t i = 0; i < 2; i++) {
		fixture->doctor.findings.count = 0;
		check_with_error(fixture, errors[i]);
		finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_WRONG,
					      NULL);
		assert_has_text(finding, "no driver");
		assert_has_fix(finding, "modprobe rdma_ucm");
	}
}

static void doctor_cm_open_without_descriptors_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	add_node(fixture);
	check_with_error(fixture, EMFILE);
	assert_no_findings(fixture);
}

static void doctor_cm_wrong_device_number_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	add_node(fixture);
	doctor_fixture_write(fixture, CM_DEV, "10:58\n");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_WRONG, NULL);
	assert_has_text(finding, "another device");
	assert_string_equal(finding->fixes[0], "rm /dev/infiniband/rdma_cm");
	assert_has_fix(finding, "c 10 58");
}

static void doctor_cm_regular_file_is_wrong(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)add_kernel_device(fixture);
	doctor_fixture_write(fixture, CM_NODE, " ");
	doctor_check_cm(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_CM_NODE_WRONG, NULL),
		"is not a character device");
}

static void doctor_cm_distribution_library_with_uroce_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_uroce(fixture, "uroce_lo");
	fixture->doctor.library.rdmacm = DOCTOR_RDMACM_OTHER;
	strcpy(fixture->doctor.library.rdmacm_path, "/usr/lib/librdmacm.so.1");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_LIBRARY, NULL);
	assert_has_text(finding, "/usr/lib/librdmacm.so.1");
	assert_has_text(finding, "uroce_lo");
}

static void doctor_cm_anyverbs_library_with_uroce_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)add_uroce(fixture, "uroce_lo");
	fixture->doctor.library.rdmacm = DOCTOR_RDMACM_OWN;
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void
doctor_cm_distribution_library_without_uroce_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.library.rdmacm = DOCTOR_RDMACM_OTHER;
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_ufw_without_rule_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_uroce(fixture, "uroce_eth0");
	doctor_fixture_write(fixture, UFW_CONF, "# ufw\nENABLED=yes\n");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_UROCE_FIREWALL, NULL);
	assert_has_text(finding, "ufw");
	assert_has_text(finding, "uroce_eth0");
	assert_has_fix(finding, "ufw allow 4791/udp");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void doctor_cm_ufw_with_rule_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)add_uroce(fixture, "uroce_eth0");
	doctor_fixture_write(fixture, UFW_CONF, "ENABLED=yes\n");
	doctor_fixture_write(fixture, UFW_RULES,
			     "*filter\n### tuple ### allow udp 4791\n");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_disabled_ufw_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)add_uroce(fixture, "uroce_eth0");
	doctor_fixture_write(fixture, UFW_CONF, "ENABLED=no\n");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_firewalld_without_port_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)add_uroce(fixture, "uroce_eth0");
	doctor_fixture_link(fixture, FIREWALLD, INVOCATION);
	doctor_fixture_write(fixture, ZONE, ZONE_PORT, "22");
	doctor_check_cm(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_UROCE_FIREWALL, NULL);
	assert_has_text(finding, "firewalld");
	assert_has_fix(finding, "--add-port=4791/udp");
	assert_has_fix(finding, "firewall-cmd --reload");
}

static void doctor_cm_firewalld_with_port_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)add_uroce(fixture, "uroce_eth0");
	doctor_fixture_link(fixture, FIREWALLD, INVOCATION);
	doctor_fixture_write(fixture, ZONE, ZONE_PORT, "4791");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cm_firewall_without_uroce_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	add_node(fixture);
	(void)add_uroce(fixture, "uroce_lo");
	add_uroce(fixture, "uroce_eth0")->selected = false;
	doctor_fixture_write(fixture, UFW_CONF, "ENABLED=yes\n");
	doctor_check_cm(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_cm_usable_node_has_no_finding),
		doctor_test(doctor_cm_node_without_sysfs_entry_has_no_finding),
		doctor_test(doctor_cm_missing_node_fix_is_modprobe),
		doctor_test(doctor_cm_missing_module_fix_is_package),
		doctor_test(doctor_cm_missing_node_with_module_fix_is_mknod),
		doctor_test(doctor_cm_missing_node_in_container_fix_is_docker),
		doctor_test(doctor_cm_missing_node_with_iwarp_is_warning),
		doctor_test(doctor_cm_missing_folder_has_no_finding),
		doctor_test(
			doctor_cm_missing_node_without_device_has_no_finding),
		doctor_test(doctor_cm_eacces_finds_node_forbidden),
		doctor_test(doctor_cm_eperm_finds_control_group),
		doctor_test(doctor_cm_node_without_driver_is_wrong),
		doctor_test(doctor_cm_open_without_descriptors_has_no_finding),
		doctor_test(doctor_cm_wrong_device_number_is_found),
		doctor_test(doctor_cm_regular_file_is_wrong),
		doctor_test(doctor_cm_distribution_library_with_uroce_is_noted),
		doctor_test(
			doctor_cm_anyverbs_library_with_uroce_has_no_finding),
		doctor_test(
			doctor_cm_distribution_library_without_uroce_has_no_finding),
		doctor_test(doctor_cm_ufw_without_rule_is_noted),
		doctor_test(doctor_cm_ufw_with_rule_has_no_finding),
		doctor_test(doctor_cm_disabled_ufw_has_no_finding),
		doctor_test(doctor_cm_firewalld_without_port_is_noted),
		doctor_test(doctor_cm_firewalld_with_port_has_no_finding),
		doctor_test(doctor_cm_firewall_without_uroce_has_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
