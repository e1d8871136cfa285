/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_receives.h. */
#include "layers/fault/fault_receives.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_helper.h"
#include "layers/fault/fault_send_queue.h"
#include "util/clock.h"
#include "util/thread.h"

struct held_receive {
	struct held_receive *next;
	uint64_t due_ns;
	struct ibv_recv_wr wr;
	struct ibv_sge sges[];
};

struct recv_queue {
	struct recv_queue *next;
	struct ibv_qp *qp;
	struct held_receive *first, *last; /* NULL: none is held */
	uint32_t nr_held, max_wr, max_sge;
	bool is_suspended;
};

static struct recv_queue *recv_queues GUARDED_BY(fault_requests_mutex);
static bool helper_runs GUARDED_BY(fault_requests_mutex);

/* Whether there has been a watched QP. */
static atomic_bool receives_are_watched;

static struct recv_queue *receives_find_locked(const struct ibv_qp *qp)
	REQUIRES(fault_requests_mutex)
{
	struct recv_queue *queue = recv_queues;

	while (queue && queue->qp != qp)
		queue = queue->next;
	return queue;
}

void fault_receives_watch(struct ibv_qp *qp,
			  const struct ibv_qp_init_attr_ex *attr)
{
	const struct fault_object *object = fault_object_find(qp);
	struct recv_queue *queue;

	if (!object || attr->srq || !fault_hold_is_possible(object))
		return;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return; /* without memory, no rule acts */
	queue->qp = qp;
	queue->max_wr = attr->cap.max_recv_wr;
	queue->max_sge = attr->cap.max_recv_sge;
	verbs_mutex_lock(&fault_requests_mutex);
	queue->next = recv_queues;
	recv_queues = queue;
	verbs_mutex_unlock(&fault_requests_mutex);
	atomic_store(&receives_are_watched, true);
}

static void receives_drop_first(struct recv_queue *queue)
{
	struct held_receive *first = queue->first;

	queue->first = first->next;
	queue->nr_held--;
	free(first);
}

static void receives_drop_all(struct recv_queue *queue)
{
	while (queue->first)
		receives_drop_first(queue);
}

/* ------------------------------------------------------------------------ */
/* The helper thread                                                         */
/* ------------------------------------------------------------------------ */

/* Posts the requests whose time has come. One that is refused stays. */
static void receives_post_due_locked(struct recv_queue *queue, uint64_t now)
	REQUIRES(fault_requests_mutex)
{
	struct ibv_recv_wr *bad;

	while (queue->first && queue->first->due_ns <= now &&
	       fault_below(queue->qp->context)
			       ->post_recv(queue->qp, &queue->first->wr,
					   &bad) == 0)
		receives_drop_first(queue);
}

/* Return: whether requests are still held. */
static bool receives_progress_locked(void) REQUIRES(fault_requests_mutex)
{
	uint64_t now = verbs_now_ns();
	bool are_held = false;

	for (struct recv_queue *queue = recv_queues; queue;
	     queue = queue->next) {
		if (queue->is_suspended)
			continue;
		receives_post_due_locked(queue, now);
		are_held |= queue->first != NULL;
	}
	return are_held;
}

static void *receives_run(void *unused)
{
	bool runs;

	do {
		fault_helper_sleep();
		verbs_mutex_lock(&fault_requests_mutex);
		runs = receives_progress_locked();
		helper_runs = runs;
		verbs_mutex_unlock(&fault_requests_mutex);
	} while (runs);
	return NULL;
}

static void receives_start_helper_locked(const struct recv_queue *queue)
	REQUIRES(fault_requests_mutex)
{
	if (queue->first && !helper_runs)
		helper_runs = verbs_thread_start(receives_run, NULL, NULL) == 0;
}

/* ------------------------------------------------------------------------ */
/* Suspension                                                                */
/* ------------------------------------------------------------------------ */

