/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of doctor_nodes.c. The device nodes in the fake /dev are links to
 * /dev/null, which has the device number in the fake sysfs, so open() succeeds.
 * A wrapper of open() returns the errors that would need a control group or a
 * removed device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doctor/doctor_fixture.h"

static int node_error; /* errno of opening a node; 0: call the real open() */

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (node_error && strstr(path, "/dev/infiniband/")) {
		errno = node_error;
		return -1;
	}
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

static void write_node(struct doctor_fixture *fixture, const char *target)
{
	doctor_fixture_link(fixture, "dev/infiniband/uverbs0", target);
}

static void doctor_nodes_usable_node_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/null");
	doctor_check_nodes(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_nodes_missing_folder_is_found_once(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	(void)doctor_fixture_add_device(fixture, 1);
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODES_NO_FOLDER, NULL);
	assert_has_fix(finding, "udevadm trigger");
	assert_has_fix(finding, "mknod -m 666 /dev/infiniband/uverbs0 c 1 3");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void
doctor_nodes_missing_folder_in_container_fix_is_docker_option(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	fixture->doctor.in_container = true;
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODES_NO_FOLDER, NULL);
	assert_has_text(finding, "container");
	assert_has_fix(finding, "docker run --device=/dev/infiniband ");
}

static void doctor_nodes_missing_node_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	(void)doctor_fixture_add_device(fixture, 1);
	write_node(fixture, "/dev/null");
	doctor_check_nodes(&fixture->doctor);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe1"),
		"mknod -m 666 /dev/infiniband/uverbs1 c 1 3");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void
doctor_nodes_missing_node_in_container_fix_is_docker_option(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "dev/infiniband/other", " ");
	fixture->doctor.in_container = true;
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe0");
	assert_has_fix(finding, "--device=/dev/infiniband/uverbs0");
}

static void doctor_nodes_unknown_device_number_fix_is_udevadm(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, 0);
	doctor_fixture_write(fixture, "sys/class/infiniband_verbs/uverbs0/dev",
			     "231:192:9\n");
	doctor_fixture_write(fixture, "dev/infiniband/other", " ");
	doctor_read_devices(&fixture->doctor);
	doctor_check_nodes(&fixture->doctor);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe0"),
		"udevadm trigger");
}

/* Drops root privileges, because root ignores permissions. */
static void doctor_nodes_inaccessible_folder_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;
	char path[PATH_MAX];
	bool is_root = geteuid() == 0;

	doctor_device_get(&fixture->doctor, "rxe0");
	strcpy(fixture->doctor.devices[0].uverbs, "uverbs0");
	write_node(fixture, "/dev/null");
	/*
	 * A symbolic link has no permissions, so the folder of its target
	 * denies access.
	 */
	doctor_fixture_write(fixture, "closed/x", " ");
	doctor_fixture_link(fixture, "closed/null", "/dev/null");
	snprintf(path, sizeof(path), "%s/closed/null", fixture->fake.root);
	doctor_fixture_link(fixture, "dev/infiniband/uverbs0", path);
	assert_int_equal(chmod(fixture->fake.root, 0755), 0);
	snprintf(path, sizeof(path), "%s/closed", fixture->fake.root);
	assert_int_equal(chmod(path, 0), 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	doctor_check_nodes(&fixture->doctor);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(path, 0755), 0);
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_FORBIDDEN, "rxe0");
	assert_has_fix(finding, "chmod 755 /dev/infiniband");
}

static void doctor_nodes_eacces_finds_node_forbidden(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/null");
	node_error = EACCES;
	doctor_check_nodes(&fixture->doctor);
	node_error = 0;
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_FORBIDDEN, "rxe0");
	assert_has_text(finding, "mode is 666");
	assert_has_fix(finding, "chmod 666 /dev/infiniband/uverbs0");
}

static void doctor_nodes_eperm_finds_node_cgroup(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/null");
	node_error = EPERM;
	doctor_check_nodes(&fixture->doctor);
	node_error = 0;
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_NODE_CGROUP, "rxe0"),
		       "docker run --device=/dev/infiniband/uverbs0");
}

/*
 * Linux 6.1 lists devices of other namespaces, but rejects open() with EPERM.
 */
static void
doctor_nodes_eperm_with_exclusive_netns_finds_netns_exclusive(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/null");
	doctor_fixture_write(fixture,
			     "sys/module/ib_core/parameters/netns_mode", "N\n");
	node_error = EPERM;
	doctor_check_nodes(&fixture->doctor);
	node_error = 0;
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_NETNS_EXCLUSIVE, "rxe0"),
		"rdma dev set rxe0 netns");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_nodes_unresponsive_device_finds_node_dead(void **state)
{
	static const int errors[] = { ENXIO, ENODEV, EIO };
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/null");
	for (size_t i = 0; i < 3; i++) {
		fixture->doctor.findings.count = 0;
		node_error = errors[i];
		doctor_check_nodes(&fixture->doctor);
		node_error = 0;
		assert_has_fix(
			doctor_fixture_find(fixture, DOCTOR_NODE_DEAD, "rxe0"),
			"dmesg");
	}
}

static void doctor_nodes_wrong_device_number_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	write_node(fixture, "/dev/zero");
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_WRONG, "rxe0");
	assert_has_text(finding, "1:5");
	assert_has_fix(finding, "rm /dev/infiniband/uverbs0");
	assert_has_fix(finding, "c 1 3");
}

static void doctor_nodes_regular_file_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "dev/infiniband/uverbs0", " ");
	doctor_check_nodes(&fixture->doctor);
	assert_has_text(doctor_fixture_find(fixture, DOCTOR_NODE_WRONG, "rxe0"),
			"is not a character device");
}

static void doctor_nodes_unselected_device_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.only_device = "rxe1";
	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, 0);
	doctor_read_devices(&fixture->doctor);
	doctor_check_nodes(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_nodes_user_space_device_without_folder_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device;
	const struct doctor_finding *finding;

	device = doctor_device_get(&fixture->doctor, "uroce_lo");
	device->listed = true;
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODES_NO_FOLDER_USER,
				      "uroce_lo");
	assert_has_fix(finding, "mkdir /dev/infiniband");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void
doctor_nodes_user_space_device_with_folder_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	doctor_fixture_write(fixture, "dev/infiniband/other", " ");
	doctor_check_nodes(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_nodes_usable_node_has_no_finding),
		doctor_test(doctor_nodes_missing_folder_is_found_once),
		doctor_test(
			doctor_nodes_missing_folder_in_container_fix_is_docker_option),
		doctor_test(doctor_nodes_missing_node_is_found),
		doctor_test(
			doctor_nodes_missing_node_in_container_fix_is_docker_option),
		doctor_test(doctor_nodes_unknown_device_number_fix_is_udevadm),
		doctor_test(doctor_nodes_inaccessible_folder_is_found),
		doctor_test(doctor_nodes_eacces_finds_node_forbidden),
		doctor_test(doctor_nodes_eperm_finds_node_cgroup),
		doctor_test(
			doctor_nodes_eperm_with_exclusive_netns_finds_netns_exclusive),
		doctor_test(doctor_nodes_unresponsive_device_finds_node_dead),
		doctor_test(doctor_nodes_wrong_device_number_is_found),
		doctor_test(doctor_nodes_regular_file_is_found),
		doctor_test(doctor_nodes_unselected_device_has_no_finding),
		doctor_test(
			doctor_nodes_user_space_device_without_folder_is_noted),
		doctor_test(
			doctor_nodes_user_space_device_with_folder_has_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
