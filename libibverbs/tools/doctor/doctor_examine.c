/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of facts and checks, and whether this is a container, which decides
 * where a command has to be run.
 */
#include <string.h>

#include "tools/doctor/doctor.h"

static bool names_container(void *arg, char *line)
{
	static const char *const words[] = { "docker", "kubepods", "containerd",
					     "libpod", "lxc" };
	bool *found = arg;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*found |= strstr(line, words[i]) != NULL;
	return true;
}

static bool is_container(const struct doctor_world *world)
{
	bool found = false;

	if (doctor_world_exists(world, "/.dockerenv") ||
	    doctor_world_exists(world, "/run/.containerenv") ||
	    doctor_world_exists(world, "/run/systemd/container"))
		return true;
	(void)doctor_world_lines(world, names_container, &found,
				 "/proc/self/cgroup");
	return found;
}

void doctor_examine(struct doctor *doctor)
{
	doctor->in_container = is_container(&doctor->world);
	doctor_read_devices(doctor);
	doctor_read_limits(doctor);
	doctor_ask_library(doctor);

	doctor_check_library(doctor);
	doctor_check_environment(doctor);
	doctor_check_kernel(doctor);
	doctor_check_pci(doctor);
	doctor_check_nodes(doctor);
	doctor_check_providers(doctor);
	doctor_check_limits(doctor);
	doctor_check_cgroup(doctor);
	doctor_check_ports(doctor);
	doctor_check_rest(doctor);
	doctor_sort(&doctor->findings);
}
