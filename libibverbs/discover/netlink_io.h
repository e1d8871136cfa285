/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends requests and receives datagrams of RDMA netlink. The callers decide
 * which requests are sent and when.
 */
#ifndef DISCOVER_NETLINK_IO_H
#define DISCOVER_NETLINK_IO_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/netlink_parse.h"

/*
 * Maximum number of queries in flight. A response takes less than 1 KiB of the
 * socket's receive buffer, so 64 of them fill a third of its default size of
 * 208 KiB. The kernel continues a dump while less than half of the buffer is in
 * use.
 */
#define VERBS_NETLINK_WINDOW 64

/* A header and two attributes, of 4 and of 8 bytes at most. */
#define VERBS_NETLINK_REQUEST_BYTES (NLMSG_HDRLEN + 2 * NLA_HDRLEN + 12)

/* Requests for one send call: a dump and a window of queries. */
struct verbs_netlink_batch {
	size_t used;
	char bytes[(1 + VERBS_NETLINK_WINDOW) * VERBS_NETLINK_REQUEST_BYTES];
};

/* Append a request. Return: 0; -ENOMEM; -EMSGSIZE if the batch is full. */
int verbs_netlink_batch_dump(struct verbs_netlink_batch *batch);
int verbs_netlink_batch_query(struct verbs_netlink_batch *batch,
			      uint32_t number, uint32_t ibdev_index);

/* Append a query for system attributes: verbs_netlink_query.copy_on_fork. */
int verbs_netlink_batch_system(struct verbs_netlink_batch *batch,
			       uint32_t number);

/* Send all requests of @batch. Return: 0 or -errno. */
int verbs_netlink_batch_send(int fd, const struct verbs_netlink_batch *batch);

/* Receive buffer; opaque. */
struct verbs_netlink_rx;

struct verbs_netlink_rx *verbs_netlink_rx_new(void);
void verbs_netlink_rx_free(struct verbs_netlink_rx *rx);

/**
 * verbs_netlink_receive() - parse the datagrams in the receive buffer
 * @wide: few datagrams of up to 32 KiB instead of many of up to 1 KiB
 * @scan: receives the parsed responses
 * @ret_nr: number of datagrams; set also on failure
 *
 * Does not block. Drops datagrams whose sender is not the kernel.
 *
 * Return: 0; -EAGAIN if there is no datagram; -EMSGSIZE if one was larger
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
