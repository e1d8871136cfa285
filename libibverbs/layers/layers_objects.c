/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that make objects without a record: they call the provider, and explain
 * its error.
 */
#include "layers/explain.h"
#include "layers/layers.h"
#include "layers/layers_replace.h"
#include "layers/trace/trace.h"

static int layers_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(ctx)->alloc_pd(ctx, ret_pd);

	trace_call(TRACE_ALLOC_PD, begin, ret ? 0 : (*ret_pd)->handle, 0, ret);
	if (ret < 0 && explain_is_on)
		explain_alloc_pd(ctx, -ret);
	return ret;
}

static int layers_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			 uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(pd->context)
			  ->reg_mr(pd, addr, length, iova, access, ret_mr);

	trace_call(TRACE_REG_MR, begin, ret ? 0 : (*ret_mr)->lkey, length, ret);
	if (ret < 0 && explain_is_on)
		explain_reg_mr(pd, addr, length, access, -ret);
	return ret;
}

static int layers_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			   struct ibv_mw **ret_mw)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(pd->context)->alloc_mw(pd, type, ret_mw);

	trace_call(TRACE_ALLOC_MW, begin, ret ? 0 : (*ret_mw)->rkey, 0, ret);
	if (ret < 0 && explain_is_on)
		explain_alloc_mw(pd, type, -ret);
	return ret;
}

static int layers_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			    struct ibv_ah **ret_ah)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(pd->context)->create_ah(pd, attr, ret_ah);

	trace_call(TRACE_CREATE_AH, begin, ret ? 0 : (*ret_ah)->handle, 0, ret);
	if (ret < 0 && explain_is_on)
		explain_create_ah(pd, attr, -ret);
	return ret;
}

void layers_replace_object_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, layers, alloc_pd);
	LAYERS_REPLACE(table, layers, reg_mr);
	LAYERS_REPLACE(table, layers, alloc_mw);
	LAYERS_REPLACE(table, layers, create_ah);
}
