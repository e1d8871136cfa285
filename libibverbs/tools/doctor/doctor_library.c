/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries the library like any program: lists and opens the devices, queries
 * ports and GID tables, and creates the objects that every program needs.
 * Meanwhile, captures the library's messages on standard error, because they
 * name the providers that failed. Finally, tests whether a user-space device
 * would work.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

/* Upper limit of a GID table size, because the size comes from outside. */
#define DOCTOR_MAX_GIDS 4096

/* ------------------------------------------------------------------------ */
/* Capturing standard error */
/* ------------------------------------------------------------------------ */

#define WARNINGS "IBV_SHOW_WARNINGS"

struct doctor_capture {
	int file, saved; /* -1: not open */
	bool was_set;
};

static struct doctor_capture doctor_capture_begin(void)
{
	struct doctor_capture capture = { .file = -1, .saved = -1 };

	capture.was_set = getenv(WARNINGS) != NULL;
	/* without the variable, the library prints fewer messages */
	if (!capture.was_set)
		(void)setenv(WARNINGS, "1", 1);
	(void)fflush(stderr);
	capture.file = memfd_create("messages", MFD_CLOEXEC);
	if (capture.file < 0)
		return capture;
	capture.saved = dup(STDERR_FILENO);
	(void)dup2(capture.file, STDERR_FILENO);
	return capture;
}

