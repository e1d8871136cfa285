/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data of ibv_doctor. doctor_examine.c collects the facts
 * (doctor_devices.c, doctor_limits.c, doctor_library.c), then runs the checks
 * (doctor_kernel.c and so on, one file for each family). doctor_text.c and
 * doctor_json.c print the result. A check reads only these facts and files, and
 * adds findings.
 */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <grp.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "tools/doctor/doctor_findings.h"
#include "tools/doctor/doctor_run.h"
#include "tools/doctor/doctor_system.h"

/*
 * Locked memory that the queues of a small program need, in addition to the
 * memory that it registers.
 */
#define DOCTOR_QUEUES_BYTES (256ul * 1024)

#define DOCTOR_NODE_DIR "/dev/infiniband"

/* Features of struct doctor_device.missing. */
#define DOCTOR_MAX_FEATURES 8

struct doctor_port {
	uint8_t number;
	int query_error; /* positive errno, as in all *_error members */
	struct ibv_port_attr attr;
	struct ibv_gid_entry *gids; /* valid entries in index order */
	size_t nr_gids;
	int gid_error;
	bool usable;
	const struct ibv_gid_entry *best_gid; /* NULL: none, or not needed */
};

struct doctor_device {
	char name[IBV_SYSFS_NAME_MAX];
	bool selected;	/* option -d is absent or names this device */
	bool in_kernel; /* listed in sysfs; otherwise in user space */
	char uverbs[NAME_MAX + 1]; /* "uverbs0"; "" without a device node */
	dev_t cdev;		   /* 0 if unknown */
	bool listed;		   /* ibv_get_device_list() returns it */
	enum ibv_transport_type transport;
	int open_error, query_error;
	/* Features that the device does not have; NULL-terminated. */
	const char *missing[DOCTOR_MAX_FEATURES + 1];
	const char *failed_object; /* that could not be created; NULL: none */
	int object_error;
	struct doctor_port *ports;
	size_t nr_ports;
	bool usable;
};

/* The librdmacm that programs use */
enum doctor_rdmacm {
	DOCTOR_RDMACM_NONE,  /* no librdmacm.so.1 was found */
	DOCTOR_RDMACM_OTHER, /* that of rdma-core */
	DOCTOR_RDMACM_OWN,   /* of AnyVerbs; uses devices in user space too */
};

/* The libibverbs that this program, and thus most other programs, uses. */
struct doctor_library {
	char path[PATH_MAX];
	bool is_anyverbs;
	int list_error;		 /* errno of ibv_get_device_list(), or 0 */
	int crash_signal;	 /* signal that ended the first run; 0: none */
	bool fork_init_unneeded; /* fork() needs no ibv_fork_init() */
	char messages[8192];	 /* its warnings on standard error */
	bool uroce_works;	 /* UROCE_DEVICES=auto yields a device */
	enum doctor_rdmacm rdmacm;
	char rdmacm_path[PATH_MAX]; /* empty if there is none */
};

/* Resource limits of this process. */
struct doctor_limits {
	unsigned long memlock, memlock_max; /* ULONG_MAX: unlimited */
	unsigned long nofile, nofile_max;
	bool memlock_exempt; /* CAP_IPC_LOCK: memlock does not apply */
};

struct doctor {
	struct doctor_system system;
	const char *only_device;      /* option -d; NULL: all devices */
	unsigned int only_port;	      /* option -i; 0: all ports */
	unsigned long memory;	      /* option -m: bytes to register */
	const struct doctor_run *run; /* option --run; NULL: absent */
	bool in_container;
	struct doctor_library library;
	struct doctor_limits limits;
	struct doctor_device *devices;
	size_t nr_devices;
	struct doctor_findings findings;
};

/**
 * doctor_examine() - collect the facts, then run all checks
 *
 * Set doctor->system and the options before this call.
 */
void doctor_examine(struct doctor *doctor);

/** doctor_device_get() - return the device called @name; add it if necessary */
struct doctor_device *doctor_device_get(struct doctor *doctor,
					const char *name);
