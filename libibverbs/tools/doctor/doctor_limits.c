/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks resource limits of the process: locked memory, which registration with
 * a kernel device consumes, and open files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tools/doctor/doctor.h"

/* An open device uses a few descriptors, and a socket to each peer one more. */
#define DOCTOR_MIN_NOFILE 256

/* Minimum for programs that transfer much data. */
#define DOCTOR_LARGE_MEMLOCK_BYTES (64ul * 1024 * 1024)

#define CAP_IPC_LOCK_BIT 14

static unsigned long doctor_limits_from_rlim(rlim_t limit)
{
	return limit == RLIM_INFINITY || limit > ULONG_MAX
		       ? ULONG_MAX
		       : (unsigned long)limit;
}

static bool doctor_limits_find_ipc_lock(void *arg, char *line)
{
	bool *found = arg;

	if (strncmp(line, "CapEff:", 7) == 0)
		*found = strtoull(line + 7, NULL, 16) >> CAP_IPC_LOCK_BIT & 1;
	return true;
}

/* The kernel honors the capability in the initial user namespace only. */
static bool doctor_limits_in_initial_userns(const struct doctor *doctor)
{
	unsigned long inside, outside, count;
	char map[128];

	if (doctor_system_read(&doctor->system, map, sizeof(map),
			       "/proc/self/uid_map"))
		return true; /* the kernel has no user namespaces */
	return sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
	       inside == 0 && outside == 0 && count == 4294967295;
}

void doctor_read_limits(struct doctor *doctor)
{
	struct doctor_limits *limits = &doctor->limits;
	struct rlimit limit;
	bool capable = false;

	*limits = (struct doctor_limits){ ULONG_MAX, ULONG_MAX, ULONG_MAX,
					  ULONG_MAX, false };
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
		limits->memlock = doctor_limits_from_rlim(limit.rlim_cur);
		limits->memlock_max = doctor_limits_from_rlim(limit.rlim_max);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limits->nofile = doctor_limits_from_rlim(limit.rlim_cur);
		limits->nofile_max = doctor_limits_from_rlim(limit.rlim_max);
	}
	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_limits_find_ipc_lock, &capable,
					  "/proc/self/status");
	limits->memlock_exempt = capable &&
				 doctor_limits_in_initial_userns(doctor);
}

/* ------------------------------------------------------------------------ */

static void doctor_limits_add_memlock_fixes(const struct doctor *doctor,
					    struct doctor_finding *finding,
					    unsigned long need_kb)
{
	if (doctor->limits.memlock_max == ULONG_MAX)
		doctor_finding_add_fix(finding, "ulimit -l unlimited");
	else if (doctor->limits.memlock_max / 1024 >= need_kb)
		doctor_finding_add_fix(finding, "ulimit -l %lu", need_kb);
	if (doctor->in_container)
		doctor_finding_add_fix(
			finding,
			"docker run --ulimit memlock=-1 ...   # on the host");
	doctor_finding_add_fix(finding, "echo '* - memlock unlimited' > "
					"/etc/security/limits.d/rdma.conf");
	doctor_finding_add_fix(finding, "systemctl edit UNIT   "
					"# [Service] LimitMEMLOCK=infinity");
}

static void doctor_limits_check_memlock(struct doctor *doctor)
{
	unsigned long limit_kb = doctor->limits.memlock / 1024;
	struct doctor_finding *finding;
	unsigned long need_kb;

	if (doctor->limits.memlock_exempt ||
	    doctor->limits.memlock == ULONG_MAX)
		return;
	/* one page more: a buffer may start inside a page */
	need_kb = (doctor->memory / 1024) + (DOCTOR_QUEUES_BYTES / 1024) + 4;
	if (limit_kb < need_kb) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_MEMLOCK_LOW, NULL, 0,
			"This process may lock %lu kB of memory. To register "
			"%lu kB and create queues it needs %lu kB; otherwise "
			"calls fail with ENOMEM.",
			limit_kb, doctor->memory / 1024, need_kb);
		doctor_limits_add_memlock_fixes(doctor, finding, need_kb);
	} else if (doctor->limits.memlock < DOCTOR_LARGE_MEMLOCK_BYTES) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_MEMLOCK_LIMITED, NULL, 0,
			"This process may lock %lu kB of memory. Programs that "
			"register more (MPI, NCCL, storage) fail with ENOMEM.",
			limit_kb);
		doctor_limits_add_memlock_fixes(doctor, finding,
						ULONG_MAX / 1024);
	}
}

static void doctor_limits_check_nofile(struct doctor *doctor)
{
	struct doctor_finding *finding;

	if (doctor->limits.nofile >= DOCTOR_MIN_NOFILE)
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NOFILE_LOW, NULL, 0,
		"This process may open %lu files. Each device, completion "
		"channel and connection needs one.",
		doctor->limits.nofile);
	if (doctor->limits.nofile_max >= 1024)
		doctor_finding_add_fix(finding, "ulimit -n 1024");
	else
		doctor_finding_add_fix(finding,
				       "echo '* - nofile 65536' > "
				       "/etc/security/limits.d/nofile.conf");
}

/* User-space devices lock no memory. */
void doctor_check_limits(struct doctor *doctor)
{
	bool in_kernel = false;

	for (size_t i = 0; i < doctor->nr_devices; i++)
		in_kernel |= doctor->devices[i].selected &&
			     doctor->devices[i].in_kernel;
	if (in_kernel)
		doctor_limits_check_memlock(doctor);
	doctor_limits_check_nofile(doctor);
}
