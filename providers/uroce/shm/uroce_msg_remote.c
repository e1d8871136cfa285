/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests with an rkey: WRITE, READ, atomics, FLUSH and ATOMIC WRITE.
 * uroce_msg_responder.c has checked that the message is the expected one. The
 * functions of qp/uroce_rx.h check each access, so errors are the same as on
 * the network.
 */
#include <string.h>

#include "uroce/qp/uroce_completion.h"
#include "uroce/shm/uroce_msg_state.h"

static struct uroce_rx_range msg_range(const struct uroce_msg_entry *entry)
{
	struct uroce_msg_range range;

	memcpy(&range, entry->body, sizeof(range));
	return (struct uroce_rx_range){
		.va = range.va,
		.bytes = range.bytes,
		.rkey = range.rkey,
	};
}

static bool msg_begin_write(struct uroce_msg_qp *mqp,
			    const struct uroce_msg_entry *entry)
{
	struct uroce_rx_range all = msg_range(entry);
	struct uroce_rx_result result = uroce_rx_begin_write(mqp->qp, &all);

	if (result.error) {
		uroce_msg_refuse(mqp, result);
		return false;
	}
	mqp->resp.all = all;
	mqp->resp.offset = 0;
	return true;
}

static void msg_complete_write(struct uroce_msg_qp *mqp,
			       const struct uroce_msg_entry *entry)
{
	struct uroce_cqe cqe = {
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.byte_len = mqp->resp.all.bytes,
		.wc_flags = IBV_WC_WITH_IMM,
	};

	memcpy(&cqe.imm, &entry->word, sizeof(cqe.imm));
	uroce_complete_receive(mqp->qp, &cqe,
			       entry->flags & UROCE_MSG_SOLICITED);
}

void uroce_msg_execute_write(struct uroce_msg_qp *mqp,
			     const struct uroce_msg_received *in)
{
	struct uroce_msg_responder *resp = &mqp->resp;
	const struct uroce_msg_entry *entry = &in->entry;
	struct uroce_rx_result result;
	struct uroce_iovecs iovecs;
	struct uroce_rx_range part;
	uint32_t left;
	uint8_t *ptr;

	if ((entry->flags & UROCE_MSG_FIRST) && !msg_begin_write(mqp, entry))
		return;
	/* 9.7.4.1.6: the payloads add up to the length in the first entry */
	left = resp->all.bytes - resp->offset;
	if (entry->flags & UROCE_MSG_LAST ? in->bytes != left
					  : in->bytes >= left) {
		uroce_msg_refuse_invalid(mqp, UROCE_C_BAD_LENGTH);
		return;
	}
	/* 9.4.3: an immediate consumes a receive WQE, but not its memory */
	if ((entry->flags & UROCE_MSG_IMM) && uroce_hold_receive(mqp->qp)) {
		uroce_msg_not_ready(mqp, resp->offset);
		return;
	}
	part = (struct uroce_rx_range){
		.va = resp->all.va + resp->offset,
		.bytes = in->bytes,
		.rkey = resp->all.rkey,
	};
	result = uroce_rx_find_write(mqp->qp, &part, &ptr);
	if (result.error) {
		uroce_msg_refuse(mqp, result);
		return;
	}
	uroce_iovecs_set(&iovecs, ptr, in->bytes, true);
	if (!uroce_msg_copy(mqp, in, &iovecs, true))
		return;
	resp->kind = UROCE_MSG_KIND_WRITE;
	resp->offset += in->bytes;
	if (entry->flags & UROCE_MSG_IMM)
		msg_complete_write(mqp, entry);
	uroce_msg_executed(mqp, entry);
}

/* The response of a READ or atomic, to be filled in; there is room. */
static struct uroce_msg_owed *msg_add_owed(struct uroce_msg_qp *mqp,
					   enum uroce_msg_type type)
{
	struct uroce_msg_responder *resp = &mqp->resp;
	uint32_t at = (uint32_t)resp->first_owed + resp->nr_owed;
	struct uroce_msg_owed *owed = &resp->owed[at % resp->max_owed];

