/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions for objects of all types, and the close of a context that still has
 * objects: applications may close a device without destroying them, and the
 * engine must not keep pointers to them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"

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

uint32_t uroce_handle_new(struct uroce_context *ctx)
{
	return __atomic_add_fetch(&ctx->last_handle, 1, __ATOMIC_SEQ_CST);
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

int uroce_check_qp(const struct ibv_qp *qp)
{
	return OBJECT_CHECK(qp, struct uroce_verbs_qp, vqp.qp);
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
}

/* Windows first: a region with bound windows cannot be removed. */
static void abandon_keys(struct uroce_context *ctx)
{
	struct uroce_memory *memory = ctx->memory;
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &ctx->mws) {
		struct uroce_mw *mw = list_entry(pos, struct uroce_mw, entry);

		list_del(pos);
		(void)uroce_memory_remove(memory, mw->region->key);
	}
	list_for_each_safe (pos, tmp, &ctx->mrs) {
		struct uroce_mr *mr = list_entry(pos, struct uroce_mr, entry);

		list_del(pos);
		(void)uroce_memory_remove(memory, mr->identity.handle);
	}
}

void uroce_context_abandon(struct uroce_context *ctx)
{
	struct list_node *pos, *tmp;

	uroce_instance_lock(ctx->instance);
	list_for_each_safe (pos, tmp, &ctx->qps) {
		struct uroce_verbs_qp *qp =
			list_entry(pos, struct uroce_verbs_qp, entry);

		list_del(pos);
		uroce_mcast_leave_locked(qp);
		uroce_engine_free_qp(qp->qp->engine, qp->qp, uroce_worker_now(),
				     UROCE_QUARANTINE_NS);
	}
	list_for_each_safe (pos, tmp, &ctx->srqs) {
		struct uroce_verbs_srq *srq =
			list_entry(pos, struct uroce_verbs_srq, entry);

		list_del(pos);
		uroce_instance_forget_rq(ctx->instance, &srq->recv.rq);
	}
	list_for_each_safe (pos, tmp, &ctx->cqs) {
		struct uroce_verbs_cq *cq =
			list_entry(pos, struct uroce_verbs_cq, entry);

		list_del(pos);
		uroce_instance_forget_cq(ctx->instance, cq->worker, &cq->cq);
	}
	abandon_keys(ctx);
	uroce_instance_unlock(ctx->instance);
}
