/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of flows, flow actions and counters of flows. */
#include "foreign/foreign_adapt_group.h"

static int create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr,
		       struct ibv_flow **ret_flow)
{
	int saved = foreign_call_begin();
	struct ibv_flow *flow = foreign_ops(qp->context)->create_flow(qp, attr);
	int ret = foreign_call_object(saved, flow);

	if (ret == 0)
		*ret_flow = flow;
	return ret;
}

static int destroy_flow(struct ibv_flow *flow)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(flow->context)->destroy_flow(flow));
}

static int create_flow_action_esp(struct ibv_context *ctx,
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

static int modify_flow_action_esp(struct ibv_flow_action *action,
				  struct ibv_flow_action_esp_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(action->context)
					->modify_flow_action_esp(action, attr));
}

static int destroy_flow_action(struct ibv_flow_action *action)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(action->context)->destroy_flow_action(action));
}

static int create_counters(struct ibv_context *ctx,
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

static int destroy_counters(struct ibv_counters *counters)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(counters->context)->destroy_counters(counters));
}

static int attach_counters_point_flow(struct ibv_counters *counters,
				      struct ibv_counter_attach_attr *attr,
				      struct ibv_flow *flow)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(counters->context)
					       ->attach_counters_point_flow(
						       counters, attr, flow));
}

static int read_counters(struct ibv_counters *counters, uint64_t *values,
			 uint32_t nr_values, uint32_t flags)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(counters->context)
			->read_counters(counters, values, nr_values, flags));
}

void foreign_adapt_flow(const struct foreign_ops *theirs,
			struct verbs_context_ops *ours)
{
	ours->create_flow = theirs->create_flow ? create_flow : NULL;
	ours->destroy_flow = theirs->destroy_flow ? destroy_flow : NULL;
	ours->create_flow_action_esp =
		theirs->create_flow_action_esp ? create_flow_action_esp : NULL;
	ours->modify_flow_action_esp =
		theirs->modify_flow_action_esp ? modify_flow_action_esp : NULL;
	ours->destroy_flow_action =
		theirs->destroy_flow_action ? destroy_flow_action : NULL;
	ours->create_counters = theirs->create_counters ? create_counters
							: NULL;
	ours->destroy_counters = theirs->destroy_counters ? destroy_counters
							  : NULL;
	ours->attach_counters_point_flow = theirs->attach_counters_point_flow
						   ? attach_counters_point_flow
						   : NULL;
	ours->read_counters = theirs->read_counters ? read_counters : NULL;
}
