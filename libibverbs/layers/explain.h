/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VERBS_EXPLAIN: sentences on standard error about calls and completions that
 * failed. The functions that replace ops call this file when the provider has
 * returned an error. They check the rules of the verb again, with the arguments
 * and the attributes of the device, and report the first rule that is broken.
 *
 * No function here changes errno.
 */
#ifndef LAYERS_EXPLAIN_H
#define LAYERS_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

#include "layers/layers_record.h"

/* A text of bounded length; longer ones are truncated. */
struct explain_text {
	size_t len;
	char buf[1024];
};

/* Each kind of message is printed at most EXPLAIN_LIMIT times. */
enum explain_kind {
	EXPLAIN_OPEN,
	EXPLAIN_MODIFY_QP,
	EXPLAIN_REG_MR,
	EXPLAIN_CREATE,
	EXPLAIN_POST_SEND,
	EXPLAIN_POST_RECV,
	EXPLAIN_COMPLETION,
	EXPLAIN_FLUSH,
	EXPLAIN_NR_KINDS,
};

#define EXPLAIN_LIMIT 10U

/* ------------------------------------------------------------------------ */
/* explain_text.c                                                            */
/* ------------------------------------------------------------------------ */

/** explain_add() - append to a text */
void explain_add(struct explain_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the layer is enabled; constant after verbs_layer_hooks.start(). */
extern bool explain_is_on;

/** explain_mute() - print no message from now on */
void explain_mute(void);

/** explain_is_muted() - whether messages of a kind are not printed any more */
bool explain_is_muted(enum explain_kind kind);

/** explain_print() - write a text and a newline to standard error, at once */
void explain_print(enum explain_kind kind, const struct explain_text *text);

/** explain_add_errno() - append "EINVAL" or "errno 200"; @error > 0 */
void explain_add_errno(struct explain_text *text, int error);

/** explain_add_qp() - append "QP 0x11 (RC, uroce_lo)" */
void explain_add_qp(struct explain_text *text, const struct ibv_context *ctx,
		    uint32_t number, enum ibv_qp_type type);

/** explain_add_gid() - append a GID in the form of an IPv6 address */
void explain_add_gid(struct explain_text *text, const union ibv_gid *gid);

/** explain_state_name() - return "RTS" */
const char *explain_state_name(enum ibv_qp_state state);

/** explain_qp_type_name() - return "RC" */
const char *explain_qp_type_name(enum ibv_qp_type type);

/** explain_status_name() - return "RETRY_EXC_ERR" */
const char *explain_status_name(enum ibv_wc_status status);

/** explain_opcode_name() - return "RDMA_WRITE" */
const char *explain_opcode_name(enum ibv_wr_opcode opcode);

/**
 * explain_unreachable() - add the meaning of an errno of the route look-up
 *
 * Return: whether it is one; if not, nothing was added.
 */
bool explain_unreachable(struct explain_text *text, int error);

/* ------------------------------------------------------------------------ */
/* Failed calls. @error is positive.                                         */
/* ------------------------------------------------------------------------ */

void explain_open(const char *device, const char *node, int error);
void explain_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, int error);
void explain_reg_mr(struct ibv_pd *pd, const void *addr, size_t length,
		    int access, int error);
void explain_alloc_pd(struct ibv_context *ctx, int error);
void explain_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type, int error);
void explain_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr,
		       int error);
void explain_create_cq(struct ibv_context *ctx,
		       const struct ibv_cq_init_attr_ex *attr, int error);
void explain_create_srq(struct ibv_context *ctx,
			const struct ibv_srq_init_attr_ex *attr, int error);
void explain_create_qp(struct ibv_context *ctx,
		       const struct ibv_qp_init_attr_ex *attr, int error);

/* ------------------------------------------------------------------------ */
/* Failed posts. @bad: the WR that was refused, or NULL.                     */
/* ------------------------------------------------------------------------ */

void explain_post_send(const struct ibv_qp *qp, const struct ibv_send_wr *first,
		       const struct ibv_send_wr *bad, int error);
void explain_post_recv(const struct ibv_qp *qp, const struct ibv_recv_wr *first,
		       const struct ibv_recv_wr *bad, int error);
void explain_post_srq_recv(const struct ibv_srq *srq,
			   const struct ibv_recv_wr *first,
			   const struct ibv_recv_wr *bad, int error);
void explain_wr_complete(const struct ibv_qp *qp, int error);

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

/**
 * explain_completion() - explain a completion with an error
 * @qp_num: number of its QP; NULL: unknown
 */
void explain_completion(const struct ibv_context *ctx, uint64_t wr_id,
			enum ibv_wc_status status, uint32_t vendor_err,
			const uint32_t *qp_num);

/** explain_add_completion() - append sentences about such a completion */
void explain_add_completion(struct explain_text *text,
			    const struct ibv_context *ctx, uint64_t wr_id,
			    enum ibv_wc_status status, uint32_t vendor_err,
			    uint32_t qp_num);

#endif
