/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of doctor_ports.c: port states, GID tables, and failures of an open
 * device.
 */
#include <errno.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

#define V1 IBV_GID_TYPE_ROCE_V1
#define V2 IBV_GID_TYPE_ROCE_V2

static void doctor_ports_active_port_with_gid_is_usable(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	doctor_check_ports(&fixture->doctor);
	assert_no_findings(fixture);
	assert_true(device->usable);
	assert_true(doctor_any_usable(&fixture->doctor));
}

static void doctor_ports_netdev_down_finds_port_down(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	device->ports[0].attr.state = IBV_PORT_DOWN;
	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	doctor_fixture_write(fixture, "sys/class/infiniband/rxe0/parent",
			     "no_such7\n");
	doctor_fixture_write(fixture, "sys/class/net/no_such7/flags",
			     "0x1002\n");
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_PORT_DOWN, "rxe0"),
		       "ip link set no_such7 up");
	assert_false(device->usable);
}

static void doctor_ports_no_link_finds_port_down(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);
	const struct doctor_finding *finding;

	device->ports[0].attr.state = IBV_PORT_DOWN;
	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	doctor_fixture_write(
		fixture, "sys/class/infiniband/rxe0/device/net/no_such7/flags",
		"0x1003\n");
	doctor_fixture_write(fixture, "sys/class/net/no_such7/flags",
			     "0x1003\n");
	doctor_check_ports(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_PORT_DOWN, "rxe0");
	assert_has_text(finding, "cable");
	assert_has_fix(finding, "ip link show no_such7");
	assert_int_equal(finding->port, 1);
}

static void doctor_ports_unknown_netdev_fix_is_rdma_link(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->ports[0].attr =
		(struct ibv_port_attr){ .state = IBV_PORT_DOWN,
					.link_layer =
						IBV_LINK_LAYER_INFINIBAND };
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_PORT_DOWN, "rxe0"),
		       "rdma link show rxe0/1");
}

static void doctor_ports_init_state_finds_no_sm(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->ports[0].attr =
		(struct ibv_port_attr){ .state = IBV_PORT_INIT,
					.link_layer =
						IBV_LINK_LAYER_INFINIBAND };
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_PORT_NO_SM, "rxe0"),
		       "opensm");
	assert_int_equal(doctor_fixture_count(fixture, DOCTOR_PORT_DOWN), 0);
}

static void doctor_ports_uroce_port_down_finds_udp_port_taken(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device;

	device = doctor_fixture_add_open_device(fixture, 0);
	strcpy(device->name, "uroce_no_such7");
	device->in_kernel = false;
	device->ports[0].attr.state = IBV_PORT_DOWN;
	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	doctor_fixture_write(fixture, "sys/class/net/no_such7/flags",
			     "0x1003\n");
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_UROCE_PORT_TAKEN,
					   "uroce_no_such7"),
		       "ss -lunp");
	assert_int_equal(doctor_fixture_count(fixture, DOCTOR_PORT_DOWN), 0);

	fixture->doctor.findings.count = 0;
	doctor_fixture_write(fixture, "sys/class/net/no_such7/flags",
			     "0x1002\n");
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_PORT_DOWN,
					   "uroce_no_such7"),
		       "ip link set no_such7 up");
}

static void doctor_ports_without_gid_is_unusable(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_write(fixture, "sys/class/infiniband/rxe0/parent",
			     "no_such7\n");
	doctor_check_ports(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_GID_NONE, "rxe0"),
		       "ip address add ADDRESS/24 dev no_such7");
	assert_false(device->usable);
}

static void doctor_ports_gid_query_error_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	device->ports[0].gid_error = EOPNOTSUPP;
	doctor_check_ports(&fixture->doctor);
	assert_no_findings(fixture);
	assert_true(device->usable);
}

static void doctor_ports_only_link_local_gids_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "fe80::1", V1);
	doctor_fixture_add_gid(device, 1, "fe80::1", V2);
	doctor_check_ports(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_GID_LINK_LOCAL, "rxe0");
	assert_int_equal(fixture->doctor.findings.count, 1);
	assert_true(device->usable);
}

static void doctor_ports_only_roce_v1_gids_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "fe80::1", V1);
	doctor_fixture_add_gid(device, 1, "::ffff:10.0.0.1", V1);
	doctor_check_ports(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_GID_V1_ONLY, "rxe0");
	assert_int_equal(fixture->doctor.findings.count, 1);
	assert_true(device->usable);
}

