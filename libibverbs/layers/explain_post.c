/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains a post that failed: which work request of the list, and which limit
 * of the queue or rule of the QP type it breaks (layers/check_post.c).
 */
#include <inttypes.h>
#include <stdint.h>

#include "layers/checks.h"

/* Longer lists possibly have a loop. */
#define MAX_LIST 65536U

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
	if (!(wr && check_send_wr(&text, qp, &cap, wr)))
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
	if (!check_send_state(&text, qp)) {
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
	if (wr && check_recv_wr(text, max_wr, max_sge, wr)) {
		/* the check has added the clause */
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
	struct explain_text text = {}, clause = {};

	explain_add(&text, "ibv_post_recv(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	if (check_recv_state(&clause, qp)) {
		post_add_error(&text, error);
		explain_add(&text, "%s.", clause.buf);
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
