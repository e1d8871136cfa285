/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A finding is a detected problem. It has a stable identifier, which scripts
 * may use and the manual page lists; a severity; a description of one or two
 * sentences; and fixes: commands that resolve it, in the order in which to try
 * them.
 */
#ifndef TOOLS_DOCTOR_FINDINGS_H
#define TOOLS_DOCTOR_FINDINGS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

enum doctor_severity {
	DOCTOR_NOTE,	/* no program fails */
	DOCTOR_WARNING, /* some programs fail */
	DOCTOR_ERROR,	/* a device, or every device, is unusable */
};

enum doctor_id {
	/* kernel */
	DOCTOR_KERNEL_NO_RDMA,
	DOCTOR_MODULE_NOT_LOADED,
	DOCTOR_KERNEL_ABI,
	DOCTOR_SYSFS_MISSING,
	DOCTOR_NO_DEVICE,
	DOCTOR_NETNS_EXCLUSIVE,
	DOCTOR_PCI_RDMA_MODULE,
	DOCTOR_PCI_NO_DRIVER,
	/* device nodes */
	DOCTOR_NODES_NO_FOLDER,
	DOCTOR_NODES_NO_FOLDER_USER,
	DOCTOR_NODE_MISSING,
	DOCTOR_NODE_FORBIDDEN,
	DOCTOR_NODE_CGROUP,
	DOCTOR_NODE_WRONG,
	DOCTOR_NODE_DEAD,
	/* connection manager */
	DOCTOR_CM_NODE_MISSING,
	DOCTOR_CM_NODE_FORBIDDEN,
	DOCTOR_CM_NODE_WRONG,
	DOCTOR_CM_LIBRARY,
	DOCTOR_UROCE_FIREWALL,
	/* providers */
	DOCTOR_PROVIDER_MISSING,
	DOCTOR_PROVIDER_RELEASE,
	DOCTOR_PROVIDER_NOT_CONFIGURED,
	DOCTOR_PROVIDER_ABI,
	DOCTOR_PROVIDER_BROKEN,
	DOCTOR_DRIVER_FILE_STALE,
	/* library */
	DOCTOR_LIBRARY_OTHER,
	DOCTOR_LIBRARY_SEVERAL,
	DOCTOR_LIBRARY_CRASHED,
	DOCTOR_LIST_FAILED,
	DOCTOR_OPEN_FAILED,
	DOCTOR_QUERY_FAILED,
	DOCTOR_OBJECT_FAILED,
	/* resource limits */
	DOCTOR_MEMLOCK_LOW,
	DOCTOR_MEMLOCK_LIMITED,
	DOCTOR_NOFILE_LOW,
	DOCTOR_CGROUP_RDMA,
	/* ports */
	DOCTOR_PORT_DOWN,
	DOCTOR_PORT_NO_SM,
	DOCTOR_GID_NONE,
	DOCTOR_GID_LINK_LOCAL,
	DOCTOR_GID_V1_ONLY,
	DOCTOR_GID_HOLES,
	DOCTOR_GID_INDEX,
	/* environment variables, and uroce devices */
	DOCTOR_ENV_SYSFS_PATH,
	DOCTOR_ENV_DRIVER_MISSING,
	DOCTOR_ENV_IGNORED,
	DOCTOR_ENV_UNKNOWN,
	DOCTOR_UROCE_INTERFACE,
	DOCTOR_UROCE_PORT_TAKEN,
	DOCTOR_UROCE_AVAILABLE,
	/* the program of option --run */
	DOCTOR_RUN_ENDED,
	DOCTOR_RUN_FAILURE,
	DOCTOR_RUN_RULE,
	DOCTOR_RUN_DROPPED,
	DOCTOR_RUN_UNOBSERVED,
	/* failures without another finding */
	DOCTOR_DEVICE_UNKNOWN,
	DOCTOR_UNEXPLAINED,
	DOCTOR_NR_IDS,
};

struct doctor_kind {
	const char *id; /* "memlock-low" */
	enum doctor_severity severity;
	const char *summary;
};

extern const struct doctor_kind doctor_kinds[DOCTOR_NR_IDS];

#define DOCTOR_MAX_FIXES 4
#define DOCTOR_FIX_LEN	 512

struct doctor_finding {
	enum doctor_id id;
	enum doctor_severity severity;	 /* severity of this finding */
	char device[IBV_SYSFS_NAME_MAX]; /* "": not about one device */
	unsigned int port;		 /* 0: not about one port */
	char text[1024];
	char fixes[DOCTOR_MAX_FIXES][DOCTOR_FIX_LEN];
	size_t nr_fixes;
	bool has_reason;
	char reason[1024]; /* messages of the library */
};

struct doctor_findings {
	struct doctor_finding *list;
	size_t count;
};

/**
 * doctor_finding_add() - add a finding
 * @device: device name; NULL if the finding is not about one device
 * @port: port number; 0 if the finding is not about one port
 *
 * Return: the finding, to add fixes to it. The pointer is valid until the next
 * call.
 */
__attribute__((format(printf, 5, 6))) struct doctor_finding *
doctor_finding_add(struct doctor_findings *findings, enum doctor_id id,
		   const char *device, unsigned int port, const char *fmt, ...);

/**
 * doctor_finding_add_fix() - add a command that resolves the finding
 *
 * A finding has at most DOCTOR_MAX_FIXES fixes; further ones are dropped.
 */
__attribute__((format(printf, 2, 3))) void
doctor_finding_add_fix(struct doctor_finding *finding, const char *fmt, ...);

/** doctor_finding_set_reason() - add messages of the library to the finding */
void doctor_finding_set_reason(struct doctor_finding *finding,
			       const char *text);

/**
 * doctor_has_finding() - return whether there is a finding @id
 * @device: the device that it must be about; NULL: any
 */
bool doctor_has_finding(const struct doctor_findings *findings,
			enum doctor_id id, const char *device);

/**
 * doctor_has_error() - return whether there is a finding of severity error
 * @device: the device that it must be about; NULL: any
 */
bool doctor_has_error(const struct doctor_findings *findings,
		      const char *device);

/**
 * doctor_findings_sort() - sort by severity, errors first
 *
 * The order within a severity does not change.
 */
void doctor_findings_sort(struct doctor_findings *findings);

const char *doctor_severity_name(enum doctor_severity severity);

#endif
