/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of the responder: responses to READs and atomics, then an ACK or NAK.
 * A request only schedules them. uroce_engine_next() makes them after all
 * received packets have been processed, so that one ACK covers many requests
 * (IBTA 9.7.5.1.2).
 */
#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_comp_cntr.h"
#include "uroce/qp/uroce_odp.h"
#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_interrupted.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_reorder.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_rndv.h"
#include "util/min.h"

void uroce_reply_ack(struct uroce_qp *qp)
{
	qp->roce->resp.reply = UROCE_REPLY_ACK;
	uroce_engine_activate(qp->roce->engine, qp);
}

void uroce_reply_nak(struct uroce_qp *qp, uint8_t syndrome, uint32_t psn)
{
	qp->roce->resp.reply = UROCE_REPLY_NAK;
	qp->roce->resp.syndrome = syndrome;
	qp->roce->resp.ack_psn = psn;
	uroce_engine_activate(qp->roce->engine, qp);
}

static void reply_fill_common(struct uroce_qp *qp, uint8_t op, uint32_t psn,
			      uint32_t msn, struct uroce_out *out)
{
	out->packet = (struct uroce_packet){
		.path = &qp->path,
		.opcode = (uint8_t)(qp->roce->opcode | op),
		.pkey = qp->pkey,
		.dest_qpn = qp->dest_qpn,
		.psn = psn,
		.mig_req = qp->mig_state == IBV_MIG_MIGRATED,
		.selective = qp->roce->resp.selective,
		.becn = uroce_ecn_take_mark(qp),
		.syndrome = UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS,
		.msn = msn,
	};
	out->iovecs.nr = 0;
}

/* The oldest request with a pending response; or NULL. */
static struct uroce_resource *oldest_pending(struct uroce_responder *resp)
{
	if (!resp->nr_pending)
		return NULL;
	while (!resp->resource[resp->res_pending].pending)
		resp->res_pending =
			uroce_resource_after(resp, resp->res_pending);
	return &resp->resource[resp->res_pending];
}

static void response_sent(struct uroce_qp *qp, struct uroce_resource *res)
{
	res->pending = false;
	qp->roce->resp.nr_pending--;
	if (res->op == UROCE_READ_REQUEST && !res->sent_before)
		uroce_comp_cntr_count(
			qp, IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ,
			res->dma_len, false);
}

static uint8_t reply_choose_op(const struct uroce_resource *res)
{
	bool first = res->next_psn == res->from_psn;

	if (res->next_psn == res->until_psn)
		return first ? UROCE_READ_RESP_ONLY : UROCE_READ_RESP_LAST;
	return first ? UROCE_READ_RESP_FIRST : UROCE_READ_RESP_MIDDLE;
}

void uroce_reply_drop_responses(struct uroce_qp *qp)
{
	struct uroce_responder *resp = &qp->roce->resp;

	uroce_interrupted_drop(resp, NULL);
	for (uint8_t i = 0; i < resp->max_resources; i++)
		resp->resource[i].pending = false;
	resp->nr_pending = 0;
}

void uroce_reply_drop(struct uroce_qp *qp)
{
	struct uroce_responder *resp = &qp->roce->resp;

	uroce_reply_drop_responses(qp);
	resp->reply = UROCE_REPLY_NONE;
	uroce_delack_end(qp);
}

void uroce_reply_cancel(struct uroce_responder *resp,
			struct uroce_resource *res)
{
	uroce_interrupted_drop(resp, res);
	res->pending = false;
	resp->nr_pending--;
}

/*
 * The region was deregistered after the READ was accepted, or a page of an
 * on-demand region is invalid: sends a NAK. A response that was sent before may
 * have arrived, and the region may be deregistered for that reason. Then the
 * NAK has no effect on the peer, and the late duplicate must not fail the QP.
 */
