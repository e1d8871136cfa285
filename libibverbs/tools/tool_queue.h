/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all pingpongs do alike with their queues.
 */
#ifndef TOOLS_TOOL_QUEUE_H
#define TOOLS_TOOL_QUEUE_H

#include <infiniband/verbs.h>

/**
 * tool_wait_cq_event() - wait for an event of a queue, and ask for the next one
 * @cq: the only queue of @channel
 * @events: counts the event, which is to be acknowledged later
 *
 * The queue is to be polled after this: what completes later makes an event.
 *
 * Return: 0, -EIO after a message on standard error.
 */
int tool_wait_cq_event(struct ibv_comp_channel *channel,
		       const struct ibv_cq *cq, unsigned int *events);

/** tool_print_failure() - -errno, after a message that @what could not be done
 */
int tool_print_failure(const char *what);

/** tool_check_destroyed() - 0, or 1 after a message, if @ret is why @what is
 * still there
 */
int tool_check_destroyed(int ret, const char *what);

#endif
