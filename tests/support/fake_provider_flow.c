/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations of the fake provider on flows and counters. */
#include <errno.h>

#include "support/fake_provider_internal.h"

static int fake_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr,
			    struct ibv_flow **ret_flow)
{
	struct ibv_flow *flow;
	int ret = RECORD_OP("create_flow", .attr = attr, .object = qp);

	if (ret)
		return ret;
	flow = fake_object_new(sizeof(*flow));
	if (!flow)
		return -ENOMEM;
	flow->context = qp->context;
	*ret_flow = flow;
	return 0;
}

static int fake_destroy_flow(struct ibv_flow *flow)
{
	return fake_object_end("destroy_flow", flow);
}

static int fake_create_flow_action_esp(struct ibv_context *ctx,
				       struct ibv_flow_action_esp_attr *attr,
				       struct ibv_flow_action **ret_action)
{
	struct verbs_flow_action *vaction;
	int ret = RECORD_OP("create_flow_action_esp", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vaction = fake_object_new(sizeof(*vaction));
	if (!vaction)
		return -ENOMEM;
	vaction->action.context = ctx;
	*ret_action = &vaction->action;
	return 0;
}

static int fake_modify_flow_action_esp(struct ibv_flow_action *action,
				       struct ibv_flow_action_esp_attr *attr)
{
	return RECORD_OP("modify_flow_action_esp", .attr = attr,
			 .object = action);
}

static int fake_destroy_flow_action(struct ibv_flow_action *action)
{
	return fake_object_end("destroy_flow_action", action);
}

static int fake_create_counters(struct ibv_context *ctx,
				struct ibv_counters_init_attr *attr,
				struct ibv_counters **ret_counters)
{
	struct verbs_counters *vcounters;
	int ret = RECORD_OP("create_counters", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vcounters = fake_object_new(sizeof(*vcounters));
	if (!vcounters)
		return -ENOMEM;
	vcounters->counters.context = ctx;
	*ret_counters = &vcounters->counters;
	return 0;
}

static int fake_destroy_counters(struct ibv_counters *counters)
{
	return fake_object_end("destroy_counters", counters);
}

static int fake_attach_counters_point_flow(struct ibv_counters *counters,
					   struct ibv_counter_attach_attr *attr,
					   struct ibv_flow *flow)
{
	return RECORD_OP("attach_counters_point_flow", .attr = attr,
			 .object = flow);
}

static int fake_read_counters(struct ibv_counters *counters, uint64_t *values,
			      uint32_t nr_values, uint32_t flags)
{
	int ret = RECORD_OP("read_counters", .object = counters, .attr = values,
			    .max_entries = nr_values, .flags = (int)flags);

	for (uint32_t i = 0; ret == 0 && i < nr_values; i++)
		values[i] = fake_provider.value + i;
	return ret;
}

static int fake_query_comp_cntr_caps(struct ibv_context *ctx,
				     struct ibv_comp_cntr_caps *caps)
{
	int ret = RECORD_OP("query_comp_cntr_caps", .ctx = ctx);

	if (ret == 0)
		*caps = fake_provider.comp_cntr_caps;
	return ret;
}

static int fake_create_comp_cntr(struct ibv_context *ctx,
				 struct ibv_comp_cntr_init_attr *attr,
				 struct ibv_comp_cntr **ret_cntr)
{
	struct ibv_comp_cntr *cntr;
	int ret = RECORD_OP("create_comp_cntr", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	cntr = fake_object_new(sizeof(*cntr));
	if (!cntr)
		return -ENOMEM;
	cntr->context = ctx;
	*ret_cntr = cntr;
	return 0;
}

static int fake_destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	return fake_object_end("destroy_comp_cntr", cntr);
}

static int fake_qp_attach_comp_cntr(struct ibv_qp *qp,
				    struct ibv_comp_cntr *cntr,
				    struct ibv_qp_attach_comp_cntr_attr *attr)
{
	return RECORD_OP("qp_attach_comp_cntr", .attr = attr, .object = cntr);
}

static int read_comp_cntr_value(const char *op, struct ibv_comp_cntr *cntr,
				uint64_t *ret_value)
{
	int ret = RECORD_OP(op, .object = cntr);

	if (ret == 0)
		*ret_value = fake_provider.value;
	return ret;
}

static int fake_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	return read_comp_cntr_value("read_comp_cntr", cntr, ret_value);
}

static int fake_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return RECORD_OP("set_comp_cntr", .object = cntr, .value = value);
}

static int fake_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return RECORD_OP("inc_comp_cntr", .object = cntr, .value = amount);
}

static int fake_read_err_comp_cntr(struct ibv_comp_cntr *cntr,
				   uint64_t *ret_value)
{
	return read_comp_cntr_value("read_err_comp_cntr", cntr, ret_value);
}

static int fake_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return RECORD_OP("set_err_comp_cntr", .object = cntr, .value = value);
}

static int fake_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return RECORD_OP("inc_err_comp_cntr", .object = cntr, .value = amount);
}

const struct verbs_context_ops fake_provider_flow_ops = {
	.create_flow = fake_create_flow,
	.destroy_flow = fake_destroy_flow,
	.create_flow_action_esp = fake_create_flow_action_esp,
	.modify_flow_action_esp = fake_modify_flow_action_esp,
	.destroy_flow_action = fake_destroy_flow_action,
	.create_counters = fake_create_counters,
	.destroy_counters = fake_destroy_counters,
	.attach_counters_point_flow = fake_attach_counters_point_flow,
	.read_counters = fake_read_counters,
	.query_comp_cntr_caps = fake_query_comp_cntr_caps,
	.create_comp_cntr = fake_create_comp_cntr,
	.destroy_comp_cntr = fake_destroy_comp_cntr,
	.qp_attach_comp_cntr = fake_qp_attach_comp_cntr,
	.read_comp_cntr = fake_read_comp_cntr,
	.set_comp_cntr = fake_set_comp_cntr,
	.inc_comp_cntr = fake_inc_comp_cntr,
	.read_err_comp_cntr = fake_read_err_comp_cntr,
	.set_err_comp_cntr = fake_set_err_comp_cntr,
	.inc_err_comp_cntr = fake_inc_err_comp_cntr,
};
