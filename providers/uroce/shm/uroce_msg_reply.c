/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses that the responder sends. Data of READs and results of atomics keep
 * the order of the requests; acknowledgements and NAKs come after them, because
 * each response acknowledges all messages before its own.
 */
#include <string.h>

#include "uroce/shm/uroce_msg_state.h"
#include "uroce/wire/uroce_packet.h"
#include "util/min.h"

static void msg_put_status(struct uroce_msg_qp *mqp, uint8_t syndrome,
			   uint32_t resume)
{
	const struct uroce_msg_status status = {
		.syndrome = syndrome,
		.resume = resume,
	};
	struct uroce_msg_entry *entry = uroce_msg_begin(
		mqp, UROCE_MSG_RESP, UROCE_MSG_FIRST | UROCE_MSG_LAST,
		mqp->resp.rx_msn);

	entry->bytes = 0;
	memcpy(entry->body, &status, sizeof(status));
	uroce_msg_commit(mqp, entry, false);
}

/*
 * The region may have been deregistered after the READ was accepted: then the
 * READ is refused.
 */
static const uint8_t *msg_find_data(struct uroce_msg_qp *mqp,
				    const struct uroce_msg_owed *owed,
				    uint32_t bytes, bool *ret_refused)
{
	const struct uroce_qp *qp = mqp->qp;
	const struct uroce_remote_access wanted = {
		.va = owed->range.va + owed->offset,
		.bytes = bytes,
		.rkey = owed->range.rkey,
		.pd = qp->pd,
		.qpn = qp->qpn,
		.access = IBV_ACCESS_REMOTE_READ,
	};
	uint8_t *ptr = NULL;
	int ret = uroce_memory_remote(qp->core->memory, &wanted, &ptr);

	*ret_refused = ret;
	if (!ret)
		return ptr;
	/* the NAK is for this READ, and no later response is sent */
	uroce_msg_drop_responses(mqp);
	uroce_msg_refuse(mqp, uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
					       uroce_counters_access(ret)));
	return NULL;
}

/* Puts the next fragment of a READ; false: it was refused. */
static bool msg_put_read(struct uroce_msg_qp *mqp, struct uroce_msg_owed *owed)
{
	uint32_t left = owed->range.bytes - owed->offset;
	uint32_t bytes = min_u32(left, UROCE_MSG_FRAGMENT);
	const struct uroce_msg_data data = { .offset = owed->offset };
	uint8_t flags = bytes == left ? UROCE_MSG_LAST : 0;
	struct uroce_msg_entry *entry;
	const uint8_t *from;
	uint8_t *payload;
	bool refused;

	from = msg_find_data(mqp, owed, bytes, &refused);
	if (refused)
		return false;
	if (!owed->offset)
		flags |= UROCE_MSG_FIRST;
	entry = uroce_msg_begin(mqp, UROCE_MSG_READ_RESP, flags, owed->msn);
	memcpy(entry->body, &data, sizeof(data));
	uroce_msg_mark_sample(mqp->pair, entry);
	payload = uroce_msg_ring_begin_payload(&mqp->pair->out, entry, bytes);
	if (from)
		memcpy(payload, from, bytes);
	else /* a null region */
		memset(payload, 0, bytes);
	owed->offset += bytes;
	uroce_msg_commit(mqp, entry, bytes < left);
	return true;
}

static void msg_put_atomic(struct uroce_msg_qp *mqp,
			   const struct uroce_msg_owed *owed)
{
	struct uroce_msg_entry *entry =
		uroce_msg_begin(mqp, UROCE_MSG_ATOMIC_RESP,
				UROCE_MSG_FIRST | UROCE_MSG_LAST, owed->msn);

	entry->bytes = 0;
	memcpy(entry->body, &owed->orig, sizeof(owed->orig));
	uroce_msg_commit(mqp, entry, false);
}

/* The oldest response is sent. It acknowledges its message, too. */
static void msg_response_sent(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_responder *resp = &mqp->resp;
	uint32_t msn = resp->owed[resp->first_owed].msn;

	resp->first_owed++;
	if (resp->first_owed == resp->max_owed)
		resp->first_owed = 0;
	resp->nr_owed--;
	if (resp->rx_msn == uroce_msg_next(msn))
		list_del(&mqp->owing);
}

bool uroce_msg_send_responses(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_responder *resp = &mqp->resp;

	if (mqp->pair->failed) {
		uroce_msg_drop_responses(mqp);
		resp->syndrome = 0;
		list_del(&mqp->owing);
		return true;
	}
	while (resp->nr_owed) {
		struct uroce_msg_owed *owed = &resp->owed[resp->first_owed];

		if (!uroce_msg_has_room(mqp))
			return false;
		if (owed->type == UROCE_MSG_ATOMIC_RESP)
			msg_put_atomic(mqp, owed);
		else if (!msg_put_read(mqp, owed))
			break;
		else if (owed->offset < owed->range.bytes)
			continue;
		msg_response_sent(mqp);
	}
	if (!resp->syndrome)
		return true;
	if (!uroce_msg_has_room(mqp))
		return false;
	msg_put_status(mqp, resp->syndrome, resp->resume);
	resp->syndrome = 0;
	list_del(&mqp->owing);
	return true;
}

void uroce_msg_send_ack(struct uroce_msg_qp *mqp)
{
	if (mqp->pair->failed)
		list_del(&mqp->owing);
	/* a later response acknowledges it */
	if (list_empty(&mqp->owing) || mqp->resp.nr_owed ||
	    mqp->resp.syndrome || !uroce_msg_has_room(mqp))
		return;
	msg_put_status(mqp, UROCE_AETH_ACK, 0);
	list_del(&mqp->owing);
}

void uroce_msg_take_ack(struct uroce_msg_qp *mqp, struct uroce_msg_entry *entry)
{
	if (list_empty(&mqp->owing) || mqp->resp.nr_owed || mqp->resp.syndrome)
		return;
	entry->ack_msn = mqp->resp.rx_msn;
	entry->flags |= UROCE_MSG_ACK;
	list_del(&mqp->owing);
}

/* No later acknowledgement may cover the requests that get no response. */
void uroce_msg_drop_responses(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_responder *resp = &mqp->resp;

	if (resp->nr_owed)
		resp->rx_msn = resp->owed[resp->first_owed].msn;
	resp->nr_owed = 0;
}
