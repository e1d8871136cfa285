/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that applications call through the tables of a context instead
 * of by name. They return values as their man pages say.
 */
#ifndef API_ABI_TABLES_H
#define API_ABI_TABLES_H

#include <infiniband/verbs.h>

/** verbs_fill_abi_tables() - fill the public tables of a new context */
void verbs_fill_abi_tables(struct ibv_context *ctx);

/* Sizes are those of the caller's struct, which may be older or newer. */
int verbs_api_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr, size_t attr_size);
int verbs_api_query_device_ex(struct ibv_context *ctx,
			      const struct ibv_query_device_ex_input *input,
			      struct ibv_device_attr_ex *attr,
			      size_t attr_size);
int verbs_api_query_rt_values(struct ibv_context *ctx,
			      struct ibv_values_ex *values);

void verbs_api_cq_event(struct ibv_cq *cq);
void verbs_api_async_event(struct ibv_context *ctx,
			   struct ibv_async_event *event);

struct ibv_td *verbs_api_alloc_td(struct ibv_context *ctx,
				  struct ibv_td_init_attr *attr);
int verbs_api_dealloc_td(struct ibv_td *td);
struct ibv_pd *
verbs_api_alloc_parent_domain(struct ibv_context *ctx,
			      struct ibv_parent_domain_init_attr *attr);
struct ibv_xrcd *verbs_api_open_xrcd(struct ibv_context *ctx,
				     struct ibv_xrcd_init_attr *attr);
int verbs_api_close_xrcd(struct ibv_xrcd *xrcd);

int verbs_api_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, struct ibv_sge *sg_list,
			uint32_t num_sge);
struct ibv_mr *verbs_api_alloc_null_mr(struct ibv_pd *pd);
struct ibv_mw *verbs_api_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int verbs_api_dealloc_mw(struct ibv_mw *mw);
struct ibv_dm *verbs_api_alloc_dm(struct ibv_context *ctx,
				  struct ibv_alloc_dm_attr *attr);
int verbs_api_free_dm(struct ibv_dm *dm);
struct ibv_mr *verbs_api_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				   uint64_t dm_offset, size_t length,
				   unsigned int access);

struct ibv_cq_ex *verbs_api_create_cq_ex(struct ibv_context *ctx,
					 struct ibv_cq_init_attr_ex *attr);
int verbs_api_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);

struct ibv_srq *verbs_api_create_srq_ex(struct ibv_context *ctx,
					struct ibv_srq_init_attr_ex *attr);
int verbs_api_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num);
int verbs_api_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
			   struct ibv_ops_wr **bad_op);

struct ibv_qp *verbs_api_create_qp_ex(struct ibv_context *ctx,
				      struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *verbs_api_open_qp(struct ibv_context *ctx,
				 struct ibv_qp_open_attr *attr);
int verbs_api_modify_qp_rate_limit(struct ibv_qp *qp,
				   struct ibv_qp_rate_limit_attr *attr);

struct ibv_wq *verbs_api_create_wq(struct ibv_context *ctx,
				   struct ibv_wq_init_attr *attr);
int verbs_api_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);
int verbs_api_destroy_wq(struct ibv_wq *wq);
struct ibv_rwq_ind_table *
verbs_api_create_rwq_ind_table(struct ibv_context *ctx,
			       struct ibv_rwq_ind_table_init_attr *attr);
int verbs_api_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table);

struct ibv_flow *verbs_api_create_flow(struct ibv_qp *qp,
				       struct ibv_flow_attr *attr);
int verbs_api_destroy_flow(struct ibv_flow *flow);
struct ibv_flow_action *
verbs_api_create_flow_action_esp(struct ibv_context *ctx,
				 struct ibv_flow_action_esp_attr *attr);
int verbs_api_modify_flow_action_esp(struct ibv_flow_action *action,
				     struct ibv_flow_action_esp_attr *attr);
int verbs_api_destroy_flow_action(struct ibv_flow_action *action);

struct ibv_counters *
verbs_api_create_counters(struct ibv_context *ctx,
			  struct ibv_counters_init_attr *attr);
int verbs_api_destroy_counters(struct ibv_counters *counters);
int verbs_api_attach_counters_point_flow(struct ibv_counters *counters,
					 struct ibv_counter_attach_attr *attr,
					 struct ibv_flow *flow);
int verbs_api_read_counters(struct ibv_counters *counters, uint64_t *values,
			    uint32_t nr_values, uint32_t flags);

#endif
