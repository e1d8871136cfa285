/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of fault_requests.h: send queues, and their completion queues. */
#ifndef LAYERS_FAULT_SEND_QUEUE_H
#define LAYERS_FAULT_SEND_QUEUE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/fault/fault_objects.h"
#include "util/lock.h"

/*
 * Protects all structs of this file. It is held while the provider posts, polls
 * or moves a QP to ERR, which keeps requests in order.
 */
extern struct verbs_mutex fault_requests_mutex;

/* A send request, from its post to its completion. */
struct fault_request {
	uint64_t number; /* from 0 for each QP; an unused entry has ~0 */
	uint64_t wr_id;	 /* of the program */
	enum ibv_wr_opcode opcode;
	bool is_quiet; /* the program requests no completion */
	bool was_held;
	bool is_late; /* executed; then it completes with @status */
	enum ibv_wc_status status; /* SUCCESS: that of the provider */
	struct ibv_send_wr empty;  /* stands for a request that is held */
};

struct fault_cq {
	struct fault_cq *next;
	struct ibv_cq *cq;
	uint64_t serial;
	/* Completions that the helper thread has polled for the program. */
	struct ibv_wc *polled;
	unsigned int first, nr, max; /* of polled */
};

struct fault_send_queue {
	struct fault_send_queue *next;
	struct ibv_qp *qp;
	uint32_t qp_num;
	struct fault_object *object;
	struct fault_cq *cq;
	bool signals_all;  /* sq_sig_all */
	bool is_holding;   /* requests from @nr_posted on are held */
	bool has_failed;   /* the QP is in ERR, or will be */
	bool is_failing;   /* the QP is in ERR, requests are being posted */
	bool is_suspended; /* see fault_requests_suspend() */
	uint32_t max_wr;
	uint32_t size; /* of @requests, power of two, at least 2 * max_wr */
	/* Numbers of requests: done, posted, and made by the program. */
	uint64_t nr_done, nr_posted, nr_made;
	struct fault_request requests[];
};

/* All of them. */
extern struct fault_send_queue *
	fault_send_queues GUARDED_BY(fault_requests_mutex);

/* Posts of requests have numbers instead of the wr_id of the program. */
#define FAULT_WR_ID(number)    ((uint64_t)0xfa17 << 48 | (number))
#define FAULT_IS_WR_ID(wr_id)  ((wr_id) >> 48 == 0xfa17)
#define FAULT_WR_NUMBER(wr_id) ((wr_id) & (((uint64_t)1 << 48) - 1))

static inline struct fault_request *
fault_send_queue_request(struct fault_send_queue *queue, uint64_t number)
{
	return &queue->requests[number & (queue->size - 1)];
}

/**
 * fault_send_queue_fail_locked() - move a QP to ERR, if it is time
 *
 * It is if requests are held back and those before them are done. The provider
 * receives the requests that were held back. If it refuses one, the next call
 * posts the rest.
 */
void fault_send_queue_fail_locked(struct fault_send_queue *queue)
	REQUIRES(fault_requests_mutex);

/**
 * fault_cq_poll_locked() - poll a watched CQ
 * @shuffle_hash: as for fault_requests_poll()
 *
 * Restores the completions that the program expects, and leaves out those that
 * it has not requested.
 *
 * Return: as ibv_poll_cq().
 */
int fault_cq_poll_locked(struct fault_cq *cq, int num_entries,
			 struct ibv_wc *wc, const uint64_t *shuffle_hash)
	REQUIRES(fault_requests_mutex);

/** fault_cq_forget_locked() - drop the completions of a QP in @cq->polled */
void fault_cq_forget_locked(struct fault_cq *cq, uint32_t qp_num)
	REQUIRES(fault_requests_mutex);

/**
 * fault_polls_start_locked() - start the thread that polls for the program
 *
 * A program may wait for something else, for example a receive completion of
 * the QP, while completions of requests before the chosen one are in the CQ.
 * The helper polls them, so that the QP moves to ERR. It ends when no QP holds
 * requests back.
 */
void fault_polls_start_locked(void) REQUIRES(fault_requests_mutex);

/** fault_polls_forked_locked() - in a child, which does not have the thread */
void fault_polls_forked_locked(void) REQUIRES(fault_requests_mutex);

#endif
