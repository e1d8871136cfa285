/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign ops of completion queues. A foreign provider leaves it to the library
 * to prepare the CQ when its op is done, which is late, but early enough: the
 * application does not have the CQ yet, so no completion is asked for.
 */
#include <errno.h>

#include "foreign/foreign_adapt_group.h"

static struct ibv_cq *call_create(struct ibv_context *ctx,
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

static int create_cq(struct ibv_context *ctx,
		     const struct ibv_cq_init_attr_ex *attr, bool extended,
		     struct verbs_cq **ret_vcq)
{
	const struct foreign_ops *ops = foreign_ops(ctx);
	struct ibv_cq *cq;
	int saved, ret;

	if (extended ? !ops->create_cq_ex : !ops->create_cq)
		return -EOPNOTSUPP;

	saved = foreign_call_begin();
	cq = call_create(ctx, attr, extended);
	ret = foreign_call_object(saved, cq);
	if (ret)
		return ret;
	verbs_init_cq(cq, ctx, attr->channel, attr->cq_context);
	*ret_vcq = verbs_container_of(cq, struct verbs_cq, cq);
	return 0;
}

static int resize_cq(struct ibv_cq *cq, int cqe)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->resize_cq(cq, cqe));
}

static int modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->modify_cq(cq, attr));
}

static int destroy_cq(struct ibv_cq *cq)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cq->context)->destroy_cq(cq));
}

void foreign_adapt_cq(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours)
{
	bool creates = theirs->create_cq || theirs->create_cq_ex;

	ours->create_cq = creates ? create_cq : NULL;
	ours->resize_cq = theirs->resize_cq ? resize_cq : NULL;
	ours->modify_cq = theirs->modify_cq ? modify_cq : NULL;
	ours->destroy_cq = theirs->destroy_cq ? destroy_cq : NULL;
	ours->poll_cq = theirs->poll_cq;
	ours->req_notify_cq = theirs->req_notify_cq;
}
