/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests with an rkey: WRITE, READ, atomics, FLUSH and ATOMIC WRITE.
 * uroce_responder.c has checked the ICRC, PSN, opcode sequence and packet
 * length. uroce_rx.c checks rights, rkey and range, again for every packet, and
 * executes the request. This file stores the results for duplicates.
 */
#include <errno.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_comp_cntr.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_place.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_interrupted.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_rndv.h"

static void refuse_invalid(struct uroce_qp *qp, struct uroce_packet *packet,
			   enum uroce_counter counter)
{
	uroce_responder_refuse(
		qp, packet,
		uroce_rx_refused(UROCE_RX_INVALID_REQUEST, counter));
}

/* The memory that the RETH of a packet names. */
static struct uroce_rx_range range_of(const struct uroce_packet *packet)
{
	return (struct uroce_rx_range){
		.va = packet->va,
		.bytes = packet->dma_len,
		.rkey = packet->rkey,
	};
}

/* The first packet of a WRITE has the address, rkey and length of all data. */
static bool begin_write(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	struct uroce_rx_range all = range_of(packet);
	struct uroce_rx_result result = uroce_rx_begin_write(qp, &all);

	if (result.error) {
		uroce_responder_refuse(qp, packet, result);
		return false;
	}
	resp->va = packet->va;
	resp->rkey = packet->rkey;
	resp->dma_len = packet->dma_len;
	resp->offset = 0;
	return true;
}

static void complete_write(struct uroce_qp *qp,
			   const struct uroce_packet *packet)
{
	struct uroce_cqe cqe = {
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.byte_len = qp->roce->resp.dma_len,
		.wc_flags = IBV_WC_WITH_IMM,
		.imm = packet->imm,
	};

	uroce_complete_receive(qp, &cqe, packet->solicited);
}

/*
 * Stores the payload at @ptr. Return: 0; -EAGAIN: treat the packet as lost;
 * -EFAULT: a page of an on-demand region is invalid.
 */
static int remote_place(struct uroce_qp *qp, struct uroce_packet *packet,
			uint8_t *ptr, bool on_demand)
{
	struct uroce_iovecs iovecs;

	if (packet->nr_absent || on_demand) {
		uroce_iovecs_set(&iovecs, ptr, packet->payload_len, true);
		iovecs.on_demand = on_demand;
	}
	if (packet->nr_absent)
		return uroce_rndv_copy(qp, packet, &iovecs) ? -EAGAIN : 0;
	if (on_demand)
		return uroce_copy_in(qp, &iovecs, packet, true);
	if (ptr && qp->core->chaos)
		uroce_chaos_store(qp, UROCE_CHAOS_REQUEST, ptr, packet->payload,
				  packet->payload_len);
	else if (ptr)
		uroce_place(ptr, packet->payload, packet->payload_len);
	return 0;
}

void uroce_remote_write(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	bool last = packet->traits & UROCE_T_LAST;
	struct uroce_rx_result result;
	struct uroce_rx_range part;
	uint32_t left;
	uint8_t *ptr;
	int ret;

	if ((packet->traits & UROCE_T_FIRST) && !begin_write(qp, packet))
		return;
	/* 9.7.4.1.6: the payloads add up to the length in the first packet */
	left = resp->dma_len - resp->offset;
	if (last ? packet->payload_len != left : packet->payload_len >= left) {
		refuse_invalid(qp, packet, UROCE_C_BAD_LENGTH);
		return;
	}
	/* 9.4.3: an immediate consumes a receive WQE, but not its memory */
	if ((packet->traits & UROCE_T_IMM) && uroce_hold_receive(qp)) {
		uroce_responder_not_ready(qp, packet);
		return;
	}
	part = (struct uroce_rx_range){
		.va = resp->va + resp->offset,
		.bytes = packet->payload_len,
		.rkey = resp->rkey,
	};
	result = uroce_rx_find_write(qp, &part, &ptr);
	if (result.error) {
		uroce_responder_refuse(qp, packet, result);
		return;
	}
	ret = remote_place(qp, packet, ptr, result.on_demand);
	if (ret == -EFAULT) {
		uroce_responder_refuse(qp, packet,
				       uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
							UROCE_C_BAD_PAGE));
		return;
	}
	if (ret) {
		uroce_responder_lost(qp, packet, false);
		return;
	}
	resp->message = UROCE_MESSAGE_WRITE;
	resp->offset += packet->payload_len;
	if (last)
		uroce_comp_cntr_count(
			qp, IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE,
			resp->dma_len, false);
	if (packet->traits & UROCE_T_IMM)
		complete_write(qp, packet);
	uroce_responder_executed(qp, packet, uroce_rndv_count(packet));
}

