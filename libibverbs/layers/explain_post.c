/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains a post that failed: which work request of the list, and which limit
 * of the queue or rule of the QP type it breaks. A post that fails is rare, but
 * a program may repeat it in a loop, so no query of the device is made.
 */
#include <inttypes.h>
#include <stdint.h>

#include "layers/explain.h"

/* Longer lists possibly have a loop. */
#define MAX_LIST 65536U

/* Atomics have 8 bytes (IBTA 9.4.5). */
#define ATOMIC_BYTES 8U

/* Copies the sizes of a queue; all 0 if they are unknown. */
static struct ibv_qp_cap post_get_cap(const struct ibv_qp *qp)
{
	const struct layers_record *record;
	static const struct ibv_qp_cap unknown;

	record = layers_record_find(qp);
	return record ? record->qp.cap : unknown;
}

static void post_add_error(struct explain_text *text, int error)
{
	explain_add(text, "): ");
	explain_add_errno(text, error);
	explain_add(text, ": ");
}

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

/*
 * Finds the refused request in the list, since a provider may have left *bad_wr
 * as it was. Returns the first one if @bad is not in the list.
 */
static const struct ibv_send_wr *
post_send_find_bad(const struct ibv_send_wr *first,
		   const struct ibv_send_wr *bad, unsigned int *ret_index)
{
	const struct ibv_send_wr *wr = first;

	for (unsigned int index = 0; wr && index < MAX_LIST; index++) {
		if (wr == bad) {
			*ret_index = index;
			return wr;
		}
		wr = wr->next;
	}
	*ret_index = 0;
	return first;
}

static bool post_send_check_state(struct explain_text *text,
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
		return true;
	default:
		return false;
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

static bool post_send_check_opcode(struct explain_text *text,
				   const struct ibv_qp *qp,
				   const struct ibv_send_wr *wr)
{
	if (!post_send_type_has_opcode(qp->qp_type, wr->opcode)) {
		explain_add(text, "a QP of type %s has no %s",
			    explain_qp_type_name(qp->qp_type),
			    explain_opcode_name(wr->opcode));
		return true;
	}
	if (qp->qp_type == IBV_QPT_UD && !wr->wr.ud.ah) {
		explain_add(text, "wr.ud.ah is NULL; a send request of a UD "
				  "QP needs an address handle");
		return true;
	}
	return false;
}

static bool post_send_opcode_is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool post_send_check_sizes(struct explain_text *text,
				  const struct ibv_qp_cap *cap,
				  const struct ibv_send_wr *wr)
{
	uint64_t bytes;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > cap->max_send_sge) {
		explain_add(text,
			    "num_sge is %d, but max_send_sge of the QP is %u: "
			    "sg_list[%u] is the first SGE without room",
			    wr->num_sge, cap->max_send_sge, cap->max_send_sge);
		return true;
	}
	if (wr->num_sge && !wr->sg_list) {
		explain_add(text, "sg_list is NULL, but num_sge is %d",
			    wr->num_sge);
		return true;
	}
	bytes = post_count_bytes(wr->sg_list, wr->num_sge);
	if (post_send_opcode_is_atomic(wr->opcode) && bytes != ATOMIC_BYTES) {
		explain_add(text,
			    "the SGEs of an atomic have %" PRIu64
			    " bytes instead of 8",
			    bytes);
		return true;
	}
	if (!(wr->send_flags & IBV_SEND_INLINE) ||
	    bytes <= cap->max_inline_data)
		return false;
	explain_add(text,
		    "IBV_SEND_INLINE with %" PRIu64 " bytes, but "
		    "max_inline_data of the QP is %u",
		    bytes, cap->max_inline_data);
	return true;
}

static void post_send_add_full(struct explain_text *text,
			       const struct ibv_qp_cap *cap)
{
	explain_add(text, "the send queue is full");
	if (cap->max_send_wr)
		explain_add(text, " (max_send_wr is %u)", cap->max_send_wr);
	explain_add(text, "; poll completions first. A request without "
			  "IBV_SEND_SIGNALED leaves the queue only with the "
			  "completion of a later one that is signaled");
}

static void post_send_add_meaning(struct explain_text *text,
				  const struct ibv_qp_cap *cap, int error)
{
	switch (error) {
	case ENOMEM:
	case EAGAIN:
		post_send_add_full(text, cap);
		break;
	case EINVAL:
		explain_add(text, "the provider refused the request: an "
				  "unknown opcode, flag or lkey, or the wrong "
				  "state of the QP");
		break;
	case EOPNOTSUPP:
		explain_add(text, "the provider does not support the opcode "
				  "or a flag");
		break;
	case EFAULT:
		explain_add(text, "a pointer of the list is invalid");
		break;
	default:
		explain_add(text, "the device has failed or was removed");
	}
}

