/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of the extended API: the functions of struct ibv_qp_ex that begin a
 * request, or add SGEs or an address to it, are replaced. Between wr_start()
 * and wr_complete() the provider, or the program, excludes other threads, which
 * protects struct validate_wr. A request is entered into the tracker when the
 * next one begins, or before the list is posted.
 */
#include <stdlib.h>

#include "layers/validate/validate.h"

struct validate_wr {
	struct ibv_qp_ex below; /* functions of the layers below */
	struct ibv_send_wr wr;	/* the request that is being built */
	bool is_building;
	struct layers_request request; /* the same, for the tracker */
};

static struct layers_qp *built_record(struct ibv_qp_ex *qpx)
{
	return &layers_record_find(qpx)->qp;
}

static void wr_enter(struct layers_qp *record)
{
	struct validate_wr *built = record->validate.built;

	if (built->is_building)
		layers_track_add(&record->send, &built->request);
	built->is_building = false;
}

/* Return: the functions of the layers below. */
static const struct ibv_qp_ex *
wr_begin(struct ibv_qp_ex *qpx, enum ibv_wr_opcode opcode, uint64_t remote_addr)
{
	struct layers_qp *record = built_record(qpx);
	struct validate_wr *built = record->validate.built;
	bool is_signaled = record->send.signals_all ||
			   (qpx->wr_flags & IBV_SEND_SIGNALED);

	wr_enter(record);
	built->is_building = true;
	built->request = (struct layers_request){
		.wr_id = qpx->wr_id,
		.remote_addr = remote_addr,
		.opcode = (uint8_t)opcode,
		.state = is_signaled ? LAYERS_REQUEST_SIGNALED
				     : LAYERS_REQUEST_UNSIGNALED,
	};
	built->wr.wr_id = qpx->wr_id;
	built->wr.opcode = opcode;
	/* wr.rdma has the address at the same place. */
	built->wr.wr.atomic.remote_addr = remote_addr;
	return &built->below;
}

/* Checks SGEs. Return: as above. */
static const struct ibv_qp_ex *wr_set_sges(struct ibv_qp_ex *qpx, size_t nr,
					   const struct ibv_sge *sges)
{
	struct layers_qp *record = built_record(qpx);
	struct validate_wr *built = record->validate.built;
	struct ibv_send_wr wr = built->wr;

	/* The checks do not change the SGEs. */
	wr.sg_list = (struct ibv_sge *)(uintptr_t)sges;
	wr.num_sge = nr > INT32_MAX ? INT32_MAX : (int)nr;
	if (__builtin_expect(qpx->wr_flags & IBV_SEND_INLINE, 0))
		validate_built_inline(&qpx->qp_base, record, &wr);
	validate_built_data(&qpx->qp_base, record, &wr);
	if (nr <= record->cap.max_send_sge)
		layers_request_add_sges(&built->request, sges, (int)nr);
	return &built->below;
}

/* ------------------------------------------------------------------------ */
/* Functions that begin a request                                            */
/* ------------------------------------------------------------------------ */

static void validate_wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
				       uint64_t remote_addr, uint64_t compare,
				       uint64_t swap)
{
	wr_begin(qpx, IBV_WR_ATOMIC_CMP_AND_SWP, remote_addr)
		->wr_atomic_cmp_swp(qpx, rkey, remote_addr, compare, swap);
}

static void validate_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
					 uint64_t remote_addr, uint64_t add)
{
	wr_begin(qpx, IBV_WR_ATOMIC_FETCH_AND_ADD, remote_addr)
		->wr_atomic_fetch_add(qpx, rkey, remote_addr, add);
}

static void validate_wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw,
				uint32_t rkey,
				const struct ibv_mw_bind_info *bind_info)
{
	if (validate_bind_objects("ibv_wr_bind_mw", &qpx->qp_base, mw,
				  bind_info->mr))
		validate_bind(&qpx->qp_base, qpx->wr_id, bind_info);
	wr_begin(qpx, IBV_WR_BIND_MW, 0)->wr_bind_mw(qpx, mw, rkey, bind_info);
}

static void validate_wr_local_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	wr_begin(qpx, IBV_WR_LOCAL_INV, 0)->wr_local_inv(qpx, rkey);
}

static void validate_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
				  uint64_t remote_addr)
{
	wr_begin(qpx, IBV_WR_RDMA_READ, remote_addr)
		->wr_rdma_read(qpx, rkey, remote_addr);
}

static void validate_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				   uint64_t remote_addr)
{
	wr_begin(qpx, IBV_WR_RDMA_WRITE, remote_addr)
		->wr_rdma_write(qpx, rkey, remote_addr);
}

static void validate_wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
				       uint64_t remote_addr, __be32 imm_data)
{
	wr_begin(qpx, IBV_WR_RDMA_WRITE_WITH_IMM, remote_addr)
		->wr_rdma_write_imm(qpx, rkey, remote_addr, imm_data);
}

