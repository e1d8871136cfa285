/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entries of a QP into the ring of its pair. The requester and the responder
 * fill them in.
 */
#include "uroce/shm/uroce_msg_state.h"

bool uroce_msg_has_room(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_pair *pair = mqp->pair;

	if (!pair->failed && uroce_msg_ring_has_room(&pair->out))
		return true;
	list_del(&mqp->ready);
	list_add_tail(&pair->blocked, &mqp->ready);
	return false;
}

struct uroce_msg_entry *uroce_msg_begin(struct uroce_msg_qp *mqp,
					enum uroce_msg_type type, uint8_t flags,
					uint32_t msn)
{
	struct uroce_msg_entry *entry = uroce_msg_ring_begin(&mqp->pair->out);

	entry->type = (uint8_t)type;
	entry->flags = flags;
	if (mqp->qp->type == IBV_QPT_UC)
		entry->flags |= UROCE_MSG_UC;
	entry->qpn = mqp->qp->dest_qpn;
	entry->msn = msn;
	entry->ack_msn = 0;
	return entry;
}

void uroce_msg_commit(struct uroce_msg_qp *mqp, struct uroce_msg_entry *entry,
		      bool more)
{
	struct uroce_msg *msg = mqp->msg;
	uint32_t bytes = entry->bytes;

	msg->counters.tx_messages++;
	msg->counters.tx_bytes += bytes;
	uroce_core_count(msg->config.core, UROCE_C_TX_PACKETS, 1);
	uroce_core_count(msg->config.core, UROCE_C_TX_BYTES, bytes);
	uroce_msg_ring_commit(&mqp->pair->out, entry, more);
}

void uroce_msg_publish(struct uroce_msg_pair *pair)
{
	if (!pair->out.memory)
		return;
	uroce_msg_ring_publish(&pair->out);
	if (!uroce_msg_ring_needs_bell(&pair->out))
		return;
	pair->msg->counters.tx_bells++;
	pair->ring_bell(pair);
}

void uroce_msg_yield(struct uroce_msg_qp *mqp)
{
	list_del(&mqp->ready);
	list_add_tail(&mqp->msg->partial, &mqp->ready);
	mqp->req.partial = true;
}
