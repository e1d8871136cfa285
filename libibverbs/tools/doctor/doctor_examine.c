/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs the fact collection and the checks in their order. Determines whether
 * the program runs in a container, because some fixes must then be applied on
 * the host.
 */
#include <string.h>

#include "tools/doctor/doctor.h"

static bool doctor_match_container(void *arg, char *line)
{
	static const char *const words[] = { "docker", "kubepods", "containerd",
					     "libpod", "lxc" };
	bool *found = arg;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*found |= strstr(line, words[i]) != NULL;
	return true;
}

static bool doctor_is_container(const struct doctor_system *system)
{
	bool found = false;

	if (doctor_system_exists(system, "/.dockerenv") ||
	    doctor_system_exists(system, "/run/.containerenv") ||
	    doctor_system_exists(system, "/run/systemd/container"))
		return true;
	(void)doctor_system_for_each_line(system, doctor_match_container,
					  &found, "/proc/self/cgroup");
	return found;
}

void doctor_examine(struct doctor *doctor)
{
	doctor->in_container = doctor_is_container(&doctor->system);
	doctor_read_devices(doctor);
	doctor_read_limits(doctor);
	doctor_query_library(doctor);

	doctor_check_library(doctor);
	doctor_check_environment(doctor);
	doctor_check_kernel(doctor);
	doctor_check_pci(doctor);
	doctor_check_nodes(doctor);
	doctor_check_cm(doctor);
	doctor_check_providers(doctor);
	doctor_check_limits(doctor);
	doctor_check_cgroup(doctor);
	doctor_check_ports(doctor);
	doctor_check_unexplained(doctor);
	doctor_check_run(doctor);
	doctor_findings_sort(&doctor->findings);
}
