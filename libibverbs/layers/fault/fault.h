/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layer fault: makes calls fail, slow or short, as the rules of VERBS_FAULT
 * request (fault_rules.h). Its ops are between the other layers and the
 * provider, so the other layers see what the program sees.
 *
 * Whether a rule acts on an event is a function of the seed, the rule, the
 * serial number of the object and the number of matching events of that object.
 * So it does not depend on the order in which threads run.
 */
#ifndef LAYERS_FAULT_H
#define LAYERS_FAULT_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "layers/layers.h"
#include "layers/layers_replace.h"

/* Constant after verbs_layer_hooks.start(). */
extern bool fault_is_on;

/** fault_request() - enable the layer; @settings: VERBS_FAULT or NULL */
void fault_request(const char *settings);

/** fault_lock_fork() - called before fork(), and fault_unlock_fork() after it
 */
void fault_lock_fork(void);
void fault_unlock_fork(void);

/** fault_forked() - called in the child of a fork(), after the latter */
void fault_forked(void);

/**
 * fault_was_injected() - whether a rule made the last call of the thread fail
 *
 * Calls that query attributes are not considered: other layers make them before
 * they report an error.
 */
bool fault_was_injected(void);

/**
 * fault_attach() - replace ops of a context
 * @ctx: has the ops of the provider
 */
void fault_attach(struct ibv_context *ctx);

/** fault_detach() - @ctx has the ops of this layer; undo fault_attach() */
void fault_detach(struct ibv_context *ctx);

/* ------------------------------------------------------------------------ */
/* For the files of this layer                                               */
/* ------------------------------------------------------------------------ */

/* Ops of the provider. */
static inline const struct verbs_context_ops *
fault_below(const struct ibv_context *ctx)
{
	return &layers_context(ctx)->below_fault;
}

/* Each function replaces the ops of its file, if the provider has them. */
void fault_replace_object_ops(struct verbs_context_ops *table);
void fault_replace_queue_ops(struct verbs_context_ops *table);
void fault_replace_data_ops(struct verbs_context_ops *table);
void fault_replace_removed_ops(struct verbs_context_ops *table);

/** fault_poll_cq() - the op, which fault_cq_ex.c calls, too */
int fault_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

/**
 * fault_post_sends() - decide on a post, and make it
 * @all_or_none: post no request if one is refused
 * @ret: result of the post
 *
 * Return: whether the post was made. If not, no rule prevents it, and the
 * caller makes it.
 */
bool fault_post_sends(struct ibv_qp *qp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad_wr, bool all_or_none, int *ret);

/** fault_qp_end() - let the provider move a QP to RESET or ERR */
int fault_qp_end(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);

/** fault_qp_fail() - move a QP to ERR */
void fault_qp_fail(struct ibv_qp *qp);

#endif
