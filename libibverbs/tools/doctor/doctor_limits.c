/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of the process: how much memory it may lock, which is what registering
 * memory for a device of the kernel does, and how many files it may open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tools/doctor/doctor.h"

/* A device open takes a handful of descriptors; so do sockets of peers. */
#define ENOUGH_FILES 256

/* What programs that move much data need at least. */
#define MUCH_MEMORY (64ul * 1024 * 1024)

#define CAP_IPC_LOCK_BIT 14

static unsigned long number_of(rlim_t limit)
{
	return limit == RLIM_INFINITY || limit > ULONG_MAX
		       ? ULONG_MAX
		       : (unsigned long)limit;
}

static bool find_capability(void *arg, char *line)
{
	bool *found = arg;

	if (strncmp(line, "CapEff:", 7) == 0)
		*found = strtoull(line + 7, NULL, 16) >> CAP_IPC_LOCK_BIT & 1;
	return true;
}

/* The kernel asks for the capability in its first user namespace only. */
static bool is_in_first_userns(const struct doctor *doctor)
{
	unsigned long inside, outside, count;
	char map[128];

	if (doctor_world_read(&doctor->world, map, sizeof(map),
			      "/proc/self/uid_map"))
		return true; /* a kernel without such namespaces */
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
		limits->memlock = number_of(limit.rlim_cur);
		limits->memlock_max = number_of(limit.rlim_max);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limits->nofile = number_of(limit.rlim_cur);
		limits->nofile_max = number_of(limit.rlim_max);
	}
	(void)doctor_world_lines(&doctor->world, find_capability, &capable,
				 "/proc/self/status");
	limits->may_lock = capable && is_in_first_userns(doctor);
}

/* ------------------------------------------------------------------------ */

static void cure_memlock(const struct doctor *doctor,
			 struct doctor_finding *finding, unsigned long need_kb)
{
	if (doctor->limits.memlock_max == ULONG_MAX)
		doctor_cure(finding, "ulimit -l unlimited");
	else if (doctor->limits.memlock_max / 1024 >= need_kb)
		doctor_cure(finding, "ulimit -l %lu", need_kb);
	if (doctor->in_container)
		doctor_cure(
			finding,
			"docker run --ulimit memlock=-1 ...   # on the host");
	doctor_cure(finding, "echo '* - memlock unlimited' > "
			     "/etc/security/limits.d/rdma.conf");
	doctor_cure(finding, "systemctl edit UNIT   "
			     "# [Service] LimitMEMLOCK=infinity");
}

static void check_memlock(struct doctor *doctor)
{
	unsigned long limit_kb = doctor->limits.memlock / 1024;
	struct doctor_finding *finding;
	unsigned long need_kb;

	if (doctor->limits.may_lock || doctor->limits.memlock == ULONG_MAX)
		return;
	/* + 1: a buffer need not begin with a page */
	need_kb = (doctor->memory / 1024) + (DOCTOR_QUEUES_BYTES / 1024) + 4;
	if (limit_kb < need_kb) {
		finding = doctor_add(
			&doctor->findings, DOCTOR_MEMLOCK_LOW, NULL, 0,
			"This process may lock %lu kB of memory; to register "
			"%lu kB it needs %lu kB, with the queues. Without, "
			"calls fail with ENOMEM.",
			limit_kb, doctor->memory / 1024, need_kb);
		cure_memlock(doctor, finding, need_kb);
	} else if (doctor->limits.memlock < MUCH_MEMORY) {
		finding = doctor_add(
			&doctor->findings, DOCTOR_MEMLOCK_LIMITED, NULL, 0,
			"This process may lock %lu kB of memory. Programs that "
			"register more (MPI, NCCL, storage) fail with ENOMEM.",
			limit_kb);
		cure_memlock(doctor, finding, ULONG_MAX / 1024);
	}
}

static void check_nofile(struct doctor *doctor)
{
	struct doctor_finding *finding;

	if (doctor->limits.nofile >= ENOUGH_FILES)
		return;
	finding =
		doctor_add(&doctor->findings, DOCTOR_NOFILE_LOW, NULL, 0,
			   "This process may open %lu files. A device, a "
			   "completion channel and a connection take one each.",
			   doctor->limits.nofile);
	if (doctor->limits.nofile_max >= 1024)
		doctor_cure(finding, "ulimit -n 1024");
	else
		doctor_cure(finding, "echo '* - nofile 65536' > "
				     "/etc/security/limits.d/nofile.conf");
}

/* Devices in user space lock no memory. */
void doctor_check_limits(struct doctor *doctor)
{
	bool in_kernel = false;

	for (size_t i = 0; i < doctor->nr_devices; i++)
		in_kernel |= doctor->devices[i].selected &&
			     doctor->devices[i].in_kernel;
	if (in_kernel)
		check_memlock(doctor);
	check_nofile(doctor);
}
