/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the kernel: RDMA support, the module ib_uverbs, the version of the
 * uverbs ABI, and whether there is a device.
 */
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* Versions of the uverbs ABI that the library supports. */
#define DOCTOR_MIN_KERNEL_ABI 3
#define DOCTOR_MAX_KERNEL_ABI 6

static bool doctor_kernel_has_device(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].in_kernel)
			return true;
	return false;
}

static bool doctor_user_space_has_device(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].listed && !doctor->devices[i].in_kernel)
			return true;
	return false;
}

static void doctor_kernel_add_no_rdma(struct doctor *doctor,
				      const char *release)
{
	struct doctor_finding *finding;

	if (!doctor_system_exists(&doctor->system, "/lib/modules/%s",
				  release)) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_KERNEL_NO_RDMA, NULL, 0,
			"The running kernel %s has no RDMA support, and its "
			"modules are not visible. Load the module ib_uverbs%s "
			"if the kernel has it.",
			release,
			doctor->in_container ? " on the host of this container"
					     : "");
		doctor_finding_add_fix(finding, "modprobe ib_uverbs");
		return;
	}
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_KERNEL_NO_RDMA, NULL, 0,
		"The running kernel %s has no RDMA support: the module "
		"ib_uverbs is not installed. Cloud kernels often have it in an "
		"additional package.",
		release);
	doctor_finding_add_install(doctor, finding,
				   "linux-modules-extra-$(uname -r)",
				   "kernel-modules-$(uname -r)");
	doctor_finding_add_install(
		doctor, finding, "linux-image-amd64   # on Debian, then reboot",
		"kernel   # then reboot");
}

static void doctor_kernel_check_module(struct doctor *doctor)
{
	struct doctor_finding *finding;
	char release[128];

	if (doctor_read_release(doctor, release, sizeof(release)))
		(void)snprintf(release, sizeof(release), "unknown");
	if (!doctor_has_kernel_module(doctor, "ib_uverbs") &&
	    !doctor_kernel_has_device(doctor)) {
		doctor_kernel_add_no_rdma(doctor, release);
		return;
	}
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_MODULE_NOT_LOADED, NULL, 0,
		"The kernel module ib_uverbs, which programs need for RDMA, is "
		"not loaded.%s",
		doctor->in_container ? " Load it on the host of this container."
				     : "");
	doctor_finding_add_fix(finding, "modprobe ib_uverbs");
	if (!doctor->in_container)
		doctor_finding_add_fix(finding,
				       "echo ib_uverbs > "
				       "/etc/modules-load.d/rdma.conf");
}

static void doctor_kernel_check_abi(struct doctor *doctor)
{
	struct doctor_finding *finding;
	unsigned long abi;

	if (doctor_system_read_number(
		    &doctor->system, &abi,
		    "/sys/class/infiniband_verbs/abi_version") ||
	    (abi >= DOCTOR_MIN_KERNEL_ABI && abi <= DOCTOR_MAX_KERNEL_ABI))
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_KERNEL_ABI, NULL, 0,
		"The kernel's uverbs ABI has version %lu; the library supports "
		"versions %d to %d. The %s is too old.",
		abi, DOCTOR_MIN_KERNEL_ABI, DOCTOR_MAX_KERNEL_ABI,
		abi < DOCTOR_MIN_KERNEL_ABI ? "kernel" : "library");
	if (abi < DOCTOR_MIN_KERNEL_ABI)
		doctor_finding_add_install(doctor, finding, "linux-image-amd64",
					   "kernel");
	else
		doctor_finding_add_install(doctor, finding, "libibverbs1",
					   "libibverbs");
}

bool doctor_netns_is_exclusive(const struct doctor *doctor)
{
	char mode[8];

	return doctor_system_read(
		       &doctor->system, mode, sizeof(mode),
		       "/sys/module/ib_core/parameters/netns_mode") == 0 &&
	       *mode == 'N';
}

void doctor_add_netns_exclusive(struct doctor *doctor, const char *device)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NETNS_EXCLUSIVE, device, 0,
		"The kernel assigns each RDMA device to one network namespace, "
		"and %s. In the initial network namespace, move a device to "
		"this one, or share the devices among all namespaces.",
		device ? "this device belongs to another one"
		       : "this one has no device");
	doctor_finding_add_fix(finding, "rdma dev set %s netns NAME_OR_PID",
			       device ? device : "DEVICE");
	doctor_finding_add_fix(finding, "rdma system set netns shared");
}

static void doctor_kernel_add_no_device(struct doctor *doctor)
{
	struct doctor_finding *finding;
	char netdev[16 + 1] = "eth0";

	if (doctor_netns_is_exclusive(doctor)) {
		doctor_add_netns_exclusive(doctor, NULL);
		return;
	}
	/* without an interface that is up, the fixes use eth0 as an example */
	(void)doctor_netdev_find_up(doctor, netdev);
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NO_DEVICE, NULL, 0,
		"The kernel supports RDMA, but has no RDMA device: there is "
		"neither an adapter with a loaded driver, nor a soft-RoCE or "
		"soft-iWARP device.");
	if (doctor_has_kernel_module(doctor, "rdma_rxe"))
		doctor_finding_add_fix(finding,
				       "rdma link add rxe0 type rxe netdev %s",
				       netdev);
	if (doctor_has_kernel_module(doctor, "siw"))
		doctor_finding_add_fix(finding,
				       "rdma link add siw0 type siw netdev %s",
				       netdev);
	if (finding->nr_fixes == 0)
		doctor_finding_add_fix(finding,
				       "lspci -nnk   # look for an adapter");
}

/*
 * A user-space device needs no kernel support, so these checks are skipped if
 * there is one.
 */
void doctor_check_kernel(struct doctor *doctor)
{
	const struct doctor_system *system = &doctor->system;
	struct doctor_finding *finding;

	if (doctor_system_exists(system, "/sys/class/infiniband_verbs")) {
		doctor_kernel_check_abi(doctor);
		if (!doctor_kernel_has_device(doctor) &&
		    !doctor_user_space_has_device(doctor))
			doctor_kernel_add_no_device(doctor);
		return;
	}
	if (doctor_user_space_has_device(doctor))
		return;
	if (doctor_system_exists(system, "/sys/class")) {
		doctor_kernel_check_module(doctor);
		return;
	}
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_SYSFS_MISSING, NULL, 0,
		"There is no sysfs at %s, so the library cannot find devices.",
		system->sysfs);
	if (strcmp(system->sysfs, "/sys") != 0)
		doctor_finding_add_fix(finding, "unset SYSFS_PATH");
	else
		doctor_finding_add_fix(finding, "mount -t sysfs sysfs /sys");
}
