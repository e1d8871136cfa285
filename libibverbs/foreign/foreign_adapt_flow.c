/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of ops of flows, flow actions and flow counters. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_create_flow(struct ibv_qp *qp,
				     struct ibv_flow_attr *attr,
				     struct ibv_flow **ret_flow)
{
	int saved = foreign_call_begin();
	struct ibv_flow *flow = foreign_ops(qp->context)->create_flow(qp, attr);
	int ret = foreign_call_object(saved, flow);

	if (ret == 0)
		*ret_flow = flow;
	return ret;
}

static int foreign_adapt_destroy_flow(struct ibv_flow *flow)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(flow->context)->destroy_flow(flow));
}

static int
foreign_adapt_create_flow_action_esp(struct ibv_context *ctx,
				     struct ibv_flow_action_esp_attr *attr,
				     struct ibv_flow_action **ret_action)
{
	int saved = foreign_call_begin();
	struct ibv_flow_action *action =
		foreign_ops(ctx)->create_flow_action_esp(ctx, attr);
	int ret = foreign_call_object(saved, action);

	if (ret == 0)
		*ret_action = action;
	return ret;
}

static int
foreign_adapt_modify_flow_action_esp(struct ibv_flow_action *action,
				     struct ibv_flow_action_esp_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(action->context)
					->modify_flow_action_esp(action, attr));
}

static int foreign_adapt_destroy_flow_action(struct ibv_flow_action *action)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(action->context)->destroy_flow_action(action));
}

static int foreign_adapt_create_counters(struct ibv_context *ctx,
					 struct ibv_counters_init_attr *attr,
					 struct ibv_counters **ret_counters)
{
	int saved = foreign_call_begin();
	struct ibv_counters *counters =
		foreign_ops(ctx)->create_counters(ctx, attr);
	int ret = foreign_call_object(saved, counters);

	if (ret == 0)
		*ret_counters = counters;
	return ret;
}

static int foreign_adapt_destroy_counters(struct ibv_counters *counters)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(counters->context)->destroy_counters(counters));
}

static int
foreign_adapt_attach_counters_point_flow(struct ibv_counters *counters,
					 struct ibv_counter_attach_attr *attr,
					 struct ibv_flow *flow)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(counters->context)
					       ->attach_counters_point_flow(
						       counters, attr, flow));
}

static int foreign_adapt_read_counters(struct ibv_counters *counters,
				       uint64_t *values, uint32_t nr_values,
				       uint32_t flags)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(counters->context)
			->read_counters(counters, values, nr_values, flags));
}

void foreign_adapt_flow(const struct foreign_ops *foreign,
			struct verbs_context_ops *ops)
{
	ops->create_flow = foreign->create_flow ? foreign_adapt_create_flow
						: NULL;
	ops->destroy_flow = foreign->destroy_flow ? foreign_adapt_destroy_flow
						  : NULL;
	ops->create_flow_action_esp =
		foreign->create_flow_action_esp
			? foreign_adapt_create_flow_action_esp
			: NULL;
	ops->modify_flow_action_esp =
		foreign->modify_flow_action_esp
			? foreign_adapt_modify_flow_action_esp
			: NULL;
	ops->destroy_flow_action = foreign->destroy_flow_action
					   ? foreign_adapt_destroy_flow_action
					   : NULL;
	ops->create_counters =
		foreign->create_counters ? foreign_adapt_create_counters : NULL;
	ops->destroy_counters = foreign->destroy_counters
					? foreign_adapt_destroy_counters
					: NULL;
	ops->attach_counters_point_flow =
		foreign->attach_counters_point_flow
			? foreign_adapt_attach_counters_point_flow
			: NULL;
	ops->read_counters =
		foreign->read_counters ? foreign_adapt_read_counters : NULL;
}
