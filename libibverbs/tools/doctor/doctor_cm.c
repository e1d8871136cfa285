/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks what connections by IP address (librdmacm) need: the device node of
 * the kernel's connection manager if the kernel has devices, and a firewall
 * that lets other hosts reach devices in user space, which only the librdmacm
 * of AnyVerbs uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

#define DOCTOR_CM_NAME	   "rdma_cm"
#define DOCTOR_CM_NODE	   DOCTOR_NODE_DIR "/" DOCTOR_CM_NAME
#define DOCTOR_CM_UDP_PORT "4791" /* of RoCEv2 */
#define DOCTOR_CM_LOOPBACK "lo"

/* ------------------------------------------------------------------------ */
/* The device node */
/* ------------------------------------------------------------------------ */

/* The number of the node; 0: the module rdma_ucm is not loaded. */
static dev_t doctor_cm_read_dev(const struct doctor *doctor)
{
	char text[32];

	if (doctor_system_read(&doctor->system, text, sizeof(text),
			       "/sys/class/misc/rdma_cm/dev"))
		return 0;
	return doctor_parse_dev_number(text);
}

/* The modules of the running kernel are visible, without rdma_ucm. */
static bool doctor_cm_module_is_absent(const struct doctor *doctor)
{
	char release[128];

	return doctor_read_release(doctor, release, sizeof(release)) == 0 &&
	       doctor_system_exists(&doctor->system,
				    "/lib/modules/%s/modules.dep", release) &&
	       !doctor_has_kernel_module(doctor, "rdma_ucm");
}

static void doctor_cm_add_module_fix(const struct doctor *doctor,
				     struct doctor_finding *finding)
{
	if (doctor_cm_module_is_absent(doctor))
		doctor_finding_add_install(doctor, finding,
					   "linux-modules-extra-$(uname -r)",
					   "kernel-modules-$(uname -r)");
	doctor_finding_add_fix(finding, "modprobe rdma_ucm%s",
			       doctor->in_container ? "   # on the host" : "");
}

/* Returns an iWARP device, which connects only by IP address; or NULL. */
static const struct doctor_device *
doctor_cm_find_iwarp(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->selected && device->in_kernel && device->listed &&
		    device->transport == IBV_TRANSPORT_IWARP)
			return device;
	}
	return NULL;
}

static void doctor_cm_add_missing(struct doctor *doctor, dev_t cdev)
{
	const struct doctor_device *iwarp = doctor_cm_find_iwarp(doctor);
	struct doctor_finding *finding;
	const char *reason;

	if (cdev != 0)
		reason = "although its kernel module rdma_ucm is loaded";
	else if (doctor_cm_module_is_absent(doctor))
		reason = "because the kernel module rdma_ucm is not installed";
	else
		reason = "because the kernel module rdma_ucm is not loaded";
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CM_NODE_MISSING, NULL, 0,
		DOCTOR_CM_NODE " does not exist, %s. %s%s.", reason,
		iwarp ? "No program can connect by the iWARP device "
		      : "Only programs that connect by IP address (librdmacm) "
			"need it",
		iwarp ? iwarp->name : "");
	if (iwarp)
		finding->severity = DOCTOR_WARNING;
	if (cdev == 0)
		doctor_cm_add_module_fix(doctor, finding);
	if (doctor->in_container)
		doctor_node_add_container_fix(finding, DOCTOR_CM_NAME);
	else if (cdev != 0)
		doctor_node_add_mknod_fix(finding, DOCTOR_CM_NAME, cdev);
}

static void doctor_cm_add_forbidden(struct doctor *doctor,
				    const struct stat *st)
{
	const struct group *group = getgrgid(st->st_gid);
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CM_NODE_FORBIDDEN, NULL, 0,
		DOCTOR_CM_NODE " does not allow this user to open it: its mode "
			       "is %03o, its group is %s. Programs that "
			       "connect by IP address (librdmacm) fail.",
		st->st_mode & 0777u, group ? group->gr_name : "unknown");
	doctor_node_add_access_fixes(finding, DOCTOR_CM_NAME, st, group);
}

