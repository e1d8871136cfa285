/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device discovery by RDMA netlink. Called by discover.c; netlink_io.c sends
 * requests and receives responses, netlink_parse.c parses them. Steps of a
 * scan:
 *
 * 1. Send, in one call, the request for a dump of all devices and a query for
 *    the character device of each device of the last scan.
 * 2. Receive until the dump and the responses to these queries are complete.
 * 3. Query the remaining devices in windows: one send, then receive until all
 *    responses have arrived.
 *
 * The kernel executes requests inside the send call, and produces the next part
 * of a dump when the previous part is received. So the scan normally does not
 * wait, and one recvmmsg() returns many responses. If a response is missing,
 * the scan waits for a bounded time.
 *
 * Each scan opens and closes its own socket, because programs may close
 * descriptors that they did not open.
 */
#include "discover/discover_netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "discover/netlink_io.h"
#include "discover/netlink_parse.h"
#include "discover/records.h"

/* Limit of restarts because devices changed during the dump. */
#define MAX_ATTEMPTS 4

/* Limit of datagrams in one attempt, against endless responses. */
#define MAX_DATAGRAMS (4 * VERBS_NETLINK_MAX_DEVICES)

struct scan {
	struct verbs_netlink_cache *memory;
	struct verbs_netlink_scan nl;
	int fd;
	size_t nr_datagrams;
};

/* Moves all queries in state @from to state @to. */
static void nldev_move_queries(struct verbs_netlink_scan *nl,
			       enum verbs_netlink_state from,
			       enum verbs_netlink_state to)
{
	for (size_t i = 0; i < nl->nr_queries; i++)
		if (nl->queries[i].state == from)
			nl->queries[i].state = to;
	if (from == VERBS_NETLINK_PENDING)
		nl->nr_pending = 0;
}

/* Sends the next window of queries, after a dump request if @with_dump. */
static int nldev_send_window(struct scan *scan, bool with_dump)
{
	struct verbs_netlink_scan *nl = &scan->nl;
	struct verbs_netlink_batch batch;
	int ret;

	batch.used = 0;
	if (with_dump) {
		ret = verbs_netlink_batch_dump(&batch);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < nl->nr_queries; i++) {
		struct verbs_netlink_query *query = &nl->queries[i];

		if (nl->nr_pending == scan->memory->window)
			break;
		if (query->state != VERBS_NETLINK_UNSENT)
			continue;
		ret = verbs_netlink_batch_query(&batch,
						nl->first_number + (uint32_t)i,
						query->ibdev_index);
		if (ret)
			return ret;
		query->state = VERBS_NETLINK_PENDING;
		nl->nr_pending++;
	}
	return batch.used ? verbs_netlink_batch_send(scan->fd, &batch) : 0;
}

/* Returns whether the responses so far are unusable after this error. */
static bool nldev_error_is_fatal(int error)
{
	return error == -ENOMEM || error == -EBADMSG || error == -EMSGSIZE;
}

/* Parses all queued datagrams. -EAGAIN if there is none. */
static int nldev_receive_available(struct scan *scan)
{
	struct verbs_netlink_cache *memory = scan->memory;
	size_t nr;
	int ret;

	/* Only the dump can have datagrams with many devices. */
	ret = verbs_netlink_receive(scan->fd, memory->rx,
				    memory->wide && !scan->nl.dump_done,
				    &scan->nl, &nr);
	scan->nr_datagrams += nr ? nr : 1;
	return scan->nr_datagrams > MAX_DATAGRAMS ? -EIO : ret;
}

/*
 * Handles an overrun of the receive buffer, after which responses are missing.
 * The kernel drops further responses until the buffer is empty. So this
 * function empties the buffer; the caller then repeats the queries in smaller
 * windows.
 *
 * Parts of a running dump need buffer space as well: in that case the scan
 * restarts, without queries alongside the dump.
 */
