/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that make objects without a record: they call the provider, and explain
 * its error.
 */
#include "layers/explain.h"
#include "layers/layers.h"

static int layers_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	int ret = layers_below(ctx)->alloc_pd(ctx, ret_pd);

	if (ret < 0)
		explain_alloc_pd(ctx, -ret);
	return ret;
}

static int layers_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			 uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = layers_below(pd->context)
			  ->reg_mr(pd, addr, length, iova, access, ret_mr);

	if (ret < 0)
		explain_reg_mr(pd, addr, length, access, -ret);
	return ret;
}

static int layers_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			   struct ibv_mw **ret_mw)
{
	int ret = layers_below(pd->context)->alloc_mw(pd, type, ret_mw);

	if (ret < 0)
		explain_alloc_mw(pd, type, -ret);
	return ret;
}

static int layers_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			    struct ibv_ah **ret_ah)
{
	int ret = layers_below(pd->context)->create_ah(pd, attr, ret_ah);

	if (ret < 0)
		explain_create_ah(pd, attr, -ret);
	return ret;
}

void layers_replace_object_ops(struct verbs_context_ops *table)
{
	if (table->alloc_pd)
		table->alloc_pd = layers_alloc_pd;
	if (table->reg_mr)
		table->reg_mr = layers_reg_mr;
	if (table->alloc_mw)
		table->alloc_mw = layers_alloc_mw;
	if (table->create_ah)
		table->create_ah = layers_create_ah;
}