void explain_post_send(const struct ibv_qp *qp, const struct ibv_send_wr *first,
		       const struct ibv_send_wr *bad, int error)
{
	struct ibv_qp_cap cap = post_get_cap(qp);
	struct explain_text text = {};
	const struct ibv_send_wr *wr;
	unsigned int index;

	wr = post_send_find_bad(first, bad, &index);
	explain_add(&text, "ibv_post_send(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	if (wr)
		explain_add(&text, ", WR %u: wr_id 0x%" PRIx64 ", %s", index,
			    wr->wr_id, explain_opcode_name(wr->opcode));
	post_add_error(&text, error);
	if (!post_send_check_state(&text, qp) &&
	    !(wr && post_send_check_opcode(&text, qp, wr)) &&
	    !(wr && cap.max_send_wr && post_send_check_sizes(&text, &cap, wr)))
		post_send_add_meaning(&text, &cap, error);
	explain_add(&text, ".");
	explain_print(EXPLAIN_POST_SEND, &text);
}

void explain_wr_complete(const struct ibv_qp *qp, int error)
{
	struct ibv_qp_cap cap = post_get_cap(qp);
	struct explain_text text = {};

	explain_add(&text, "ibv_wr_complete(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	post_add_error(&text, error);
	if (!post_send_check_state(&text, qp)) {
		if (error == EINVAL && cap.max_send_wr)
			explain_add(&text,
				    "a request between ibv_wr_start() and "
				    "this call has more than %u SGEs or %u "
				    "inline bytes (max_send_sge, "
				    "max_inline_data), or an invalid argument",
				    cap.max_send_sge, cap.max_inline_data);
		else
			post_send_add_meaning(&text, &cap, error);
	}
	explain_add(&text, "; no request since ibv_wr_start() was posted.");
	explain_print(EXPLAIN_POST_SEND, &text);
}

/* ------------------------------------------------------------------------ */
/* Receive requests                                                          */
/* ------------------------------------------------------------------------ */

/* As post_send_find_bad(). */
static const struct ibv_recv_wr *
post_recv_find_bad(const struct ibv_recv_wr *first,
		   const struct ibv_recv_wr *bad, unsigned int *ret_index)
{
	const struct ibv_recv_wr *wr = first;

	for (unsigned int index = 0; wr && index < MAX_LIST; index++) {
		if (wr == bad) {
			*ret_index = index;
			return wr;
		}
		wr = wr->next;
	}
	*ret_index = 0;
	return first;
}

/* @max_wr, @max_sge: sizes of the queue; 0: unknown */
static void post_recv_explain_wr(struct explain_text *text,
				 const struct ibv_recv_wr *first,
				 const struct ibv_recv_wr *bad, uint32_t max_wr,
				 uint32_t max_sge, int error)
{
	const struct ibv_recv_wr *wr;
	unsigned int index;

	wr = post_recv_find_bad(first, bad, &index);
	if (wr)
		explain_add(text, ", WR %u: wr_id 0x%" PRIx64, index,
			    wr->wr_id);
	post_add_error(text, error);
	if (wr && max_wr &&
	    (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)) {
		explain_add(text,
			    "num_sge is %d, but the queue was created with "
			    "max_recv_sge (max_sge) %u: sg_list[%u] is the "
			    "first SGE without room",
			    wr->num_sge, max_sge, max_sge);
	} else if (error == ENOMEM || error == EAGAIN) {
		explain_add(text, "the receive queue is full");
		if (max_wr)
			explain_add(text, " (%u entries)", max_wr);
		explain_add(text, "; poll completions of receives first");
	} else if (error == EINVAL) {
		explain_add(text, "the provider refused the request: an "
				  "invalid list, lkey or state");
	} else {
		explain_add(text, "the device has failed or was removed");
	}
	explain_add(text, ".");
}

void explain_post_recv(const struct ibv_qp *qp, const struct ibv_recv_wr *first,
		       const struct ibv_recv_wr *bad, int error)
{
	struct ibv_qp_cap cap = post_get_cap(qp);
	struct explain_text text = {};

	explain_add(&text, "ibv_post_recv(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	if (qp->srq || qp->state == IBV_QPS_RESET) {
		post_add_error(&text, error);
		explain_add(&text, "%s",
			    qp->srq ? "the QP uses an SRQ; post to it by "
				      "ibv_post_srq_recv()."
				    : "the QP is in the state RESET; receive "
				      "requests need INIT or a later state.");
	} else {
		post_recv_explain_wr(&text, first, bad, cap.max_recv_wr,
				     cap.max_recv_sge, error);
	}
	explain_print(EXPLAIN_POST_RECV, &text);
}

void explain_post_srq_recv(const struct ibv_srq *srq,
			   const struct ibv_recv_wr *first,
			   const struct ibv_recv_wr *bad, int error)
{
	const struct layers_record *record = layers_record_find(srq);
	struct explain_text text = {};

	explain_add(&text, "ibv_post_srq_recv(SRQ of %s",
		    srq->context->device->name);
	post_recv_explain_wr(&text, first, bad, record ? record->srq.max_wr : 0,
			     record ? record->srq.max_sge : 0, error);
	explain_print(EXPLAIN_POST_RECV, &text);
}
