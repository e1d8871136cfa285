/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_limits.c and doctor_cgroup.c. */
#include <string.h>
#include <sys/resource.h>

#include "tools/doctor/doctor_fixture.h"

static void set_memlock(struct doctor_fixture *fixture, unsigned long now,
			unsigned long max)
{
	fixture->doctor.limits.memlock = now;
	fixture->doctor.limits.memlock_max = max;
}

static void doctor_limits_low_memlock_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	set_memlock(fixture, 65536, 65536);
	doctor_check_limits(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL);
	assert_has_text(finding, "64 kB");
	/* 1 MB of memory, the queues, and one page */
	assert_has_text(finding, "needs 1284 kB");
	assert_has_fix(finding, "/etc/security/limits.d/");
	assert_null(strstr(finding->fixes[0], "ulimit"));
}

static void doctor_limits_memlock_below_hard_limit_fix_is_ulimit(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	set_memlock(fixture, 65536, 8ul << 20);
	doctor_check_limits(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL),
		       "ulimit -l 1284");

	fixture->doctor.findings.count = 0;
	set_memlock(fixture, 65536, ULONG_MAX);
	doctor_check_limits(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL),
		       "ulimit -l unlimited");
}

static void
doctor_limits_memlock_in_container_fix_is_docker_option(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	fixture->doctor.in_container = true;
	set_memlock(fixture, 65536, 65536);
	doctor_check_limits(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL),
		       "docker run --ulimit memlock=-1");
}

static void doctor_limits_memlock_depends_on_option_memory(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	set_memlock(fixture, 8ul << 20, 8ul << 20);
	doctor_check_limits(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LIMITED, NULL);

	/* the amount that the finding names is sufficient */
	fixture->doctor.findings.count = 0;
	set_memlock(fixture, 1284ul << 10, 1284ul << 10);
	doctor_check_limits(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LIMITED, NULL);
	set_memlock(fixture, 8ul << 20, 8ul << 20);

	fixture->doctor.findings.count = 0;
	fixture->doctor.memory = 8ul << 20;
	doctor_check_limits(&fixture->doctor);
	assert_has_text(doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL),
			"needs 8452 kB");

	fixture->doctor.findings.count = 0;
	fixture->doctor.memory = LONG_MAX;
	doctor_check_limits(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_MEMLOCK_LOW, NULL);
}

static void doctor_limits_memlock_irrelevant_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	/* without a kernel device */
	set_memlock(fixture, 0, 0);
	doctor_device_get(&fixture->doctor, "uroce_lo")->listed = true;
	doctor_check_limits(&fixture->doctor);
	assert_no_findings(fixture);
	/* with the capability */
	(void)doctor_fixture_add_device(fixture, 0);
	fixture->doctor.limits.memlock_exempt = true;
	doctor_check_limits(&fixture->doctor);
	assert_no_findings(fixture);
	/* without a limit */
	fixture->doctor.limits.memlock_exempt = false;
	set_memlock(fixture, ULONG_MAX, ULONG_MAX);
	doctor_check_limits(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_limits_read_returns_process_limits(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct rlimit limit = { 65536, 65536 };

	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit = (struct rlimit){ 100, 512 };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	doctor_read_limits(&fixture->doctor);
	assert_int_equal(fixture->doctor.limits.memlock, 65536);
	assert_int_equal(fixture->doctor.limits.memlock_max, 65536);
	assert_int_equal(fixture->doctor.limits.nofile, 100);
	assert_int_equal(fixture->doctor.limits.nofile_max, 512);
	assert_false(fixture->doctor.limits.memlock_exempt);
}

static void doctor_limits_ipc_lock_needs_initial_userns(void **state)
{
	static const struct {
		const char *caps, *map;
		bool memlock_exempt;
	} rows[] = {
		{ "CapPrm:\t000001ffffffffff\nCapEff:\t0000000000004000\n",
		  "         0          0 4294967295\n", true },
		{ "CapEff:\t000001ffffffbfff\n",
		  "         0          0 4294967295\n", false },
		{ "CapEff:\t000001ffffffffff\n",
		  "         0       1000          1\n", false },
		{ "CapEff:\t000001ffffffffff\n", "rubbish\n", false },
		{ "CapPrm:\t000001ffffffffff\n",
		  "         0          0 4294967295\n", false },
	};
	struct doctor_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		doctor_fixture_write(fixture, "proc/self/status", "%s",
				     rows[i].caps);
		doctor_fixture_write(fixture, "proc/self/uid_map", "%s",
				     rows[i].map);
		doctor_read_limits(&fixture->doctor);
		assert_int_equal(fixture->doctor.limits.memlock_exempt,
				 rows[i].memlock_exempt);
	}
}

