/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packetization of send WQEs. The requester selects the packet; this file fills
 * in its headers and finds its payload. The only connection state that it
 * changes is the cursor in the SGE list.
 */
#include "uroce/roce/uroce_request.h"

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_requester.h"
#include "util/min.h"

uint32_t uroce_request_count_packets(const struct uroce_qp *qp,
				     const struct uroce_send_wqe *wqe)
{
	enum uroce_sq_kind kind = uroce_sq_kind(wqe);

	if (kind == UROCE_SQ_LOCAL)
		return 0;
	if (kind == UROCE_SQ_FLUSH || !wqe->length)
		return 1;
	return (wqe->length + qp->mtu - 1) / qp->mtu;
}

const struct uroce_send_wqe *uroce_request_find(const struct uroce_qp *qp,
						uint32_t psn)
{
	uint32_t cur = qp->sq.tail;

	for (;; cur++) {
		const struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, cur);

		if (uroce_psn_before(psn,
				     uroce_psn_add(wqe->psn, wqe->nr_packets)))
			return wqe;
	}
}

uint32_t uroce_request_count_response(const struct uroce_send_wqe *wqe,
				      uint32_t at)
{
	uint32_t end = ((at >> wqe->part_bits) + 1) << wqe->part_bits;

	if (wqe->opcode != IBV_WR_RDMA_READ)
		return 1;
	return min_u32(end, wqe->nr_packets) - at;
}

/* Finds the payload of a packet: @bytes at @offset of the message. */
static int request_find_payload(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
				uint32_t offset, uint32_t bytes,
				struct uroce_out *out)
{
	const struct uroce_sge_list list = uroce_sq_sge_list(qp, wqe, false);
	int ret;

	out->packet.payload_len = bytes;
	if (wqe->flags & IBV_SEND_INLINE) {
		uroce_iovecs_set(&out->iovecs, (uint8_t *)wqe->sge + offset,
				 bytes, false);
		return 0;
	}
	ret = uroce_sge_resolve(&list, &qp->roce->req.out, offset, bytes,
				&out->iovecs);
	if (ret == 0 && out->iovecs.on_demand)
		ret = uroce_copy_out(&out->iovecs,
				     qp->roce->engine->copied_payload);
	return ret;
}

/* Opcode of the last packet of a message: ONLY if @first is set, else LAST. */
static uint8_t choose_last(const struct uroce_send_wqe *wqe, bool first)
{
	switch (wqe->opcode) {
	case IBV_WR_SEND_WITH_IMM:
		return first ? UROCE_SEND_ONLY_IMM : UROCE_SEND_LAST_IMM;
	case IBV_WR_SEND_WITH_INV:
		return first ? UROCE_SEND_ONLY_INV : UROCE_SEND_LAST_INV;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return first ? UROCE_WRITE_ONLY_IMM : UROCE_WRITE_LAST_IMM;
	case IBV_WR_RDMA_WRITE:
		return first ? UROCE_WRITE_ONLY : UROCE_WRITE_LAST;
	default:
		return first ? UROCE_SEND_ONLY : UROCE_SEND_LAST;
	}
}

static uint8_t request_choose_op(const struct uroce_send_wqe *wqe, bool first,
				 bool last)
{
	if (last)
		return choose_last(wqe, first);
	if (uroce_sq_kind(wqe) == UROCE_SQ_WRITE)
		return first ? UROCE_WRITE_FIRST : UROCE_WRITE_MIDDLE;
	return first ? UROCE_SEND_FIRST : UROCE_SEND_MIDDLE;
}

/* Fills packet number @at of a SEND or WRITE. */
static int request_fill_data(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			     uint32_t at, struct uroce_out *out)
{
	struct uroce_packet *packet = &out->packet;
	uint32_t offset = at * qp->mtu;
	bool last = at + 1 == wqe->nr_packets;

	packet->opcode = request_choose_op(wqe, !at, last);
	if (uroce_sq_kind(wqe) == UROCE_SQ_WRITE) {
		packet->va = wqe->remote.va;
		packet->rkey = wqe->remote.rkey;
		packet->dma_len = wqe->length;
	} else if (qp->type == IBV_QPT_UD) {
		packet->path = &wqe->ud.path;
		packet->dest_qpn = wqe->ud.qpn;
		/* 10.2.5: a Q_Key with the high bit set selects the QP's own */
		packet->qkey = wqe->ud.qkey >> 31 ? qp->qkey : wqe->ud.qkey;
		packet->src_qpn = qp->qpn;
	}
	if (last) {
		packet->imm = wqe->imm;
		packet->inv_rkey = wqe->inv_rkey;
		packet->solicited = wqe->flags & IBV_SEND_SOLICITED;
		packet->ack_req = qp->type == IBV_QPT_RC;
	}
	/* 9.7.4.1.6: all packets but the last are full */
	return request_find_payload(qp, wqe, offset,
				    last ? wqe->length - offset : qp->mtu, out);
}

