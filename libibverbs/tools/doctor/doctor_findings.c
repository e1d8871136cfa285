/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of all kinds of findings, and the list of detected findings. */
#include "tools/doctor/doctor_findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

#define KIND(name, severity, summary)            \
	{                                        \
		name, DOCTOR_##severity, summary \
	}

/* Scripts may use the identifiers. Never change or reuse one. */
const struct doctor_kind doctor_kinds[DOCTOR_NR_IDS] = {
	[DOCTOR_KERNEL_NO_RDMA] =
		KIND("kernel-no-rdma", ERROR, "the kernel has no RDMA"),
	[DOCTOR_MODULE_NOT_LOADED] =
		KIND("module-not-loaded", ERROR,
		     "the kernel's module for programs is not loaded"),
	[DOCTOR_KERNEL_ABI] =
		KIND("kernel-abi", ERROR,
		     "the kernel's interface has another version"),
	[DOCTOR_SYSFS_MISSING] =
		KIND("sysfs-missing", ERROR, "sysfs is not there"),
	[DOCTOR_NO_DEVICE] =
		KIND("no-device", ERROR, "the kernel has no RDMA device"),
	[DOCTOR_NETNS_EXCLUSIVE] =
		KIND("netns-exclusive", ERROR,
		     "a device belongs to another network namespace"),
	[DOCTOR_PCI_RDMA_MODULE] =
		KIND("pci-rdma-module", WARNING,
		     "an adapter lacks the RDMA half of its driver"),
	[DOCTOR_PCI_NO_DRIVER] =
		KIND("pci-no-driver", WARNING, "an adapter has no driver"),
	[DOCTOR_NODES_NO_FOLDER] =
		KIND("nodes-no-folder", ERROR, "there is no /dev/infiniband"),
	[DOCTOR_NODE_MISSING] =
		KIND("node-missing", ERROR, "a device has no node"),
	[DOCTOR_NODE_FORBIDDEN] =
		KIND("node-forbidden", ERROR,
		     "the permissions of a node exclude this user"),
	[DOCTOR_NODE_CGROUP] =
		KIND("node-cgroup", ERROR,
		     "a container or service may not use a node"),
	[DOCTOR_NODE_WRONG] =
		KIND("node-wrong", ERROR, "a node is not that of its device"),
	[DOCTOR_NODE_DEAD] =
		KIND("node-dead", ERROR, "no device answers behind a node"),
	[DOCTOR_CM_NODE_MISSING] = KIND("cm-node-missing", NOTE,
					"connection managers have no node"),
	[DOCTOR_PROVIDER_MISSING] =
		KIND("provider-missing", ERROR,
		     "no provider for a device is installed"),
	[DOCTOR_PROVIDER_RELEASE] = KIND("provider-release", ERROR,
					 "a provider is of another release"),
	[DOCTOR_PROVIDER_NOT_CONFIGURED] =
		KIND("provider-not-configured", ERROR,
		     "a provider is installed but not configured"),
	[DOCTOR_PROVIDER_ABI] =
		KIND("provider-abi", ERROR,
		     "a provider does not know the kernel driver's version"),
	[DOCTOR_PROVIDER_BROKEN] =
		KIND("provider-broken", ERROR,
		     "a provider cannot be loaded, or refuses its device"),
	[DOCTOR_DRIVER_FILE_STALE] =
		KIND("driver-file-stale", NOTE,
		     "a driver file names a provider that is not there"),
	[DOCTOR_LIBRARY_OTHER] = KIND("library-other", WARNING,
				      "programs run with another libibverbs"),
	[DOCTOR_LIBRARY_SEVERAL] = KIND("library-several", NOTE,
					"there is more than one libibverbs"),
	[DOCTOR_LIBRARY_CRASHED] = KIND("library-crashed", ERROR,
					"the library, or a provider, crashes"),
	[DOCTOR_LIST_FAILED] =
		KIND("list-failed", ERROR, "devices cannot be listed"),
	[DOCTOR_OPEN_FAILED] =
		KIND("open-failed", ERROR, "a device cannot be opened"),
	[DOCTOR_QUERY_FAILED] =
		KIND("query-failed", ERROR, "a device does not answer"),
	[DOCTOR_OBJECT_FAILED] =
		KIND("object-failed", ERROR,
		     "an object that every program needs cannot be made"),
	[DOCTOR_MEMLOCK_LOW] = KIND("memlock-low", ERROR,
				    "the limit of locked memory is too low"),
	[DOCTOR_MEMLOCK_LIMITED] =
		KIND("memlock-limited", NOTE,
		     "large programs need more locked memory"),
	[DOCTOR_NOFILE_LOW] = KIND("nofile-low", WARNING,
				   "the limit of open files is too low"),
	[DOCTOR_CGROUP_RDMA] = KIND("cgroup-rdma", ERROR,
				    "a control group has no RDMA objects left"),
	[DOCTOR_PORT_DOWN] = KIND("port-down", ERROR, "a port is down"),
	[DOCTOR_PORT_NO_SM] =
		KIND("port-no-sm", ERROR, "a port waits for a subnet manager"),
	[DOCTOR_GID_NONE] = KIND("gid-none", ERROR, "a port has no address"),
	[DOCTOR_GID_LINK_LOCAL] =
		KIND("gid-link-local", WARNING,
		     "a port has no address that can be routed"),
	[DOCTOR_GID_V1_ONLY] =
		KIND("gid-v1-only", WARNING, "a port has no RoCE v2"),
	[DOCTOR_GID_HOLES] =
		KIND("gid-holes", NOTE, "a table of addresses has holes"),
	[DOCTOR_GID_INDEX] =
		KIND("gid-index", NOTE,
		     "programs should use another GID index than 0"),
	[DOCTOR_ENV_SYSFS_PATH] =
		KIND("env-sysfs-path", NOTE,
		     "SYSFS_PATH puts another tree in the place of /sys"),
	[DOCTOR_ENV_DRIVER_MISSING] =
		KIND("env-driver-missing", WARNING,
		     "a variable names a provider that is not there"),
	[DOCTOR_ENV_IGNORED] =
		KIND("env-ignored", NOTE, "a variable has no effect"),
	[DOCTOR_ENV_UNKNOWN] =
		KIND("env-unknown", NOTE, "no library knows a variable"),
	[DOCTOR_UROCE_INTERFACE] = KIND(
		"uroce-interface", WARNING,
		"UROCE_DEVICES names an interface that is not there or down"),
	[DOCTOR_UROCE_PORT_TAKEN] =
		KIND("uroce-port-taken", ERROR,
		     "somebody else has the UDP port of a device"),
	[DOCTOR_UROCE_AVAILABLE] =
		KIND("uroce-available", NOTE,
		     "a device in user space would work here"),
	[DOCTOR_DEVICE_UNKNOWN] =
		KIND("device-unknown", ERROR, "no device has that name"),
	[DOCTOR_UNEXPLAINED] =
		KIND("unexplained", ERROR,
		     "a device cannot be used, for an unknown reason"),
};

