// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CQ events and error messages of the pingpongs: see tool_queue.h. */
#include "tools/tool_queue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int tool_wait_cq_event(struct ibv_comp_channel *channel,
		       const struct ibv_cq *cq, unsigned int *events)
{
	struct ibv_cq *source;
	void *cq_context;

	if (ibv_get_cq_event(channel, &source, &cq_context) != 0) {
		fprintf(stderr, "Failed to get cq_event: %s\n",
			strerror(errno));
		return -EIO;
	}
	(*events)++;
	if (source != cq) {
		fprintf(stderr, "CQ event for unknown CQ %p\n", (void *)source);
		return -EIO;
	}
	if (ibv_req_notify_cq(source, 0) != 0) {
		fprintf(stderr, "Couldn't request CQ notification\n");
		return -EIO;
	}
	return 0;
}

int tool_check_destroyed(int ret, const char *what)
{
	if (ret)
		fprintf(stderr, "Couldn't destroy %s: %s\n", what,
			strerror(ret));
	return ret ? 1 : 0;
}

int tool_print_failure(const char *what)
{
	int ret = errno ? -errno : -EIO;

	fprintf(stderr, "Couldn't %s: %s\n", what, strerror(-ret));
	return ret;
}
