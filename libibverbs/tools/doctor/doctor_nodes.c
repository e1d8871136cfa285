/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the device nodes: whether /dev/infiniband exists, whether each device
 * has the node with the number in sysfs, and whether this user may open it.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

void doctor_node_add_container_fix(struct doctor_finding *finding,
				   const char *name)
{
	doctor_finding_add_fix(finding,
			       "docker run --device=" DOCTOR_NODE_DIR
			       "%s%s ...   # on the host",
			       name ? "/" : "", name ? name : "");
}

void doctor_node_add_mknod_fix(struct doctor_finding *finding, const char *name,
			       dev_t cdev)
{
	doctor_finding_add_fix(finding,
			       "mknod -m 666 " DOCTOR_NODE_DIR "/%s c %u %u",
			       name, major(cdev), minor(cdev));
}

void doctor_node_add_access_fixes(struct doctor_finding *finding,
				  const char *name, const struct stat *st,
				  const struct group *group)
{
	if ((st->st_mode & 0060) == 0060 && group && group->gr_gid != 0)
		doctor_finding_add_fix(finding,
				       "usermod -aG %s $USER   # log in again",
				       group->gr_name);
	doctor_finding_add_fix(finding, "chmod 666 " DOCTOR_NODE_DIR "/%s",
			       name);
}

void doctor_node_add_cgroup_fixes(struct doctor_finding *finding,
				  const char *name)
{
	doctor_node_add_container_fix(finding, name);
	doctor_finding_add_fix(
		finding,
		"systemctl set-property UNIT DeviceAllow=\"" DOCTOR_NODE_DIR
		"/%s rw\"",
		name);
}

static void doctor_node_add_node_fix(struct doctor_finding *finding,
				     const struct doctor_device *device)
{
	if (device->cdev == 0)
		doctor_finding_add_fix(finding,
				       "udevadm trigger -s infiniband_verbs");
	else
		doctor_node_add_mknod_fix(finding, device->uverbs,
					  device->cdev);
}

static void doctor_node_add_no_folder(struct doctor *doctor,
				      const struct doctor_device *device)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NODES_NO_FOLDER, NULL, 0,
		"The kernel has RDMA devices, but the folder of their device "
		"nodes, " DOCTOR_NODE_DIR ", does not exist%s.",
		doctor->in_container ? " in this container" : "");
	if (doctor->in_container) {
		doctor_node_add_container_fix(finding, NULL);
		return;
	}
	doctor_finding_add_fix(finding, "udevadm trigger -s infiniband_verbs");
	doctor_finding_add_fix(finding, "mkdir " DOCTOR_NODE_DIR);
	doctor_node_add_node_fix(finding, device);
}

static void doctor_node_add_missing(struct doctor *doctor,
				    const struct doctor_device *device)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NODE_MISSING, device->name, 0,
		"The device node " DOCTOR_NODE_DIR "/%s does not exist%s.",
		device->uverbs,
		doctor->in_container ? " in this container" : "");
	if (doctor->in_container)
		doctor_node_add_container_fix(finding, device->uverbs);
	doctor_node_add_node_fix(finding, device);
}

static void doctor_node_add_forbidden(struct doctor *doctor,
				      const struct doctor_device *device,
				      const char *path)
{
	struct doctor_finding *finding;
	const struct group *group;
	struct stat st;

	if (stat(path, &st) != 0) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_NODE_FORBIDDEN, device->name,
			0,
			"This user may not access the folder " DOCTOR_NODE_DIR
			".");
		doctor_finding_add_fix(finding, "chmod 755 " DOCTOR_NODE_DIR);
		return;
	}
	group = getgrgid(st.st_gid);
	finding = doctor_finding_add(&doctor->findings, DOCTOR_NODE_FORBIDDEN,
				     device->name, 0,
				     "The device node " DOCTOR_NODE_DIR
				     "/%s does not allow this user to open it: "
				     "its mode is %03o, its group is %s.",
				     device->uverbs, st.st_mode & 0777u,
				     group ? group->gr_name : "unknown");
	doctor_node_add_access_fixes(finding, device->uverbs, &st, group);
}

