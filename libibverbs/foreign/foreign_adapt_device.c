/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of devices and ports, and events. */
#include <errno.h>
#include <provider/kernel.h>

#include "foreign/foreign_adapt_group.h"
#include "foreign/foreign_port_room.h"

static int query_device(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_device_ex(
					       ctx, input, attr, attr_size));
}

static int query_port(struct ibv_context *ctx, uint8_t port_num,
		      struct ibv_port_attr *attr)
{
	const struct ibv_port_attr *outer = foreign_port_attr_own(attr);
	int saved = foreign_call_begin();
	int ret = foreign_call_int(
		saved, foreign_ops(ctx)->query_port(ctx, port_num, attr));

	(void)foreign_port_attr_own(outer); /* attr, which is not needed */
	return ret;
}

static int query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			    uint64_t *ret_speed)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_port_speed(
					       ctx, port_num, ret_speed));
}

/* Older than the op: the kernel knows the answer all the same. */
static int query_port_speed_of_kernel(struct ibv_context *ctx,
				      uint32_t port_num, uint64_t *ret_speed)
{
	if (ctx->cmd_fd < 0)
		return -EOPNOTSUPP;
	return verbs_cmd_query_port_speed(ctx, port_num, ret_speed);
}

static int query_rt_values(struct ibv_context *ctx,
			   struct ibv_values_ex *values)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(ctx)->query_rt_values(ctx, values));
}

void foreign_adapt_device(const struct foreign_ops *theirs,
			  struct verbs_context_ops *ours)
{
	ours->query_device = theirs->query_device_ex ? query_device : NULL;
	ours->query_port = theirs->query_port ? query_port : NULL;
	ours->query_port_speed = theirs->query_port_speed
					 ? query_port_speed
					 : query_port_speed_of_kernel;
	ours->query_rt_values = theirs->query_rt_values ? query_rt_values
							: NULL;
	ours->cq_event = theirs->cq_event;
	ours->async_event = theirs->async_event;
}
