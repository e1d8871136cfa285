/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posts of watched QPs: see fault_requests.h. */
#include "layers/fault/fault_requests.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_log.h"
#include "layers/fault/fault_send_queue.h"

static struct fault_cq *fault_cqs GUARDED_BY(fault_requests_mutex);

/* Whether there has been a watched QP. */
static atomic_bool requests_are_watched;

static struct fault_send_queue *
requests_find_queue_locked(const struct ibv_qp *qp)
	REQUIRES(fault_requests_mutex)
{
	struct fault_send_queue *queue = fault_send_queues;

	while (queue && queue->qp != qp)
		queue = queue->next;
	return queue;
}

static struct fault_cq *requests_find_cq_locked(const struct ibv_cq *cq)
	REQUIRES(fault_requests_mutex)
{
	struct fault_cq *found = fault_cqs;

	while (found && found->cq != cq)
		found = found->next;
	return found;
}

/* ------------------------------------------------------------------------ */
/* Watched objects                                                           */
/* ------------------------------------------------------------------------ */

/* Return: why rules with wc= cannot act on a QP; NULL: they can. */
static const char *
requests_find_obstacle(const struct ibv_qp_init_attr_ex *attr)
{
	const struct fault_object *cq = fault_object_find(attr->send_cq);

	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC &&
	    attr->qp_type != IBV_QPT_UD && attr->qp_type != IBV_QPT_XRC_SEND)
		return "its type is none of RC, UC, UD and XRC_SEND";
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    (attr->send_ops_flags & ~FAULT_WR_OPS))
		return "ibv_post_send() does not have all of its operations";
	if (!cq)
		return "its completion queue is unknown";
	if (cq->is_opaque)
		return "ibv_poll_cq() does not return all members of its "
		       "completions";
	return NULL;
}

static struct fault_cq *requests_add_cq_locked(struct ibv_cq *cq)
	REQUIRES(fault_requests_mutex)
{
	struct fault_cq *found = requests_find_cq_locked(cq);

	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->cq = cq;
	found->serial = fault_object_serial(cq);
	found->next = fault_cqs;
	fault_cqs = found;
	return found;
}

static struct fault_send_queue *requests_new_queue(uint32_t max_wr)
{
	struct fault_send_queue *queue;
	uint32_t size = 16;

	while (size / 2 < max_wr)
		size *= 2;
	queue = calloc(1, sizeof(*queue) + size * sizeof(queue->requests[0]));
	if (!queue)
		return NULL;
	queue->max_wr = max_wr;
	queue->size = size;
	for (uint32_t i = 0; i < size; i++)
		queue->requests[i].number = UINT64_MAX;
	return queue;
}

/* Return: whether there was enough memory. */
static bool requests_add_queue(struct ibv_qp *qp,
			       const struct ibv_qp_init_attr_ex *attr,
			       struct fault_object *object)
{
	struct fault_send_queue *queue =
		requests_new_queue(attr->cap.max_send_wr);

	if (!queue)
		return false;
	queue->qp = qp;
	queue->qp_num = qp->qp_num;
	queue->object = object;
	queue->signals_all = attr->sq_sig_all;
	verbs_mutex_lock(&fault_requests_mutex);
	queue->cq = requests_add_cq_locked(attr->send_cq);
	if (queue->cq) {
		queue->next = fault_send_queues;
		fault_send_queues = queue;
	}
	verbs_mutex_unlock(&fault_requests_mutex);
	atomic_store(&requests_are_watched, true);
	if (queue->cq)
		return true;
	free(queue);
	return false;
}

void fault_requests_watch(struct ibv_qp *qp,
			  const struct ibv_qp_init_attr_ex *attr)
{
	struct fault_object *object = fault_object_find(qp);
	const char *obstacle;

	if (!object || !fault_wc_is_possible(object))
		return;
	obstacle = requests_find_obstacle(attr);
	if (!obstacle && !requests_add_queue(qp, attr, object))
		obstacle = "there is no memory";
	if (obstacle)
		fault_log_unable(object, obstacle);
}