static void doctor_ports_best_gid_not_at_index_0_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);
	const struct doctor_finding *finding;

	doctor_fixture_add_gid(device, 0, "fe80::1", V1);
	doctor_fixture_add_gid(device, 1, "fe80::1", V2);
	doctor_fixture_add_gid(device, 2, "::ffff:10.0.0.1", V1);
	doctor_fixture_add_gid(device, 3, "::ffff:10.0.0.1", V2);
	doctor_fixture_add_gid(device, 4, "2001:db8::1", V2);
	doctor_check_ports(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_GID_INDEX, "rxe0");
	assert_has_text(finding, "index 3");
	assert_has_fix(finding, "-g 3");
	assert_has_fix(finding, "NCCL_IB_GID_INDEX=3");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_ports_global_gid_after_link_local_is_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "fe80::1", V2);
	doctor_fixture_add_gid(device, 1, "2001:db8::1", V2);
	doctor_check_ports(&fixture->doctor);
	assert_has_text(doctor_fixture_find(fixture, DOCTOR_GID_INDEX, "rxe0"),
			"index 1 (2001:db8::1)");
}

static void doctor_ports_gid_table_holes_are_noted(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);
	const struct doctor_finding *finding;

	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	doctor_fixture_add_gid(device, 2, "::ffff:10.0.0.2", V2);
	doctor_check_ports(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_GID_HOLES, "rxe0");
	assert_has_text(finding, "0 to 2, 2 are in use");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_ports_iwarp_and_infiniband_need_no_gid(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	device->transport = IBV_TRANSPORT_IWARP;
	doctor_check_ports(&fixture->doctor);
	assert_true(device->usable);
	device->transport = IBV_TRANSPORT_IB;
	device->ports[0].attr.link_layer = IBV_LINK_LAYER_INFINIBAND;
	device->usable = false;
	doctor_check_ports(&fixture->doctor);
	assert_true(device->usable);
	assert_no_findings(fixture);
}

static void doctor_ports_option_ib_port_selects_port(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	device->nr_ports = 2;
	device->ports[1].number = 2;
	device->ports[1].query_error = EIO;
	fixture->doctor.only_port = 1;
	doctor_check_ports(&fixture->doctor);
	assert_no_findings(fixture);
	fixture->doctor.only_port = 2;
	device->usable = false;
	doctor_check_ports(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_QUERY_FAILED, "rxe0");
	assert_false(device->usable);
}

/* ------------------------------------------------------------------------ */

static void doctor_ports_open_error_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	device->open_error = EMFILE;
	doctor_check_ports(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_OPEN_FAILED, "rxe0"),
		"Too many open files");
	assert_false(device->usable);
}

static void doctor_ports_explained_open_error_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->open_error = EACCES;
	doctor_finding_add(&fixture->doctor.findings, DOCTOR_NODE_FORBIDDEN,
			   "rxe0", 0, "x");
	doctor_check_ports(&fixture->doctor);
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_ports_device_query_error_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->query_error = EIO;
	doctor_check_ports(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_QUERY_FAILED, "rxe0");
}

static void doctor_ports_object_error_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	device->failed_object = "a completion queue";
	device->object_error = ENOMEM;
	doctor_check_ports(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_OBJECT_FAILED, "rxe0"),
		"creating a completion queue fails: Cannot allocate");
	assert_false(device->usable);
}

static void
doctor_ports_object_error_explained_by_memlock_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	doctor_fixture_add_gid(device, 0, "::ffff:10.0.0.1", V2);
	device->failed_object = "a memory region";
	device->object_error = ENOMEM;
	doctor_finding_add(&fixture->doctor.findings, DOCTOR_MEMLOCK_LOW, NULL,
			   0, "x");
	doctor_check_ports(&fixture->doctor);
	assert_int_equal(fixture->doctor.findings.count, 1);
	assert_false(device->usable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_ports_active_port_with_gid_is_usable),
		doctor_test(doctor_ports_netdev_down_finds_port_down),
		doctor_test(doctor_ports_no_link_finds_port_down),
		doctor_test(doctor_ports_unknown_netdev_fix_is_rdma_link),
		doctor_test(doctor_ports_init_state_finds_no_sm),
		doctor_test(doctor_ports_uroce_port_down_finds_udp_port_taken),
		doctor_test(doctor_ports_without_gid_is_unusable),
		doctor_test(doctor_ports_gid_query_error_has_no_finding),
		doctor_test(doctor_ports_only_link_local_gids_is_found),
		doctor_test(doctor_ports_only_roce_v1_gids_is_found),
		doctor_test(doctor_ports_best_gid_not_at_index_0_is_noted),
		doctor_test(doctor_ports_global_gid_after_link_local_is_noted),
		doctor_test(doctor_ports_gid_table_holes_are_noted),
		doctor_test(doctor_ports_iwarp_and_infiniband_need_no_gid),
		doctor_test(doctor_ports_option_ib_port_selects_port),
		doctor_test(doctor_ports_open_error_is_found),
		doctor_test(doctor_ports_explained_open_error_has_no_finding),
		doctor_test(doctor_ports_device_query_error_is_found),
		doctor_test(doctor_ports_object_error_is_found),
		doctor_test(
			doctor_ports_object_error_explained_by_memlock_has_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
