/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks of the rules of verbs, with the arguments of a call that failed and
 * the attributes of the device. Explain and validate share them. Each function
 * returns the first rule that is broken and adds a clause about it to the text.
 * If no rule is broken, it returns LAYERS_RULE_NONE, which is 0, and adds
 * nothing.
 */
#ifndef LAYERS_CHECKS_H
#define LAYERS_CHECKS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/explain.h"
#include "layers/rules.h"

/* ------------------------------------------------------------------------ */
/* check_modify.c                                                            */
/* ------------------------------------------------------------------------ */

/* A call of ibv_modify_qp(). */
struct check_modify {
	struct ibv_qp *qp;
	const struct ibv_qp_attr *attr;
	int mask;
	enum ibv_qp_state from, to;
};

/** check_modify_describe() - query the state of the QP after a failed call */
struct check_modify check_modify_describe(struct ibv_qp *qp,
					  const struct ibv_qp_attr *attr,
					  int attr_mask);

enum layers_rule check_modify_qp(struct explain_text *text,
				 const struct check_modify *call);

/** check_migration() - check alternate path and migration state of a call */
enum layers_rule check_migration(struct explain_text *text,
				 const struct check_modify *call);

/* ------------------------------------------------------------------------ */
/* check_address.c                                                           */
/* ------------------------------------------------------------------------ */

enum layers_rule check_port(struct explain_text *text, struct ibv_context *ctx,
			    unsigned int port);

/** check_address() - check an address vector; @port is a correct number */
enum layers_rule check_address(struct explain_text *text,
			       struct ibv_context *ctx, uint8_t port,
			       const struct ibv_ah_attr *ah_attr);

enum layers_rule check_create_ah(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_ah_attr *attr);

/* ------------------------------------------------------------------------ */
/* check_create.c                                                            */
/* ------------------------------------------------------------------------ */

/** check_query_device() - query a device; return whether it succeeded */
bool check_query_device(struct ibv_context *ctx,
			struct ibv_device_attr *ret_attr);

enum layers_rule check_create_cq(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_cq_init_attr_ex *attr);
enum layers_rule check_create_srq(struct explain_text *text,
				  struct ibv_context *ctx,
				  const struct ibv_srq_init_attr_ex *attr);
enum layers_rule check_create_qp(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_qp_init_attr_ex *attr);

/* ------------------------------------------------------------------------ */
/* check_memory.c                                                            */
/* ------------------------------------------------------------------------ */

/** check_reg_mr() - check a registration; @error > 0 is its result */
enum layers_rule check_reg_mr(struct explain_text *text,
			      struct ibv_context *ctx, const void *addr,
			      size_t length, unsigned int access, int error);

/* ------------------------------------------------------------------------ */
/* check_post.c                                                              */
/* ------------------------------------------------------------------------ */

enum layers_rule check_send_state(struct explain_text *text,
				  const struct ibv_qp *qp);

/** check_send_wr() - check the refused request; @cap: all 0 if unknown */
enum layers_rule check_send_wr(struct explain_text *text,
			       const struct ibv_qp *qp,
			       const struct ibv_qp_cap *cap,
			       const struct ibv_send_wr *wr);

enum layers_rule check_recv_state(struct explain_text *text,
				  const struct ibv_qp *qp);

/** check_recv_wr() - check the refused request; sizes are 0 if unknown */
enum layers_rule check_recv_wr(struct explain_text *text, uint32_t max_wr,
			       uint32_t max_sge, const struct ibv_recv_wr *wr);

#endif
