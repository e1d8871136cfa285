/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The record of one kernel device. discover/ writes it, core/ copies it into
 * the device list, and the match of a provider reads it. A record is constant
 * after it was made.
 */
#ifndef PROVIDER_DEVICE_H
#define PROVIDER_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Both names carry their terminating NUL; the kernel's own limit is 64. */
#define VERBS_DEVICE_NAME_LEN 64

struct verbs_kernel_device {
	char ibdev_name[VERBS_DEVICE_NAME_LEN];	 /* "rxe0" */
	char uverbs_name[VERBS_DEVICE_NAME_LEN]; /* "uverbs0" */
	dev_t cdev;	      /* character device of uverbs_name */
	int ibdev_index;      /* RDMA netlink index, -1 without netlink */
	uint32_t driver_id;   /* enum rdma_driver_id, 0 unknown */
	uint32_t abi_version; /* of the driver's part of the protocol */
	uint32_t nr_ports;    /* 0 unknown */
	bool has_node_guid;   /* node_guid is known */
	__be64 node_guid;     /* network order */
	int node_type;	      /* enum ibv_node_type */
	/*
	 * Without a netlink index: modification time of the device's folder in
	 * sysfs, which distinguishes the device from a later one of the same
	 * name.
	 */
	struct timespec created;
};

#endif
