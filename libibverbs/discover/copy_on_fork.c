/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries the RDMA netlink attribute COPY_ON_FORK, which describes the system,
 * not a device. Called by core/fork_guard.c; netlink_io.c sends and receives,
 * netlink_parse.c parses the response.
 */
#include "discover/copy_on_fork.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "discover/netlink_io.h"
#include "discover/netlink_parse.h"

#define QUERY_NUMBER (VERBS_NETLINK_DUMP_NUMBER + 1)

/* Limit of received datagrams; the first one should be the response. */
#define MAX_DATAGRAMS 16

static int copy_on_fork_send_query(int fd)
{
	struct verbs_netlink_batch batch;
	int ret;

	batch.used = 0;
	ret = verbs_netlink_batch_system(&batch, QUERY_NUMBER);
	return ret ? ret : verbs_netlink_batch_send(fd, &batch);
}

static int copy_on_fork_receive(int fd, struct verbs_netlink_scan *scan)
{
	struct verbs_netlink_rx *rx = verbs_netlink_rx_new();
	int ret = rx ? 0 : -ENOMEM;

	for (size_t i = 0; i < MAX_DATAGRAMS && !ret && scan->nr_pending; i++) {
		size_t nr;

		ret = verbs_netlink_receive(fd, rx, false, scan, &nr);
		if (ret == -EAGAIN)
			ret = verbs_netlink_wait(fd);
		else if (ret == -EINTR)
			ret = 0;
	}
	verbs_netlink_rx_free(rx);
	return ret;
}

bool verbs_copy_on_fork(void)
{
	struct verbs_netlink_query query = {
		.of_system = true,
		.state = VERBS_NETLINK_PENDING,
	};
	struct verbs_netlink_scan scan = {
		.dump_done = true,
		.queries = &query,
		.nr_queries = 1,
		.nr_pending = 1,
		.first_number = QUERY_NUMBER,
	};
	int fd, ret;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd < 0)
		return false;
	ret = copy_on_fork_send_query(fd);
	if (!ret)
		ret = copy_on_fork_receive(fd, &scan);
	(void)close(fd); /* a socket has nothing to flush */
	return !ret && query.state == VERBS_NETLINK_DONE && query.copy_on_fork;
}