/** doctor_parse_dev_number() - parse "231:192"; 0 if it is no device number */
dev_t doctor_parse_dev_number(const char *text);
/** doctor_exit_no_memory() - report that memory is exhausted, and exit */
_Noreturn void doctor_exit_no_memory(void);
void doctor_free(struct doctor *doctor);

/* Collect facts. Call these functions in this order. */
void doctor_read_devices(struct doctor *doctor);  /* doctor_devices.c */
void doctor_read_limits(struct doctor *doctor);	  /* doctor_limits.c */
void doctor_query_library(struct doctor *doctor); /* doctor_library.c */

/* Run checks. A check may use the findings of the checks before it. */
void doctor_check_library(struct doctor *doctor);
void doctor_check_environment(struct doctor *doctor);
void doctor_check_kernel(struct doctor *doctor);
void doctor_check_pci(struct doctor *doctor);
void doctor_check_nodes(struct doctor *doctor);
void doctor_check_cm(struct doctor *doctor);
void doctor_check_providers(struct doctor *doctor);
void doctor_check_limits(struct doctor *doctor);
void doctor_check_cgroup(struct doctor *doctor);
void doctor_check_ports(struct doctor *doctor);
/* Add what the program of option --run did. */
void doctor_check_run(struct doctor *doctor);
/* Add failures that no other check explains. */
void doctor_check_unexplained(struct doctor *doctor);

/** doctor_any_usable() - return whether a selected device is usable */
bool doctor_any_usable(const struct doctor *doctor);

/**
 * doctor_node_add_container_fix() - add the fix that passes a device node to
 * the container
 * @name: name of the node; NULL: all nodes
 */
void doctor_node_add_container_fix(struct doctor_finding *finding,
				   const char *name);
/* Adds the fix that makes a node with the number of its device. */
void doctor_node_add_mknod_fix(struct doctor_finding *finding, const char *name,
			       dev_t cdev);
/* For a node that the user may not open; @group: of the node, or NULL */
void doctor_node_add_access_fixes(struct doctor_finding *finding,
				  const char *name, const struct stat *st,
				  const struct group *group);
/* For a node that the control group forbids */
void doctor_node_add_cgroup_fixes(struct doctor_finding *finding,
				  const char *name);

/* Calls @visit for each folder that may contain provider modules. */
void doctor_provider_for_each_folder(const struct doctor *doctor,
				     void (*visit)(void *arg,
						   const char *folder),
				     void *arg);

/**
 * doctor_netns_is_exclusive() - return whether each RDMA device belongs to one
 * network namespace ("rdma system set netns exclusive")
 */
bool doctor_netns_is_exclusive(const struct doctor *doctor);

/**
 * doctor_add_netns_exclusive() - add the finding netns-exclusive
 * @device: device of another namespace; NULL if no device is visible
 */
void doctor_add_netns_exclusive(struct doctor *doctor, const char *device);

/** doctor_config_dir() - return the folder of the library's driver files */
const char *doctor_config_dir(const struct doctor *doctor);

/**
 * doctor_has_provider() - return whether a provider module called @name is
 * installed, of any release
 */
bool doctor_has_provider(const struct doctor *doctor, const char *name);

/**
 * doctor_read_release() - read the release of the running kernel
 *
 * Return: 0, or -errno; @buf is empty then.
 */
int doctor_read_release(const struct doctor *doctor, char *buf, size_t size);

/**
 * doctor_has_kernel_module() - return whether the running kernel provides the
 * module @name
 */
bool doctor_has_kernel_module(const struct doctor *doctor, const char *name);

/**
 * doctor_netdev_find_up() - find a network interface other than lo that is up
 */
bool doctor_netdev_find_up(const struct doctor *doctor, char name[16 + 1]);

/**
 * doctor_netdev_is_up() - return whether a network interface exists and is up
 */
bool doctor_netdev_is_up(const struct doctor *doctor, const char *name);

/**
 * doctor_finding_add_install() - add the command that installs a package, with
 * apt-get on Debian and Ubuntu, with dnf elsewhere
 * @debian, @fedora: names of the package
 */
void doctor_finding_add_install(const struct doctor *doctor,
				struct doctor_finding *finding,
				const char *debian, const char *fedora);

#endif
