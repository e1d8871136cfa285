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
		KIND("kernel-no-rdma", ERROR, "the kernel has no RDMA support"),
	[DOCTOR_MODULE_NOT_LOADED] =
		KIND("module-not-loaded", ERROR,
		     "the kernel module ib_uverbs is not loaded"),
	[DOCTOR_KERNEL_ABI] =
		KIND("kernel-abi", ERROR,
		     "the library does not support the kernel's uverbs ABI"),
	[DOCTOR_SYSFS_MISSING] =
		KIND("sysfs-missing", ERROR,
		     "sysfs is not mounted, or SYSFS_PATH is wrong"),
	[DOCTOR_NO_DEVICE] =
		KIND("no-device", ERROR, "the kernel has no RDMA device"),
	[DOCTOR_NETNS_EXCLUSIVE] =
		KIND("netns-exclusive", ERROR,
		     "a device belongs to another network namespace"),
	[DOCTOR_PCI_RDMA_MODULE] =
		KIND("pci-rdma-module", WARNING,
		     "the RDMA module of an adapter is not loaded"),
	[DOCTOR_PCI_NO_DRIVER] =
		KIND("pci-no-driver", WARNING, "an adapter has no driver"),
	[DOCTOR_NODES_NO_FOLDER] =
		KIND("nodes-no-folder", ERROR,
		     "the folder /dev/infiniband does not exist"),
	[DOCTOR_NODES_NO_FOLDER_USER] =
		KIND("nodes-no-folder-user", NOTE,
		     "UCX needs the directory /dev/infiniband"),
	[DOCTOR_NODE_MISSING] =
		KIND("node-missing", ERROR,
		     "the device node of a device does not exist"),
	[DOCTOR_NODE_FORBIDDEN] =
		KIND("node-forbidden", ERROR,
		     "permissions forbid this user to open a device node"),
	[DOCTOR_NODE_CGROUP] =
		KIND("node-cgroup", ERROR,
		     "a control group forbids access to a device node"),
	[DOCTOR_NODE_WRONG] = KIND("node-wrong", ERROR,
				   "a device node belongs to another device"),
	[DOCTOR_NODE_DEAD] =
		KIND("node-dead", ERROR, "a device does not respond"),
	[DOCTOR_CM_NODE_MISSING] =
		KIND("cm-node-missing", NOTE,
		     "the device node rdma_cm does not exist"),
	[DOCTOR_CM_NODE_FORBIDDEN] =
		KIND("cm-node-forbidden", WARNING,
		     "this user cannot open the device node rdma_cm"),
	[DOCTOR_CM_NODE_WRONG] = KIND("cm-node-wrong", WARNING,
				      "the device node rdma_cm does not work"),
	[DOCTOR_CM_LIBRARY] =
		KIND("cm-library", NOTE,
		     "the installed librdmacm does not use uroce"),
	[DOCTOR_UROCE_FIREWALL] = KIND("uroce-firewall", NOTE,
				       "a firewall may drop packets of uroce"),
	[DOCTOR_PROVIDER_MISSING] =
		KIND("provider-missing", ERROR,
		     "no provider for a device is installed"),
	[DOCTOR_PROVIDER_RELEASE] =
		KIND("provider-release", ERROR,
		     "the library cannot load a provider of this release"),
	[DOCTOR_PROVIDER_NOT_CONFIGURED] =
		KIND("provider-not-configured", ERROR,
		     "a provider is installed but not configured"),
	[DOCTOR_PROVIDER_ABI] =
		KIND("provider-abi", ERROR,
		     "a provider does not support the kernel driver's ABI"),
	[DOCTOR_PROVIDER_BROKEN] =
		KIND("provider-broken", ERROR,
		     "a provider cannot be loaded, or rejects its device"),
	[DOCTOR_DRIVER_FILE_STALE] =
		KIND("driver-file-stale", NOTE,
		     "a driver file names a provider that is not installed"),
	[DOCTOR_LIBRARY_OTHER] = KIND("library-other", WARNING,
				      "programs load another libibverbs"),
	[DOCTOR_LIBRARY_SEVERAL] =
		KIND("library-several", NOTE,
		     "more than one libibverbs is installed"),
	[DOCTOR_LIBRARY_CRASHED] = KIND("library-crashed", ERROR,
					"the library or a provider crashes"),
	[DOCTOR_LIST_FAILED] =
		KIND("list-failed", ERROR, "devices cannot be listed"),
	[DOCTOR_OPEN_FAILED] =
		KIND("open-failed", ERROR, "a device cannot be opened"),
	[DOCTOR_QUERY_FAILED] = KIND("query-failed", ERROR,
				     "a device or port cannot be queried"),
	[DOCTOR_OBJECT_FAILED] = KIND("object-failed", ERROR,
				      "a device cannot create a PD, CQ or MR"),
	[DOCTOR_MEMLOCK_LOW] = KIND("memlock-low", ERROR,
				    "the limit of locked memory is too low"),
	[DOCTOR_MEMLOCK_LIMITED] =
		KIND("memlock-limited", NOTE,
		     "large programs need a higher limit of locked memory"),
	[DOCTOR_NOFILE_LOW] = KIND("nofile-low", WARNING,
				   "the limit of open files is too low"),
	[DOCTOR_CGROUP_RDMA] =
		KIND("cgroup-rdma", ERROR,
		     "a control group has used up its RDMA objects"),
	[DOCTOR_PORT_DOWN] = KIND("port-down", ERROR, "a port is down"),
	[DOCTOR_PORT_NO_SM] =
		KIND("port-no-sm", ERROR, "a port waits for a subnet manager"),
	[DOCTOR_GID_NONE] = KIND("gid-none", ERROR, "a port has no GID"),
	[DOCTOR_GID_LINK_LOCAL] = KIND("gid-link-local", WARNING,
				       "a port has only link-local GIDs"),
	[DOCTOR_GID_V1_ONLY] =
		KIND("gid-v1-only", WARNING, "a port has only RoCE v1 GIDs"),
	[DOCTOR_GID_HOLES] =
		KIND("gid-holes", NOTE,
		     "a GID table has unused entries between used ones"),
	[DOCTOR_GID_INDEX] =
		KIND("gid-index", NOTE,
		     "programs should use a GID index other than 0"),
	[DOCTOR_ENV_SYSFS_PATH] =
		KIND("env-sysfs-path", NOTE, "SYSFS_PATH replaces /sys"),
	[DOCTOR_ENV_DRIVER_MISSING] =
		KIND("env-driver-missing", WARNING,
		     "a variable names a provider that is not installed"),
	[DOCTOR_ENV_IGNORED] = KIND("env-ignored", NOTE,
				    "an environment variable has no effect"),
	[DOCTOR_ENV_UNKNOWN] =
		KIND("env-unknown", NOTE, "an environment variable is unknown"),
	[DOCTOR_UROCE_INTERFACE] = KIND(
		"uroce-interface", WARNING,
		"UROCE_DEVICES names an interface that is missing or down"),
	[DOCTOR_UROCE_PORT_TAKEN] = KIND("uroce-port-taken", ERROR,
					 "another process uses UDP port 4791"),
	[DOCTOR_UROCE_AVAILABLE] =
		KIND("uroce-available", NOTE,
		     "a user-space device would work on this host"),
	[DOCTOR_RUN_ENDED] =
		KIND("run-ended", WARNING, "the program of --run failed"),
	[DOCTOR_RUN_FAILURE] = KIND("run-failure", WARNING,
				    "a call or request of the program failed"),
	[DOCTOR_RUN_RULE] =
		KIND("run-rule", WARNING, "the program broke a rule of verbs"),
	[DOCTOR_RUN_DROPPED] =
		KIND("run-dropped", NOTE,
		     "there were more messages about the program"),
	[DOCTOR_RUN_UNOBSERVED] =
		KIND("run-unobserved", WARNING,
		     "the calls of the program were not observed"),
	[DOCTOR_DEVICE_UNKNOWN] =
		KIND("device-unknown", ERROR,
		     "the device of option -d does not exist"),
	[DOCTOR_UNEXPLAINED] =
		KIND("unexplained", ERROR,
		     "a device is unusable for an unknown reason"),
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
	char *fix;
	va_list args;

	if (finding->nr_fixes >= DOCTOR_MAX_FIXES)
		return;
	fix = finding->fixes[finding->nr_fixes++];
	va_start(args, fmt);
	(void)vsnprintf(fix, DOCTOR_FIX_LEN, fmt, args);
	va_end(args);
	doctor_make_ascii(fix);
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
