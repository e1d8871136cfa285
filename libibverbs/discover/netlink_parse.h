/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes apart what the kernel answers to the requests of discover_netlink.c.
 * No I/O: the state of the questions goes in, the answers come out.
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

/* The kernel numbers 8192 ports in all; a device has at least one. */
#define VERBS_NETLINK_MAX_DEVICES 8192

enum verbs_netlink_state {
	VERBS_NETLINK_UNSENT,
	VERBS_NETLINK_PENDING,
	VERBS_NETLINK_ANSWERED,
	VERBS_NETLINK_FAILED,
};

/*
 * The question for the character device of one device, or for what is true of
 * all of them (copy_on_fork.c).
 */
struct verbs_netlink_query {
	bool of_system; /* the latter */
	uint32_t ibdev_index;
	enum verbs_netlink_state state;
	/* the answer */
	char name[VERBS_DEVICE_NAME_LEN];
	dev_t cdev;
	uint32_t abi_version;
	uint32_t driver_id;
	bool copy_on_fork; /* of_system: the only answer */
};

struct verbs_netlink_scan {
	/* The dump. Character device and driver are not yet filled in. */
	struct verbs_device_records devices;
	bool dump_done;

	struct verbs_netlink_query *queries;
	size_t nr_queries;
	size_t nr_pending;     /* queries in state PENDING */
	uint32_t first_number; /* of queries[0]; those of the rest follow */
};

/**
 * verbs_netlink_parse() - take over one datagram from the kernel
 * @scan: the dump is running unless @dump_done; answers to queries that are
 *	not pending are ignored, bad answers make the query FAILED
 * @datagram: aligned for a message header
 * @len: bytes at @datagram
 *
 * A device whose name is not a name is left out of the dump.
 *
 * Return: 0; -ESTALE if the dump was overtaken by a change and is to be asked
 * for again; -EIO if the kernel refused it; -EBADMSG for a malformed datagram
 * or a dump that lacks what every kernel tells; -ENOMEM.
 */
int verbs_netlink_parse(struct verbs_netlink_scan *scan, void *datagram,
			size_t len);

#endif