void fault_receives_suspend(const struct ibv_qp *qp)
{
	struct recv_queue *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	queue = receives_find_locked(qp);
	if (queue)
		queue->is_suspended = true;
	verbs_mutex_unlock(&fault_requests_mutex);
}

void fault_receives_resume(const struct ibv_qp *qp, bool is_reset)
{
	struct recv_queue *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	queue = receives_find_locked(qp);
	if (queue) {
		queue->is_suspended = false;
		if (is_reset)
			receives_drop_all(queue);
		/* it may have ended because of the suspension */
		receives_start_helper_locked(queue);
	}
	verbs_mutex_unlock(&fault_requests_mutex);
}

void fault_receives_drop(const struct ibv_qp *qp)
{
	struct recv_queue **link, *queue;

	verbs_mutex_lock(&fault_requests_mutex);
	link = &recv_queues;
	/* A new QP at the address is not suspended. */
	while (*link && ((*link)->qp != qp || !(*link)->is_suspended))
		link = &(*link)->next;
	queue = *link;
	if (queue)
		*link = queue->next;
	verbs_mutex_unlock(&fault_requests_mutex);
	if (queue)
		receives_drop_all(queue);
	free(queue);
}

void fault_receives_forked(void)
{
	verbs_mutex_lock(&fault_requests_mutex);
	for (struct recv_queue *queue = recv_queues; queue; queue = queue->next)
		queue->is_suspended = true;
	helper_runs = false;
	verbs_mutex_unlock(&fault_requests_mutex);
}

/* ------------------------------------------------------------------------ */
/* Posts                                                                     */
/* ------------------------------------------------------------------------ */

static int receive_hold(struct recv_queue *queue, const struct ibv_recv_wr *wr,
			uint64_t due_ns)
{
	struct held_receive *held;
	size_t size;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge)
		return EINVAL;
	size = (size_t)wr->num_sge * sizeof(held->sges[0]);
	held = queue->nr_held < queue->max_wr ? malloc(sizeof(*held) + size)
					      : NULL;
	if (!held)
		return ENOMEM;
	held->next = NULL;
	held->due_ns = due_ns;
	held->wr = *wr;
	held->wr.next = NULL;
	held->wr.sg_list = held->sges;
	if (size)
		memcpy(held->sges, wr->sg_list, size);
	if (queue->first)
		queue->last->next = held;
	else
		queue->first = held;
	queue->last = held;
	queue->nr_held++;
	return 0;
}

static int receives_hold_locked(struct recv_queue *queue,
				struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr, uint64_t hold_ns)
	REQUIRES(fault_requests_mutex)
{
	uint64_t due_ns = verbs_now_ns() + hold_ns;
	int ret = 0;

	for (; wr && ret == 0; wr = wr->next) {
		ret = receive_hold(queue, wr, due_ns);
		if (ret)
			*bad_wr = wr;
	}
	receives_start_helper_locked(queue);
	/* Without a thread, the next post of the program does the same. */
	if (!helper_runs)
		(void)receives_progress_locked();
	return ret;
}

static int receives_post_locked(struct recv_queue *queue,
				struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr, uint64_t hold_ns)
	REQUIRES(fault_requests_mutex)
{
	if (queue->first || hold_ns)
		return receives_hold_locked(queue, wr, bad_wr, hold_ns);
	return fault_below(queue->qp->context)
		->post_recv(queue->qp, wr, bad_wr);
}

bool fault_receives_post(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr, uint64_t hold_ns,
			 int *ret)
{
	struct recv_queue *queue;

	if (!atomic_load(&receives_are_watched))
		return false;
	verbs_mutex_lock(&fault_requests_mutex);
	queue = receives_find_locked(qp);
	if (queue)
		*ret = receives_post_locked(queue, wr, bad_wr, hold_ns);
	verbs_mutex_unlock(&fault_requests_mutex);
	return queue != NULL;
}
