/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions for objects of all types. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/verbs/uroce_completion_counter.h"

void *uroce_object_new(size_t size)
{
	size_t rounded = (size + UROCE_CACHE_LINE - 1) &
			 ~(size_t)(UROCE_CACHE_LINE - 1);
	void *object = aligned_alloc(UROCE_CACHE_LINE, rounded);

	if (object)
		memset(object, 0, rounded);
	return object;
}

void uroce_spin_init(struct uroce_spin *spin, bool off)
{
	spin->off = off;
	uroce_lock_init(&spin->lock);
}

uint32_t uroce_handle_new(void)
{
	static uint32_t last; /* atomic */

	return __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
}

static int check_identity(const struct uroce_identity *created,
			  const struct ibv_context *context, uint32_t handle)
{
	if (context != created->context)
		return -EINVAL;
	return handle == created->handle ? 0 : -ENOENT;
}

/* @object: the public object; @member: its place in the struct @type. */
#define OBJECT_CHECK(object, type, member)                                   \
	((object) ? check_identity(&verbs_container_of(object, type, member) \
					    ->identity,                      \
				   (object)->context, (object)->handle)      \
		  : 0)

/* A thread domain has no handle. */
int uroce_check_td(const struct ibv_td *td)
{
	const struct uroce_identity *created;

	if (!td)
		return 0;
	created = &verbs_container_of(td, struct uroce_td, td)->identity;
	return check_identity(created, td->context, created->handle);
}

int uroce_check_pd(const struct ibv_pd *pd)
{
	return OBJECT_CHECK(pd, struct uroce_pd, pd);
}

int uroce_check_mr(const struct ibv_mr *mr)
{
	return OBJECT_CHECK(mr, struct uroce_mr, vmr.ibv_mr);
}

int uroce_check_mw(const struct ibv_mw *mw)
{
	return OBJECT_CHECK(mw, struct uroce_mw, mw);
}

int uroce_check_dm(const struct ibv_dm *dm)
{
	return OBJECT_CHECK(dm, struct uroce_dm, dm);
}

int uroce_check_comp_cntr(const struct ibv_comp_cntr *cntr)
{
	return OBJECT_CHECK(cntr, struct uroce_completion_counter, cntr);
}

int uroce_check_ah(const struct ibv_ah *ah)
{
	return OBJECT_CHECK(ah, struct uroce_ah, ah);
}

int uroce_check_cq(const struct ibv_cq *cq)
{
	return OBJECT_CHECK(cq, struct uroce_verbs_cq, vcq.cq);
}

int uroce_check_srq(const struct ibv_srq *srq)
{
	return OBJECT_CHECK(srq, struct uroce_verbs_srq, vsrq.srq);
}

/* An XRC domain has no public handle. */
int uroce_check_xrcd(const struct ibv_xrcd *xrcd)
{
	const struct uroce_identity *created;

	if (!xrcd)
		return 0;
	created = &verbs_container_of(xrcd, struct uroce_xrcd, vxrcd.xrcd)
			   ->identity;
	return check_identity(created, xrcd->context, created->handle);
}

int uroce_check_qp(const struct ibv_qp *qp)
{
	return OBJECT_CHECK(qp, struct uroce_verbs_qp, vqp.qp);
}

void uroce_pd_put(struct uroce_pd *pd)
{
	if (uroce_unuse(&pd->users) || !pd->imported)
		return;
	if (pd->origin)
		(void)uroce_unuse(&pd->origin->users);
	free(pd);
}

void uroce_dm_put(struct uroce_dm *dm)
{
	if (uroce_unuse(&dm->users) || !dm->origin)
		return;
	(void)uroce_unuse(&dm->origin->users);
	free(dm);
}

void uroce_context_init(struct uroce_context *ctx)
{
	ctx->async.read_fd = -1;
	ctx->async.write_fd = -1;
	list_init(&ctx->channels);
	list_init(&ctx->qps);
	list_init(&ctx->cqs);
	list_init(&ctx->srqs);
	list_init(&ctx->mrs);
	list_init(&ctx->mws);
	list_init(&ctx->xrcds);
	list_init(&ctx->pds);
	list_init(&ctx->dms);
	list_init(&ctx->imports);
}
