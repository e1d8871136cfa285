/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the QP of a received packet and calls its requester or responder. The
 * checks are the packet header validation of IBTA 9.6.1: a packet that fails is
 * dropped without a response.
 */
#include <string.h>

#include "uroce/qp/uroce_migration.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_retry.h"

static void dispatch_count(struct uroce_engine *engine,
			   enum uroce_counter counter)
{
	uroce_core_count(&engine->core, counter, 1);
}

/* Whether the state of the QP accepts the packet (IBTA 10.3.1, 9.6.1.4). */
static bool state_takes(const struct uroce_qp *qp,
			const struct uroce_packet *packet)
{
	if (uroce_qp_is_stopped(qp))
		return false;
	switch (qp->state) {
	case IBV_QPS_RTR:
	case IBV_QPS_SQE:
		return !(packet->traits & UROCE_T_RESPONSE);
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		return true;
	default:
		return false;
	}
}

/* 10.9.3: the lower 15 bits agree, and at least one is a full member. */
static bool pkey_matches(uint16_t ours, uint16_t theirs)
{
	return !((ours ^ theirs) & 0x7fff) && ((ours | theirs) & 0x8000);
}

/* 9.6.1.2.3: the GIDs must be those of the connection. A channel has none. */
static bool path_matches(const struct uroce_path *ours,
			 const struct uroce_packet *packet)
{
	const struct uroce_path *path = packet->path;

	if (packet->channel)
		return true;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
	return memcmp(path->sgid, ours->dgid, UROCE_GID_LEN) == 0 &&
	       memcmp(path->dgid, ours->sgid, UROCE_GID_LEN) == 0;
}

/* Whether the peer has left the path of an armed QP for the alternate one. */
static bool peer_has_migrated(const struct uroce_qp *qp,
			      const struct uroce_packet *packet)
{
	return qp->mig_state == IBV_MIG_ARMED && packet->mig_req &&
	       path_matches(&qp->alternate.path, packet);
}

/* Why @qp drops the packet; UROCE_NR_COUNTERS if it accepts the packet. */
static enum uroce_counter refusal(const struct uroce_qp *qp,
				  const struct uroce_packet *packet)
{
	if ((packet->opcode & UROCE_TRANSPORT_MASK) != qp->roce->opcode)
		return UROCE_C_BAD_TRANSPORT;
	/* A14: an initiator has no responder */
	if (qp->xrc == UROCE_XRC_INITIATOR &&
	    !(packet->traits & UROCE_T_RESPONSE))
		return UROCE_C_BAD_TRANSPORT;
	if (packet->channel != qp->roce->channel)
		return UROCE_C_BAD_SOURCE;
	if (!state_takes(qp, packet))
		return UROCE_C_BAD_STATE;
	if (!pkey_matches(qp->pkey, packet->pkey))
		return UROCE_C_BAD_PKEY;
	if (qp->type == IBV_QPT_UD)
		return packet->qkey == qp->qkey ? UROCE_NR_COUNTERS
						: UROCE_C_BAD_QKEY;
	return path_matches(&qp->path, packet) || peer_has_migrated(qp, packet)
		       ? UROCE_NR_COUNTERS
		       : UROCE_C_BAD_SOURCE;
}

/*
 * Changes the migration state of a QP as that of the peer requires (17.2.8),
 * unless the ICRC is wrong. A packet on the path in use with MigReq 1 changes
 * nothing: it may be older than the REARM of the peer.
 */
static enum uroce_counter follow_migration(struct uroce_qp *qp,
					   struct uroce_packet *packet)
{
	bool moves = peer_has_migrated(qp, packet);
	bool arms = qp->mig_state == IBV_MIG_REARM && !packet->mig_req;

	if (!moves && !arms)
		return UROCE_NR_COUNTERS;
	if (uroce_packet_check(packet))
		return UROCE_C_BAD_ICRC;
	if (moves)
		(void)uroce_migration_migrate(qp);
	else
		uroce_migration_arm(qp);
	return UROCE_NR_COUNTERS;
}

/* A packet from a wrong address is dropped: it may be of a migrated peer. */
static void refuse_migration(struct uroce_qp *qp, struct uroce_packet *packet)
{
	if (qp->mig_state != IBV_MIG_MIGRATED && packet->mig_req &&
	    packet->channel == qp->roce->channel && !uroce_packet_check(packet))
		uroce_migration_refuse(qp);
}

static void deliver(struct uroce_qp *qp, struct uroce_packet *packet,
		    uint64_t now)
{
	enum uroce_counter why = refusal(qp, packet);

	if (why == UROCE_C_BAD_SOURCE)
		refuse_migration(qp, packet);
	else if (why == UROCE_NR_COUNTERS && qp->mig_state != IBV_MIG_MIGRATED)
		why = follow_migration(qp, packet);
	if (why != UROCE_NR_COUNTERS) {
		dispatch_count(qp->roce->engine, why);
		return;
	}
	if (!packet->channel && qp->type != IBV_QPT_UD) {
		if (!(packet->traits & UROCE_T_LAST))
			qp->roce->engine->wants_marks = true;
		if (packet->fecn)
			uroce_ecn_marked(qp, packet, now);
	}
	if (packet->traits & UROCE_T_RESPONSE)
		uroce_ack_receive(qp, packet, now);
	else
		uroce_responder_receive(qp, packet);
}

/* 10.5.2: deliver to each QP that is attached to the group. */
static void deliver_to_group(struct uroce_engine *engine,
			     struct uroce_packet *packet, uint64_t now)
{
	bool found = false;

