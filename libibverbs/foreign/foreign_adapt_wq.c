/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of ops of work queues and their indirection tables. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_create_wq(struct ibv_context *ctx,
				   struct ibv_wq_init_attr *attr,
				   struct ibv_wq **ret_wq)
{
	int saved = foreign_call_begin();
	struct ibv_wq *wq = foreign_ops(ctx)->create_wq(ctx, attr);
	int ret = foreign_call_object(saved, wq);

	if (ret == 0)
		*ret_wq = wq;
	return ret;
}

static int foreign_adapt_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(wq->context)->modify_wq(wq, attr));
}

static int foreign_adapt_destroy_wq(struct ibv_wq *wq)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(wq->context)->destroy_wq(wq));
}

static int
foreign_adapt_create_rwq_ind_table(struct ibv_context *ctx,
				   struct ibv_rwq_ind_table_init_attr *attr,
				   struct ibv_rwq_ind_table **ret_table)
{
	int saved = foreign_call_begin();
	struct ibv_rwq_ind_table *table =
		foreign_ops(ctx)->create_rwq_ind_table(ctx, attr);
	int ret = foreign_call_object(saved, table);

	if (ret == 0)
		*ret_table = table;
	return ret;
}

static int foreign_adapt_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(table->context)->destroy_rwq_ind_table(table));
}

void foreign_adapt_wq(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	ops->create_wq = foreign->create_wq ? foreign_adapt_create_wq : NULL;
	ops->modify_wq = foreign->modify_wq ? foreign_adapt_modify_wq : NULL;
	ops->destroy_wq = foreign->destroy_wq ? foreign_adapt_destroy_wq : NULL;
	ops->create_rwq_ind_table = foreign->create_rwq_ind_table
					    ? foreign_adapt_create_rwq_ind_table
					    : NULL;
	ops->destroy_rwq_ind_table =
		foreign->destroy_rwq_ind_table
			? foreign_adapt_destroy_rwq_ind_table
			: NULL;
}
