/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that applications reach through the tables of a context instead
 * of by name. All follow the convention of their man page.
 */
#ifndef API_ABI_TABLES_H
#define API_ABI_TABLES_H

#include <infiniband/verbs.h>

/** verbs_fill_abi_tables() - complete the public tables of a new context */
void verbs_fill_abi_tables(struct ibv_context *ctx);

/* Sizes are those of the caller's struct, which may be older or newer. */
int verbs_api_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr, size_t attr_size);
int verbs_api_query_device_ex(struct ibv_context *ctx,
			      const struct ibv_query_device_ex_input *input,
			      struct ibv_device_attr_ex *attr,
			      size_t attr_size);

int verbs_api_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, struct ibv_sge *sg_list,
			uint32_t num_sge);
struct ibv_mw *verbs_api_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int verbs_api_dealloc_mw(struct ibv_mw *mw);

struct ibv_cq_ex *verbs_api_create_cq_ex(struct ibv_context *ctx,
					 struct ibv_cq_init_attr_ex *attr);
int verbs_api_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);

struct ibv_srq *verbs_api_create_srq_ex(struct ibv_context *ctx,
					struct ibv_srq_init_attr_ex *attr);
int verbs_api_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num);

struct ibv_qp *verbs_api_create_qp_ex(struct ibv_context *ctx,
				      struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *verbs_api_open_qp(struct ibv_context *ctx,
				 struct ibv_qp_open_attr *attr);

struct ibv_xrcd *verbs_api_open_xrcd(struct ibv_context *ctx,
				     struct ibv_xrcd_init_attr *attr);
int verbs_api_close_xrcd(struct ibv_xrcd *xrcd);

#endif
