/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A librdmacm with a function of each kind of result, and no others. */
#include "librdmacm/forward/rdmacm_fake.h"

#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>

#include <stdarg.h>

static struct rdma_event_channel channel = { .fd = 42 };

struct rdma_event_channel *rdma_create_event_channel(void)
{
	return &channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *old)
{
	old->fd = -1;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	return backlog + 1;
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	return FAKE_EVENT_TEXT;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return (__be16)FAKE_PORT;
}

int rfcntl(int socket, int cmd, ...)
{
	va_list args;
	long arg;

	va_start(args, cmd);
	arg = va_arg(args, long);
	va_end(args);
	return (int)arg + cmd;
}

size_t riowrite(int socket, const void *buf, size_t count, off_t offset,
		int flags)
{
	return count + (size_t)offset;
}
