/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids without their connection managers: called by most files of api/. */
#include "api/own_id.h"

#include "api/kernel_id.h"

#include <errno.h>
#include <stdlib.h>

struct own_id *own_id_new(void)
{
	struct own_id *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	list_init(&own->binding.node);
	list_init(&own->listen_node);
	list_init(&own->groups);
	list_init(&own->kernel_requests);
	return own;
}

void own_id_set_channel(struct own_id *own, struct channel *channel)
{
	own->source.channel = channel;
	own->id.channel = &channel->public;
}

int own_id_set_kernel(struct own_id *own, uint32_t number)
{
	struct kernel_id *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return -ENOMEM;
	kernel->number = number;
	own->kernel = kernel;
	return 0;
}

int own_id_post(struct own_id *own, enum rdma_cm_event_type type, int status,
		uint64_t arg)
{
	struct channel_event *event = channel_event_new();

	if (!event)
		return -ENOMEM;
	event->public.id = &own->id;
	event->public.event = type;
	event->public.status = status;
	event->public.param.arg = arg;
	channel_post(&own->source, event);
	return 0;
}
