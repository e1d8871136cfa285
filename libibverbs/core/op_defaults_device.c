/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of events and protection domains. core/op_table.c merges them.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <unistd.h>

#include "core/op_defaults.h"

static int op_default_get_async_event(struct ibv_context *ctx,
				      struct ib_uverbs_async_event_desc *event)
{
	ssize_t n = read(ctx->async_fd, event, sizeof(*event));

	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*event) ? 0 : -EIO;
}

static void op_default_cq_event(struct ibv_cq *cq)
{
}

static void op_default_async_event(struct ibv_context *ctx,
				   struct ibv_async_event *event)
{
}

/* There is no kernel command: the importer only drops its object. */
static void op_default_unimport_pd(struct ibv_pd *pd)
{
}

const struct verbs_context_ops verbs_device_defaults = {
	.get_async_event = op_default_get_async_event,
	.cq_event = op_default_cq_event,
	.async_event = op_default_async_event,
	.unimport_pd = op_default_unimport_pd,
};
