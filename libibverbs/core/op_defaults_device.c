/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of events and protection domains, which do nothing.
 * core/op_table.c merges them.
 */
#include "core/op_defaults.h"

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
	.cq_event = op_default_cq_event,
	.async_event = op_default_async_event,
	.unimport_pd = op_default_unimport_pd,
};
