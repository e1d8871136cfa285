/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of work queues and their indirection tables. */
#include "foreign/foreign_adapt_group.h"

static int create_wq(struct ibv_context *ctx, struct ibv_wq_init_attr *attr,
		     struct ibv_wq **ret_wq)
{
	int saved = foreign_call_begin();
	struct ibv_wq *wq = foreign_ops(ctx)->create_wq(ctx, attr);
	int ret = foreign_call_object(saved, wq);

	if (ret == 0)
		*ret_wq = wq;
	return ret;
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(wq->context)->modify_wq(wq, attr));
}

static int destroy_wq(struct ibv_wq *wq)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(wq->context)->destroy_wq(wq));
}

static int create_rwq_ind_table(struct ibv_context *ctx,
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

static int destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(table->context)->destroy_rwq_ind_table(table));
}

void foreign_adapt_wq(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours)
{
	ours->create_wq = theirs->create_wq ? create_wq : NULL;
	ours->modify_wq = theirs->modify_wq ? modify_wq : NULL;
	ours->destroy_wq = theirs->destroy_wq ? destroy_wq : NULL;
	ours->create_rwq_ind_table =
		theirs->create_rwq_ind_table ? create_rwq_ind_table : NULL;
	ours->destroy_rwq_ind_table =
		theirs->destroy_rwq_ind_table ? destroy_rwq_ind_table : NULL;
}
