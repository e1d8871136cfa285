/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion errors of send requests, for rules with wc=.
 *
 * The provider executes requests until a rule chooses one. That request and all
 * later ones of the QP are held back. After the requests before it have
 * completed, the QP is moved to ERR, and then the provider receives the
 * requests that were held back, without data. It flushes each of them, with one
 * completion and with the event of the completion queue. In the completion of
 * the chosen request, its status is replaced. So the number of completions is
 * that of the provider, and no completion is made here.
 *
 * For this, the layer must know which requests have completed. It replaces the
 * wr_id of each request by its number and requests a completion of the last one
 * before an event that a rule may choose. poll_cq undoes both.
 */
#ifndef LAYERS_FAULT_REQUESTS_H
#define LAYERS_FAULT_REQUESTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/fault/fault_objects.h"
#include "layers/layers.h"

/* Operations of ibv_wr_start() that ibv_post_send() has, too. */
#define FAULT_WR_OPS ((uint64_t)(IBV_QP_EX_WITH_SEND_WITH_INV << 1) - 1)

/**
 * fault_requests_watch() - let rules with wc= act on a new QP
 *
 * If they cannot, a line says so.
 */
void fault_requests_watch(struct ibv_qp *qp,
			  const struct ibv_qp_init_attr_ex *attr);

/** fault_requests_watch_cq() - let rules with shuffle act on a new CQ */
void fault_requests_watch_cq(struct ibv_cq *cq,
			     const struct fault_object *object);

/**
 * fault_requests_suspend() - leave the state of a QP to the program
 *
 * Called before a QP is destroyed, or moved to RESET or ERR. One of the next
 * functions follows.
 */
void fault_requests_suspend(const struct ibv_qp *qp);

/** fault_requests_resume() - the QP was not changed */
void fault_requests_resume(const struct ibv_qp *qp);

/** fault_requests_end() - the QP was moved to RESET or ERR */
void fault_requests_end(const struct ibv_qp *qp, enum ibv_qp_state state);

/** fault_requests_drop() - the QP was destroyed; @qp is only compared */
void fault_requests_drop(const struct ibv_qp *qp);

/** fault_requests_drop_cq() - a CQ was destroyed; @serial: its number */
void fault_requests_drop_cq(const struct ibv_cq *cq, uint64_t serial);

/**
 * fault_requests_post() - post send requests, or hold them back
 * @all_or_none: post no request if there is no room for all
 * @ret: result of the post
 *
 * Return: whether the QP is watched. If not, nothing was done.
 */
bool fault_requests_post(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr, bool all_or_none,
			 int *ret);

/**
 * fault_requests_poll() - likewise poll a watched completion queue
 * @shuffle_hash: NULL, or selects an order of the completions
 */
bool fault_requests_poll(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc,
			 const uint64_t *shuffle_hash, int *ret);

/** fault_requests_lock_fork() - call before fork() */
void fault_requests_lock_fork(void);
void fault_requests_unlock_fork(void);

/** fault_requests_forked() - in the child, after the lock is released */
void fault_requests_forked(void);

#endif
