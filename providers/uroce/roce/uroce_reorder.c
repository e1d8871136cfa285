/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_reorder.h"

#include <stdlib.h>
#include <string.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_psn_set.h"
#include "util/min.h"

/* Memory of all QPs of an engine: half a second of 1 Gbit/s. */
#define MAX_HELD_BYTES (64u << 20)

/* The last byte of a list must not contain the first PSN of the ring again. */
#define MAX_AHEAD (UROCE_PSN_SET - 8)

/* Exists while any request waits. */
struct uroce_reorder {
	uint32_t nr;
	uint32_t end_psn; /* behind the last one */
	struct uroce_psn_set held;
	uint8_t list[UROCE_PSN_SET_BYTES]; /* payload of the NAK */
	struct uroce_packet *packets[UROCE_PSN_SET];
};

static uint64_t held_bytes(const struct uroce_packet *packet)
{
	return sizeof(*packet) + packet->payload_len;
}

static struct uroce_packet *copy_packet(const struct uroce_packet *packet)
{
	struct uroce_packet *copy = malloc(held_bytes(packet));

	if (!copy)
		return NULL;
	*copy = *packet;
	copy->path = NULL;
	copy->icrc_check = NULL;
	copy->payload = memcpy(copy + 1, packet->payload, packet->payload_len);
	return copy;
}

bool uroce_reorder_hold(struct uroce_qp *qp, const struct uroce_packet *packet)
{
	struct uroce_roce *roce = qp->roce;
	struct uroce_reorder *reorder = roce->reorder;
	uint64_t bytes = held_bytes(packet) + (reorder ? 0 : sizeof(*reorder));
	struct uroce_packet *copy;

	if (uroce_psn_diff(packet->psn, roce->resp.epsn) > MAX_AHEAD)
		return false;
	if (reorder && uroce_psn_set_has(&reorder->held, packet->psn))
		return true;
	if (roce->engine->held_bytes + bytes > MAX_HELD_BYTES)
		return false;
	copy = copy_packet(packet);
	if (!copy)
		return false;
	if (!reorder)
		reorder = calloc(1, sizeof(*reorder));
	if (!reorder) {
		free(copy);
		return false;
	}
	if (!reorder->nr || !uroce_psn_before(packet->psn, reorder->end_psn))
		reorder->end_psn = uroce_psn_add(packet->psn, 1);
	reorder->packets[uroce_psn_set_at(packet->psn)] = copy;
	uroce_psn_set_add(&reorder->held, packet->psn);
	reorder->nr++;
	roce->reorder = reorder;
	roce->engine->held_bytes += bytes;
	uroce_core_count(qp->core, UROCE_C_HELD, 1);
	return true;
}

static struct uroce_packet *take_packet(struct uroce_qp *qp, uint32_t psn)
{
	struct uroce_reorder *reorder = qp->roce->reorder;
	struct uroce_packet *packet = reorder->packets[uroce_psn_set_at(psn)];

	reorder->packets[uroce_psn_set_at(psn)] = NULL;
	uroce_psn_set_remove(&reorder->held, psn);
	qp->roce->engine->held_bytes -= held_bytes(packet);
	reorder->nr--;
	if (reorder->nr)
		return packet;
	qp->roce->engine->held_bytes -= sizeof(*reorder);
	free(reorder);
	qp->roce->reorder = NULL;
	return packet;
}

struct uroce_packet *uroce_reorder_take(struct uroce_qp *qp)
{
	uint32_t epsn = qp->roce->resp.epsn;

	if (!qp->roce->reorder ||
	    !uroce_psn_set_has(&qp->roce->reorder->held, epsn))
		return NULL;
	return take_packet(qp, epsn);
}

void uroce_reorder_list(struct uroce_qp *qp, struct uroce_out *nak)
{
	struct uroce_reorder *reorder = qp->roce->reorder;
	uint32_t psn = nak->packet.psn, span, bytes;

	if (!reorder)
		return;
	span = (uint32_t)uroce_psn_diff(reorder->end_psn, psn);
	bytes = min_u32((span + 7) / 8, qp->mtu);
	for (uint32_t i = 0; i < bytes; i++)
		reorder->list[i] = uroce_psn_set_byte(
			&reorder->held, uroce_psn_add(psn, 8 * (int64_t)i));
	nak->packet.payload_len = bytes;
	uroce_iovecs_set(&nak->iovecs, reorder->list, bytes, false);
}

void uroce_reorder_drop(struct uroce_qp *qp)
{
	for (uint32_t i = 0; i < UROCE_PSN_SET && qp->roce->reorder; i++)
		if (uroce_psn_set_has(&qp->roce->reorder->held, i))
			free(take_packet(qp, i));
}