const char *doctor_severity_name(enum doctor_severity severity)
{
	static const char *const names[] = {
		[DOCTOR_NOTE] = "note",
		[DOCTOR_WARNING] = "warning",
		[DOCTOR_ERROR] = "error",
	};

	return names[severity];
}

struct doctor_finding *doctor_finding_add(struct doctor_findings *findings,
					  enum doctor_id id, const char *device,
					  unsigned int port, const char *fmt,
					  ...)
{
	struct doctor_finding *list, *finding;
	va_list args;

	list = reallocarray(findings->list, findings->count + 1,
			    sizeof(*findings->list));
	if (!list)
		doctor_exit_no_memory();
	findings->list = list;
	finding = &list[findings->count++];
	*finding = (struct doctor_finding){
		.id = id,
		.severity = doctor_kinds[id].severity,
		.port = port,
	};
	if (device)
		(void)snprintf(finding->device, sizeof(finding->device), "%s",
			       device);
	va_start(args, fmt);
	(void)vsnprintf(finding->text, sizeof(finding->text), fmt, args);
	va_end(args);
	doctor_make_ascii(finding->text);
	return finding;
}

void doctor_finding_add_fix(struct doctor_finding *finding, const char *fmt,
			    ...)
{
	char *cure;
	va_list args;

	if (finding->nr_fixes >= DOCTOR_MAX_FIXES)
		return;
	cure = finding->fixes[finding->nr_fixes++];
	va_start(args, fmt);
	(void)vsnprintf(cure, DOCTOR_FIX_LEN, fmt, args);
	va_end(args);
	doctor_make_ascii(cure);
}

void doctor_finding_set_reason(struct doctor_finding *finding, const char *text)
{
	finding->has_reason = true;
	(void)snprintf(finding->reason, sizeof(finding->reason), "%s", text);
	doctor_make_ascii(finding->reason);
}

bool doctor_has_finding(const struct doctor_findings *findings,
			enum doctor_id id, const char *device)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct doctor_finding *finding = &findings->list[i];

		if (finding->id == id &&
		    (!device || strcmp(finding->device, device) == 0))
			return true;
	}
	return false;
}

bool doctor_has_error(const struct doctor_findings *findings,
		      const char *device)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct doctor_finding *finding = &findings->list[i];

		if (finding->severity == DOCTOR_ERROR &&
		    (!device || strcmp(finding->device, device) == 0))
			return true;
	}
	return false;
}

void doctor_findings_sort(struct doctor_findings *findings)
{
	/* Insertion sort is stable, and there are few findings. */
	for (size_t i = 1; i < findings->count; i++) {
		struct doctor_finding moved = findings->list[i];
		size_t k = i;

		for (; k > 0 && findings->list[k - 1].severity < moved.severity;
		     k--)
			findings->list[k] = findings->list[k - 1];
		findings->list[k] = moved;
	}
}
