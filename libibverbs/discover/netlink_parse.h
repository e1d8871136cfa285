/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses RDMA netlink responses of the kernel. Does no I/O: reads the state of
 * the queries and stores the responses in them.
 */
#ifndef DISCOVER_NETLINK_PARSE_H
#define DISCOVER_NETLINK_PARSE_H

#include <provider/device.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/records.h"

/* Sequence number of the dump request; those of queries are higher. */
#define VERBS_NETLINK_DUMP_NUMBER 1

/* The kernel supports 8192 ports in total; a device has at least one. */
#define VERBS_NETLINK_MAX_DEVICES 8192

enum verbs_netlink_state {
	VERBS_NETLINK_UNSENT,
	VERBS_NETLINK_PENDING,
	VERBS_NETLINK_DONE,
	VERBS_NETLINK_FAILED,
};

/*
 * A query for the character device of one RDMA device, or for the attributes of
 * the system (copy_on_fork.c).
 */
struct verbs_netlink_query {
	bool of_system; /* query for system attributes */
	uint32_t ibdev_index;
	enum verbs_netlink_state state;
	/* the response */
	char name[VERBS_DEVICE_NAME_LEN];
	dev_t cdev;
	uint32_t abi_version;
	uint32_t driver_id;
	bool copy_on_fork; /* the response if of_system */
};

struct verbs_netlink_scan {
	/* Devices of the dump, without character device and driver. */
	struct verbs_device_records devices;
	bool dump_done;

	struct verbs_netlink_query *queries;
	size_t nr_queries;
	size_t nr_pending;     /* queries in state PENDING */
	uint32_t first_number; /* sequence number of queries[0] */
};

/**
 * verbs_netlink_parse() - parse one datagram from the kernel
 * @scan: updated; responses to queries that are not PENDING are ignored, and a
 *	malformed response makes its query FAILED
 * @datagram: aligned for a message header
 * @len: bytes at @datagram
 *
 * Skips devices with an invalid name.
 *
 * Return: 0; -ESTALE if devices changed during the dump, so that it must be
 * requested again; -EIO if the kernel refused the dump; -EBADMSG if the
 *datagram is malformed or lacks an attribute that every kernel sends; -ENOMEM.
 */
int verbs_netlink_parse(struct verbs_netlink_scan *scan, void *datagram,
			size_t len);

#endif
