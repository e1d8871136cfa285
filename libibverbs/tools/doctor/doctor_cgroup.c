/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the RDMA controller of control groups, which limits the contexts and
 * objects of a device for the control group of the process and for each
 * ancestor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* The values for one device in rdma.max or rdma.current. */
struct cgroup_amounts {
	const char *device;
	unsigned long handles, objects; /* ULONG_MAX: "max", or absent */
};

static unsigned long doctor_cgroup_parse_amount(const char *line,
						const char *key)
{
	const char *value = strstr(line, key);

	if (!value)
		return ULONG_MAX;
	value += strlen(key);
	if (*value < '0' || *value > '9')
		return ULONG_MAX;
	return strtoul(value, NULL, 10);
}

/* "mlx5_0 hca_handle=2 hca_object=2000" */
static bool doctor_cgroup_read_amounts(void *arg, char *line)
{
	struct cgroup_amounts *amounts = arg;
	size_t len = strlen(amounts->device);

	if (strncmp(line, amounts->device, len) != 0 || line[len] != ' ')
		return true;
	amounts->handles = doctor_cgroup_parse_amount(line, " hca_handle=");
	amounts->objects = doctor_cgroup_parse_amount(line, " hca_object=");
	return false;
}

static void doctor_cgroup_check_group(struct doctor *doctor, const char *device,
				      const char *folder)
{
	struct cgroup_amounts max = { device, ULONG_MAX, ULONG_MAX };
	struct cgroup_amounts used = { device, 0, 0 };
	struct doctor_finding *finding;
	bool handles;

	if (doctor_system_for_each_line(&doctor->system,
					doctor_cgroup_read_amounts, &max,
					"%s/rdma.max", folder))
		return;
	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_cgroup_read_amounts, &used,
					  "%s/rdma.current", folder);
	handles = max.handles != ULONG_MAX && used.handles >= max.handles;
	if (!handles &&
	    (max.objects == ULONG_MAX || used.objects < max.objects))
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CGROUP_RDMA, device, 0,
		"The control group %s has used %lu of its %lu %s of this "
		"device.",
		folder, handles ? used.handles : used.objects,
		handles ? max.handles : max.objects,
		handles ? "open contexts (hca_handle)"
			: "objects (hca_object)");
	doctor_finding_add_fix(
		finding,
		"echo '%s hca_handle=max hca_object=max' > %s/rdma.max", device,
		folder);
}

/* Checks the control group of the process, then its ancestors. */
static void doctor_cgroup_check_device(struct doctor *doctor,
				       const char *device, const char *mount,
				       const char *group)
{
	char path[PATH_MAX], folder[2 * PATH_MAX];
	char *slash;

	(void)snprintf(path, sizeof(path), "%s", group);
	do {
		(void)snprintf(folder, sizeof(folder), "%s%s", mount,
			       strcmp(path, "/") == 0 ? "" : path);
		doctor_cgroup_check_group(doctor, device, folder);
		if (doctor_has_finding(&doctor->findings, DOCTOR_CGROUP_RDMA,
				       device))
			return;
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

/*
 * Location of the RDMA controller: in the unified hierarchy (v2), or in a
 * hierarchy of its own (v1).
 */
struct cgroup_place {
	char mount[32];
	char group[PATH_MAX];
};

static bool doctor_cgroup_read_place(void *arg, char *line)
{
	struct cgroup_place *place = arg;
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	bool own;

	if (!group)
		return true;
	*group++ = '\0';
	own = strcmp(controllers, ":rdma") == 0;
	if (!own && controllers[1] != '\0')
		return true;
	(void)snprintf(place->mount, sizeof(place->mount), "/sys/fs/cgroup%s",
		       own ? "/rdma" : "");
	(void)snprintf(place->group, sizeof(place->group), "%s", group);
	return !own;
}

void doctor_check_cgroup(struct doctor *doctor)
{
	struct cgroup_place place = {};

	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_cgroup_read_place, &place,
					  "/proc/self/cgroup");
	if (*place.group != '/')
		return;
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->selected && device->in_kernel)
			doctor_cgroup_check_device(doctor, device->name,
						   place.mount, place.group);
	}
}