static int nldev_recover_overrun(struct scan *scan)
{
	struct verbs_netlink_cache *memory = scan->memory;
	int ret;

	if (!scan->nl.dump_done) {
		memory->window = memory->window > 1 ? memory->window / 2 : 1;
		memory->nr_known = 0;
		return -ESTALE;
	}

	do {
		ret = nldev_receive_available(scan);
	} while (!ret || ret == -ENOBUFS || ret == -EINTR);
	if (ret != -EAGAIN)
		return ret;

	memory->window /= 2;
	nldev_move_queries(&scan->nl, VERBS_NETLINK_PENDING,
			   VERBS_NETLINK_UNSENT);
	return 0;
}

/*
 * Receives until no response is outstanding. After an error, if the dump is
 * already complete, the pending queries become FAILED and this scan sends no
 * more queries.
 */
static int nldev_receive_pending(struct scan *scan)
{
	struct verbs_netlink_scan *nl = &scan->nl;
	int ret = 0;

	while ((!ret || ret == -EINTR) && (!nl->dump_done || nl->nr_pending)) {
		ret = nldev_receive_available(scan);
		if (ret == -ENOBUFS)
			ret = nldev_recover_overrun(scan);
		else if (ret == -EAGAIN)
			ret = verbs_netlink_wait(scan->fd);
	}
	if (ret && nl->dump_done && !nldev_error_is_fatal(ret)) {
		nldev_move_queries(nl, VERBS_NETLINK_PENDING,
				   VERBS_NETLINK_FAILED);
		scan->memory->window = 0;
		return 0;
	}
	return ret;
}

