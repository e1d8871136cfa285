/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completions of watched QPs: see fault_requests.h. */
#include <stdlib.h>
#include <string.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_helper.h"
#include "layers/fault/fault_send_queue.h"
#include "layers/fault/fault_shuffle.h"
#include "util/thread.h"

struct verbs_mutex fault_requests_mutex = VERBS_MUTEX_INIT;
struct fault_send_queue *fault_send_queues GUARDED_BY(fault_requests_mutex);

/* ------------------------------------------------------------------------ */
/* Failures of QPs                                                           */
/* ------------------------------------------------------------------------ */

/* After a failure of the provider, the QP is in ERR by itself. */
static bool queue_move_to_err_locked(struct fault_send_queue *queue)
	REQUIRES(fault_requests_mutex)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct fault_request *chosen =
		fault_send_queue_request(queue, queue->nr_posted);

	if (queue->has_failed)
		chosen->status = IBV_WC_SUCCESS; /* flushed, as the others */
	else if (fault_below(queue->qp->context)
			 ->modify_qp(queue->qp, &attr, IBV_QP_STATE) != 0)
		return false;
	queue->has_failed = true;
	return true;
}

void fault_send_queue_fail_locked(struct fault_send_queue *queue)
{
	struct ibv_send_wr *bad;

	if (!queue->is_holding || queue->is_suspended)
		return;
	if (!queue->is_failing && queue->nr_done == queue->nr_posted)
		queue->is_failing = queue_move_to_err_locked(queue);
	if (!queue->is_failing)
		return;
	while (queue->nr_posted < queue->nr_made) {
		struct fault_request *request =
			fault_send_queue_request(queue, queue->nr_posted);

		if (fault_below(queue->qp->context)
			    ->post_send(queue->qp, &request->empty, &bad) != 0)
			return;
		queue->nr_posted++;
	}
	queue->is_holding = false;
	queue->is_failing = false;
}

static void queues_fail_locked(const struct fault_cq *cq)
	REQUIRES(fault_requests_mutex)
{
	for (struct fault_send_queue *queue = fault_send_queues; queue;
	     queue = queue->next)
		if (queue->cq == cq)
			fault_send_queue_fail_locked(queue);
}

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

static enum ibv_wc_opcode completion_opcode(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	case IBV_WR_LOCAL_INV:
		return IBV_WC_LOCAL_INV;
	case IBV_WR_BIND_MW:
		return IBV_WC_BIND_MW;
	case IBV_WR_TSO:
		return IBV_WC_TSO;
	default:
		return IBV_WC_SEND;
	}
}

/* A receive request has the wr_id of the program. */
static struct fault_send_queue *
completion_find_queue_locked(const struct fault_cq *cq, const struct ibv_wc *wc)
	REQUIRES(fault_requests_mutex)
{
	if (!FAULT_IS_WR_ID(wc->wr_id))
		return NULL;
	for (struct fault_send_queue *queue = fault_send_queues; queue;
	     queue = queue->next)
		if (queue->cq == cq && queue->qp_num == wc->qp_num)
			return queue;
	return NULL;
}

/* Return: whether the program expects the completion. */
static bool completion_restore_locked(const struct fault_cq *cq,
				      struct ibv_wc *wc)
	REQUIRES(fault_requests_mutex)
{
	struct fault_send_queue *queue = completion_find_queue_locked(cq, wc);
	uint64_t number = FAULT_WR_NUMBER(wc->wr_id);
	const struct fault_request *request;
	bool has_failed = wc->status != IBV_WC_SUCCESS;

	if (!queue)
		return true;
	request = fault_send_queue_request(queue, number);
	if (request->number != number)
		return true;
	wc->wr_id = request->wr_id;
	if (request->was_held)
		wc->opcode = completion_opcode(request->opcode);
	if (request->status != IBV_WC_SUCCESS && has_failed != request->is_late)
		wc->status = request->status;
	/* One that is older belongs to the time before a RESET. */
	if (number >= queue->nr_done) {
		queue->nr_done = number + 1;
		queue->has_failed |= has_failed;
	}
	return wc->status != IBV_WC_SUCCESS || !request->is_quiet;
}

static int completions_restore_locked(const struct fault_cq *cq,
				      struct ibv_wc *wc, int nr)
	REQUIRES(fault_requests_mutex)
{
	int nr_kept = 0;

	for (int i = 0; i < nr; i++) {
		if (!completion_restore_locked(cq, &wc[i]))
			continue;
		if (nr_kept != i)
			wc[nr_kept] = wc[i];
		nr_kept++;
	}
	return nr_kept;
}

