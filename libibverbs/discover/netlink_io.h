/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests out of and datagrams into a scan by RDMA netlink: how bytes travel,
 * not which question is asked when.
 */
#ifndef DISCOVER_NETLINK_IO_H
#define DISCOVER_NETLINK_IO_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/netlink_parse.h"

/*
 * Most queries in flight. An answer takes below 1 KiB of the socket's receive
 * buffer, so 64 of them fill a third of its default of 208 KiB. The kernel
 * continues a dump as long as less than one half is in use.
 */
#define VERBS_NETLINK_WINDOW 64

/* A header and two attributes, of 4 and of 8 bytes at most. */
#define VERBS_NETLINK_REQUEST_BYTES (NLMSG_HDRLEN + 2 * NLA_HDRLEN + 12)

/* Requests back to back, as one send takes them: a dump and a window. */
struct verbs_netlink_batch {
	size_t used;
	char bytes[(1 + VERBS_NETLINK_WINDOW) * VERBS_NETLINK_REQUEST_BYTES];
};

/* Add a request. Return: 0, -ENOMEM; -EMSGSIZE if the batch is full. */
int verbs_netlink_batch_dump(struct verbs_netlink_batch *batch);
int verbs_netlink_batch_query(struct verbs_netlink_batch *batch,
			      uint32_t number, uint32_t ibdev_index);

/* Ask for what is true of all devices: verbs_netlink_query.copy_on_fork. */
int verbs_netlink_batch_system(struct verbs_netlink_batch *batch,
			       uint32_t number);

/* Return: 0 or -errno. */
int verbs_netlink_batch_send(int fd, const struct verbs_netlink_batch *batch);

/* Receive buffer; opaque. */
struct verbs_netlink_rx;

struct verbs_netlink_rx *verbs_netlink_rx_new(void);
void verbs_netlink_rx_free(struct verbs_netlink_rx *rx);

/**
 * verbs_netlink_receive() - parse the datagrams that have arrived
 * @wide: few datagrams of up to 32 KiB instead of many of up to 1 KiB
 * @scan: the answers go here
 * @ret_nr: number of datagrams; set also on failure
 *
 * Does not block. Datagrams of other senders than the kernel are dropped.
 *
 * Return: 0; -EAGAIN if nothing is there; -EMSGSIZE if a datagram was larger
 * than its slot; errors of verbs_netlink_parse(); -errno.
 */
int verbs_netlink_receive(int fd, struct verbs_netlink_rx *rx, bool wide,
			  struct verbs_netlink_scan *scan, size_t *ret_nr);

/**
 * verbs_netlink_wait() - wait for a datagram, for a bounded time
 *
 * Return: 0; -ETIMEDOUT; -errno.
 */
int verbs_netlink_wait(int fd);

#endif
