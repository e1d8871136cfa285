/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Begin and end of a list of requests: see fault_wr.h. */
#include "layers/fault/fault_wr.h"

#include <errno.h>
#include <stdlib.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_requests.h"

static void fault_wr_start(struct ibv_qp_ex *qpx)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	struct fault_wr *wr = fault_object_find(qpx)->wr;

	verbs_mutex_lock(&wr->mutex);
	wr->nr = 0;
	wr->error = 0;
}

static void fault_wr_abort(struct ibv_qp_ex *qpx)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	verbs_mutex_unlock(&fault_object_find(qpx)->wr->mutex);
}

static int wr_post(struct fault_wr *wr, struct ibv_qp_ex *qpx)
{
	struct ibv_send_wr *bad;
	int ret;

	if (wr->error || wr->nr == 0)
		return wr->error;
	for (uint32_t i = 0; i + 1 < wr->nr; i++)
		wr->wrs[i].next = &wr->wrs[i + 1];
	return fault_post_sends(&qpx->qp_base, wr->wrs, &bad, true, &ret)
		       ? ret
		       : fault_wr_replay(wr, qpx);
}

static int fault_wr_complete(struct ibv_qp_ex *qpx)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	struct fault_wr *wr = fault_object_find(qpx)->wr;
	int ret = wr_post(wr, qpx);

	verbs_mutex_unlock(&wr->mutex);
	return ret;
}

/* Return: NULL: no memory. */
static struct fault_wr *wr_new(const struct ibv_qp_cap *cap)
{
	struct fault_wr *wr = calloc(1, sizeof(*wr));

	if (!wr)
		return NULL;
	wr->max_wr = cap->max_send_wr;
	wr->max_sge = cap->max_send_sge ? cap->max_send_sge : 1;
	wr->max_inline = cap->max_inline_data;
	wr->wrs = calloc((size_t)wr->max_wr + 1, sizeof(*wr->wrs));
	wr->sges = calloc(((size_t)wr->max_wr + 1) * wr->max_sge,
			  sizeof(*wr->sges));
	wr->inline_data =
		calloc((size_t)wr->max_wr + 1, (size_t)wr->max_inline + 1);
	if (wr->wrs && wr->sges && wr->inline_data)
		return wr;
	fault_wr_free(wr);
	return NULL;
}

void fault_wr_watch(struct fault_object *object, struct ibv_qp_ex *qpx,
		    const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	    (attr->send_ops_flags & ~FAULT_WR_OPS) || !fault_posts_are_events())
		return;
	object->wr = wr_new(&attr->cap);
	if (!object->wr)
		return; /* without memory, no rule acts */
	(void)pthread_mutex_init(&object->wr->mutex.mutex, NULL);
	object->wr->below = *qpx;
	fault_wr_replace_builders(qpx);
	LAYERS_REPLACE(qpx, fault, wr_start);
	LAYERS_REPLACE(qpx, fault, wr_complete);
	LAYERS_REPLACE(qpx, fault, wr_abort);
}

void fault_wr_free(struct fault_wr *wr)
{
	if (!wr)
		return;
	free(wr->wrs);
	free(wr->sges);
	free(wr->inline_data);
	free(wr);
}

static struct fault_wr *wr_of(const struct ibv_qp *qp)
{
	const struct fault_object *object = fault_object_find(qp);

	return object ? object->wr : NULL;
}

/* A QP with the functions is at the start of struct ibv_qp_ex. */
static struct ibv_qp_ex *wr_qp_ex(struct ibv_qp *qp)
{
	return verbs_container_of(qp, struct ibv_qp_ex, qp_base);
}

fault_wr_complete_function fault_wr_modifying(struct ibv_qp *qp)
{
	return wr_of(qp) ? wr_qp_ex(qp)->wr_complete : NULL;
}

void fault_wr_modified(struct ibv_qp *qp, fault_wr_complete_function complete)
{
	struct fault_wr *wr = wr_of(qp);
	struct ibv_qp_ex *qpx = wr_qp_ex(qp);

	if (!wr || qpx->wr_complete == complete)
		return;
	wr->below.wr_complete = qpx->wr_complete;
	qpx->wr_complete = complete;
}