static uint32_t remote_count_packets(const struct uroce_qp *qp, uint32_t bytes)
{
	return bytes ? (bytes + qp->mtu - 1) / qp->mtu : 1;
}

/* Number of ring entries that are older than the entry @at. */
static uint8_t resource_age_rank(const struct uroce_responder *resp, uint8_t at)
{
	return at >= resp->res_next
		       ? (uint8_t)(at - resp->res_next)
		       : (uint8_t)(at - resp->res_next + resp->max_resources);
}

static void add_pending(struct uroce_responder *resp, uint8_t at)
{
	if (!resp->nr_pending ||
	    resource_age_rank(resp, at) <
		    resource_age_rank(resp, resp->res_pending))
		resp->res_pending = at;
	resp->nr_pending++;
}

static void remote_return_response(struct uroce_qp *qp,
				   struct uroce_resource *res,
				   uint32_t from_psn, uint32_t until_psn)
{
	if (!res->pending)
		add_pending(&qp->roce->resp,
			    (uint8_t)(res - qp->roce->resp.resource));
	res->pending = true;
	res->from_psn = from_psn;
	res->next_psn = from_psn;
	res->until_psn = until_psn;
	if (from_psn != until_psn && qp->roce->resp.selective)
		uroce_ecn_allow(qp);
	uroce_engine_activate(qp->roce->engine, qp);
}

/* Stores an executed request for duplicates, and schedules its response. */
static void remember(struct uroce_qp *qp, const struct uroce_packet *packet,
		     uint64_t orig, uint32_t nr_psns)
{
	struct uroce_responder *resp = &qp->roce->resp;
	struct uroce_resource *res = &resp->resource[resp->res_next];

	/* the new request replaces the oldest one */
	if (resp->res_pending == resp->res_next)
		resp->res_pending = uroce_resource_after(resp, resp->res_next);
	resp->res_next = uroce_resource_after(resp, resp->res_next);
	*res = (struct uroce_resource){
		.va = packet->va,
		.orig = orig,
		.rkey = packet->rkey,
		.pd = qp->pd,
		.psn = packet->psn,
		.last_psn = uroce_psn_add(packet->psn, nr_psns - 1),
		.dma_len = packet->dma_len,
		.op = packet->opcode & UROCE_OP_MASK,
	};
	uroce_responder_executed(qp, packet, nr_psns);
	res->msn = resp->msn;
	/* the response is also the ACK of all requests up to this one */
	if (resp->reply != UROCE_REPLY_NAK)
		resp->reply = UROCE_REPLY_NONE;
	remote_return_response(qp, res, packet->psn, res->last_psn);
}

static struct uroce_rx_result execute_atomic(const struct uroce_qp *qp,
					     const struct uroce_packet *packet,
					     uint64_t *ret_orig)
{
	const bool add = (packet->opcode & UROCE_OP_MASK) == UROCE_FETCH_ADD;
	const struct uroce_rx_atomic atomic = {
		.add = add,
		.va = packet->va,
		.rkey = packet->rkey,
		.compare = packet->compare,
		.operand = packet->swap_add,
	};

	return uroce_rx_atomic(qp, &atomic, ret_orig);
}

/*
 * Frees the oldest resource. If its pending response is a repetition, the peer
 * has received the first one: otherwise it would have too many requests
 * outstanding. A delayed duplicate caused the repetition, which is cancelled.
 */
