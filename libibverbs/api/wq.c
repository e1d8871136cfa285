/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work queues and RWQ indirection tables, through the table of a context:
 * ibv_create_wq(3), ibv_modify_wq(3), ibv_create_rwq_ind_table(3). The inline
 * function in the application initializes the members for event acknowledgment
 * (mutex, condition, count) after this code.
 */
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define FLAGS_KNOWN (IBV_WQ_FLAGS_RESERVED - 1U)

static int wq_check_attr(const struct ibv_context *ctx,
			 const struct ibv_wq_init_attr *attr)
{
	if (!attr || attr->comp_mask >= IBV_WQ_INIT_ATTR_RESERVED ||
	    attr->wq_type != IBV_WQT_RQ)
		return -EINVAL;
	if (!API_ACCEPTS("ibv_create_wq", ctx, attr->pd) ||
	    !API_ACCEPTS("ibv_create_wq", ctx, attr->cq))
		return -EINVAL;
	if ((attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS) &&
	    (attr->create_flags & ~FLAGS_KNOWN))
		return -EOPNOTSUPP;
	return 0;
}

struct ibv_wq *verbs_api_create_wq(struct ibv_context *ctx,
				   struct ibv_wq_init_attr *attr)
{
	struct ibv_wq *wq;
	int ret = wq_check_attr(ctx, attr);

	if (ret == 0)
		ret = VERBS_CALL_OP(ctx, create_wq, ctx, attr, &wq);
	if (ret)
		return api_ret_null(ret);

	wq->context = ctx;
	wq->pd = attr->pd;
	wq->cq = attr->cq;
	wq->wq_type = attr->wq_type;
	return wq;
}

int verbs_api_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	if (!API_EXISTS(wq) || !attr || attr->attr_mask >= IBV_WQ_ATTR_RESERVED)
		return api_ret_errno(-EINVAL);
	if ((attr->attr_mask & IBV_WQ_ATTR_FLAGS) &&
	    (attr->flags_mask & ~FLAGS_KNOWN))
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(VERBS_CALL_OP(wq->context, modify_wq, wq, attr));
}

int verbs_api_destroy_wq(struct ibv_wq *wq)
{
	if (!API_EXISTS(wq))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(wq->context, destroy_wq, wq));
}

/* ------------------------------------------------------------------------ */
/* Indirection tables                                                       */
/* ------------------------------------------------------------------------ */

static bool
rwq_ind_table_attr_is_valid(const struct ibv_context *ctx,
			    const struct ibv_rwq_ind_table_init_attr *attr)
{
	if (!attr || attr->comp_mask || !attr->ind_tbl)
		return false;
	/*
	 * The kernel rejects larger tables, and this limit makes the shift
	 * safe.
	 */
	if (attr->log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return false;
	for (size_t i = 0; i < (size_t)1 << attr->log_ind_tbl_size; i++) {
		if (!API_ACCEPTS("ibv_create_rwq_ind_table", ctx,
				 attr->ind_tbl[i]))
			return false;
	}
	return true;
}

struct ibv_rwq_ind_table *
verbs_api_create_rwq_ind_table(struct ibv_context *ctx,
			       struct ibv_rwq_ind_table_init_attr *attr)
{
	struct ibv_rwq_ind_table *table;
	int ret;

	if (!rwq_ind_table_attr_is_valid(ctx, attr))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(ctx, create_rwq_ind_table, ctx, attr, &table);
	return ret ? api_ret_null(ret) : table;
}

int verbs_api_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	if (!API_EXISTS(table))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(table->context, destroy_rwq_ind_table, table));
}