static void doctor_capture_end(struct doctor_capture *capture, char *buf,
			       size_t size)
{
	ssize_t len = 0;

	(void)fflush(stderr);
	if (capture->file >= 0) {
		if (capture->saved >= 0) {
			(void)dup2(capture->saved, STDERR_FILENO);
			(void)close(capture->saved);
		} else { /* it was closed before */
			(void)close(STDERR_FILENO);
		}
		len = pread(capture->file, buf, size - 1, 0);
		(void)close(capture->file);
	}
	buf[len > 0 ? len : 0] = '\0';
	if (!capture->was_set)
		(void)unsetenv(WARNINGS);
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

/* Returns errno of a failed function; some functions do not set it. */
static int doctor_library_errno(void)
{
	return errno ? errno : EIO;
}

/* Copies the entries of one port from the entries of all ports. */
static void doctor_library_copy_gids(struct doctor_port *port,
				     const struct ibv_gid_entry *entries,
				     size_t count)
{
	port->gids = calloc(count + 1, sizeof(*port->gids));
	if (!port->gids)
		doctor_exit_no_memory();
	for (size_t i = 0; i < count; i++)
		if (entries[i].port_num == port->number)
			port->gids[port->nr_gids++] = entries[i];
}

static void doctor_library_query_gids(struct ibv_context *context,
				      struct doctor_device *device)
{
	struct ibv_gid_entry *entries;
	size_t max = 1;
	ssize_t count;

	for (size_t i = 0; i < device->nr_ports; i++) {
		int len = device->ports[i].attr.gid_tbl_len;

		max += len >= 0 && len < DOCTOR_MAX_GIDS ? (size_t)len
							 : DOCTOR_MAX_GIDS;
	}
	entries = calloc(max, sizeof(*entries));
	if (!entries)
		doctor_exit_no_memory();
	count = ibv_query_gid_table(context, entries, max, 0);
	for (size_t i = 0; i < device->nr_ports; i++) {
		if (count < 0)
			device->ports[i].gid_error = (int)-count;
		else if ((size_t)count <= max)
			doctor_library_copy_gids(&device->ports[i], entries,
						 (size_t)count);
	}
	free(entries);
}

static void doctor_library_query_ports(struct ibv_context *context,
				       struct doctor_device *device)
{
	struct ibv_device_attr attr = {};

	device->query_error = ibv_query_device(context, &attr);
	if (device->query_error)
		return;
	device->ports = calloc(attr.phys_port_cnt + 1u, sizeof(*device->ports));
	if (!device->ports)
		doctor_exit_no_memory();
	device->nr_ports = attr.phys_port_cnt;
	for (size_t i = 0; i < device->nr_ports; i++) {
		struct doctor_port *port = &device->ports[i];

		port->number = (uint8_t)(i + 1);
		port->query_error =
			ibv_query_port(context, port->number, &port->attr);
	}
	doctor_library_query_gids(context, device);
}

/* Records which features of common programs the device does not have. */
static void doctor_library_query_features(struct ibv_context *context,
					  struct doctor_device *device,
					  enum doctor_rdmacm rdmacm)
{
	struct ibv_device_attr_ex attr = {};
	size_t count = 0;

	if (ibv_query_device_ex(context, NULL, &attr))
		return;
	/* The kernel's connection manager knows only the kernel's devices. */
	if (!device->in_kernel && rdmacm != DOCTOR_RDMACM_OWN)
		device->missing[count++] = "rdma_cm";
	if (!(attr.orig_attr.device_cap_flags & IBV_DEVICE_XRC))
		device->missing[count++] = "XRC";
	if (attr.orig_attr.max_srq == 0)
		device->missing[count++] = "SRQ";
	if (attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		device->missing[count++] = "atomic operations";
	if (attr.orig_attr.max_mw == 0)
		device->missing[count++] = "memory windows";
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		device->missing[count++] = "on-demand paging";
	if (attr.max_dm_size == 0)
		device->missing[count++] = "device memory";
}

/* Creates the objects that every program needs; records the first failure. */
static void doctor_library_try_objects(struct ibv_context *context,
				       struct doctor_device *device,
				       size_t memory)
{
	struct ibv_mr *mr = NULL;
	struct ibv_cq *cq = NULL;
	struct ibv_pd *pd;
	void *buf;

	errno = 0;
	pd = ibv_alloc_pd(context);
	if (!pd) {
		device->failed_object = "a protection domain";
		device->object_error = doctor_library_errno();
		return;
	}
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	if (!cq) {
		device->failed_object = "a completion queue";
		device->object_error = doctor_library_errno();
		goto free_pd;
	}
	buf = mmap(NULL, memory, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf == MAP_FAILED)
		goto free_cq; /* does not concern the device */
	mr = ibv_reg_mr(pd, buf, memory, IBV_ACCESS_LOCAL_WRITE);
	if (!mr) {
		device->failed_object = "a memory region";
		device->object_error = doctor_library_errno();
	} else {
		(void)ibv_dereg_mr(mr); /* closing would also free it */
	}
	(void)munmap(buf, memory);
free_cq:
	(void)ibv_destroy_cq(cq);
free_pd:
	(void)ibv_dealloc_pd(pd);
}

static void doctor_library_query_device(struct doctor *doctor,
					struct ibv_device *ibdev)
{
	struct doctor_device *device;
	struct ibv_context *context;

	device = doctor_device_get(doctor, ibv_get_device_name(ibdev));
	device->listed = true;
	device->transport = ibdev->transport_type;
	if (!device->selected)
		return;
	errno = 0;
	context = ibv_open_device(ibdev);
	if (!context) {
		device->open_error = doctor_library_errno();
		return;
	}
	doctor_library_query_ports(context, device);
	doctor_library_query_features(context, device, doctor->library.rdmacm);
	doctor_library_try_objects(context, device, doctor->memory);
	(void)ibv_close_device(context);
}

static void doctor_library_query_devices(struct doctor *doctor)
{
	struct ibv_device **list;

	errno = 0;
	list = ibv_get_device_list(NULL);
	if (!list) {
		doctor->library.list_error = doctor_library_errno();
		return;
	}
	for (struct ibv_device **ibdev = list; *ibdev; ibdev++)
		doctor_library_query_device(doctor, *ibdev);
	ibv_free_device_list(list);
}

/* ------------------------------------------------------------------------ */
/* The library itself */
/* ------------------------------------------------------------------------ */

static void doctor_library_identify(struct doctor_library *library)
{
	Dl_info info;

	if (dladdr((const void *)ibv_get_device_list, &info) != 0 &&
	    info.dli_fname && !realpath(info.dli_fname, library->path))
		(void)snprintf(library->path, sizeof(library->path), "%s",
			       info.dli_fname);
	/* only the library of this project exports this symbol */
	library->is_anyverbs =
		dlvsym(RTLD_DEFAULT, "verbs_log", "ANYVERBS_1") != NULL;
}

/* Loads the librdmacm that the dynamic linker finds for programs. */
static void doctor_library_identify_rdmacm(struct doctor_library *library)
{
	void *rdmacm = dlopen("librdmacm.so.1", RTLD_LAZY | RTLD_LOCAL);
	const void *function;
	Dl_info info;

	if (!rdmacm)
		return;
	function = dlsym(rdmacm, "rdma_create_event_channel");
	if (function && dladdr(function, &info) != 0 && info.dli_fname &&
	    !realpath(info.dli_fname, library->rdmacm_path))
		(void)snprintf(library->rdmacm_path,
			       sizeof(library->rdmacm_path), "%s",
			       info.dli_fname);
	library->rdmacm =
		dlvsym(rdmacm, "rdmacm_anyverbs_version", "ANYVERBS_1")
			? DOCTOR_RDMACM_OWN
			: DOCTOR_RDMACM_OTHER;
	(void)dlclose(rdmacm);
}

/* Lists devices again with UROCE_DEVICES=auto. */
static void doctor_library_try_uroce(struct doctor_library *library)
{
	const char *setting = getenv("UROCE_DEVICES");
	struct ibv_device **list;

	if (!library->is_anyverbs ||
	    (setting && *setting && strcmp(setting, "none") != 0))
		return;
	if (setenv("UROCE_DEVICES", "auto", 1) != 0)
		return;
	list = ibv_get_device_list(NULL);
	library->uroce_works = list && *list;
	if (list)
		ibv_free_device_list(list);
	(void)unsetenv("UROCE_DEVICES");
}

static bool doctor_library_lists_nothing(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].listed)
			return false;
	return true;
}

void doctor_query_library(struct doctor *doctor)
{
	struct doctor_capture capture;

	doctor_library_identify(&doctor->library);
	doctor_library_identify_rdmacm(&doctor->library);
	if (doctor->library.crash_signal) {
		doctor->library.list_error = EFAULT;
		return;
	}
	capture = doctor_capture_begin();
	doctor_library_query_devices(doctor);
	doctor->library.fork_init_unneeded = ibv_is_fork_initialized() ==
					     IBV_FORK_UNNEEDED;
	if (doctor_library_lists_nothing(doctor))
		doctor_library_try_uroce(&doctor->library);
	doctor_capture_end(&capture, doctor->library.messages,
			   sizeof(doctor->library.messages));
}