static bool make_room(struct uroce_responder *resp)
{
	struct uroce_resource *res = &resp->resource[resp->res_next];

	if (!res->pending)
		return true;
	if (!res->sent_before)
		return false;
	uroce_reply_cancel(resp, res);
	return true;
}

void uroce_remote_nonposted(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	const struct uroce_rx_range range = range_of(packet);
	uint8_t op = packet->opcode & UROCE_OP_MASK;
	struct uroce_rx_result result;
	unsigned int needed = 0;
	uint32_t nr_psns = 1;
	uint64_t orig = 0;

	if (op == UROCE_READ_REQUEST)
		needed = IBV_ACCESS_REMOTE_READ;
	else if (op == UROCE_CMP_SWAP || op == UROCE_FETCH_ADD)
		needed = IBV_ACCESS_REMOTE_ATOMIC;
	else if (op == UROCE_ATOMIC_WRITE)
		needed = IBV_ACCESS_REMOTE_WRITE;
	if ((qp->access & needed) != needed || !resp->max_resources) {
		refuse_invalid(qp, packet, UROCE_C_NOT_ENABLED);
		return;
	}
	/* 9.7.4.1.5: the peer exceeds the number of outstanding requests */
	if (!make_room(resp)) {
		refuse_invalid(qp, packet, UROCE_C_TOO_MANY_READS);
		return;
	}
	if (qp->core->chaos)
		uroce_chaos_place(qp, UROCE_CHAOS_REQUEST);
	switch (op) {
	case UROCE_READ_REQUEST:
		result = uroce_rx_read(qp, &range);
		nr_psns = remote_count_packets(qp, range.bytes);
		break;
	case UROCE_ATOMIC_WRITE:
		result = uroce_rx_atomic_write(qp, &range, packet->payload,
					       packet->payload_len);
		break;
	case UROCE_FLUSH:
		result = uroce_rx_flush(qp, packet->feth_placement,
					packet->feth_level, &range);
		break;
	default:
		result = execute_atomic(qp, packet, &orig);
	}
	if (result.error)
		uroce_responder_refuse(qp, packet, result);
	else
		remember(qp, packet, orig, nr_psns);
}

/* 9.7.5.1.4: a duplicate READ requests a part of the original READ only. */
static bool is_part_of(const struct uroce_qp *qp,
		       const struct uroce_packet *packet,
		       const struct uroce_resource *res)
{
	uint64_t offset =
		(uint64_t)uroce_psn_diff(packet->psn, res->psn) * qp->mtu;

	return packet->rkey == res->rkey && packet->va == res->va + offset &&
	       offset + packet->dma_len <= res->dma_len &&
	       (packet->dma_len || !res->dma_len);
}

void uroce_remote_duplicate(struct uroce_qp *qp,
			    const struct uroce_packet *packet)
{
	uint8_t op = packet->opcode & UROCE_OP_MASK;
	uint32_t last_psn = packet->psn;

	if (op == UROCE_READ_REQUEST)
		last_psn = uroce_psn_add(
			packet->psn,
			remote_count_packets(qp, packet->dma_len) - 1);
	for (uint8_t i = 0; i < qp->roce->resp.max_resources; i++) {
		struct uroce_resource *res = &qp->roce->resp.resource[i];

		if (res->op != op || uroce_psn_before(packet->psn, res->psn) ||
		    uroce_psn_before(res->last_psn, packet->psn))
			continue;
		if (op == UROCE_READ_REQUEST && !is_part_of(qp, packet, res))
			break;
		if (!res->pending)
			res->sent_before = true;
		else if (packet->selective && op == UROCE_READ_REQUEST &&
			 !uroce_interrupted_add(&qp->roce->resp, res,
						packet->psn, &last_psn))
			return;
		res->asked_again = true;
		/* 9.7.5.1.5: a duplicate atomic returns the original result */
		remote_return_response(qp, res, packet->psn, last_psn);
		return;
	}
	uroce_core_count(qp->core, UROCE_C_BAD_DUPLICATE, 1);
}
