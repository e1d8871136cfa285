/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of an id in the kernel: its life, options and addresses. */
#include "api/kernel_id.h"

#include "api/device_table.h"
#include "api/kernel_channel.h"
#include "kernel/ucm_cmd.h"

#include <assert.h>
#include <errno.h>
#include <infiniband/ib.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(union ibv_gid) == sizeof(struct ib_addr),
	      "addresses of the family AF_IB are GIDs");

int kernel_id_fd(const struct own_id *own)
{
	return channel_watched_fd(own->source.channel);
}

bool kernel_id_is_missing(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -ENXIO;
}

/* -- life -- */

static int option_apply_bool(struct own_id *own, int name, int value)
{
	return kernel_id_set_option(own, RDMA_OPTION_ID, name, &value,
				    sizeof(value));
}

/* The options that were set before */
static int kernel_id_apply_options(struct own_id *own)
{
	int ret = 0;

	if (own->is_reusable)
		ret = option_apply_bool(own, RDMA_OPTION_ID_REUSEADDR, 1);
	if (!ret && own->has_family_only)
		ret = option_apply_bool(own, RDMA_OPTION_ID_AFONLY,
					own->is_family_only);
	if (!ret && own->has_tos)
		ret = kernel_id_set_option(own, RDMA_OPTION_ID,
					   RDMA_OPTION_ID_TOS, &own->tos,
					   sizeof(own->tos));
	if (!ret && own->has_ack_timeout)
		ret = kernel_id_set_option(
			own, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT,
			&own->ack_timeout, sizeof(own->ack_timeout));
	return ret;
}

int kernel_id_new(struct own_id *own)
{
	uint32_t number, nr_events;
	int fd;
	int ret;

	if (own->kernel)
		return 0;
	ret = kernel_channel_open(own->source.channel, &fd);
	if (ret)
		return ret;
	ret = ucm_cmd_create_id(fd, (uintptr_t)own, own->id.ps, own->id.qp_type,
				&number);
	if (ret)
		return ret;
	ret = own_id_set_kernel(own, number);
	if (ret) {
		(void)ucm_cmd_destroy_id(fd, number, &nr_events);
		return ret;
	}
	ret = kernel_id_apply_options(own);
	if (ret)
		kernel_id_drop(own);
	return ret;
}

int kernel_id_destroy(struct own_id *own, uint32_t *ret_nr_events)
{
	int ret;

	if (!own->kernel)
		return 0;
	ret = ucm_cmd_destroy_id(kernel_id_fd(own), own->kernel->number,
				 ret_nr_events);
	if (ret)
		return ret;
	free(own->kernel);
	own->kernel = NULL;
	return 0;
}

void kernel_id_drop(struct own_id *own)
{
	uint32_t nr_events;

	(void)kernel_id_destroy(own, &nr_events);
}

int kernel_id_migrate(struct own_id *own, struct channel *to,
		      uint32_t *ret_nr_events)
{
	int to_fd;
	int ret;

	if (!own->kernel)
		return 0;
	ret = kernel_channel_open(to, &to_fd);
	if (ret)
		return ret;
	return ucm_cmd_migrate_id(to_fd, own->kernel->number, kernel_id_fd(own),
				  ret_nr_events);
}

int kernel_id_set_option(struct own_id *own, int level, int name,
			 const void *value, size_t len)
{
	return ucm_cmd_set_option(kernel_id_fd(own), own->kernel->number, level,
				  name, value, len);
}

/* -- addresses -- */

static void gid_copy(const struct sockaddr_storage *from, union ibv_gid *ret)
{
	const struct sockaddr_ib *address = (const void *)from;

	if (from->ss_family == AF_IB)
		memcpy(ret, &address->sib_addr, sizeof(*ret));
}

static int kernel_id_attach(struct own_id *own, const struct ucm_addr *address)
{
	struct own_device *device;

	if (!address->node_guid || own->device)
		return 0;
	device = device_find_kernel(address->node_guid, address->ibdev_index);
	if (!device)
		return -ENODEV;
	return device_id_attach(device, address->port_num, own);
}

int kernel_id_query_addr(struct own_id *own)
{
	struct rdma_addr *addresses = &own->id.route.addr;
	uint32_t number = own->kernel->number;
	struct ucm_addr address, gids;
	int fd = kernel_id_fd(own);
	int ret;

	ret = ucm_cmd_query_addr(fd, number, &address);
	if (!ret)
		ret = ucm_cmd_query_gid(fd, number, &gids);
	if (!ret)
		ret = kernel_id_attach(own, &address);
	if (ret)
		return ret;
	addresses->src_storage = address.src;
	addresses->dst_storage = address.dst;
	gid_copy(&gids.src, &addresses->addr.ibaddr.sgid);
	gid_copy(&gids.dst, &addresses->addr.ibaddr.dgid);
	addresses->addr.ibaddr.pkey = gids.pkey;
	return 0;
}

int kernel_id_query_path(struct own_id *own)
{
	struct rdma_route *route = &own->id.route;
	int nr;

	if (!own->device ||
	    own->id.verbs->device->transport_type != IBV_TRANSPORT_IB)
		return 0;
	nr = ucm_cmd_query_path(kernel_id_fd(own), own->kernel->number,
				own->kernel->paths);
	if (nr < 0)
		return nr;
	route->path_rec = nr ? own->kernel->paths : NULL;
	route->num_paths = nr;
	return 0;
}
