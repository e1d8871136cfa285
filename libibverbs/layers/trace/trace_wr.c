/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of the extended API: the functions of struct ibv_qp_ex that begin a
 * request or add data to it are replaced. Between wr_start() and wr_complete()
 * the provider, or the program, excludes other threads, which protects struct
 * trace_wr. A request is recorded when the next one begins, or at the end.
 */
#include <stdlib.h>

#include "layers/layers_record.h"
#include "layers/layers_replace.h"
#include "layers/trace/trace_clock.h"
#include "layers/trace/trace_queue.h"
#include "layers/trace/trace_ring.h"

struct trace_wr {
	struct ibv_qp_ex below;	    /* functions of the provider */
	struct trace_record record; /* of the request that is being built */
	bool is_building;
	uint32_t place;	    /* its */
	uint32_t first, nr; /* places of the list */
};

/* The provider set these functions when the QP was created. */
static struct trace_qp *wr_qp(struct ibv_qp_ex *qpx)
{
	return layers_record_find(qpx)->qp.trace;
}

static void wr_record(struct trace_qp *qp)
{
	struct trace_wr *wr = qp->building;
	struct trace_ring *ring = wr->is_building ? trace_ring_get() : NULL;

	wr->is_building = false;
	if (!ring)
		return;
	trace_ring_add(ring, &wr->record);
	trace_queue_put(&qp->send, wr->place, wr->record.wr_id,
			wr->record.begin_ns, wr->record.bytes,
			wr->record.opcode);
	if (!qp->stats)
		return;
	trace_count_request(qp->stats, wr->record.opcode, wr->record.bytes);
	trace_note_first(qp->stats, wr->record.begin_ns);
}

/* Return: the functions of the provider. */
static const struct ibv_qp_ex *wr_build(struct ibv_qp_ex *qpx,
					enum ibv_wr_opcode opcode,
					uint32_t rkey, uint64_t remote_addr,
					uint64_t bytes)
{
	struct trace_qp *qp = wr_qp(qpx);
	struct trace_wr *wr = qp->building;
	uint64_t begin = trace_begin();

	wr_record(qp);
	if (!begin)
		return &wr->below;
	wr->place = trace_queue_reserve(&qp->send, 1);
	if (wr->nr++ == 0)
		wr->first = wr->place;
	wr->is_building = true;
	wr->record = (struct trace_record){
		.begin_ns = begin,
		.wr_id = qpx->wr_id,
		.bytes = bytes,
		.value = remote_addr,
		.qp = qp->index,
		.key = rkey,
		.kind = TRACE_SEND,
		.op = TRACE_WR_COMPLETE,
		.opcode = (uint8_t)opcode,
	};
	return &wr->below;
}

static const struct ibv_qp_ex *wr_add_bytes(struct ibv_qp_ex *qpx,
					    uint64_t bytes)
{
	struct trace_wr *wr = wr_qp(qpx)->building;

	wr->record.bytes += bytes;
	return &wr->below;
}

static void trace_wr_start(struct ibv_qp_ex *qpx)
{
	struct trace_wr *wr = wr_qp(qpx)->building;

	wr->below.wr_start(qpx);
	wr->is_building = false;
	wr->nr = 0;
}

/* Removes a list that was not posted; its requests were counted. */
static void wr_strike(struct trace_qp *qp, uint32_t first, uint32_t nr)
{
	struct trace_entry *entries = atomic_load(&qp->send.entries);

	for (uint32_t i = 0; entries && qp->stats && i < nr; i++) {
		struct trace_entry *entry =
			&entries[(first + i) & (qp->send.size - 1)];
		unsigned int opcode =
			__atomic_load_n(&entry->opcode, __ATOMIC_RELAXED) %
			TRACE_NR_OPCODES;

		TRACE_ADD(qp->stats->requests[opcode], UINT64_MAX);
		TRACE_ADD(qp->stats->bytes[opcode],
			  -(uint64_t)__atomic_load_n(&entry->bytes,
						     __ATOMIC_RELAXED));
	}
	trace_queue_strike(&qp->send, first, nr, 0);
}

static void trace_wr_abort(struct ibv_qp_ex *qpx)
{
	struct trace_qp *qp = wr_qp(qpx);
	struct trace_wr *wr = qp->building;
	uint64_t begin = trace_begin();
	uint32_t nr = wr->nr;

	wr_record(qp);
	wr_strike(qp, wr->first, nr);
	/* The provider lets other threads build requests. */
	wr->below.wr_abort(qpx);
	trace_call_unposted(TRACE_WR_ABORT, begin, qp, nr, 0);
}

struct trace_wr_list trace_wr_completing(struct trace_qp *qp)
{
	struct trace_wr_list list = {};

	if (!qp || !qp->building)
		return list;
	wr_record(qp);
	list.begin = trace_begin();
	list.first = qp->building->first;
	list.nr = qp->building->nr;
	return list;
}

void trace_wr_completed(struct trace_qp *qp, const struct trace_wr_list *list,
			int error)
{
	if (!list->begin)
		return;
	if (error) {
		trace_call_unposted(TRACE_WR_COMPLETE, list->begin, qp,
				    list->nr, -error);
		wr_strike(qp, list->first, list->nr);
		return;
	}
	trace_count(TRACE_WR_COMPLETE, list->begin);
}

/* ------------------------------------------------------------------------ */
/* Functions that begin a request                                            */
/* ------------------------------------------------------------------------ */

static void trace_wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, uint64_t compare,
				    uint64_t swap)
{
	wr_build(qpx, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr, 0)
		->wr_atomic_cmp_swp(qpx, rkey, remote_addr, compare, swap);
}

