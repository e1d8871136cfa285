/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Helpers of all pingpongs for their queues. */
#ifndef TOOLS_TOOL_QUEUE_H
#define TOOLS_TOOL_QUEUE_H

#include <infiniband/verbs.h>

/**
 * tool_wait_cq_event() - wait for a CQ event, and request the next one
 * @cq: the only CQ of @channel
 * @events: incremented; the caller acknowledges that many events later
 *
 * Poll the CQ after this call: only a completion that arrives after the request
 * causes an event.
 *
 * Return: 0, or -EIO after a message on standard error.
 */
int tool_wait_cq_event(struct ibv_comp_channel *channel,
		       const struct ibv_cq *cq, unsigned int *events);

/** tool_print_failure() - print that @what failed, with errno; return -errno */
int tool_print_failure(const char *what);

/**
 * tool_check_destroyed() - print an error if destroying @what failed with @ret
 *
 * Return: 0 if @ret is 0, otherwise 1.
 */
int tool_check_destroyed(int ret, const char *what);

#endif