static void validate_wr_send(struct ibv_qp_ex *qpx)
{
	wr_begin(qpx, IBV_WR_SEND, 0)->wr_send(qpx);
}

static void validate_wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	wr_begin(qpx, IBV_WR_SEND_WITH_IMM, 0)->wr_send_imm(qpx, imm_data);
}

static void validate_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	wr_begin(qpx, IBV_WR_SEND_WITH_INV, 0)->wr_send_inv(qpx, rkey);
}

static void validate_wr_send_tso(struct ibv_qp_ex *qpx, void *hdr,
				 uint16_t hdr_sz, uint16_t mss)
{
	wr_begin(qpx, IBV_WR_TSO, 0)->wr_send_tso(qpx, hdr, hdr_sz, mss);
}

static void validate_wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				     uint64_t remote_addr, const void *value)
{
	wr_begin(qpx, IBV_WR_ATOMIC_WRITE, remote_addr)
		->wr_atomic_write(qpx, rkey, remote_addr, value);
}

static void validate_wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, size_t len, uint8_t type,
			      uint8_t level)
{
	wr_begin(qpx, IBV_WR_FLUSH, remote_addr)
		->wr_flush(qpx, rkey, remote_addr, len, type, level);
}

/* ------------------------------------------------------------------------ */
/* Functions that add SGEs or an address                                     */
/* ------------------------------------------------------------------------ */

static void validate_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey,
				uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	wr_set_sges(qpx, 1, &sge)->wr_set_sge(qpx, lkey, addr, length);
}

static void validate_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t nr,
				     const struct ibv_sge *list)
{
	wr_set_sges(qpx, nr, list)->wr_set_sge_list(qpx, nr, list);
}

static void validate_wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
				    uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct layers_qp *record = built_record(qpx);
	struct validate_wr *built = record->validate.built;
	struct ibv_send_wr wr = {
		.wr_id = built->wr.wr_id,
		.opcode = built->wr.opcode,
		.wr.ud = { ah, remote_qpn, remote_qkey },
	};

	validate_built_address(&qpx->qp_base, record, &wr);
	built->request.ah = ah;
	built->below.wr_set_ud_addr(qpx, ah, remote_qpn, remote_qkey);
}

/* ------------------------------------------------------------------------ */
/* The end of a list                                                         */
/* ------------------------------------------------------------------------ */

/* Requests that are not posted stay in the tracker, so it is in doubt. */
static void validate_wr_abort(struct ibv_qp_ex *qpx)
{
	struct layers_qp *record = built_record(qpx);

	record->validate.built->is_building = false;
	layers_track_miss(&record->send);
	record->validate.built->below.wr_abort(qpx);
}

void validate_wr_completing(struct layers_qp *record)
{
	if (record->validate.built)
		wr_enter(record);
	else
		layers_track_miss(&record->send);
}

void validate_wr_completed(const struct ibv_qp *qp, struct layers_qp *record,
			   int error)
{
	if (error)
		layers_track_miss(&record->send);
	if (__builtin_expect(VALIDATE_LOAD(record->validate.failed_status), 0))
		validate_failed_post(qp, record);
}

/* A function that the program did not request stays NULL. */
void validate_watch_wr(struct layers_qp *record, struct ibv_qp_ex *qpx)
{
	struct validate_wr *built = calloc(1, sizeof(*built));

	record->validate.built = built;
	if (!built)
		return;
	built->below = *qpx;
	LAYERS_REPLACE(qpx, validate, wr_abort);
	LAYERS_REPLACE(qpx, validate, wr_atomic_cmp_swp);
	LAYERS_REPLACE(qpx, validate, wr_atomic_fetch_add);
	LAYERS_REPLACE(qpx, validate, wr_bind_mw);
	LAYERS_REPLACE(qpx, validate, wr_local_inv);
	LAYERS_REPLACE(qpx, validate, wr_rdma_read);
	LAYERS_REPLACE(qpx, validate, wr_rdma_write);
	LAYERS_REPLACE(qpx, validate, wr_rdma_write_imm);
	LAYERS_REPLACE(qpx, validate, wr_send);
	LAYERS_REPLACE(qpx, validate, wr_send_imm);
	LAYERS_REPLACE(qpx, validate, wr_send_inv);
	LAYERS_REPLACE(qpx, validate, wr_send_tso);
	LAYERS_REPLACE(qpx, validate, wr_atomic_write);
	LAYERS_REPLACE(qpx, validate, wr_flush);
	LAYERS_REPLACE(qpx, validate, wr_set_sge);
	LAYERS_REPLACE(qpx, validate, wr_set_sge_list);
	LAYERS_REPLACE(qpx, validate, wr_set_ud_addr);
}