/* Return: as ibv_poll_cq(); 0 if the provider has no completion. */
static int cq_poll_provider_locked(const struct fault_cq *cq, int num_entries,
				   struct ibv_wc *wc)
	REQUIRES(fault_requests_mutex)
{
	int nr, nr_kept;

	do {
		nr = fault_below(cq->cq->context)
			     ->poll_cq(cq->cq, num_entries, wc);
		if (nr <= 0)
			return nr;
		nr_kept = completions_restore_locked(cq, wc, nr);
		queues_fail_locked(cq);
	} while (nr_kept == 0);
	return nr_kept;
}

/* Completions that the helper has polled are older. */
static int cq_take_polled_locked(struct fault_cq *cq, int num_entries,
				 struct ibv_wc *wc)
	REQUIRES(fault_requests_mutex)
{
	unsigned int nr = 0;

	while (cq->nr && (int)nr < num_entries) {
		wc[nr++] = cq->polled[cq->first++];
		cq->nr--;
	}
	if (!cq->nr)
		cq->first = 0;
	return (int)nr;
}

/* Return: whether there is room for one more completion. */
static bool cq_make_room_locked(struct fault_cq *cq)
	REQUIRES(fault_requests_mutex)
{
	unsigned int max = cq->max ? 2 * cq->max : 16;
	struct ibv_wc *polled;

	if (cq->first) {
		memmove(cq->polled, &cq->polled[cq->first],
			cq->nr * sizeof(*cq->polled));
		cq->first = 0;
	}
	if (cq->nr < cq->max)
		return true;
	polled = realloc(cq->polled, max * sizeof(*polled));
	if (!polled)
		return false;
	cq->polled = polled;
	cq->max = max;
	return true;
}

/*
 * Only completions that the program could have polled get another order, so it
 * does not wait for one that is kept.
 */
static void cq_shuffle_locked(struct fault_cq *cq, uint64_t hash)
	REQUIRES(fault_requests_mutex)
{
	while (cq->nr < FAULT_MAX_SHUFFLED && cq_make_room_locked(cq) &&
	       cq_poll_provider_locked(cq, 1,
				       &cq->polled[cq->first + cq->nr]) == 1)
		cq->nr++;
	if (cq->nr)
		fault_shuffle(&cq->polled[cq->first],
			      cq->nr < FAULT_MAX_SHUFFLED ? cq->nr
							  : FAULT_MAX_SHUFFLED,
			      hash);
}

int fault_cq_poll_locked(struct fault_cq *cq, int num_entries,
			 struct ibv_wc *wc, const uint64_t *shuffle_hash)
{
	int nr;

	if (shuffle_hash)
		cq_shuffle_locked(cq, *shuffle_hash);
	nr = cq_take_polled_locked(cq, num_entries, wc);
	return nr ? nr : cq_poll_provider_locked(cq, num_entries, wc);
}

void fault_cq_forget_locked(struct fault_cq *cq, uint32_t qp_num)
{
	unsigned int nr_kept = 0;

	for (unsigned int i = cq->first; i < cq->first + cq->nr; i++)
		if (cq->polled[i].qp_num != qp_num)
			cq->polled[nr_kept++] = cq->polled[i];
	cq->first = 0;
	cq->nr = nr_kept;
}

/* ------------------------------------------------------------------------ */
/* The helper thread                                                         */
/* ------------------------------------------------------------------------ */

static bool helper_runs GUARDED_BY(fault_requests_mutex);

/* Polls until the QP moves to ERR, or there is no completion. */
static void helper_poll_queue_locked(struct fault_send_queue *queue)
	REQUIRES(fault_requests_mutex)
{
	struct fault_cq *cq = queue->cq;

	while (queue->is_holding && cq_make_room_locked(cq) &&
	       cq_poll_provider_locked(cq, 1,
				       &cq->polled[cq->first + cq->nr]) == 1)
		cq->nr++;
}

/* Return: whether QPs still hold requests back. */
static bool helper_poll_locked(void) REQUIRES(fault_requests_mutex)
{
	bool is_holding = false;

	for (struct fault_send_queue *queue = fault_send_queues; queue;
	     queue = queue->next) {
		if (!queue->is_holding || queue->is_suspended)
			continue;
		fault_send_queue_fail_locked(queue);
		helper_poll_queue_locked(queue);
		is_holding |= queue->is_holding;
	}
	return is_holding;
}

static void *helper_run(void *unused)
{
	bool runs;

	do {
		fault_helper_sleep();
		verbs_mutex_lock(&fault_requests_mutex);
		runs = helper_poll_locked();
		helper_runs = runs;
		verbs_mutex_unlock(&fault_requests_mutex);
	} while (runs);
	return NULL;
}

/* Without a thread, the polls of the program do the same. */
void fault_polls_start_locked(void)
{
	if (!helper_runs)
		helper_runs = verbs_thread_start(helper_run, NULL, NULL) == 0;
}

void fault_polls_forked_locked(void)
{
	helper_runs = false;
}
