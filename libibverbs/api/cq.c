/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: ibv_create_cq(3), ibv_resize_cq(3), and through the table
 * of a context ibv_create_cq_ex(3) and ibv_modify_cq(3).
 */
#include <infiniband/verbs.h>
#include <pthread.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define INIT_ATTR_KNOWN \
	((uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD))

#define CREATE_FLAGS_KNOWN                               \
	((uint32_t)(IBV_CREATE_CQ_ATTR_SINGLE_THREADED | \
		    IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN))

/*
 * Counts the CQs of a channel: a channel with CQs cannot be destroyed. The
 * mutex of the channel's context protects the count.
 */
static void comp_channel_change_refcnt(struct ibv_comp_channel *channel,
				       int change)
{
	if (!channel)
		return;
	(void)pthread_mutex_lock(&channel->context->mutex);
	channel->refcnt += change;
	(void)pthread_mutex_unlock(&channel->context->mutex);
}

static int cq_create(struct ibv_context *ctx,
		     const struct ibv_cq_init_attr_ex *attr, bool extended,
		     struct verbs_cq **ret_vcq)
{
	int ret;

	if (attr->channel && !API_ACCEPTS("ibv_create_cq", ctx, attr->channel))
		return -EINVAL;
	ret = VERBS_CALL_OP(ctx, create_cq, ctx, attr, extended, ret_vcq);
	if (ret == 0)
		comp_channel_change_refcnt(attr->channel, 1);
	return ret;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)cqe,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	struct verbs_cq *vcq;
	int ret;

	if (!context || cqe <= 0 || comp_vector < 0)
		return api_ret_null(-EINVAL);
	ret = cq_create(context, &attr, false, &vcq);
	return ret ? api_ret_null(ret) : &vcq->cq;
}

static int cq_check_attr(const struct ibv_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr)
{
	if (!attr || !attr->cqe)
		return -EINVAL;
	if ((attr->wc_flags & ~(uint64_t)IBV_CREATE_CQ_SUP_WC_FLAGS) ||
	    (attr->comp_mask & ~INIT_ATTR_KNOWN))
		return -EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & ~CREATE_FLAGS_KNOWN))
		return -EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) &&
	    !API_ACCEPTS("ibv_create_cq_ex", ctx, attr->parent_domain))
		return -EINVAL;
	return 0;
}

struct ibv_cq_ex *verbs_api_create_cq_ex(struct ibv_context *ctx,
					 struct ibv_cq_init_attr_ex *attr)
{
	struct verbs_cq *vcq;
	int ret = cq_check_attr(ctx, attr);

	if (ret == 0)
		ret = cq_create(ctx, attr, true, &vcq);
	return ret ? api_ret_null(ret) : &vcq->cq_ex;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	if (!API_EXISTS(cq) || cqe <= 0)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(cq->context, resize_cq, cq, cqe));
}

int verbs_api_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	if (!API_EXISTS(cq) || !attr || attr->attr_mask >= IBV_CQ_ATTR_RESERVED)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(cq->context, modify_cq, cq, attr));
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct ibv_comp_channel *channel;
	int ret;

	if (!API_EXISTS(cq))
		return api_ret_errno(-EINVAL);
	channel = cq->channel;
	ret = VERBS_CALL_OP(cq->context, destroy_cq, cq);
	if (ret == 0)
		comp_channel_change_refcnt(channel, -1);
	return api_ret_errno(ret);
}
