/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layer validate: reports the rules of verbs that a program breaks. Its ops
 * call those of the other layers, which call the provider. A rule is reported
 * only if it is certainly broken: what an object did unseen is not guessed.
 */
#ifndef LAYERS_VALIDATE_H
#define LAYERS_VALIDATE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/layers_replace.h"

/* Constant after verbs_layer_hooks.start(). */
extern bool validate_is_on;

/** validate_request() - enable the layer; @settings: VERBS_VALIDATE or NULL */
void validate_request(const char *settings);

/** validate_forked() - called in the child of a fork() */
void validate_forked(void);

/**
 * validate_attach() - replace ops of a context
 * @ctx: has the ops of the other layers
 */
void validate_attach(struct ibv_context *ctx);

/** validate_detach() - check the objects of a context that is to be closed */
void validate_detach(struct ibv_context *ctx);

/* Hooks of verbs_layer_hooks: validate_use.c */
bool validate_object_exists(const char *function, enum layers_kind kind,
			    const void *object);
void validate_object_is_foreign(const char *function,
				const struct ibv_context *ctx,
				enum layers_kind kind, const void *object);

/* ------------------------------------------------------------------------ */
/* For the files of this layer                                               */
/* ------------------------------------------------------------------------ */

/* Ops of the layers below this one. */
static inline const struct verbs_context_ops *
validate_below(const struct ibv_context *ctx)
{
	return &layers_context(ctx)->below_validate;
}

/**
 * validate_knows_keys() - whether all local keys are those of regions
 *
 * A vendor library makes keys of its own, and another process may share the
 * regions of an imported context.
 */
static inline bool validate_knows_keys(const struct ibv_context *ctx)
{
	return layers_context(ctx)->knows_keys;
}

/* Each function replaces the ops of its file, if the provider has them. */
void validate_replace_object_ops(struct verbs_context_ops *table);
void validate_replace_made_ops(struct verbs_context_ops *table);
void validate_replace_memory_ops(struct verbs_context_ops *table);
void validate_replace_queue_ops(struct verbs_context_ops *table);
void validate_replace_event_ops(struct verbs_context_ops *table);
void validate_replace_data_ops(struct verbs_context_ops *table);

/** validate_root_pd() - return the PD of a parent domain; NULL: unknown */
const struct ibv_pd *validate_root_pd(const struct ibv_pd *pd);

/**
 * validate_bind_objects() - check the objects of a bind operation
 * @mr: may be NULL
 *
 * Return: whether the provider may read them.
 */
bool validate_bind_objects(const char *function, const struct ibv_qp *qp,
			   const struct ibv_mw *mw, const struct ibv_mr *mr);

/** validate_max_bytes() - longest message of a QP type; 0: unknown */
uint32_t validate_max_bytes(enum ibv_qp_type type,
			    const struct ibv_port_attr *attr);

/** validate_acks() - compare the events of a CQ that is to be destroyed */
void validate_acks(struct ibv_cq *cq);

/** validate_busy() - check a destroy that failed with @error, < 0 */
void validate_busy(const char *function, const struct ibv_context *ctx,
		   const void *object, int error);

/* ------------------------------------------------------------------------ */
/* validate_posts.c: requests before they are posted                         */
/* ------------------------------------------------------------------------ */

/*
 * Return: whether the list may be posted. If not, the provider would possibly
 * crash, so the layer refuses all of it.
 */
bool validate_sends(const struct ibv_qp *qp, const struct layers_qp *record,
		    const struct ibv_send_wr *wr);
/* A request that ibv_wr_*() builds: when its SGEs, or its address, are set. */
void validate_built_data(const struct ibv_qp *qp,
			 const struct layers_qp *record,
			 const struct ibv_send_wr *wr);
/* A request with SGEs that has the flag IBV_SEND_INLINE. */
void validate_built_inline(const struct ibv_qp *qp,
			   const struct layers_qp *record,
			   const struct ibv_send_wr *wr);
void validate_built_address(const struct ibv_qp *qp,
			    const struct layers_qp *record,
			    const struct ibv_send_wr *wr);

/** validate_watch_wr() - replace the functions that build requests */
void validate_watch_wr(struct layers_qp *record, struct ibv_qp_ex *qpx);

/* ibv_bind_mw(); ibv_post_send() and ibv_wr_bind_mw() also call it. */
void validate_bind(const struct ibv_qp *qp, uint64_t wr_id,
		   const struct ibv_mw_bind_info *info);

bool validate_recvs(const struct ibv_qp *qp, const struct layers_qp *record,
		    const struct ibv_recv_wr *wr);
bool validate_srq_recvs(const struct ibv_srq *srq,
			const struct layers_srq *record,
			const struct ibv_recv_wr *wr);

