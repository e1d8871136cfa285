/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the findings that depend on all others: a selected device or port that
 * does not exist, failures that no other finding explains, and the offer of a
 * user-space device. After this check, every unusable device has at least one
 * error.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor.h"

#define DOCTOR_LOG_COMMAND \
	"VERBS_LOG_LEVEL=4 VERBS_LOG_FILE=/tmp/verbs.log ibv_devinfo"

static void doctor_check_list_failed(struct doctor *doctor)
{
	struct doctor_finding *finding;

	if (!doctor->library.list_error ||
	    doctor_has_error(&doctor->findings, NULL))
		return;
	finding = doctor_finding_add(&doctor->findings, DOCTOR_LIST_FAILED,
				     NULL, 0,
				     "The library cannot list devices: %s.",
				     strerror(doctor->library.list_error));
	if (doctor->library.list_error == EPERM)
		doctor_finding_add_fix(finding,
				       "grep Seccomp: /proc/self/status   # 2: "
				       "a filter is active");
	doctor_finding_add_fix(finding, DOCTOR_LOG_COMMAND);
}

/* Joins the device names that fit into @buf. */
static void doctor_join_device_names(const struct doctor *doctor, char *buf,
				     size_t size)
{
	size_t used = 0;

	(void)snprintf(buf, size, "none");
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const char *name = doctor->devices[i].name;

		if (strcmp(name, doctor->only_device) == 0)
			continue;
		if (used + strlen(name) + 3 > size)
			return;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used > 0 ? ", " : "", name);
	}
}

static void doctor_check_device_name(struct doctor *doctor)
{
	struct doctor_finding *finding;
	char names[512];

	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].selected)
			return;
	doctor_join_device_names(doctor, names, sizeof(names));
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_DEVICE_UNKNOWN, doctor->only_device,
		0, "No device has this name. Available devices: %s.", names);
	doctor_finding_add_fix(finding, "ibv_devices");
}

static void doctor_check_unusable_devices(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];
		struct doctor_finding *finding;

		if (!device->selected || device->usable ||
		    doctor_has_error(&doctor->findings, device->name) ||
		    doctor_has_finding(&doctor->findings, DOCTOR_MEMLOCK_LOW,
				       NULL) ||
		    doctor_has_finding(&doctor->findings,
				       DOCTOR_NODES_NO_FOLDER, NULL) ||
		    doctor_has_finding(&doctor->findings,
				       DOCTOR_MODULE_NOT_LOADED, NULL) ||
		    doctor->library.crash_signal)
			continue;
		if (doctor->only_port > device->nr_ports && device->nr_ports) {
			finding = doctor_finding_add(
				&doctor->findings, DOCTOR_UNEXPLAINED,
				device->name, doctor->only_port,
				"The device has no such port; its last port is "
				"%zu.",
				device->nr_ports);
			doctor_finding_add_fix(finding, "ibv_devinfo -d %s",
					       device->name);
			continue;
		}
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_UNEXPLAINED, device->name, 0,
			"The device is unusable for an unknown reason. See the "
			"log of the library.");
		if (*doctor->library.messages)
			doctor_finding_set_reason(finding,
						  doctor->library.messages);
		doctor_finding_add_fix(finding, DOCTOR_LOG_COMMAND);
	}
}

void doctor_check_unexplained(struct doctor *doctor)
{
	struct doctor_finding *finding;

	doctor_check_list_failed(doctor);
	if (doctor->only_device)
		doctor_check_device_name(doctor);
	doctor_check_unusable_devices(doctor);
	if (!doctor_any_usable(doctor) &&
	    !doctor_has_error(&doctor->findings, NULL)) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_UNEXPLAINED, NULL, 0,
			"There is no device, for an unknown reason. See the "
			"log of the library.");
		doctor_finding_add_fix(finding, DOCTOR_LOG_COMMAND);
	}
	if (doctor->library.uroce_works && !doctor->only_device) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_UROCE_AVAILABLE, NULL, 0,
			"The library can create a user-space RoCE device on a "
			"network interface of this host, without a kernel "
			"driver. A test of this device succeeded.");
		doctor_finding_add_fix(finding,
				       "UROCE_DEVICES=auto ibv_devinfo");
	}
}
