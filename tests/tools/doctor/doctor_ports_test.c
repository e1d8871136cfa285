/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports that are down, tables of GIDs, and failures of an open device. */
#include <errno.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"

#define V1 IBV_GID_TYPE_ROCE_V1
#define V2 IBV_GID_TYPE_ROCE_V2

static void an_active_port_with_a_good_gid(void **state)
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

static void a_port_whose_interface_is_down(void **state)
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

static void a_port_without_a_link(void **state)
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

static void a_port_that_nobody_knows_the_interface_of(void **state)
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

static void a_port_without_a_subnet_manager(void **state)
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

static void the_udp_port_is_taken(void **state)
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

static void no_gid(void **state)
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

static void gids_that_cannot_be_asked_for(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	device->ports[0].gid_error = EOPNOTSUPP;
	doctor_check_ports(&fixture->doctor);
	assert_no_findings(fixture);
	assert_true(device->usable);
}

static void only_link_local_gids(void **state)
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

static void only_gids_of_the_first_version(void **state)
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

static void the_best_gid_is_not_the_first(void **state)
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

static void an_address_that_is_no_link_local_one(void **state)
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

static void a_table_with_holes(void **state)
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

static void iwarp_and_infiniband_have_other_addresses(void **state)
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

static void one_port_of_two_is_asked_for(void **state)
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

static void it_does_not_open(void **state)
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

static void it_does_not_open_for_a_known_reason(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->open_error = EACCES;
	doctor_finding_add(&fixture->doctor.findings, DOCTOR_NODE_FORBIDDEN,
			   "rxe0", 0, "x");
	doctor_check_ports(&fixture->doctor);
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void it_does_not_answer(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_fixture_add_open_device(fixture, 0)->query_error = EIO;
	doctor_check_ports(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_QUERY_FAILED, "rxe0");
}

static void objects_cannot_be_made(void **state)
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

static void a_limit_explains_it(void **state)
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
		doctor_test(an_active_port_with_a_good_gid),
		doctor_test(a_port_whose_interface_is_down),
		doctor_test(a_port_without_a_link),
		doctor_test(a_port_that_nobody_knows_the_interface_of),
		doctor_test(a_port_without_a_subnet_manager),
		doctor_test(the_udp_port_is_taken),
		doctor_test(no_gid),
		doctor_test(gids_that_cannot_be_asked_for),
		doctor_test(only_link_local_gids),
		doctor_test(only_gids_of_the_first_version),
		doctor_test(the_best_gid_is_not_the_first),
		doctor_test(an_address_that_is_no_link_local_one),
		doctor_test(a_table_with_holes),
		doctor_test(iwarp_and_infiniband_have_other_addresses),
		doctor_test(one_port_of_two_is_asked_for),
		doctor_test(it_does_not_open),
		doctor_test(it_does_not_open_for_a_known_reason),
		doctor_test(it_does_not_answer),
		doctor_test(objects_cannot_be_made),
		doctor_test(a_limit_explains_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