void fault_requests_watch_cq(struct ibv_cq *cq,
			     const struct fault_object *object)
{
	if (!fault_shuffle_is_possible(object))
		return;
	verbs_mutex_lock(&fault_requests_mutex);
	(void)requests_add_cq_locked(cq); /* without memory, no rule acts */
	verbs_mutex_unlock(&fault_requests_mutex);
	atomic_store(&requests_are_watched, true);
}

void fault_requests_suspend(const struct ibv_qp *qp)
{
	struct fault_send_queue *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	queue = requests_find_queue_locked(qp);
	if (queue)
		queue->is_suspended = true;
	verbs_mutex_unlock(&fault_requests_mutex);
}

static void queue_resume_locked(struct fault_send_queue *queue)
	REQUIRES(fault_requests_mutex)
{
	queue->is_suspended = false;
	/* the helper may have ended because of the suspension */
	if (queue->is_holding)
		fault_polls_start_locked();
}

void fault_requests_resume(const struct ibv_qp *qp)
{
	struct fault_send_queue *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	queue = requests_find_queue_locked(qp);
	if (queue)
		queue_resume_locked(queue);
	verbs_mutex_unlock(&fault_requests_mutex);
}

static void queue_forget_requests_locked(struct fault_send_queue *queue)
	REQUIRES(fault_requests_mutex)
{
	queue->nr_posted = queue->nr_made;
	queue->nr_done = queue->nr_made;
	queue->is_holding = false;
	queue->is_failing = false;
}

void fault_requests_end(const struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct fault_send_queue *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	queue = requests_find_queue_locked(qp);
	if (queue) {
		queue->has_failed = state == IBV_QPS_ERR;
		if (state == IBV_QPS_RESET)
			queue_forget_requests_locked(queue);
		queue_resume_locked(queue);
	}
	verbs_mutex_unlock(&fault_requests_mutex);
}

void fault_requests_drop(const struct ibv_qp *qp)
{
	struct fault_send_queue **link, *queue = NULL;

	verbs_mutex_lock(&fault_requests_mutex);
	link = &fault_send_queues;
	/* A new QP at the address is not suspended. */
	while (*link && ((*link)->qp != qp || !(*link)->is_suspended))
		link = &(*link)->next;
	if (*link) {
		queue = *link;
		*link = queue->next;
		fault_cq_forget_locked(queue->cq, queue->qp_num);
	}
	verbs_mutex_unlock(&fault_requests_mutex);
	free(queue);
}

void fault_requests_drop_cq(const struct ibv_cq *cq, uint64_t serial)
{
	struct fault_cq **link, *found = NULL;

	verbs_mutex_lock(&fault_requests_mutex);
	link = &fault_cqs;
	while (*link && ((*link)->cq != cq || (*link)->serial != serial))
		link = &(*link)->next;
	if (*link) {
		found = *link;
		*link = found->next;
	}
	verbs_mutex_unlock(&fault_requests_mutex);
	if (found)
		free(found->polled);
	free(found);
}

void fault_requests_lock_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	verbs_mutex_lock(&fault_requests_mutex);
}

void fault_requests_unlock_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	verbs_mutex_unlock(&fault_requests_mutex);
}

/* The QPs of the parent stay as they are. */
void fault_requests_forked(void)
{
	verbs_mutex_lock(&fault_requests_mutex);
	for (struct fault_send_queue *queue = fault_send_queues; queue;
	     queue = queue->next)
		queue->is_suspended = true;
	fault_polls_forked_locked();
	verbs_mutex_unlock(&fault_requests_mutex);
}

/* ------------------------------------------------------------------------ */
/* Posts                                                                     */
/* ------------------------------------------------------------------------ */

/* A request without data, which the provider flushes. */
static struct ibv_send_wr request_empty(const struct ibv_send_wr *wr,
					uint64_t number)
{
	struct ibv_send_wr empty = *wr;

	empty.wr_id = FAULT_WR_ID(number);
	empty.next = NULL;
	empty.sg_list = NULL;
	empty.num_sge = 0;
	empty.opcode = IBV_WR_SEND;
	empty.send_flags = IBV_SEND_SIGNALED;
	return empty;
}

