/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ibv_doctor knows and what it says. ibv_doctor.c collects the facts
 * (doctor_devices.c, doctor_library.c), runs the checks (doctor_kernel.c and so
 * on, one file for each family), and has the result printed (doctor_text.c,
 * doctor_json.c). A check looks at facts and files only, and adds findings.
 */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <infiniband/verbs.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/doctor/doctor_findings.h"
#include "tools/doctor/doctor_system.h"

/* Memory that the queues of a small program take, beside what it registers. */
#define DOCTOR_QUEUES_BYTES (256ul * 1024)

struct doctor_port {
	uint8_t number;
	int query_error; /* positive errno, here and below */
	struct ibv_port_attr attr;
	struct ibv_gid_entry *gids; /* those in use, by index */
	size_t nr_gids;
	int gid_error;
	bool usable;
	const struct ibv_gid_entry *best_gid; /* NULL: none, or none needed */
};

struct doctor_device {
	char name[IBV_SYSFS_NAME_MAX];
	bool selected;		   /* the user wants to know about it */
	bool in_kernel;		   /* sysfs has it; else it is in user space */
	char uverbs[NAME_MAX + 1]; /* "uverbs0"; "" without a node */
	dev_t cdev;		   /* 0 if sysfs does not tell */
	bool listed;		   /* by the library */
	enum ibv_transport_type transport;
	int open_error, query_error;
	const char *failed_object; /* what could not be made, NULL: all can */
	int object_error;
	struct doctor_port *ports;
	size_t nr_ports;
	bool usable;
};

/* The libibverbs that this program, and so most others, runs with. */
struct doctor_library {
	char path[PATH_MAX];
	bool is_anyverbs;	 /* AnyVerbs */
	int list_error;		 /* of ibv_get_device_list() */
	int crash_signal;	 /* that asking it ended with; 0: none */
	bool fork_init_unneeded; /* the kernel copies pinned pages itself */
	char messages[8192];	 /* its warnings, separated by line breaks */
	bool uroce_works;	 /* with UROCE_DEVICES=auto it finds a device */
};

/* What the kernel grants this process. */
struct doctor_limits {
	unsigned long memlock, memlock_max; /* ULONG_MAX: unlimited */
	unsigned long nofile, nofile_max;
	bool memlock_exempt; /* memlock does not apply */
};

struct doctor {
	struct doctor_system system;
	const char *only_device; /* NULL: all */
	unsigned int only_port;	 /* 0: all */
	unsigned long memory;	 /* bytes that the user's program registers */
	bool in_container;
	struct doctor_library library;
	struct doctor_limits limits;
	struct doctor_device *devices;
	size_t nr_devices;
	struct doctor_findings findings;
};

/** doctor_examine() - facts, then checks; doctor->system and options are set */
void doctor_examine(struct doctor *doctor);

/** doctor_device_get() - the device of that name, which is added if need be */
struct doctor_device *doctor_device_get(struct doctor *doctor,
					const char *name);
/** doctor_exit_no_memory() - end the program: there is not even memory to say
 * so */
_Noreturn void doctor_exit_no_memory(void);
void doctor_free(struct doctor *doctor);

/* Facts. They go in this order. */
void doctor_read_devices(struct doctor *doctor);  /* doctor_devices.c */
void doctor_read_limits(struct doctor *doctor);	  /* doctor_limits.c */
void doctor_query_library(struct doctor *doctor); /* doctor_library.c */

/* Checks. They may rely on the findings of those before them. */
void doctor_check_library(struct doctor *doctor);
void doctor_check_environment(struct doctor *doctor);
void doctor_check_kernel(struct doctor *doctor);
void doctor_check_pci(struct doctor *doctor);
void doctor_check_nodes(struct doctor *doctor);
void doctor_check_providers(struct doctor *doctor);
void doctor_check_limits(struct doctor *doctor);
void doctor_check_cgroup(struct doctor *doctor);
void doctor_check_ports(struct doctor *doctor);
void doctor_check_unexplained(
	struct doctor *doctor); /* what no other explains */

/** doctor_any_usable() - whether a selected device can be used */
bool doctor_any_usable(const struct doctor *doctor);

/* Where modules of providers are: calls @visit for each folder. */
void doctor_provider_for_each_folder(const struct doctor *doctor,
				     void (*visit)(void *arg,
						   const char *folder),
				     void *arg);

/** doctor_netns_is_exclusive() - whether devices belong to namespaces */
bool doctor_netns_is_exclusive(const struct doctor *doctor);

/** doctor_add_netns_exclusive() - the finding on it; @device: NULL: none is
 * visible */
void doctor_add_netns_exclusive(struct doctor *doctor, const char *device);

/** doctor_config_dir() - the folder of driver files of the library */
const char *doctor_config_dir(const struct doctor *doctor);

/** doctor_has_provider() - whether there is a module of that name, any release
 */
bool doctor_has_provider(const struct doctor *doctor, const char *name);

/** doctor_has_kernel_module() - whether the running kernel has such a module */
bool doctor_has_kernel_module(const struct doctor *doctor, const char *name);

/** doctor_netdev_find_up() - name of a network interface that is up; not lo */
bool doctor_netdev_find_up(const struct doctor *doctor, char name[16 + 1]);

/** doctor_netdev_is_up() - whether there is such an interface, and it is up */
bool doctor_netdev_is_up(const struct doctor *doctor, const char *name);

/** doctor_install_command() - the command that installs a package, of either
 * family */
const char *doctor_install_command(const struct doctor *doctor, char *buf,
				   size_t size, const char *debian,
				   const char *fedora);

#endif