static void doctor_limits_low_nofile_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.limits.nofile = 20;
	fixture->doctor.limits.nofile_max = 4096;
	doctor_check_limits(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_NOFILE_LOW, NULL),
		       "ulimit -n");
	fixture->doctor.findings.count = 0;
	fixture->doctor.limits.nofile_max = 20;
	doctor_check_limits(&fixture->doctor);
	assert_has_fix(doctor_fixture_find(fixture, DOCTOR_NOFILE_LOW, NULL),
		       "/etc/security/limits.d/");
}

/* ------------------------------------------------------------------------ */

#define CGROUP_DIR "sys/fs/cgroup/box/inner/"

static void doctor_cgroup_without_limits_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "proc/self/cgroup", "0::/box/inner\n");
	doctor_fixture_write(fixture, CGROUP_DIR "rdma.max",
			     "rxe0 hca_handle=max hca_object=max\n");
	doctor_fixture_write(fixture, CGROUP_DIR "rdma.current",
			     "rxe0 hca_handle=9 hca_object=9\n");
	doctor_check_cgroup(&fixture->doctor);
	assert_no_findings(fixture);
}

static void doctor_cgroup_hca_handle_limit_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "proc/self/cgroup",
			     "1:name=systemd:/\n0::/box/inner\n");
	doctor_fixture_write(fixture, CGROUP_DIR "rdma.max",
			     "rxe00 hca_handle=9 hca_object=9\n"
			     "rxe0 hca_handle=0 hca_object=max\n");
	doctor_check_cgroup(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CGROUP_RDMA, "rxe0");
	assert_has_text(finding, "hca_handle");
	assert_has_fix(finding, "/sys/fs/cgroup/box/inner/rdma.max");
}

static void doctor_cgroup_ancestor_hca_object_limit_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "proc/self/cgroup", "0::/box/inner\n");
	doctor_fixture_write(fixture, CGROUP_DIR "rdma.max",
			     "rxe0 hca_handle=max hca_object=max\n");
	doctor_fixture_write(fixture, "sys/fs/cgroup/box/rdma.max",
			     "rxe0 hca_handle=max hca_object=20\n");
	doctor_fixture_write(fixture, "sys/fs/cgroup/box/rdma.current",
			     "rxe0 hca_handle=1 hca_object=20\n");
	doctor_check_cgroup(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_CGROUP_RDMA, "rxe0");
	assert_has_text(finding, "hca_object");
	assert_has_text(finding, "20");
}

static void doctor_cgroup_v1_hierarchy_is_checked(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "proc/self/cgroup",
			     "9:rdma:/old\n0::/\nrubbish\n:\n::\n");
	doctor_fixture_write(fixture, "sys/fs/cgroup/rdma/old/rdma.max",
			     "rxe0 hca_handle=3 hca_object=max\n");
	doctor_fixture_write(fixture, "sys/fs/cgroup/rdma/old/rdma.current",
			     "rxe0 hca_handle=3 hca_object=0\n");
	doctor_check_cgroup(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_CGROUP_RDMA, "rxe0"),
		"/rdma/old");
}

static void doctor_cgroup_invalid_files_have_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	(void)doctor_fixture_add_device(fixture, 0);
	doctor_fixture_write(fixture, "proc/self/cgroup", "0::relative\n");
	doctor_check_cgroup(&fixture->doctor);
	doctor_fixture_write(fixture, "proc/self/cgroup", "0::/box/inner\n");
	doctor_fixture_write(fixture, CGROUP_DIR "rdma.max",
			     "rxe0 hca_handle= hca_object=-1 \xff\n");
	doctor_check_cgroup(&fixture->doctor);
	assert_no_findings(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_limits_low_memlock_is_found),
		doctor_test(
			doctor_limits_memlock_below_hard_limit_fix_is_ulimit),
		doctor_test(
			doctor_limits_memlock_in_container_fix_is_docker_option),
		doctor_test(doctor_limits_memlock_depends_on_option_memory),
		doctor_test(doctor_limits_memlock_irrelevant_has_no_finding),
		doctor_test(doctor_limits_ipc_lock_needs_initial_userns),
		doctor_test(doctor_limits_low_nofile_is_found),
		doctor_test(doctor_cgroup_without_limits_has_no_finding),
		doctor_test(doctor_cgroup_hca_handle_limit_is_found),
		doctor_test(doctor_cgroup_ancestor_hca_object_limit_is_found),
		doctor_test(doctor_cgroup_v1_hierarchy_is_checked),
		doctor_test(doctor_cgroup_invalid_files_have_no_finding),
		/* last, because it lowers hard limits of this process */
		doctor_test(doctor_limits_read_returns_process_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