	/* the ICRC can be verified once only */
	if (uroce_packet_check(packet)) {
		dispatch_count(engine, UROCE_C_BAD_ICRC);
		return;
	}
	for (uint32_t i = 0; i < engine->nr_groups; i++) {
		const struct uroce_group *group = &engine->groups[i];

		if (memcmp(group->gid, packet->path->dgid, UROCE_GID_LEN) != 0)
			continue;
		deliver(group->qp, packet, now);
		found = true;
	}
	if (!found)
		dispatch_count(engine, UROCE_C_NO_GROUP);
}

/* Why QP 1 drops the packet; UROCE_NR_COUNTERS if it accepts the packet. */
static enum uroce_counter mad_refusal(struct uroce_packet *packet)
{
	if (packet->opcode != (UROCE_UD | UROCE_SEND_ONLY))
		return UROCE_C_BAD_TRANSPORT;
	if (!pkey_matches(UROCE_PKEY_DEFAULT, packet->pkey))
		return UROCE_C_BAD_PKEY;
	if (packet->qkey != UROCE_GSI_QKEY)
		return UROCE_C_BAD_QKEY;
	if (packet->src_qpn != UROCE_QPN_GSI)
		return UROCE_C_BAD_SOURCE;
	if (packet->payload_len != UROCE_MAD_BYTES)
		return UROCE_C_BAD_LENGTH;
	return uroce_packet_check(packet) ? UROCE_C_BAD_ICRC
					  : UROCE_NR_COUNTERS;
}

static void deliver_mad(struct uroce_engine *engine,
			struct uroce_packet *packet)
{
	enum uroce_counter why = mad_refusal(packet);

	if (why != UROCE_NR_COUNTERS)
		dispatch_count(engine, why);
	else
		engine->on_mad(engine->on_mad_arg, packet);
}

/* A17.9.3. The QP may be of any connected type; only RC and XRC have a window.
 */
static void deliver_cnp(struct uroce_qp *qp, struct uroce_packet *packet,
			uint64_t now)
{
	enum uroce_counter why = UROCE_NR_COUNTERS;

	if (packet->channel || qp->type == IBV_QPT_UD)
		why = UROCE_C_BAD_TRANSPORT;
	else if (qp->roce->channel || !path_matches(&qp->path, packet))
		why = UROCE_C_BAD_SOURCE;
	else if (uroce_qp_is_stopped(qp) || qp->state != IBV_QPS_RTS)
		why = UROCE_C_BAD_STATE;
	else if (!pkey_matches(qp->pkey, packet->pkey))
		why = UROCE_C_BAD_PKEY;
	else if (uroce_packet_check(packet))
		why = UROCE_C_BAD_ICRC;
	if (why != UROCE_NR_COUNTERS) {
		dispatch_count(qp->roce->engine, why);
		return;
	}
	dispatch_count(qp->roce->engine, UROCE_C_CNPS_HANDLED);
	uroce_retry_congested(qp, qp->roce->req.una_psn, now);
}

/* Deliver a piggybacked ACK as if it had arrived in front of the packet. */
static void deliver_carried(struct uroce_qp *qp,
			    const struct uroce_packet *packet, uint64_t now)
{
	struct uroce_packet ack = {
		.channel = packet->channel,
		.opcode = (uint8_t)(qp->roce->opcode | UROCE_ACKNOWLEDGE),
		.traits = UROCE_T_RESPONSE | UROCE_T_AETH,
		.mig_req = packet->mig_req,
		.pkey = packet->pkey,
		.dest_qpn = packet->dest_qpn,
		.psn = packet->carried_psn,
		.syndrome = UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS,
	};

	if (qp->type == IBV_QPT_RC)
		deliver(qp, &ack, now);
	else
		dispatch_count(qp->roce->engine, UROCE_C_BAD_TRANSPORT);
}

void uroce_engine_receive(struct uroce_engine *engine,
			  struct uroce_packet *packet, uint64_t now)
{
	struct uroce_qp *qp;

	dispatch_count(engine, UROCE_C_RX_PACKETS);
	uroce_core_count(&engine->core, UROCE_C_RX_BYTES, packet->payload_len);
	if (packet->dest_qpn == UROCE_QPN_MULTICAST && !packet->channel) {
		deliver_to_group(engine, packet, now);
		return;
	}
	if (packet->dest_qpn == UROCE_QPN_GSI && engine->on_mad &&
	    !packet->channel) {
		deliver_mad(engine, packet);
		return;
	}
	qp = uroce_engine_find_qp(engine, packet->dest_qpn);
	if (!qp) {
		dispatch_count(engine, UROCE_C_NO_QP);
		return;
	}
	if (packet->traits & UROCE_T_CNP) {
		deliver_cnp(qp, packet, now);
		return;
	}
	if (packet->carries_ack && packet->channel)
		deliver_carried(qp, packet, now);
	deliver(qp, packet, now);
}

/* An error fails the message in progress, to which the data belongs. */
static void end_gathering(struct uroce_qp *qp)
{
	struct uroce_roce *roce = qp->roce;

	if (uroce_gather_store(qp, &roce->requests) && !uroce_qp_is_stopped(qp))
		uroce_responder_bad_page(qp);
	if (uroce_gather_store(qp, &roce->responses))
		uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_LOC_PROT_ERR);
	list_del(&roce->gathering);
}

void uroce_engine_end_receive(struct uroce_engine *engine)
{
	while (!list_empty(&engine->gathering))
		end_gathering(list_entry(engine->gathering.next,
					 struct uroce_roce, gathering)
				      ->qp);
}