/* Adds queries for devices of the last scan, at most one window. */
static int nldev_add_known_queries(struct scan *scan)
{
	const struct verbs_netlink_cache *memory = scan->memory;
	struct verbs_netlink_scan *nl = &scan->nl;
	size_t count = memory->nr_known;

	if (count > memory->window)
		count = memory->window;
	if (!count || memory->wide)
		return 0;

	nl->queries = calloc(count, sizeof(*nl->queries));
	if (!nl->queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		nl->queries[i].ibdev_index = memory->known[i];
	nl->nr_queries = count;
	return 0;
}

static const struct verbs_netlink_query *
nldev_find_completed(const struct verbs_netlink_scan *nl, uint32_t ibdev_index)
{
	for (size_t i = 0; i < nl->nr_queries; i++) {
		const struct verbs_netlink_query *query = &nl->queries[i];

		if (query->ibdev_index == ibdev_index &&
		    query->state == VERBS_NETLINK_DONE)
			return query;
	}
	return NULL;
}

/*
 * Replaces the queries by one for each device of the dump, in the same order.
 * Queries with a response are kept. A failed query is repeated, because the
 * device may have appeared after it.
 */
static int nldev_add_device_queries(struct scan *scan)
{
	struct verbs_netlink_scan *nl = &scan->nl;
	struct verbs_netlink_query *queries = NULL;

	if (nl->devices.count) {
		queries = calloc(nl->devices.count, sizeof(*queries));
		if (!queries)
			return -ENOMEM;
	}

	for (size_t i = 0; i < nl->devices.count; i++) {
		uint32_t ibdev_index =
			(uint32_t)nl->devices.devices[i].ibdev_index;
		const struct verbs_netlink_query *completed;

		completed = nldev_find_completed(nl, ibdev_index);
		if (completed)
			queries[i] = *completed;
		else
			queries[i].ibdev_index = ibdev_index;
	}

	nl->first_number += (uint32_t)nl->nr_queries;
	free(nl->queries);
	nl->queries = queries;
	nl->nr_queries = nl->devices.count;
	return 0;
}

static bool nldev_has_unsent(const struct verbs_netlink_scan *nl)
{
	for (size_t i = 0; i < nl->nr_queries; i++)
		if (nl->queries[i].state == VERBS_NETLINK_UNSENT)
			return true;
	return false;
}

/*
 * Sends all unsent queries in windows. After a send error, or when the window
 * has shrunk to 0, the remaining queries become FAILED.
 */
static int nldev_run_queries(struct scan *scan)
{
	struct verbs_netlink_scan *nl = &scan->nl;

	while (nldev_has_unsent(nl) && scan->memory->window) {
		int ret = nldev_send_window(scan, false);

		if (ret == -ENOMEM)
			return ret;
		if (ret)
			break;
		ret = nldev_receive_pending(scan);
		if (ret)
			return ret;
	}
	nldev_move_queries(nl, VERBS_NETLINK_PENDING, VERBS_NETLINK_FAILED);
	nldev_move_queries(nl, VERBS_NETLINK_UNSENT, VERBS_NETLINK_FAILED);
	return 0;
}

static void nldev_copy_responses(struct verbs_netlink_scan *nl)
{
	for (size_t i = 0; i < nl->nr_queries; i++) {
		const struct verbs_netlink_query *query = &nl->queries[i];
		struct verbs_kernel_device *device = &nl->devices.devices[i];

		if (query->state != VERBS_NETLINK_DONE)
			continue;
		memcpy(device->uverbs_name, query->name, sizeof(query->name));
		device->cdev = query->cdev;
		device->abi_version = query->abi_version;
		device->driver_id = query->driver_id;
	}
}

/* Runs all steps of a scan on an open socket. */
static int nldev_scan_socket(struct scan *scan)
{
	int ret;

	ret = nldev_add_known_queries(scan);
	if (!ret)
		ret = nldev_send_window(scan, true);
	if (!ret)
		ret = nldev_receive_pending(scan);
	if (!ret)
		ret = nldev_add_device_queries(scan);
	if (!ret)
		ret = nldev_run_queries(scan);
	return ret;
}

static int nldev_scan_once(struct verbs_netlink_cache *memory,
			   struct verbs_device_records *ret_records)
{
	struct scan scan = {
		.memory = memory,
		.nl = { .first_number = VERBS_NETLINK_DUMP_NUMBER + 1 },
	};
	int ret;

	if (!memory->window)
		memory->window = VERBS_NETLINK_WINDOW;
	scan.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (scan.fd < 0)
		return -errno;
	ret = nldev_scan_socket(&scan);
	(void)close(scan.fd); /* a socket has nothing to flush */

	if (!ret) {
		nldev_copy_responses(&scan.nl);
		*ret_records = scan.nl.devices;
	} else {
		verbs_device_records_free(&scan.nl.devices);
	}
	free(scan.nl.queries);
	return ret;
}

static int nldev_store_known(struct verbs_netlink_cache *memory,
			     const struct verbs_device_records *records)
{
	uint32_t *known;

	memory->nr_known = 0;
	if (!records->count)
		return 0;
	known = reallocarray(memory->known, records->count, sizeof(*known));
	if (!known)
		return -ENOMEM;

	memory->known = known;
	for (size_t i = 0; i < records->count; i++)
		if (records->devices[i].uverbs_name[0])
			known[memory->nr_known++] =
				(uint32_t)records->devices[i].ibdev_index;
	return 0;
}

int verbs_discover_netlink(struct verbs_netlink_cache *memory,
			   struct verbs_device_records *ret_records)
{
	struct verbs_device_records records = {};
	int ret = -ESTALE;

	if (!memory->rx) {
		memory->rx = verbs_netlink_rx_new();
		if (!memory->rx)
			return -ENOMEM;
	}

	for (int i = 0; i < MAX_ATTEMPTS && ret == -ESTALE; i++) {
		ret = nldev_scan_once(memory, &records);
		if (ret == -EMSGSIZE && !memory->wide) {
			memory->wide = true;
			ret = -ESTALE;
		}
	}
	if (!ret)
		ret = nldev_store_known(memory, &records);
	if (ret) {
		memory->nr_known = 0;
		verbs_device_records_free(&records);
		return ret;
	}
	*ret_records = records;
	return 0;
}

void verbs_netlink_cache_free(struct verbs_netlink_cache *memory)
{
	free(memory->known);
	verbs_netlink_rx_free(memory->rx);
	*memory = (struct verbs_netlink_cache){};
}
