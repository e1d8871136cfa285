/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of posts that failed. A program may repeat such a post in a loop, so no
 * query of the device is made.
 */
#include <inttypes.h>

#include "layers/checks.h"

/* Atomics have 8 bytes (IBTA 9.4.5). */
#define ATOMIC_BYTES 8U

/* The length of all SGEs may exceed 32 bits. */
static uint64_t post_count_bytes(const struct ibv_sge *sges, int nr)
{
	uint64_t sum = 0;

	for (int i = 0; i < nr; i++)
		sum += sges[i].length;
	return sum;
}

/* ------------------------------------------------------------------------ */
/* Send requests                                                             */
/* ------------------------------------------------------------------------ */

enum layers_rule check_send_state(struct explain_text *text,
				  const struct ibv_qp *qp)
{
	switch (qp->state) {
	case IBV_QPS_RESET:
	case IBV_QPS_INIT:
	case IBV_QPS_RTR:
		explain_add(text,
			    "the QP is in the state %s; send requests need "
			    "RTS",
			    explain_state_name(qp->state));
		return AV_QP_008;
	default:
		return LAYERS_RULE_NONE;
	}
}

/* Whether the type of the QP has the operation (IBTA 10.5, table 88). */
static bool post_send_type_has_opcode(enum ibv_qp_type type,
				      enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_WRITE:
	case IBV_WR_FLUSH:
		return type != IBV_QPT_UC && type != IBV_QPT_UD;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
	case IBV_WR_BIND_MW:
		return type != IBV_QPT_UD;
	default:
		return true;
	}
}

static bool post_send_opcode_is_known(enum ibv_wr_opcode opcode)
{
	return (unsigned int)opcode <= IBV_WR_ATOMIC_WRITE;
}

static enum layers_rule post_send_check_opcode(struct explain_text *text,
					       const struct ibv_qp *qp,
					       const struct ibv_send_wr *wr)
{
	if (!post_send_opcode_is_known(wr->opcode)) {
		explain_add(text,
			    "the opcode %d does not exist; initialize all "
			    "members of the request",
			    (int)wr->opcode);
		return AV_PO_010;
	}
	if (!post_send_type_has_opcode(qp->qp_type, wr->opcode)) {
		explain_add(text, "a QP of type %s has no %s",
			    explain_qp_type_name(qp->qp_type),
			    explain_opcode_name(wr->opcode));
		return AV_PO_009;
	}
	if (wr->opcode == IBV_WR_BIND_MW && wr->bind_mw.mw &&
	    wr->bind_mw.mw->type == IBV_MW_TYPE_1) {
		explain_add(text, "the window has type 1, which only "
				  "ibv_bind_mw() binds");
		return AV_MW_004;
	}
	if (qp->qp_type == IBV_QPT_UD && !wr->wr.ud.ah) {
		explain_add(text, "wr.ud.ah is NULL; a send request of a UD "
				  "QP needs an address handle");
		return AV_UD_003;
	}
	return LAYERS_RULE_NONE;
}

static bool post_send_opcode_is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool post_send_opcode_has_inline(enum ibv_wr_opcode opcode)
{
	return opcode != IBV_WR_RDMA_READ && opcode != IBV_WR_BIND_MW &&
	       !post_send_opcode_is_atomic(opcode);
}

static enum layers_rule post_send_check_inline(struct explain_text *text,
					       const struct ibv_qp_cap *cap,
					       const struct ibv_send_wr *wr,
					       uint64_t bytes)
{
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return LAYERS_RULE_NONE;
	if (!post_send_opcode_has_inline(wr->opcode)) {
		explain_add(text,
			    "%s sends no data of its own; remove "
			    "IBV_SEND_INLINE",
			    explain_opcode_name(wr->opcode));
		return AV_PO_006;
	}
	if (bytes <= cap->max_inline_data)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "IBV_SEND_INLINE with %" PRIu64 " bytes, but "
		    "max_inline_data of the QP is %u",
		    bytes, cap->max_inline_data);
	return AV_PO_005;
}

static enum layers_rule post_send_check_sizes(struct explain_text *text,
					      const struct ibv_qp_cap *cap,
					      const struct ibv_send_wr *wr)
{
	uint64_t bytes;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > cap->max_send_sge) {
		explain_add(text,
			    "num_sge is %d, but max_send_sge of the QP is %u: "
			    "sg_list[%u] is the first SGE without room",
			    wr->num_sge, cap->max_send_sge, cap->max_send_sge);
		return AV_PO_004;
	}
	if (wr->num_sge && !wr->sg_list) {
		explain_add(text, "sg_list is NULL, but num_sge is %d",
			    wr->num_sge);
		return AV_PO_007;
	}
	bytes = post_count_bytes(wr->sg_list, wr->num_sge);
	if (post_send_opcode_is_atomic(wr->opcode) && bytes != ATOMIC_BYTES) {
		explain_add(text,
			    "the SGEs of an atomic have %" PRIu64
			    " bytes instead of 8",
			    bytes);
		return AV_AT_002;
	}
	return post_send_check_inline(text, cap, wr, bytes);
}

enum layers_rule check_send_wr(struct explain_text *text,
			       const struct ibv_qp *qp,
			       const struct ibv_qp_cap *cap,
			       const struct ibv_send_wr *wr)
{
	enum layers_rule rule = check_send_state(text, qp);

	if (!rule)
		rule = post_send_check_opcode(text, qp, wr);
	if (!rule && cap->max_send_wr)
		rule = post_send_check_sizes(text, cap, wr);
	return rule;
}

/* ------------------------------------------------------------------------ */
/* Receive requests                                                          */
/* ------------------------------------------------------------------------ */

enum layers_rule check_recv_state(struct explain_text *text,
				  const struct ibv_qp *qp)
{
	if (qp->srq) {
		explain_add(text, "the QP uses an SRQ; post to it by "
				  "ibv_post_srq_recv()");
		return AV_SR_002;
	}
	if (qp->state != IBV_QPS_RESET)
		return LAYERS_RULE_NONE;
	explain_add(text, "the QP is in the state RESET; receive requests "
			  "need INIT or a later state");
	return AV_QP_009;
}

enum layers_rule check_recv_wr(struct explain_text *text, uint32_t max_wr,
			       uint32_t max_sge, const struct ibv_recv_wr *wr)
{
	if (!max_wr || (wr->num_sge >= 0 && (uint32_t)wr->num_sge <= max_sge))
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "num_sge is %d, but the queue was created with "
		    "max_recv_sge (max_sge) %u: sg_list[%u] is the first SGE "
		    "without room",
		    wr->num_sge, max_sge, max_sge);
	return AV_PO_004;
}
