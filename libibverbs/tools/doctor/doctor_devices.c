/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the devices that sysfs lists, usable or not, and manages the list of
 * devices that the other files add their facts to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sysexits.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

void doctor_exit_no_memory(void)
{
	static const char text[] = "ibv_doctor: out of memory\n";

	/* ignore a write error: there is no other way to report it */
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EX_OSERR);
}

struct doctor_device *doctor_device_get(struct doctor *doctor, const char *name)
{
	struct doctor_device *devices, *device;

	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (strcmp(doctor->devices[i].name, name) == 0)
			return &doctor->devices[i];

	devices = reallocarray(doctor->devices, doctor->nr_devices + 1,
			       sizeof(*devices));
	if (!devices)
		doctor_exit_no_memory();
	doctor->devices = devices;
	device = &devices[doctor->nr_devices++];
	*device = (struct doctor_device){};
	(void)snprintf(device->name, sizeof(device->name), "%s", name);
	doctor_make_ascii(device->name);
	device->selected = !doctor->only_device ||
			   strcmp(doctor->only_device, name) == 0;
	return device;
}

void doctor_free(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		struct doctor_device *device = &doctor->devices[i];

		for (size_t k = 0; k < device->nr_ports; k++)
			free(device->ports[k].gids);
		free(device->ports);
	}
	free(doctor->devices);
	free(doctor->findings.list);
}

dev_t doctor_parse_dev_number(const char *text)
{
	unsigned int major_nr, minor_nr;
	char end;

	if (sscanf(text, "%4u:%7u%c", &major_nr, &minor_nr, &end) != 2)
		return 0;
	return makedev(major_nr, minor_nr);
}

static void doctor_read_uverbs_device(struct doctor *doctor, const char *uverbs)
{
	const struct doctor_system *system = &doctor->system;
	struct doctor_device *device;
	char text[IBV_SYSFS_NAME_MAX];

	/* fails for entries that are not devices, e.g. abi_version */
	if (doctor_system_read(system, text, sizeof(text),
			       "/sys/class/infiniband_verbs/%s/ibdev",
			       uverbs) ||
	    !*text)
		return;
	device = doctor_device_get(doctor, text);
	device->in_kernel = true;
	(void)snprintf(device->uverbs, sizeof(device->uverbs), "%s", uverbs);
	doctor_make_ascii(device->uverbs);
	if (doctor_system_read(system, text, sizeof(text),
			       "/sys/class/infiniband_verbs/%s/dev",
			       uverbs) == 0)
		device->cdev = doctor_parse_dev_number(text);
}

void doctor_read_devices(struct doctor *doctor)
{
	struct doctor_dir_list names;

	doctor_system_list(&doctor->system, &names,
			   "/sys/class/infiniband_verbs");
	for (int i = 0; i < names.count; i++)
		doctor_read_uverbs_device(doctor, names.entries[i]->d_name);
	doctor_dir_list_free(&names);

	/* without ib_uverbs, devices are listed only here */
	doctor_system_list(&doctor->system, &names, "/sys/class/infiniband");
	for (int i = 0; i < names.count; i++) {
		const char *name = names.entries[i]->d_name;

		if (strlen(name) < IBV_SYSFS_NAME_MAX)
			doctor_device_get(doctor, name)->in_kernel = true;
	}
	doctor_dir_list_free(&names);
}

bool doctor_any_usable(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].selected && doctor->devices[i].usable)
			return true;
	return false;
}