static void doctor_node_add_cgroup(struct doctor *doctor,
				   const struct doctor_device *device)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NODE_CGROUP, device->name, 0,
		"The device node " DOCTOR_NODE_DIR
		"/%s exists, but the control group of this container or "
		"service forbids access to it (EPERM).",
		device->uverbs);
	doctor_node_add_cgroup_fixes(finding, device->uverbs);
}

static void doctor_node_add_wrong(struct doctor *doctor,
				  const struct doctor_device *device,
				  const struct stat *st)
{
	struct doctor_finding *finding;

	if (!S_ISCHR(st->st_mode))
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_NODE_WRONG, device->name, 0,
			DOCTOR_NODE_DIR "/%s is not a character device.",
			device->uverbs);
	else
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_NODE_WRONG, device->name, 0,
			DOCTOR_NODE_DIR "/%s has the device number %u:%u; the "
					"device has %u:%u.",
			device->uverbs, major(st->st_rdev), minor(st->st_rdev),
			major(device->cdev), minor(device->cdev));
	doctor_finding_add_fix(finding, "rm " DOCTOR_NODE_DIR "/%s",
			       device->uverbs);
	doctor_node_add_node_fix(finding, device);
}

static void doctor_node_add_dead(struct doctor *doctor,
				 const struct doctor_device *device, int error)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NODE_DEAD, device->name, 0,
		"The device node " DOCTOR_NODE_DIR
		"/%s exists, but the device does not respond (%s). It is being "
		"removed or reset.",
		device->uverbs, strerror(error));
	doctor_finding_add_fix(finding, "dmesg | grep -i %s", device->name);
}

static void doctor_node_try_open(struct doctor *doctor,
				 const struct doctor_device *device,
				 const char *path)
{
	int fd, error;

	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		(void)close(fd);
		return;
	}
	error = errno;
	if (error == EACCES)
		doctor_node_add_forbidden(doctor, device, path);
	else if (error == EPERM && doctor_netns_is_exclusive(doctor))
		doctor_add_netns_exclusive(doctor, device->name);
	else if (error == EPERM)
		doctor_node_add_cgroup(doctor, device);
	else if (error == ENXIO || error == ENODEV || error == EIO)
		doctor_node_add_dead(doctor, device, error);
	/* For any other error the library fails as well and reports it. */
}

static void doctor_node_check(struct doctor *doctor,
			      const struct doctor_device *device)
{
	char path[PATH_MAX];
	struct stat st;

	if (!doctor_system_path(&doctor->system, path, DOCTOR_NODE_DIR "/%s",
				device->uverbs))
		return;
	if (stat(path, &st) != 0) {
		if (errno == EACCES)
			doctor_node_add_forbidden(doctor, device, path);
		else
			doctor_node_add_missing(doctor, device);
		return;
	}
	if (!S_ISCHR(st.st_mode) ||
	    (device->cdev != 0 && st.st_rdev != device->cdev))
		doctor_node_add_wrong(doctor, device, &st);
	else
		doctor_node_try_open(doctor, device, path);
}

/* Such a device has no node, but UCX looks for the folder. */
static void doctor_node_check_user_space(struct doctor *doctor,
					 const struct doctor_device *device)
{
	struct doctor_finding *finding;

	if (device->in_kernel || !device->listed || !device->selected ||
	    doctor_system_exists(&doctor->system, DOCTOR_NODE_DIR))
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_NODES_NO_FOLDER_USER, device->name, 0,
		"UCX, and Open MPI with UCX, ignore this device, because the "
		"folder " DOCTOR_NODE_DIR " does not exist. An empty folder is "
		"enough.");
	doctor_finding_add_fix(finding, "mkdir " DOCTOR_NODE_DIR);
}

void doctor_check_nodes(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		doctor_node_check_user_space(doctor, device);
		if (!device->selected || !*device->uverbs)
			continue;
		if (!doctor_system_exists(&doctor->system, DOCTOR_NODE_DIR)) {
			doctor_node_add_no_folder(doctor, device);
			return;
		}
		doctor_node_check(doctor, device);
	}
}
