/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of shared receive queue ops. A provider has two ops to create an
 * SRQ: create_srq takes struct ibv_srq_init_attr, which is the start of struct
 * ibv_srq_init_attr_ex; create_srq_ex takes the latter.
 */
#include <errno.h>

#include "core/object_life.h"
#include "foreign/foreign_adapt_group.h"

_Static_assert(offsetof(struct ibv_srq_init_attr, attr) ==
		       offsetof(struct ibv_srq_init_attr_ex, attr),
	       "ibv_srq_init_attr begins ibv_srq_init_attr_ex");

static bool foreign_adapt_srq_is_basic(const struct ibv_srq_init_attr_ex *attr)
{
	if (attr->comp_mask == IBV_SRQ_INIT_ATTR_PD)
		return true;
	return attr->comp_mask ==
		       (IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE) &&
	       attr->srq_type == IBV_SRQT_BASIC;
}

/*
 * The context whose create_srq op runs in this thread, or NULL. A nested call
 * of create_srq_ex in the public table must reach the provider's create_srq_ex.
 *
 * This cannot be an argument: neither create_srq(pd, attr) nor
 * create_srq_ex(ctx, attr_ex) has room for a mark, and the provider passes
 * attributes of its own to the latter. It cannot be a member of the context:
 * several threads may create SRQs on one context at a time, and only the thread
 * connects the two calls.
 */
static _Thread_local const struct ibv_context *creating;

static struct ibv_srq *
foreign_adapt_call_create_srq(struct ibv_context *ctx,
			      struct ibv_srq_init_attr_ex *attr)
{
	const struct ibv_context *outer = creating;
	struct ibv_srq *srq;

	creating = ctx;
	srq = foreign_ops(ctx)->create_srq(attr->pd,
					   (struct ibv_srq_init_attr *)attr);
	creating = outer;
	return srq;
}

static int foreign_adapt_create_srq(struct ibv_context *ctx,
				    struct ibv_srq_init_attr_ex *attr,
				    struct verbs_srq **ret_vsrq)
{
	const struct foreign_ops *ops = foreign_ops(ctx);
	bool basic = foreign_adapt_srq_is_basic(attr) && creating != ctx;
	struct ibv_srq *srq;
	int saved, ret;

	if (basic ? !ops->create_srq : !ops->create_srq_ex)
		return -EOPNOTSUPP;

	saved = foreign_call_begin();
	srq = basic ? foreign_adapt_call_create_srq(ctx, attr)
		    : ops->create_srq_ex(ctx, attr);
	ret = foreign_call_object(saved, srq);
	if (ret)
		return ret;
	/*
	 * create_srq expects the library to initialise the SRQ afterwards. The
	 * provider may have allocated no more than struct ibv_srq.
	 */
	if (basic)
		verbs_prepare_srq(srq, ctx, attr);
	*ret_vsrq = verbs_container_of(srq, struct verbs_srq, srq);
	return 0;
}

static int foreign_adapt_modify_srq(struct ibv_srq *srq,
				    struct ibv_srq_attr *attr, int attr_mask)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(srq->context)->modify_srq(srq, attr, attr_mask));
}

static int foreign_adapt_query_srq(struct ibv_srq *srq,
				   struct ibv_srq_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(srq->context)->query_srq(srq, attr));
}

static int foreign_adapt_get_srq_num(struct ibv_srq *srq, uint32_t *ret_srq_num)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(srq->context)->get_srq_num(srq, ret_srq_num));
}

/*
 * The default of core/ reads verbs_srq behind ibv_srq, which may not be
 * allocated.
 */
static int foreign_adapt_no_get_srq_num(struct ibv_srq *srq,
					uint32_t *ret_srq_num)
{
	return -EOPNOTSUPP;
}

static int foreign_adapt_destroy_srq(struct ibv_srq *srq)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(srq->context)->destroy_srq(srq));
}

void foreign_adapt_srq(const struct foreign_ops *foreign,
		       struct verbs_context_ops *ops)
{
	bool creates = foreign->create_srq || foreign->create_srq_ex;

	ops->create_srq = creates ? foreign_adapt_create_srq : NULL;
	ops->modify_srq = foreign->modify_srq ? foreign_adapt_modify_srq : NULL;
	ops->query_srq = foreign->query_srq ? foreign_adapt_query_srq : NULL;
	ops->get_srq_num = foreign->get_srq_num ? foreign_adapt_get_srq_num
						: foreign_adapt_no_get_srq_num;
	ops->destroy_srq = foreign->destroy_srq ? foreign_adapt_destroy_srq
						: NULL;
	ops->post_srq_recv = foreign->post_srq_recv;
	ops->post_srq_ops = foreign->post_srq_ops;
}
