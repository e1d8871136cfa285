/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory windows of type 1 and type 2 (2B: a bound window belongs to a QP). A
 * bind is a work request of a send queue: uroce_post.c, uroce_wr.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "uroce/verbs/uroce_verbs.h"

int uroce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		   struct ibv_mw **ret_mw)
{
	struct uroce_context *ctx = to_uroce_context(pd->context);
	const struct uroce_region region = {
		.pd = to_uroce_pd(pd)->number,
		.kind = type == IBV_MW_TYPE_1 ? UROCE_REGION_WINDOW_1
					      : UROCE_REGION_WINDOW_2,
	};
	struct uroce_mw *mw;
	int ret;

	ret = uroce_check_pd(pd);
	if (ret)
		return ret;
	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return -ENOMEM;
	uroce_instance_lock(ctx->instance);
	ret = uroce_memory_add(ctx->memory, &region, &mw->key);
	if (ret == 0) {
		mw->region = uroce_memory_find(ctx->memory, mw->key);
		list_add_tail(&ctx->mws, &mw->entry);
	}
	uroce_instance_unlock(ctx->instance);
	if (ret) {
		free(mw);
		return ret;
	}
	uroce_use(&to_uroce_pd(pd)->users);
	mw->mw.context = pd->context;
	mw->mw.pd = pd;
	mw->mw.type = type;
	mw->mw.rkey = mw->key;
	mw->mw.handle = mw->key;
	mw->identity = (struct uroce_identity){ pd->context, mw->key };
	*ret_mw = &mw->mw;
	return 0;
}

int uroce_dealloc_mw(struct ibv_mw *ibmw)
{
	struct uroce_mw *mw = to_uroce_mw(ibmw);
	struct uroce_context *ctx;
	int ret;

	ret = uroce_check_mw(ibmw);
	if (ret)
		return ret;
	ctx = to_uroce_context(ibmw->context);
	uroce_instance_lock(ctx->instance);
	/* not ibmw->rkey: a bind may have failed or be outstanding */
	ret = uroce_memory_remove(ctx->memory, mw->region->key);
	if (ret == 0)
		list_del(&mw->entry);
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	uroce_pd_put(to_uroce_pd(ibmw->pd));
	free(mw);
	return 0;
}
