/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive requests that rules with hold= keep back, so that the peer finds no
 * request. Those of a QP stay in order: later ones are held, too. A helper
 * thread posts them when their time has come. If the QP is in ERR then, the
 * provider flushes them.
 */
#ifndef LAYERS_FAULT_RECEIVES_H
#define LAYERS_FAULT_RECEIVES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/** fault_receives_watch() - let rules with hold= act on a new QP */
void fault_receives_watch(struct ibv_qp *qp,
			  const struct ibv_qp_init_attr_ex *attr);

/**
 * fault_receives_suspend() - post no requests to a QP
 *
 * Called before a QP is destroyed or moved to RESET. One of the next functions
 * follows.
 */
void fault_receives_suspend(const struct ibv_qp *qp);

/** fault_receives_resume() - @is_reset: the QP has no requests any more */
void fault_receives_resume(const struct ibv_qp *qp, bool is_reset);

/** fault_receives_drop() - the QP was destroyed; @qp is only compared */
void fault_receives_drop(const struct ibv_qp *qp);

/**
 * fault_receives_post() - post receive requests, or hold them back
 * @hold_ns: how long; 0: not longer than earlier ones
 * @ret: result of the post
 *
 * Return: whether the QP is watched. If not, nothing was done.
 */
bool fault_receives_post(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr, uint64_t hold_ns,
			 int *ret);

/** fault_receives_forked() - in a child; those of the parent stay */
void fault_receives_forked(void);

#endif