/* Posts one request under its number. */
static int request_post_locked(struct fault_send_queue *queue,
			       const struct fault_request *request,
			       const struct ibv_send_wr *wr)
	REQUIRES(fault_requests_mutex)
{
	struct ibv_send_wr copy = *wr, *bad;
	int ret;

	copy.next = NULL;
	copy.wr_id = FAULT_WR_ID(request->number);
	if (request->is_late ||
	    (request->is_quiet && fault_may_choose_next(queue->object)))
		copy.send_flags |= IBV_SEND_SIGNALED;
	ret = fault_below(queue->qp->context)
		      ->post_send(queue->qp, &copy, &bad);
	if (ret == 0)
		queue->nr_posted++;
	return ret;
}

/*
 * Requests of a QP in ERR are flushed anyway, so no rule chooses one.
 */
static void request_decide_locked(struct fault_send_queue *queue,
				  struct fault_request *request,
				  const struct ibv_send_wr *wr)
	REQUIRES(fault_requests_mutex)
{
	struct fault_decision decision;

	if (queue->is_holding || queue->has_failed)
		return;
	decision = fault_decide_wc(queue->object, wr);
	if (!decision.rule)
		return;
	request->status = decision.rule->status;
	request->is_late = decision.rule->is_late;
	queue->is_holding = !request->is_late;
}

static int request_add_locked(struct fault_send_queue *queue,
			      const struct ibv_send_wr *wr)
	REQUIRES(fault_requests_mutex)
{
	struct fault_request *request =
		fault_send_queue_request(queue, queue->nr_made);
	int ret = 0;

	if (queue->nr_made - queue->nr_done >= queue->size ||
	    (queue->is_holding &&
	     queue->nr_made - queue->nr_posted >= queue->max_wr))
		return ENOMEM;
	*request = (struct fault_request){
		.number = queue->nr_made,
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.is_quiet = !queue->signals_all &&
			    !(wr->send_flags & IBV_SEND_SIGNALED),
		.status = IBV_WC_SUCCESS,
	};
	request_decide_locked(queue, request, wr);
	if (queue->is_holding) {
		request->was_held = true;
		request->empty = request_empty(wr, request->number);
	} else {
		ret = request_post_locked(queue, request, wr);
	}
	if (ret)
		return ret;
	queue->nr_made++;
	queue->is_holding |= request->is_late;
	return 0;
}

static int requests_post_locked(struct fault_send_queue *queue,
				struct ibv_send_wr *wr,
				struct ibv_send_wr **bad_wr)
	REQUIRES(fault_requests_mutex)
{
	int ret = 0;

	for (; wr && ret == 0; wr = wr->next) {
		ret = request_add_locked(queue, wr);
		if (ret)
			*bad_wr = wr;
	}
	if (!queue->is_holding)
		return ret;
	fault_send_queue_fail_locked(queue);
	if (queue->is_holding)
		fault_polls_start_locked();
	return ret;
}

/* A provider frees the place of a request when it returns its completion. */
static bool queue_has_room_locked(const struct fault_send_queue *queue,
				  const struct ibv_send_wr *wr)
	REQUIRES(fault_requests_mutex)
{
	uint64_t nr = queue->nr_made - queue->nr_done;

	for (; wr; wr = wr->next)
		nr++;
	return nr <= queue->max_wr;
}

bool fault_requests_post(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr, bool all_or_none,
			 int *ret)
{
	struct fault_send_queue *queue;

	if (!atomic_load(&requests_are_watched))
		return false;
	verbs_mutex_lock(&fault_requests_mutex);
	queue = requests_find_queue_locked(qp);
	if (queue && all_or_none && !queue_has_room_locked(queue, wr)) {
		*bad_wr = wr;
		*ret = ENOMEM;
	} else if (queue) {
		*ret = requests_post_locked(queue, wr, bad_wr);
	}
	verbs_mutex_unlock(&fault_requests_mutex);
	return queue != NULL;
}

bool fault_requests_poll(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc,
			 const uint64_t *shuffle_hash, int *ret)
{
	struct fault_cq *found;

	if (!atomic_load(&requests_are_watched))
		return false;
	verbs_mutex_lock(&fault_requests_mutex);
	found = requests_find_cq_locked(cq);
	if (found)
		*ret = fault_cq_poll_locked(found, num_entries, wc,
					    shuffle_hash);
	verbs_mutex_unlock(&fault_requests_mutex);
	return found != NULL;
}
