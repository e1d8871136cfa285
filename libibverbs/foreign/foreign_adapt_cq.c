/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of completion queue ops. A foreign provider expects the library to
 * initialise the CQ after its op has returned. This is early enough: the
 * application does not have the CQ yet and cannot request a completion event.
 */
#include <errno.h>

#include "foreign/foreign_adapt_group.h"

static struct ibv_cq *
foreign_adapt_call_create_cq(struct ibv_context *ctx,
			     const struct ibv_cq_init_attr_ex *attr,
			     bool extended)
{
	const struct foreign_ops *ops = foreign_ops(ctx);
	struct ibv_cq_ex *cq_ex;

	if (!extended)
		return ops->create_cq(ctx, (int)attr->cqe, attr->channel,
				      (int)attr->comp_vector);
	cq_ex = ops->create_cq_ex(ctx, (struct ibv_cq_init_attr_ex *)attr);
	return cq_ex ? ibv_cq_ex_to_cq(cq_ex) : NULL;
}

static int foreign_adapt_create_cq(struct ibv_context *ctx,
				   const struct ibv_cq_init_attr_ex *attr,
				   bool extended, struct verbs_cq **ret_vcq)
{
	const struct foreign_ops *ops = foreign_ops(ctx);
	struct ibv_cq *cq;
	int saved, ret;

	if (extended ? !ops->create_cq_ex : !ops->create_cq)
		return -EOPNOTSUPP;

	saved = foreign_call_begin();
	cq = foreign_adapt_call_create_cq(ctx, attr, extended);
	ret = foreign_call_object(saved, cq);
	if (ret)
		return ret;
	verbs_init_cq(cq, ctx, attr->channel, attr->cq_context);
	*ret_vcq = verbs_container_of(cq, struct verbs_cq, cq);
	return 0;
}

static int foreign_adapt_resize_cq(struct ibv_cq *cq, int cqe)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->resize_cq(cq, cqe));
}

static int foreign_adapt_modify_cq(struct ibv_cq *cq,
				   struct ibv_modify_cq_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->modify_cq(cq, attr));
}

static int foreign_adapt_destroy_cq(struct ibv_cq *cq)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->destroy_cq(cq));
}

void foreign_adapt_cq(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	bool creates = foreign->create_cq || foreign->create_cq_ex;

	ops->create_cq = creates ? foreign_adapt_create_cq : NULL;
	ops->resize_cq = foreign->resize_cq ? foreign_adapt_resize_cq : NULL;
	ops->modify_cq = foreign->modify_cq ? foreign_adapt_modify_cq : NULL;
	ops->destroy_cq = foreign->destroy_cq ? foreign_adapt_destroy_cq : NULL;
	ops->poll_cq = foreign->poll_cq;
	ops->req_notify_cq = foreign->req_notify_cq;
}