	resp->nr_owed++;
	*owed = (struct uroce_msg_owed){
		.type = (uint8_t)type,
		.msn = resp->rx_msn,
	};
	resp->rx_msn = uroce_msg_next(resp->rx_msn);
	uroce_msg_wake(mqp);
	return owed;
}

static struct uroce_rx_result
msg_execute_read(struct uroce_msg_qp *mqp, const struct uroce_msg_entry *entry)
{
	struct uroce_rx_range range = msg_range(entry);
	struct uroce_rx_result result = uroce_rx_read(mqp->qp, &range);

	if (!result.error)
		memcpy(&msg_add_owed(mqp, UROCE_MSG_READ_RESP)->range,
		       entry->body, sizeof(struct uroce_msg_range));
	return result;
}

static struct uroce_rx_result
msg_execute_atomic(struct uroce_msg_qp *mqp,
		   const struct uroce_msg_entry *entry)
{
	struct uroce_msg_atomic body;
	struct uroce_rx_atomic atomic;
	struct uroce_rx_result result;
	uint64_t orig;

	memcpy(&body, entry->body, sizeof(body));
	atomic = (struct uroce_rx_atomic){
		.add = body.add,
		.va = body.va,
		.rkey = body.rkey,
		.compare = body.compare,
		.operand = body.operand,
	};
	result = uroce_rx_atomic(mqp->qp, &atomic, &orig);
	if (!result.error)
		msg_add_owed(mqp, UROCE_MSG_ATOMIC_RESP)->orig = orig;
	return result;
}

/* FLUSH and ATOMIC WRITE have no data: an acknowledgement is their response. */
static struct uroce_rx_result
msg_execute_other(struct uroce_msg_qp *mqp, const struct uroce_msg_received *in)
{
	struct uroce_rx_range range = msg_range(&in->entry);
	struct uroce_msg_flush flush;
	struct uroce_rx_result result;

	if (in->entry.type == UROCE_MSG_FLUSH) {
		memcpy(&flush, in->entry.body, sizeof(flush));
		result = uroce_rx_flush(mqp->qp, flush.placement, flush.level,
					&range);
	} else {
		result = uroce_rx_atomic_write(mqp->qp, &range, in->payload,
					       in->entry.bytes);
	}
	if (!result.error)
		uroce_msg_executed(mqp, &in->entry);
	return result;
}

void uroce_msg_execute_nonposted(struct uroce_msg_qp *mqp,
				 const struct uroce_msg_received *in)
{
	const struct uroce_msg_responder *resp = &mqp->resp;
	unsigned int needed = 0;
	struct uroce_rx_result result;

	if (in->entry.type == UROCE_MSG_READ_REQ)
		needed = IBV_ACCESS_REMOTE_READ;
	else if (in->entry.type == UROCE_MSG_ATOMIC_REQ)
		needed = IBV_ACCESS_REMOTE_ATOMIC;
	else if (in->entry.type == UROCE_MSG_ATOMIC_WRITE)
		needed = IBV_ACCESS_REMOTE_WRITE;
	if ((mqp->qp->access & needed) != needed || !resp->max_owed) {
		uroce_msg_refuse_invalid(mqp, UROCE_C_NOT_ENABLED);
		return;
	}
	/* 9.7.4.1.5: the peer exceeds the number of outstanding requests */
	if (resp->nr_owed == resp->max_owed) {
		uroce_msg_refuse_invalid(mqp, UROCE_C_TOO_MANY_READS);
		return;
	}
	if (in->entry.type == UROCE_MSG_READ_REQ)
		result = msg_execute_read(mqp, &in->entry);
	else if (in->entry.type == UROCE_MSG_ATOMIC_REQ)
		result = msg_execute_atomic(mqp, &in->entry);
	else
		result = msg_execute_other(mqp, in);
	if (result.error)
		uroce_msg_refuse(mqp, result);
}
