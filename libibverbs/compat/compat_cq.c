/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues of libibverbs 1.0. The cq_context of the real CQ is set to
 * the shadow when the CQ is created, so that every event leads to it.
 */
#include <pthread.h>

#include "api/api_err.h"
#include "compat/compat_shadow.h"

/*
 * A new channel of the program belongs to the context's shadow. Its first CQ
 * moves it to the real context, to which the CQ belongs. The mutex serializes
 * two threads that do this at the same time.
 */
static void compat_channel_adopt(struct ibv_comp_channel *channel,
				 struct ibv_context_1_0 *context)
{
	struct ibv_context *shadow = compat_context_of(context);

	(void)pthread_mutex_lock(&shadow->mutex);
	if (channel->context == shadow)
		channel->context = context->real_context;
	(void)pthread_mutex_unlock(&shadow->mutex);
}

struct ibv_cq_1_0 *compat_ibv_create_cq(struct ibv_context_1_0 *context,
					int cqe, void *cq_context,
					struct ibv_comp_channel *channel,
					int comp_vector)
{
	struct ibv_cq_1_0 *cq = calloc(1, sizeof(*cq));

	if (!cq)
		return api_ret_null(-ENOMEM);
	if (context && channel)
		compat_channel_adopt(channel, context);
	cq->context = context;
	cq->cq_context = cq_context;
	cq->real_cq = ibv_create_cq(compat_real_context(context), cqe, cq,
				    channel, comp_vector);
	if (!cq->real_cq)
		return compat_shadow_drop(cq);
	cq->handle = cq->real_cq->handle;
	cq->cqe = cq->real_cq->cqe;
	return cq;
}

int compat_ibv_resize_cq(struct ibv_cq_1_0 *cq, int cqe)
{
	int ret = ibv_resize_cq(compat_real_cq(cq), cqe);

	if (ret == 0)
		cq->cqe = cq->real_cq->cqe;
	return ret;
}

int compat_ibv_destroy_cq(struct ibv_cq_1_0 *cq)
{
	int ret = ibv_destroy_cq(compat_real_cq(cq));

	if (ret == 0)
		free(cq);
	return ret;
}

int compat_poll_cq(struct ibv_cq_1_0 *cq, int num_entries, struct ibv_wc *wc)
{
	return ibv_poll_cq(cq->real_cq, num_entries, wc);
}

int compat_req_notify_cq(struct ibv_cq_1_0 *cq, int solicited_only)
{
	return ibv_req_notify_cq(cq->real_cq, solicited_only);
}

COMPAT_EXPORT(ibv_create_cq)
COMPAT_EXPORT(ibv_resize_cq)
COMPAT_EXPORT(ibv_destroy_cq)