static void fail_answer(struct uroce_qp *qp, struct uroce_resource *res,
			int err)
{
	const uint8_t syndrome = UROCE_AETH_NAK | UROCE_NAK_REMOTE_ACCESS;
	struct uroce_responder *resp = &qp->roce->resp;
	uint32_t psn = uroce_interrupted_first_psn(resp, res);

	uroce_core_count(qp->core, uroce_counters_access(err), 1);
	if (res->sent_before) {
		uroce_reply_cancel(resp, res);
		if (resp->reply == UROCE_REPLY_NONE)
			uroce_reply_nak(qp, syndrome, psn);
		return;
	}
	uroce_reply_drop(qp);
	uroce_reply_nak(qp, syndrome, psn);
	uroce_qp_event(qp, IBV_EVENT_QP_ACCESS_ERR);
	uroce_qp_fault(qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
}

/* Copies memory of an on-demand region; @ptr receives the copy. */
static int read_on_demand(struct uroce_qp *qp, uint64_t bytes, uint8_t **ptr)
{
	const struct iovec from = { *ptr, (size_t)bytes };

	*ptr = qp->roce->engine->copied_payload;
	return uroce_odp_load(*ptr, &from, 1);
}

/* Makes one response packet of a READ. */
static bool read_data(struct uroce_qp *qp, struct uroce_resource *res,
		      struct uroce_out *out)
{
	uint64_t offset =
		(uint64_t)uroce_psn_diff(res->next_psn, res->psn) * qp->mtu;
	uint64_t left = res->dma_len - offset;
	struct uroce_remote_access wanted = {
		.va = res->va + offset,
		.bytes = left < qp->mtu ? left : qp->mtu,
		.rkey = res->rkey,
		.pd = res->pd,
		.qpn = qp->qpn,
		.access = IBV_ACCESS_REMOTE_READ,
	};
	uint32_t nr_packets;
	uint8_t *ptr;
	int ret;

	ret = uroce_memory_remote(qp->core->memory, &wanted, &ptr);
	if (ret == UROCE_MEMORY_ON_DEMAND)
		ret = read_on_demand(qp, wanted.bytes, &ptr);
	if (ret) {
		fail_answer(qp, res, ret);
		return false;
	}
	reply_fill_common(qp, reply_choose_op(res), res->next_psn, res->msn,
			  out);
	out->packet.payload_len = (uint32_t)wanted.bytes;
	uroce_iovecs_set(&out->iovecs, ptr, (uint32_t)wanted.bytes, false);
	nr_packets = uroce_rndv_response(qp, res, out);
	if (res->next_psn != res->until_psn)
		res->next_psn = uroce_psn_add(res->next_psn, nr_packets);
	else if (!uroce_interrupted_resume(&qp->roce->resp, res))
		response_sent(qp, res);
	return true;
}

uint32_t uroce_reply_next_run(struct uroce_qp *qp, uint32_t max,
			      struct uroce_out *out)
{
	struct uroce_resource *res = oldest_pending(&qp->roce->resp);
	struct uroce_remote_access wanted;
	uint32_t nr;
	uint8_t *ptr;
	int ret;

	/* otherwise the last packet was not of this response */
	if (!res || res->op != UROCE_READ_REQUEST ||
	    res->next_psn == res->from_psn)
		return 0;
	nr = min_u32(max,
		     (uint32_t)uroce_psn_diff(res->until_psn, res->next_psn));
	if (!nr)
		return 0;
	wanted = (struct uroce_remote_access){
		.va = res->va +
		      (uint64_t)uroce_psn_diff(res->next_psn, res->psn) *
			      qp->mtu,
		.bytes = (uint64_t)nr * qp->mtu,
		.rkey = res->rkey,
		.pd = res->pd,
		.qpn = qp->qpn,
		.access = IBV_ACCESS_REMOTE_READ,
	};
	ret = uroce_memory_remote(qp->core->memory, &wanted, &ptr);
	if (ret == UROCE_MEMORY_ON_DEMAND) {
		nr = min_u32(nr, UROCE_MAX_COPIED_RUN / qp->mtu);
		ret = read_on_demand(qp, (uint64_t)nr * qp->mtu, &ptr);
	}
	/* a null MR has no address; uroce_reply_next() reports errors */
	if (ret || !ptr)
		return 0;
	reply_fill_common(qp, UROCE_READ_RESP_MIDDLE, res->next_psn, res->msn,
			  out);
	out->packet.payload_len = qp->mtu;
	uroce_iovecs_set(&out->iovecs, ptr, nr * qp->mtu, false);
	res->next_psn = uroce_psn_add(res->next_psn, nr);
	return nr;
}

static bool reply_return_response(struct uroce_qp *qp, struct uroce_out *out)
{
	struct uroce_resource *res = oldest_pending(&qp->roce->resp);

	if (!res)
		return false;
	if (res->op == UROCE_READ_REQUEST)
		return read_data(qp, res, out);
	if (res->op == UROCE_CMP_SWAP || res->op == UROCE_FETCH_ADD) {
		reply_fill_common(qp, UROCE_ATOMIC_ACK, res->psn, res->msn,
				  out);
		out->packet.orig = res->orig;
	} else { /* FLUSH, ATOMIC WRITE: no data (A19.4.3) */
		reply_fill_common(qp, UROCE_READ_RESP_ONLY, res->psn, res->msn,
				  out);
	}
	response_sent(qp, res);
	return true;
}

const struct uroce_resource *uroce_reply_take_atomic(struct uroce_qp *qp)
{
	struct uroce_resource *res = oldest_pending(&qp->roce->resp);

	if (!res || (res->op != UROCE_CMP_SWAP && res->op != UROCE_FETCH_ADD))
		return NULL;
	response_sent(qp, res);
	return res;
}

uint32_t uroce_reply_take_ack(struct uroce_qp *qp)
{
	qp->roce->resp.reply = UROCE_REPLY_NONE;
	uroce_delack_end(qp);
	return uroce_psn_add(qp->roce->resp.epsn, -1);
}

/* In chaos mode: an ACK waits for late data. Other replies store it. */
static bool reply_awaits_data(struct uroce_qp *qp, uint8_t reply)
{
	if (!qp->core->chaos)
		return false;
	if (reply == UROCE_REPLY_ACK)
		return uroce_chaos_has_late_request(qp);
	uroce_chaos_place(qp, UROCE_CHAOS_REQUEST);
	return false;
}

bool uroce_reply_next(struct uroce_qp *qp, struct uroce_out *ret_out)
{
	struct uroce_responder *resp = &qp->roce->resp;
	uint8_t reply;

	if (resp->nr_pending && reply_return_response(qp, ret_out))
		return true;
	reply = resp->reply;
	if (reply == UROCE_REPLY_NONE)
		return false;
	if (reply == UROCE_REPLY_ACK && uroce_delack_is_delayed(qp))
		return false;
	if (reply_awaits_data(qp, reply))
		return false;
	resp->reply = UROCE_REPLY_NONE;
	uroce_delack_end(qp);
	if (reply == UROCE_REPLY_ACK)
		resp->ack_psn = uroce_psn_add(resp->epsn, -1);
	reply_fill_common(qp, UROCE_ACKNOWLEDGE, resp->ack_psn, resp->msn,
			  ret_out);
	if (reply != UROCE_REPLY_NAK)
		return true;
	ret_out->packet.syndrome = resp->syndrome;
	if (resp->syndrome == (UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ))
		uroce_reorder_list(qp, ret_out);
	return true;
}
