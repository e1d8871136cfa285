/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_reorder.h"

#include <string.h>

#include "uroce/roce/uroce_pages.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_psn_set.h"
#include "util/min.h"

/* Memory of all QPs of an engine: half a second of 1 Gbit/s. */
#define MAX_HELD_BYTES (64u << 20)

/* The last byte of a list must not contain the first PSN of the ring again. */
#define MAX_AHEAD (UROCE_PSN_SET - 8)

/* More slots are not kept: 1 MB. */
#define MAX_KEPT_SLOTS 256

/* Exists while any request waits. Pages of unused slots need no memory. */
struct uroce_reorder {
	uint32_t nr;
	uint32_t epsn;	     /* at the last look for a request */
	uint32_t end_psn;    /* behind the last one */
	uint16_t nr_slots;   /* that have been used */
	uint16_t empty_slot; /* first one of them; 0: none */
	struct uroce_psn_set held;
	uint8_t list[UROCE_PSN_SET_BYTES]; /* payload of the NAK */
	uint16_t slot_at[UROCE_PSN_SET];   /* by PSN, modulo their number */
	struct reorder_slot {
		struct uroce_packet packet;
		uint16_t next_empty;
		uint8_t payload[UROCE_MAX_MTU];
	} slots[UROCE_PSN_SET]; /* slot n is slots[n - 1] */
};

static struct reorder_slot *slot_of(struct uroce_reorder *reorder, uint32_t psn)
{
	return &reorder->slots[reorder->slot_at[uroce_psn_set_at(psn)] - 1];
}

/* The slot that was used last, so that few of them need memory. */
static struct reorder_slot *choose_slot(struct uroce_reorder *reorder,
					uint32_t psn)
{
	uint16_t *at = &reorder->slot_at[uroce_psn_set_at(psn)];
	struct reorder_slot *slot;

	*at = reorder->empty_slot;
	if (!*at)
		*at = ++reorder->nr_slots;
	slot = slot_of(reorder, psn);
	reorder->empty_slot = slot->next_empty;
	return slot;
}

static uint64_t held_bytes(const struct uroce_packet *packet)
{
	return sizeof(*packet) + packet->payload_len;
}

static void put_packet(struct reorder_slot *slot,
		       const struct uroce_packet *packet)
{
	slot->packet = *packet;
	slot->packet.path = NULL;
	slot->packet.icrc_check = NULL;
	slot->packet.payload = slot->payload;
	memcpy(slot->payload, packet->payload, packet->payload_len);
}

bool uroce_reorder_hold(struct uroce_qp *qp, const struct uroce_packet *packet)
{
	struct uroce_roce *roce = qp->roce;
	struct uroce_reorder *reorder = roce->reorder;

	if (uroce_psn_diff(packet->psn, roce->resp.epsn) > MAX_AHEAD)
		return false;
	if (reorder && uroce_psn_set_has(&reorder->held, packet->psn))
		return true;
	if (roce->engine->held_bytes + held_bytes(packet) > MAX_HELD_BYTES ||
	    packet->payload_len > UROCE_MAX_MTU)
		return false;
	if (!reorder) {
		reorder = uroce_pages_take(&roce->engine->reorder_pages,
					   sizeof(*reorder));
		if (!reorder)
			return false;
		reorder->epsn = roce->resp.epsn;
	}
	if (!reorder->nr || !uroce_psn_before(packet->psn, reorder->end_psn))
		reorder->end_psn = uroce_psn_add(packet->psn, 1);
	put_packet(choose_slot(reorder, packet->psn), packet);
	uroce_psn_set_add(&reorder->held, packet->psn);
	reorder->nr++;
	roce->reorder = reorder;
	roce->engine->held_bytes += held_bytes(packet);
	uroce_core_count(qp->core, UROCE_C_HELD, 1);
	return true;
}

bool uroce_reorder_is_empty(const struct uroce_qp *qp)
{
	return !qp->roce->reorder || !qp->roce->reorder->nr;
}

static struct uroce_packet *remove_packet(struct uroce_qp *qp, uint32_t psn)
{
	struct uroce_reorder *reorder = qp->roce->reorder;
	struct reorder_slot *slot;

	if (!uroce_psn_set_has(&reorder->held, psn))
		return NULL;
	slot = slot_of(reorder, psn);
	slot->next_empty = reorder->empty_slot;
	reorder->empty_slot = reorder->slot_at[uroce_psn_set_at(psn)];
	uroce_psn_set_remove(&reorder->held, psn);
	qp->roce->engine->held_bytes -= held_bytes(&slot->packet);
	reorder->nr--;
	return &slot->packet;
}

struct uroce_packet *uroce_reorder_take(struct uroce_qp *qp)
{
	struct uroce_reorder *reorder = qp->roce->reorder;
	uint32_t epsn = qp->roce->resp.epsn, psn, nr;

	if (!reorder)
		return NULL;
	/* A READ has many PSNs. A held request for a part of it is useless. */
	psn = reorder->epsn;
	nr = min_u32((uint32_t)uroce_psn_diff(epsn, psn), UROCE_PSN_SET);
	for (; nr; nr--, psn = uroce_psn_add(psn, 1))
		(void)remove_packet(qp, psn);
	reorder->epsn = epsn;
	return remove_packet(qp, epsn);
}

void uroce_reorder_list(struct uroce_qp *qp, struct uroce_out *nak)
{
	struct uroce_reorder *reorder = qp->roce->reorder;
	uint32_t psn = nak->packet.psn, span, bytes;

	if (uroce_reorder_is_empty(qp))
		return;
	span = (uint32_t)uroce_psn_diff(reorder->end_psn, psn);
	bytes = min_u32((span + 7) / 8, qp->mtu);
	for (uint32_t i = 0; i < bytes; i++)
		reorder->list[i] = uroce_psn_set_byte(
			&reorder->held, uroce_psn_add(psn, 8 * (int64_t)i));
	nak->packet.payload_len = bytes;
	uroce_iovecs_set(&nak->iovecs, reorder->list, bytes, false);
}

void uroce_reorder_end(struct uroce_qp *qp)
{
	struct uroce_reorder *reorder = qp->roce->reorder;

	if (!reorder || reorder->nr)
		return;
	if (reorder->nr_slots > MAX_KEPT_SLOTS)
		uroce_pages_free(reorder, sizeof(*reorder));
	else
		uroce_pages_keep(&qp->roce->engine->reorder_pages, reorder,
				 sizeof(*reorder));
	qp->roce->reorder = NULL;
}

void uroce_reorder_drop(struct uroce_qp *qp)
{
	for (uint32_t i = 0; qp->roce->reorder && i < UROCE_PSN_SET; i++)
		(void)remove_packet(qp, i);
	uroce_reorder_end(qp);
}