/* ------------------------------------------------------------------------ */
/* validate_requests.c: requests in flight                                   */
/* ------------------------------------------------------------------------ */

/* A completion that the program polls. */
struct validate_completion {
	uint64_t wr_id;
	enum ibv_wc_status status;
	int opcode; /* enum ibv_wc_opcode; -1: unknown */
	uint32_t qp_num;
	uint32_t vendor_err;
};

/* validate_statuses.c: the first error of a QP, and the first flushed request
 */
void validate_status(const struct ibv_context *ctx, struct layers_qp *record,
		     const struct validate_completion *completion);

/**
 * validate_peer_explains() - report the mistake behind an error, if the peer is
 * a QP of this process and shows one
 *
 * Return: whether a mistake was found.
 */
bool validate_peer_explains(const struct ibv_context *ctx,
			    struct layers_qp *record,
			    const struct validate_completion *completion);

/**
 * validate_qkey_differs() - compare the Q_Key of a datagram with that of its
 * receiver
 * @ah: of the datagram
 * @ret_own: set if they differ: the Q_Key of the receiver
 *
 * Return: false also if the receiver is no QP of the context.
 */
bool validate_qkey_differs(struct ibv_context *ctx, const struct layers_ah *ah,
			   uint32_t qp_num, uint32_t qkey, uint32_t *ret_own);

/** validate_note_mistake() - a mistake was reported, which explains errors */
void validate_note_mistake(const struct ibv_qp *qp);

void validate_completed(struct ibv_cq *cq,
			const struct validate_completion *completion);
void validate_completed_ex(struct ibv_cq_ex *cq);

/**
 * validate_note_post() - note the time of the first post after a poll
 * @qp: its record
 */
void validate_note_post(struct layers_record *qp);

/** validate_unpolled_s() - seconds since that post without a poll; 0: unknown
 */
uint32_t validate_unpolled_s(const struct layers_record *qp);

/* validate_arming.c: @nr, @error: the result of the poll of a CQ */
void validate_polled(struct ibv_cq *cq, const struct ibv_wc *wc, int nr);
void validate_polled_ex(struct ibv_cq_ex *cq, int error);

/** validate_arming() - a CQ with a channel is to be armed */
void validate_arming(struct ibv_cq *cq, bool solicited_only);

/** validate_event_taken() - the program has taken an event of a CQ */
void validate_event_taken(struct layers_record *record);

/** validate_failed_post() - count a post to a QP that has failed */
void validate_failed_post(const struct ibv_qp *qp, struct layers_qp *record);

/** validate_mr_goes() - check the users of a region; @function: its name */
void validate_mr_goes(const char *function, const struct ibv_mr *mr);
void validate_ah_goes(const struct ibv_ah *ah);

/**
 * validate_count_left() - count requests of a QP to be destroyed or reset
 * @all: receive and unsignaled requests, too
 *
 * Return: 0 also if anything of the QP went unseen.
 */
uint32_t validate_count_left(const struct ibv_qp *qp, bool all);

/** validate_forget_srq() - the QP is to be destroyed or reset */
void validate_forget_srq(const struct ibv_qp *qp);

/* wr_complete() of a QP: before and after the provider's function */
void validate_wr_completing(struct layers_qp *record);
void validate_wr_completed(const struct ibv_qp *qp, struct layers_qp *record,
			   int error);

/* validate_modified.c: @port of the QP, or 0 */
void validate_modified(const struct ibv_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, uint8_t port);

/* ------------------------------------------------------------------------ */
/* validate_failed.c: calls that the provider refused; @error is positive    */
/* ------------------------------------------------------------------------ */

void validate_modify_failed(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			    int attr_mask, int error);
void validate_reg_mr_failed(struct ibv_pd *pd, const void *addr, size_t length,
			    unsigned int access, int error);
void validate_create_ah_failed(struct ibv_pd *pd,
			       const struct ibv_ah_attr *attr, int error);
void validate_create_cq_failed(struct ibv_context *ctx,
			       const struct ibv_cq_init_attr_ex *attr,
			       int error);
void validate_create_srq_failed(struct ibv_context *ctx,
				const struct ibv_srq_init_attr_ex *attr,
				int error);
void validate_create_qp_failed(struct ibv_context *ctx,
			       const struct ibv_qp_init_attr_ex *attr,
			       int error);

void validate_attach_mcast_failed(const struct ibv_qp *qp,
				  const union ibv_gid *gid, int error);

/* @bad: the request that was refused, or NULL */
void validate_send_failed(const struct ibv_qp *qp,
			  const struct ibv_send_wr *bad, int error);
void validate_recv_failed(const struct ibv_qp *qp,
			  const struct ibv_recv_wr *bad, int error);
void validate_srq_recv_failed(const struct ibv_srq *srq,
			      const struct ibv_recv_wr *bad, int error);

#endif
