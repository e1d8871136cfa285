/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of device and port ops, and of event ops. */
#include <errno.h>
#include <provider/kernel.h>

#include "foreign/foreign_adapt_group.h"
#include "foreign/foreign_port_attr.h"

static int
foreign_adapt_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_device_ex(
					       ctx, input, attr, attr_size));
}

static int foreign_adapt_query_port(struct ibv_context *ctx, uint8_t port_num,
				    struct ibv_port_attr *attr)
{
	const struct ibv_port_attr *outer = foreign_port_attr_set_own(attr);
	int saved = foreign_call_begin();
	int ret = foreign_call_int(
		saved, foreign_ops(ctx)->query_port(ctx, port_num, attr));

	(void)foreign_port_attr_set_own(outer); /* returns @attr */
	return ret;
}

static int foreign_adapt_query_port_speed(struct ibv_context *ctx,
					  uint32_t port_num,
					  uint64_t *ret_speed)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_port_speed(
					       ctx, port_num, ret_speed));
}

/* For a provider of a release without this op: the kernel has the value. */
static int foreign_adapt_query_port_speed_by_kernel(struct ibv_context *ctx,
						    uint32_t port_num,
						    uint64_t *ret_speed)
{
	if (ctx->cmd_fd < 0)
		return -EOPNOTSUPP;
	return verbs_cmd_query_port_speed(ctx, port_num, ret_speed);
}

static int foreign_adapt_query_rt_values(struct ibv_context *ctx,
					 struct ibv_values_ex *values)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(ctx)->query_rt_values(ctx, values));
}

void foreign_adapt_device(const struct foreign_ops *foreign,
			  struct verbs_context_ops *ops)
{
	ops->query_device =
		foreign->query_device_ex ? foreign_adapt_query_device : NULL;
	ops->query_port = foreign->query_port ? foreign_adapt_query_port : NULL;
	ops->query_port_speed =
		foreign->query_port_speed
			? foreign_adapt_query_port_speed
			: foreign_adapt_query_port_speed_by_kernel;
	ops->query_rt_values =
		foreign->query_rt_values ? foreign_adapt_query_rt_values : NULL;
	ops->cq_event = foreign->cq_event;
	ops->async_event = foreign->async_event;
}