static void trace_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				      uint64_t remote_addr, uint64_t add)
{
	wr_build(qpx, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr, 0)
		->wr_atomic_fetch_add(qpx, rkey, remote_addr, add);
}

static void trace_wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw,
			     uint32_t rkey,
			     const struct ibv_mw_bind_info *bind_info)
{
	wr_build(qpx, IBV_WR_BIND_MW, rkey, 0, 0)
		->wr_bind_mw(qpx, mw, rkey, bind_info);
}

static void trace_wr_local_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	wr_build(qpx, IBV_WR_LOCAL_INV, rkey, 0, 0)->wr_local_inv(qpx, rkey);
}

static void trace_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			       uint64_t remote_addr)
{
	wr_build(qpx, IBV_WR_RDMA_READ, rkey, remote_addr, 0)
		->wr_rdma_read(qpx, rkey, remote_addr);
}

static void trace_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr)
{
	wr_build(qpx, IBV_WR_RDMA_WRITE, rkey, remote_addr, 0)
		->wr_rdma_write(qpx, rkey, remote_addr);
}

static void trace_wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, __be32 imm_data)
{
	wr_build(qpx, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr, 0)
		->wr_rdma_write_imm(qpx, rkey, remote_addr, imm_data);
}

static void trace_wr_send(struct ibv_qp_ex *qpx)
{
	wr_build(qpx, IBV_WR_SEND, 0, 0, 0)->wr_send(qpx);
}

static void trace_wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	wr_build(qpx, IBV_WR_SEND_WITH_IMM, 0, 0, 0)
		->wr_send_imm(qpx, imm_data);
}

static void trace_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	wr_build(qpx, IBV_WR_SEND_WITH_INV, rkey, 0, 0)->wr_send_inv(qpx, rkey);
}

static void trace_wr_send_tso(struct ibv_qp_ex *qpx, void *hdr, uint16_t hdr_sz,
			      uint16_t mss)
{
	wr_build(qpx, IBV_WR_TSO, 0, 0, hdr_sz)
		->wr_send_tso(qpx, hdr, hdr_sz, mss);
}

static void trace_wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				  uint64_t remote_addr, const void *value)
{
	wr_build(qpx, IBV_WR_ATOMIC_WRITE, rkey, remote_addr, 8)
		->wr_atomic_write(qpx, rkey, remote_addr, value);
}

static void trace_wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey,
			   uint64_t remote_addr, size_t len, uint8_t type,
			   uint8_t level)
{
	wr_build(qpx, IBV_WR_FLUSH, rkey, remote_addr, len)
		->wr_flush(qpx, rkey, remote_addr, len, type, level);
}

/* ------------------------------------------------------------------------ */
/* Functions that add data                                                   */
/* ------------------------------------------------------------------------ */

static void trace_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr,
				     size_t length)
{
	wr_add_bytes(qpx, length)->wr_set_inline_data(qpx, addr, length);
}

static void trace_wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t nr,
					  const struct ibv_data_buf *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += list[i].length;
	wr_add_bytes(qpx, bytes)->wr_set_inline_data_list(qpx, nr, list);
}

static void trace_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey,
			     uint64_t addr, uint32_t length)
{
	wr_add_bytes(qpx, length)->wr_set_sge(qpx, lkey, addr, length);
}

static void trace_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t nr,
				  const struct ibv_sge *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += list[i].length;
	wr_add_bytes(qpx, bytes)->wr_set_sge_list(qpx, nr, list);
}

static void trace_wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
				 uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct trace_wr *wr = wr_qp(qpx)->building;

	wr->record.key = remote_qpn;
	wr->below.wr_set_ud_addr(qpx, ah, remote_qpn, remote_qkey);
}

/* A function that the program did not request stays NULL. */
void trace_watch_wr(struct trace_qp *qp, struct ibv_qp_ex *qpx)
{
	if (!qp->building)
		qp->building = malloc(sizeof(*qp->building));
	if (!qp->building)
		return;
	qp->building->below = *qpx;
	qp->building->is_building = false;
	qp->building->nr = 0;
	LAYERS_REPLACE(qpx, trace, wr_start);
	LAYERS_REPLACE(qpx, trace, wr_abort);
	LAYERS_REPLACE(qpx, trace, wr_atomic_cmp_swp);
	LAYERS_REPLACE(qpx, trace, wr_atomic_fetch_add);
	LAYERS_REPLACE(qpx, trace, wr_bind_mw);
	LAYERS_REPLACE(qpx, trace, wr_local_inv);
	LAYERS_REPLACE(qpx, trace, wr_rdma_read);
	LAYERS_REPLACE(qpx, trace, wr_rdma_write);
	LAYERS_REPLACE(qpx, trace, wr_rdma_write_imm);
	LAYERS_REPLACE(qpx, trace, wr_send);
	LAYERS_REPLACE(qpx, trace, wr_send_imm);
	LAYERS_REPLACE(qpx, trace, wr_send_inv);
	LAYERS_REPLACE(qpx, trace, wr_send_tso);
	LAYERS_REPLACE(qpx, trace, wr_atomic_write);
	LAYERS_REPLACE(qpx, trace, wr_flush);
	LAYERS_REPLACE(qpx, trace, wr_set_inline_data);
	LAYERS_REPLACE(qpx, trace, wr_set_inline_data_list);
	LAYERS_REPLACE(qpx, trace, wr_set_sge);
	LAYERS_REPLACE(qpx, trace, wr_set_sge_list);
	LAYERS_REPLACE(qpx, trace, wr_set_ud_addr);
}
