// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queries the attributes of a device: see devinfo.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/devinfo.h"

/* Some drivers create this file in the device's sysfs folder. */
static void devinfo_read_board_id(const struct ibv_device *device,
				  char *board_id, size_t size)
{
	char path[IBV_SYSFS_PATH_MAX + 16];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/board_id", device->ibdev_path);
	file = fopen(path, "re");
	if (!file)
		return;
	length = fread(board_id, 1, size - 1, file);
	board_id[length] = '\0';
	board_id[strcspn(board_id, "\n")] = '\0';
	fclose(file);
}

static int devinfo_query_ports(struct devinfo *info)
{
	info->ports = calloc(info->last_port, sizeof(*info->ports));
	if (!info->ports && info->last_port)
		return -ENOMEM;
	for (unsigned int i = info->first_port; i <= info->last_port; i++) {
		int ret = ibv_query_port(info->context, i, &info->ports[i - 1]);

		if (ret) {
			fprintf(stderr, "Failed to query port %u props: %s\n",
				i, strerror(ret));
			return -EIO;
		}
	}
	return 0;
}

/*
 * The first GID table entry of an iWARP port contains the MAC address of the
 * port. That entry is not a GID, because a GID has an interface ID in its lower
 * 64 bits (IBTA 4.1.1).
 */
static size_t devinfo_drop_mac_gids(struct ibv_gid_entry *gids, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (gids[i].gid.global.interface_id)
			gids[kept++] = gids[i];
	return kept;
}

/*
 * Queries the GID tables of all ports. ibv_query_gid_table() needs room for the
 * entries of every port, printed or not.
 */
static int devinfo_query_gids(struct devinfo *info)
{
	size_t room = 0;
	ssize_t count;

	for (unsigned int i = 1; i <= info->nr_ports; i++) {
		struct ibv_port_attr port;

		if (ibv_query_port(info->context, i, &port) == 0 &&
		    port.gid_tbl_len > 0)
			room += port.gid_tbl_len;
	}
	if (room == 0)
		return 0;
	info->gids = calloc(room, sizeof(*info->gids));
	if (!info->gids)
		return -ENOMEM;
	count = ibv_query_gid_table(info->context, info->gids, room, 0);
	if (count < 0) {
		fprintf(stderr, "Failed to query the GID table: %s\n",
			strerror((int)-count));
		return (int)count;
	}
	info->nr_gids = devinfo_drop_mac_gids(info->gids, (size_t)count);
	return 0;
}

static int devinfo_query_device(struct devinfo *info, unsigned int port,
				bool gids)
{
	const struct ibv_device_attr_ex *attr = &info->attr;
	int ret = ibv_query_device_ex(info->context, NULL, &info->attr);

	if (ret) {
		fprintf(stderr, "Failed to query device props: %s\n",
			strerror(ret));
		return -EIO;
	}
	info->nr_ports = attr->phys_port_cnt_ex ? attr->phys_port_cnt_ex
						: attr->orig_attr.phys_port_cnt;
	if (port > info->nr_ports) {
		fprintf(stderr,
			"Invalid port requested for device %s: "
			"it has %u\n",
			ibv_get_device_name(info->context->device),
			info->nr_ports);
		return -EINVAL;
	}
	if (info->nr_ports > DEVINFO_MAX_PORTS)
		info->nr_ports = DEVINFO_MAX_PORTS;
	info->first_port = port ? port : 1;
	info->last_port = port ? port : info->nr_ports;
	devinfo_read_board_id(info->context->device, info->board_id,
			      sizeof(info->board_id));
	ret = devinfo_query_ports(info);
	if (ret == 0 && gids)
		ret = devinfo_query_gids(info);
	return ret;
}

int devinfo_query(struct ibv_device *device, unsigned int port, bool gids,
		  struct devinfo *ret_info)
{
	struct devinfo info = { .context = ibv_open_device(device) };
	int ret;

	if (!info.context) {
		ret = -errno;
		fprintf(stderr, "Failed to open device %s: %s\n",
			ibv_get_device_name(device), strerror(errno));
		return ret;
	}
	ret = devinfo_query_device(&info, port, gids);
	if (ret) {
		devinfo_free(&info);
		return ret;
	}
	*ret_info = info;
	return 0;
}

void devinfo_free(struct devinfo *info)
{
	free(info->ports);
	free(info->gids);
	if (ibv_close_device(info->context) != 0)
		fprintf(stderr, "Failed to close device\n");
}