static void doctor_cm_add_cgroup(struct doctor *doctor)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CM_NODE_FORBIDDEN, NULL, 0,
		DOCTOR_CM_NODE " exists, but the control group of this "
			       "container or service forbids access to it "
			       "(EPERM). Programs that connect by IP address "
			       "(librdmacm) fail.");
	doctor_node_add_cgroup_fixes(finding, DOCTOR_CM_NAME);
}

static void doctor_cm_add_wrong(struct doctor *doctor, const char *reason,
				dev_t cdev)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CM_NODE_WRONG, NULL, 0,
		DOCTOR_CM_NODE " %s. Programs that connect by IP address "
			       "(librdmacm) fail.",
		reason);
	doctor_finding_add_fix(finding, "rm " DOCTOR_CM_NODE);
	if (cdev == 0)
		doctor_cm_add_module_fix(doctor, finding);
	else
		doctor_node_add_mknod_fix(finding, DOCTOR_CM_NAME, cdev);
}

static void doctor_cm_try_open(struct doctor *doctor, const char *path,
			       const struct stat *st, dev_t cdev)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0) {
		(void)close(fd);
		return;
	}
	if (errno == EACCES)
		doctor_cm_add_forbidden(doctor, st);
	else if (errno == EPERM)
		doctor_cm_add_cgroup(doctor);
	else if (errno == ENXIO || errno == ENODEV)
		doctor_cm_add_wrong(doctor, "exists, but has no driver", cdev);
}

static void doctor_cm_check_node(struct doctor *doctor)
{
	dev_t cdev = doctor_cm_read_dev(doctor);
	char path[PATH_MAX];
	struct stat st;

	if (!doctor_system_path(&doctor->system, path, DOCTOR_CM_NODE))
		return;
	if (stat(path, &st) != 0) {
		/* a folder without access is a finding of each device */
		if (errno != EACCES)
			doctor_cm_add_missing(doctor, cdev);
	} else if (!S_ISCHR(st.st_mode)) {
		doctor_cm_add_wrong(doctor, "is not a character device", cdev);
	} else if (cdev != 0 && st.st_rdev != cdev) {
		doctor_cm_add_wrong(doctor, "is the node of another device",
				    cdev);
	} else {
		doctor_cm_try_open(doctor, path, &st, cdev);
	}
}

/* Only kernel devices need the node, and the folder has its own finding. */
static bool doctor_cm_needs_node(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].selected && *doctor->devices[i].uverbs)
			return doctor_system_exists(&doctor->system,
						    DOCTOR_NODE_DIR);
	return false;
}

/* ------------------------------------------------------------------------ */
/* Devices in user space */
/* ------------------------------------------------------------------------ */

/* Whether the network interface of the device is the loopback interface. */
static bool doctor_cm_is_loopback(const struct doctor_device *device)
{
	unsigned int loopback = if_nametoindex(DOCTOR_CM_LOOPBACK);

	for (size_t i = 0; i < device->nr_ports; i++) {
		const struct doctor_port *port = &device->ports[i];

		if (port->nr_gids && port->gids[0].ndev_ifindex == loopback)
			return true;
	}
	return strcmp(device->name, "uroce_" DOCTOR_CM_LOOPBACK) == 0;
}

/*
 * Returns a device in user space, or NULL. @is_remote: only those that other
 * hosts may reach. All devices in user space are of uroce, with any name.
 */
static const struct doctor_device *
doctor_cm_find_uroce(const struct doctor *doctor, bool is_remote)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->selected && device->listed && !device->in_kernel &&
		    !(is_remote && doctor_cm_is_loopback(device)))
			return device;
	}
	return NULL;
}