/* Fills a READ request for the data of @nr packets from packet @at on. */
static void fill_read(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		      uint32_t at, uint32_t nr, struct uroce_out *out)
{
	uint64_t until = (uint64_t)(at + nr) * qp->mtu;

	if (until > wqe->length)
		until = wqe->length;
	out->packet.opcode = UROCE_READ_REQUEST;
	out->packet.va = wqe->remote.va + (uint64_t)at * qp->mtu;
	out->packet.rkey = wqe->remote.rkey;
	out->packet.dma_len = (uint32_t)(until - (uint64_t)at * qp->mtu);
	out->packet.ack_req = true;
}

/* Fills a request of one packet that has one response packet. */
static int fill_single(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		       struct uroce_out *out)
{
	struct uroce_packet *packet = &out->packet;

	packet->va = wqe->remote.va;
	packet->rkey = wqe->remote.rkey;
	packet->ack_req = true;
	switch (wqe->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		packet->opcode = UROCE_CMP_SWAP;
		packet->compare = wqe->remote.compare_add;
		packet->swap_add = wqe->remote.swap;
		return 0;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		packet->opcode = UROCE_FETCH_ADD;
		packet->swap_add = wqe->remote.compare_add;
		return 0;
	case IBV_WR_FLUSH:
		packet->opcode = UROCE_FLUSH;
		packet->dma_len = wqe->length;
		packet->feth_placement = wqe->flush_placement;
		packet->feth_level = wqe->flush_level;
		return 0;
	default: /* IBV_WR_ATOMIC_WRITE */
		packet->opcode = UROCE_ATOMIC_WRITE;
		packet->dma_len = UROCE_ATOMIC_BYTES;
		return request_find_payload(qp, wqe, 0, UROCE_ATOMIC_BYTES,
					    out);
	}
}

static void request_fill_common(const struct uroce_qp *qp,
				const struct uroce_send_wqe *wqe,
				struct uroce_out *out)
{
	out->packet = (struct uroce_packet){
		.path = &qp->path,
		.pkey = qp->pkey,
		.dest_qpn = qp->dest_qpn,
		.psn = qp->roce->req.next_psn,
		.mig_req = qp->mig_state == IBV_MIG_MIGRATED,
		.selective = qp->type == IBV_QPT_RC && !qp->roce->channel,
	};
	if (qp->xrc != UROCE_XRC_NONE)
		out->packet.xrc_srqn = wqe->remote.xrc_srqn;
	out->iovecs.nr = 0;
}

int uroce_request_fill(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		       struct uroce_out *ret_out, uint32_t *ret_nr_psns)
{
	uint32_t psn = qp->roce->req.next_psn;
	uint32_t at = (uint32_t)uroce_psn_diff(psn, wqe->psn);
	int ret = 0;

	*ret_nr_psns = 1;
	request_fill_common(qp, wqe, ret_out);
	if (wqe->opcode == IBV_WR_RDMA_READ) {
		*ret_nr_psns = uroce_request_count_response(wqe, at);
		fill_read(qp, wqe, at, *ret_nr_psns, ret_out);
	} else if (uroce_sq_has_response(wqe)) {
		ret = fill_single(qp, wqe, ret_out);
	} else {
		ret = request_fill_data(qp, wqe, at, ret_out);
	}
	ret_out->packet.opcode |= qp->roce->opcode;
	return ret;
}

void uroce_request_fill_read_part(struct uroce_qp *qp,
				  const struct uroce_send_wqe *wqe, uint32_t at,
				  uint32_t nr, struct uroce_out *ret_out)
{
	request_fill_common(qp, wqe, ret_out);
	ret_out->packet.psn = uroce_psn_add(wqe->psn, at);
	fill_read(qp, wqe, at, nr, ret_out);
	ret_out->packet.opcode |= qp->roce->opcode;
}

uint32_t uroce_request_fill_run(struct uroce_qp *qp,
				const struct uroce_send_wqe *wqe, uint32_t max,
				struct uroce_out *out)
{
	enum uroce_sq_kind kind = uroce_sq_kind(wqe);
	const struct uroce_sge_list list = uroce_sq_sge_list(qp, wqe, false);
	struct uroce_cursor cursor = qp->roce->req.out;
	struct uroce_iovecs iovecs;
	uint32_t nr;

	if ((kind != UROCE_SQ_SEND && kind != UROCE_SQ_WRITE) ||
	    (wqe->flags & IBV_SEND_INLINE))
		return 0;
	nr = uroce_sge_run(&list, &cursor, qp->mtu, max, &iovecs);
	/* uroce_request_fill() finds the packet with the invalid page */
	if (!nr || (iovecs.on_demand &&
		    uroce_copy_out(&iovecs, qp->roce->engine->copied_payload)))
		return 0;
	qp->roce->req.out = cursor;
	request_fill_common(qp, wqe, out);
	out->packet.opcode = qp->roce->opcode |
			     request_choose_op(wqe, false, false);
	out->packet.payload_len = qp->mtu;
	out->iovecs = iovecs;
	return nr;
}
