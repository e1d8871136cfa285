/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The close of a context that still has objects: applications may close a
 * device without destroying them, and the workers must not keep pointers to
 * them.
 */
#include "uroce/verbs/uroce_verbs.h"

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
		uroce_qp_handle_close_locked(qp, UROCE_QUARANTINE_NS);
	}
	list_for_each_safe (pos, tmp, &ctx->srqs) {
		struct uroce_verbs_srq *srq =
			list_entry(pos, struct uroce_verbs_srq, entry);

		list_del(pos);
		if (srq->vsrq.srq_type == IBV_SRQT_XRC)
			uroce_srq_leave_xrc_locked(srq);
		uroce_instance_forget_rq(ctx->instance, &srq->recv.rq);
	}
	list_for_each_safe (pos, tmp, &ctx->xrcds)
		uroce_xrcd_close_locked(
			list_entry(pos, struct uroce_xrcd, entry));
	list_for_each_safe (pos, tmp, &ctx->cqs) {
		struct uroce_verbs_cq *cq =
			list_entry(pos, struct uroce_verbs_cq, entry);

		list_del(pos);
		uroce_instance_forget_cq(ctx->instance, cq->worker, &cq->cq);
	}
	list_for_each (pos, &ctx->pds)
		uroce_pd_publish_locked(list_entry(pos, struct uroce_pd, entry),
					false);
	abandon_keys(ctx);
	uroce_import_end_locked(ctx);
	uroce_instance_unlock(ctx->instance);
}