static void doctor_cm_check_library(struct doctor *doctor)
{
	const struct doctor_device *device =
		doctor_cm_find_uroce(doctor, false);
	struct doctor_finding *finding;

	if (!device || doctor->library.rdmacm != DOCTOR_RDMACM_OTHER)
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_CM_LIBRARY, NULL, 0,
		"%s is not the librdmacm of AnyVerbs. Programs that connect by "
		"IP address cannot use %s with it.",
		doctor->library.rdmacm_path, device->name);
	doctor_finding_add_fix(finding,
			       "install the package librdmacm1 of AnyVerbs");
}

/* ------------------------------------------------------------------------ */
/* The firewall */
/* ------------------------------------------------------------------------ */

static bool doctor_firewall_match_enabled(void *arg, char *line)
{
	bool *is_enabled = arg;

	if (strncmp(line, "ENABLED=", 8) == 0)
		*is_enabled = strstr(line, "yes") != NULL;
	return true;
}

static bool doctor_firewall_match_port(void *arg, char *line)
{
	bool *has_port = arg;

	*has_port = strstr(line, DOCTOR_CM_UDP_PORT) != NULL;
	return !*has_port;
}

/* Only root may read the rules; for others they seem not to have the port. */
static bool doctor_firewall_ufw_blocks(const struct doctor *doctor)
{
	bool is_enabled = false, has_port = false;

	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_firewall_match_enabled,
					  &is_enabled, "/etc/ufw/ufw.conf");
	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_firewall_match_port, &has_port,
					  "/etc/ufw/user.rules");
	return is_enabled && !has_port;
}

static bool doctor_firewall_zone_has_port(const struct doctor *doctor)
{
	struct doctor_dir_list names;
	bool has_port = false;

	doctor_system_list(&doctor->system, &names, "/etc/firewalld/zones");
	for (int i = 0; i < names.count && !has_port; i++)
		(void)doctor_system_for_each_line(
			&doctor->system, doctor_firewall_match_port, &has_port,
			"/etc/firewalld/zones/%s", names.entries[i]->d_name);
	doctor_dir_list_free(&names);
	return has_port;
}

/* systemd has a link with this name for each active service. */
static bool doctor_firewall_firewalld_blocks(const struct doctor *doctor)
{
	char invocation[64];

	return doctor_system_read_link(
		       &doctor->system, invocation, sizeof(invocation),
		       "/run/systemd/units/invocation:firewalld.service") &&
	       !doctor_firewall_zone_has_port(doctor);
}

static struct doctor_finding *doctor_firewall_add(struct doctor *doctor,
						  const char *firewall,
						  const char *device)
{
	return doctor_finding_add(
		&doctor->findings, DOCTOR_UROCE_FIREWALL, NULL, 0,
		"The firewall %s is active, and its rules may drop packets to "
		"UDP port " DOCTOR_CM_UDP_PORT ". Other hosts need this port "
		"to connect to %s.",
		firewall, device);
}

static void doctor_cm_check_firewall(struct doctor *doctor)
{
	const struct doctor_device *device = doctor_cm_find_uroce(doctor, true);
	struct doctor_finding *finding;

	if (!device)
		return;
	if (doctor_firewall_ufw_blocks(doctor)) {
		finding = doctor_firewall_add(doctor, "ufw", device->name);
		doctor_finding_add_fix(finding,
				       "ufw allow " DOCTOR_CM_UDP_PORT "/udp");
	} else if (doctor_firewall_firewalld_blocks(doctor)) {
		finding =
			doctor_firewall_add(doctor, "firewalld", device->name);
		doctor_finding_add_fix(finding,
				       "firewall-cmd --permanent "
				       "--add-port=" DOCTOR_CM_UDP_PORT "/udp");
		doctor_finding_add_fix(finding, "firewall-cmd --reload");
	}
}

void doctor_check_cm(struct doctor *doctor)
{
	if (doctor_cm_needs_node(doctor))
		doctor_cm_check_node(doctor);
	doctor_cm_check_library(doctor);
	doctor_cm_check_firewall(doctor);
}
