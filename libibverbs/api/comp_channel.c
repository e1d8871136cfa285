/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion channels and their events: ibv_create_comp_channel(3),
 * ibv_get_cq_event(3).
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel;
	int ret;

	if (!context)
		return api_ret_null(-EINVAL);
	channel = malloc(sizeof(*channel));
	if (!channel)
		return api_ret_null(-ENOMEM);
	*channel = (struct ibv_comp_channel){ .context = context };

	ret = VERBS_CALL_OP(context, create_comp_channel, context,
			    &channel->fd);
	if (ret) {
		free(channel);
		return api_ret_null(ret);
	}
	return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct ibv_context *ctx;
	bool busy;

	if (!channel)
		return api_ret_errno(-EINVAL);
	ctx = channel->context;
	(void)pthread_mutex_lock(&ctx->mutex);
	busy = channel->refcnt != 0;
	(void)pthread_mutex_unlock(&ctx->mutex);
	if (busy)
		return api_ret_errno(-EBUSY);

	(void)close(channel->fd);
	free(channel);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context)
{
	struct ib_uverbs_comp_event_desc event;
	struct ibv_cq *found;
	ssize_t n;

	if (!channel || !cq || !cq_context)
		return api_ret_minus1(
			-EINVAL); /* the event stays in the channel */
	n = read(channel->fd, &event, sizeof(event));
	if (n != (ssize_t)sizeof(event))
		return n < 0 ? -1 /* errno is read's */ : api_ret_minus1(-EIO);

	found = (struct ibv_cq *)(uintptr_t)event.cq_handle;
	*cq = found;
	*cq_context = found->cq_context;
	verbs_ops(found->context)->cq_event(found);
	return 0;
}

/*
 * For programs that read a channel themselves: called through ibv_context_ops.
 */
void verbs_api_cq_event(struct ibv_cq *cq)
{
	verbs_ops(cq->context)->cq_event(cq);
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	if (!cq)
		return;
	(void)pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += nevents;
	(void)pthread_cond_signal(&cq->cond);
	(void)pthread_mutex_unlock(&cq->mutex);
}
