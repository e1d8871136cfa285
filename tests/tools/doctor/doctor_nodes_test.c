/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes in a fake /dev: links to /dev/null, which has the number that the fake
 * sysfs tells, so opening is real. Errors that need a control group or a device
 * that is going come from a wrapped open().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doctor/doctor_fixture.h"

static int node_error; /* of opening a node; 0: as it is */

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

static void put_node(struct doctor_fixture *fixture, const char *target)
{
	doctor_fixture_link(fixture, "dev/infiniband/uverbs0", target);
	doctor_fixture_write(fixture, "dev/infiniband/rdma_cm", " ");
}

static void all_is_well(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/null");
	doctor_check_nodes(&fixture->doctor);
	assert_no_findings(fixture);
}

static void no_folder(void **state)
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

static void no_folder_in_a_container(void **state)
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

static void one_of_two_nodes_is_missing(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	(void)doctor_fixture_add_device(fixture, 1);
	put_node(fixture, "/dev/null");
	doctor_check_nodes(&fixture->doctor);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe1"),
		"mknod -m 666 /dev/infiniband/uverbs1 c 1 3");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void a_missing_node_in_a_container(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "dev/infiniband/rdma_cm", " ");
	fixture->doctor.in_container = true;
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe0");
	assert_has_fix(finding, "--device=/dev/infiniband/uverbs0");
}

static void a_node_without_a_known_number(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, 0);
	doctor_fixture_write(fixture, "sys/class/infiniband_verbs/uverbs0/dev",
			     "231:192:9\n");
	doctor_fixture_write(fixture, "dev/infiniband/rdma_cm", " ");
	doctor_read_devices(&fixture->doctor);
	doctor_check_nodes(&fixture->doctor);
	assert_has_fix(
		doctor_fixture_find(fixture, DOCTOR_NODE_MISSING, "rxe0"),
		"udevadm trigger");
}

/* As a user without rights: permissions do not bind root. */
static void a_forbidden_node(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;
	char path[PATH_MAX];
	bool is_root = geteuid() == 0;

	doctor_device_get(&fixture->doctor, "rxe0");
	strcpy(fixture->doctor.devices[0].uverbs, "uverbs0");
	put_node(fixture, "/dev/null");
	/* a link has no mode: the folder that it leads through has */
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

static void permissions_that_exclude(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/null");
	node_error = EACCES;
	doctor_check_nodes(&fixture->doctor);
	node_error = 0;
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_FORBIDDEN, "rxe0");
	assert_has_text(finding, "mode is 666");
	assert_has_fix(finding, "chmod 666 /dev/infiniband/uverbs0");
}

static void a_control_group_that_excludes(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/null");
	node_error = EPERM;
	doctor_check_nodes(&fixture->doctor);
	node_error = 0;
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_NODE_CGROUP, "rxe0"),
		       "docker run --device=/dev/infiniband/uverbs0");
}

/* Linux 6.1 shows the device, but does not let it be opened. */
static void a_device_of_another_namespace(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/null");
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

static void nobody_answers(void **state)
{
	static const int errors[] = { ENXIO, ENODEV, EIO };
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/null");
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

static void a_node_of_another_device(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	put_node(fixture, "/dev/zero");
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_NODE_WRONG, "rxe0");
	assert_has_text(finding, "1:5");
	assert_has_fix(finding, "rm /dev/infiniband/uverbs0");
	assert_has_fix(finding, "c 1 3");
}

static void a_file_in_the_place_of_a_node(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "dev/infiniband/uverbs0", " ");
	doctor_check_nodes(&fixture->doctor);
	assert_has_text(doctor_fixture_find(fixture, DOCTOR_NODE_WRONG, "rxe0"),
			"is not a character device");
}

static void connection_managers(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_link(fixture, "dev/infiniband/uverbs0", "/dev/null");
	doctor_check_nodes(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CM_NODE_MISSING, NULL);
	assert_has_fix(finding, "modprobe rdma_ucm");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

static void others_are_left_alone(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.only_device = "rxe1";
	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, 0);
	doctor_read_devices(&fixture->doctor);
	doctor_check_nodes(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(all_is_well),
		doctor_test(no_folder),
		doctor_test(no_folder_in_a_container),
		doctor_test(one_of_two_nodes_is_missing),
		doctor_test(a_missing_node_in_a_container),
		doctor_test(a_node_without_a_known_number),
		doctor_test(a_forbidden_node),
		doctor_test(permissions_that_exclude),
		doctor_test(a_control_group_that_excludes),
		doctor_test(a_device_of_another_namespace),
		doctor_test(nobody_answers),
		doctor_test(a_node_of_another_device),
		doctor_test(a_file_in_the_place_of_a_node),
		doctor_test(connection_managers),
		doctor_test(others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
