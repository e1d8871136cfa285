/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of work queues, flows and counters: they return "not supported".
 * core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>

static int op_default_create_wq(struct ibv_context *ctx,
				struct ibv_wq_init_attr *attr,
				struct ibv_wq **ret_wq)
{
	return -EOPNOTSUPP;
}

static int op_default_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_wq(struct ibv_wq *wq)
{
	return -EOPNOTSUPP;
}

static int
op_default_create_rwq_ind_table(struct ibv_context *ctx,
				struct ibv_rwq_ind_table_init_attr *attr,
				struct ibv_rwq_ind_table **ret_table)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	return -EOPNOTSUPP;
}

static int op_default_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr,
				  struct ibv_flow **ret_flow)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_flow(struct ibv_flow *flow)
{
	return -EOPNOTSUPP;
}

static int
op_default_create_flow_action_esp(struct ibv_context *ctx,
				  struct ibv_flow_action_esp_attr *attr,
				  struct ibv_flow_action **ret_action)
{
	return -EOPNOTSUPP;
}

static int
op_default_modify_flow_action_esp(struct ibv_flow_action *action,
				  struct ibv_flow_action_esp_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_flow_action(struct ibv_flow_action *action)
{
	return -EOPNOTSUPP;
}

static int op_default_create_counters(struct ibv_context *ctx,
				      struct ibv_counters_init_attr *attr,
				      struct ibv_counters **ret_counters)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_counters(struct ibv_counters *counters)
{
	return -EOPNOTSUPP;
}

static int
op_default_attach_counters_point_flow(struct ibv_counters *counters,
				      struct ibv_counter_attach_attr *attr,
				      struct ibv_flow *flow)
{
	return -EOPNOTSUPP;
}

static int op_default_read_counters(struct ibv_counters *counters,
				    uint64_t *values, uint32_t nr_values,
				    uint32_t flags)
{
	return -EOPNOTSUPP;
}

static int op_default_query_comp_cntr_caps(struct ibv_context *ctx,
					   struct ibv_comp_cntr_caps *caps)
{
	return -EOPNOTSUPP;
}

static int op_default_create_comp_cntr(struct ibv_context *ctx,
				       struct ibv_comp_cntr_init_attr *attr,
				       struct ibv_comp_cntr **ret_cntr)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	return -EOPNOTSUPP;
}

static int
op_default_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			       struct ibv_qp_attach_comp_cntr_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_read_comp_cntr(struct ibv_comp_cntr *cntr,
				     uint64_t *ret_value)
{
	return -EOPNOTSUPP;
}

static int op_default_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return -EOPNOTSUPP;
}

static int op_default_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return -EOPNOTSUPP;
}

static int op_default_read_err_comp_cntr(struct ibv_comp_cntr *cntr,
					 uint64_t *ret_value)
{
	return -EOPNOTSUPP;
}

static int op_default_set_err_comp_cntr(struct ibv_comp_cntr *cntr,
					uint64_t value)
{
	return -EOPNOTSUPP;
}

static int op_default_inc_err_comp_cntr(struct ibv_comp_cntr *cntr,
					uint64_t amount)
{
	return -EOPNOTSUPP;
}

const struct verbs_context_ops verbs_flow_defaults = {
	.create_wq = op_default_create_wq,
	.modify_wq = op_default_modify_wq,
	.destroy_wq = op_default_destroy_wq,
	.create_rwq_ind_table = op_default_create_rwq_ind_table,
	.destroy_rwq_ind_table = op_default_destroy_rwq_ind_table,
	.create_flow = op_default_create_flow,
	.destroy_flow = op_default_destroy_flow,
	.create_flow_action_esp = op_default_create_flow_action_esp,
	.modify_flow_action_esp = op_default_modify_flow_action_esp,
	.destroy_flow_action = op_default_destroy_flow_action,
	.create_counters = op_default_create_counters,
	.destroy_counters = op_default_destroy_counters,
	.attach_counters_point_flow = op_default_attach_counters_point_flow,
	.read_counters = op_default_read_counters,
	.query_comp_cntr_caps = op_default_query_comp_cntr_caps,
	.create_comp_cntr = op_default_create_comp_cntr,
	.destroy_comp_cntr = op_default_destroy_comp_cntr,
	.qp_attach_comp_cntr = op_default_qp_attach_comp_cntr,
	.read_comp_cntr = op_default_read_comp_cntr,
	.set_comp_cntr = op_default_set_comp_cntr,
	.inc_comp_cntr = op_default_inc_comp_cntr,
	.read_err_comp_cntr = op_default_read_err_comp_cntr,
	.set_err_comp_cntr = op_default_set_err_comp_cntr,
	.inc_err_comp_cntr = op_default_inc_err_comp_cntr,
};
