/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of struct ibv_qp_ex that begin a request or complete it: see
 * fault_wr.h. One that cannot be collected makes wr_complete fail.
 */
#include <errno.h>
#include <string.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_wr.h"

/* Takes the place of a request for which there is no room. */
static _Thread_local struct ibv_send_wr surplus;

static struct fault_wr *build_of(struct ibv_qp_ex *qpx)
{
	return fault_object_find(qpx)->wr;
}

static struct ibv_send_wr *build_add(struct ibv_qp_ex *qpx,
				     enum ibv_wr_opcode opcode)
{
	struct fault_wr *built = build_of(qpx);
	struct ibv_send_wr *wr = &surplus;

	if (built->nr < built->max_wr)
		wr = &built->wrs[built->nr++];
	else
		built->error = ENOMEM;
	*wr = (struct ibv_send_wr){
		.wr_id = qpx->wr_id,
		.opcode = opcode,
		.send_flags = qpx->wr_flags & ~(unsigned int)IBV_SEND_INLINE,
	};
	return wr;
}

static struct ibv_send_wr *build_add_rdma(struct ibv_qp_ex *qpx,
					  enum ibv_wr_opcode opcode,
					  uint32_t rkey, uint64_t remote_addr)
{
	struct ibv_send_wr *wr = build_add(qpx, opcode);

	wr->wr.rdma.remote_addr = remote_addr;
	wr->wr.rdma.rkey = rkey;
	return wr;
}

static void build_add_atomic(struct ibv_qp_ex *qpx, enum ibv_wr_opcode opcode,
			     uint32_t rkey, uint64_t remote_addr,
			     uint64_t compare_add, uint64_t swap)
{
	struct ibv_send_wr *wr = build_add(qpx, opcode);

	wr->wr.atomic.remote_addr = remote_addr;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}

/* ------------------------------------------------------------------------ */
/* Functions that begin a request                                            */
/* ------------------------------------------------------------------------ */

static void build_wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, uint64_t compare,
				    uint64_t swap)
{
	build_add_atomic(qpx, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr,
			 compare, swap);
}

static void build_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				      uint64_t remote_addr, uint64_t add)
{
	build_add_atomic(qpx, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr,
			 add, 0);
}

static void build_wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw,
			     uint32_t rkey,
			     const struct ibv_mw_bind_info *bind_info)
{
	struct ibv_send_wr *wr = build_add(qpx, IBV_WR_BIND_MW);

	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = rkey;
	wr->bind_mw.bind_info = *bind_info;
}

static void build_wr_local_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	build_add(qpx, IBV_WR_LOCAL_INV)->invalidate_rkey = rkey;
}

static void build_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			       uint64_t remote_addr)
{
	(void)build_add_rdma(qpx, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void build_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr)
{
	(void)build_add_rdma(qpx, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void build_wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, __be32 imm_data)
{
	build_add_rdma(qpx, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr)
		->imm_data = imm_data;
}

static void build_wr_send(struct ibv_qp_ex *qpx)
{
	(void)build_add(qpx, IBV_WR_SEND);
}

static void build_wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	build_add(qpx, IBV_WR_SEND_WITH_IMM)->imm_data = imm_data;
}

static void build_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	build_add(qpx, IBV_WR_SEND_WITH_INV)->invalidate_rkey = rkey;
}

/* ------------------------------------------------------------------------ */
/* Functions that complete a request                                         */
/* ------------------------------------------------------------------------ */

/* Return: the request that was begun last. */
static struct ibv_send_wr *build_last(const struct fault_wr *built)
{
	return built->nr && !built->error ? &built->wrs[built->nr - 1]
					  : &surplus;
}

static void build_wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
				 uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct ibv_send_wr *wr = build_last(build_of(qpx));

	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = remote_qpn;
	wr->wr.ud.remote_qkey = remote_qkey;
}

static void build_wr_set_xrc_srqn(struct ibv_qp_ex *qpx, uint32_t remote_srqn)
{
	build_last(build_of(qpx))->qp_type.xrc.remote_srqn = remote_srqn;
}

static void build_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t nr,
				  const struct ibv_sge *list)
{
	struct fault_wr *built = build_of(qpx);
	struct ibv_send_wr *wr = build_last(built);

	if (nr > built->max_sge) {
		built->error = EINVAL;
		return;
	}
	if (wr == &surplus)
		return;
	wr->sg_list = &built->sges[(size_t)(wr - built->wrs) * built->max_sge];
	wr->num_sge = (int)nr;
	if (nr)
		memcpy(wr->sg_list, list, nr * sizeof(*list));
}

static void build_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey,
			     uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	build_wr_set_sge_list(qpx, 1, &sge);
}

/* The program may change the data before wr_complete. */
static void build_wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t nr,
					  const struct ibv_data_buf *list)
{
	struct fault_wr *built = build_of(qpx);
	struct ibv_send_wr *wr = build_last(built);
	struct ibv_sge sge = {};
	uint8_t *to;

	if (wr == &surplus)
		return;
	to = built->inline_data + (size_t)(wr - built->wrs) * built->max_inline;
	sge.addr = (uintptr_t)to;
	for (size_t i = 0; i < nr; i++) {
		if (list[i].length > built->max_inline - sge.length) {
			built->error = EINVAL;
			return;
		}
		if (list[i].length)
			memcpy(to + sge.length, list[i].addr, list[i].length);
		sge.length += (uint32_t)list[i].length;
	}
	build_wr_set_sge_list(qpx, 1, &sge);
	wr->send_flags |= IBV_SEND_INLINE;
}

static void build_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr,
				     size_t length)
{
	const struct ibv_data_buf buf = { addr, length };

	build_wr_set_inline_data_list(qpx, 1, &buf);
}

void fault_wr_replace_builders(struct ibv_qp_ex *qpx)
{
	LAYERS_REPLACE(qpx, build, wr_atomic_cmp_swp);
	LAYERS_REPLACE(qpx, build, wr_atomic_fetch_add);
	LAYERS_REPLACE(qpx, build, wr_bind_mw);
	LAYERS_REPLACE(qpx, build, wr_local_inv);
	LAYERS_REPLACE(qpx, build, wr_rdma_read);
	LAYERS_REPLACE(qpx, build, wr_rdma_write);
	LAYERS_REPLACE(qpx, build, wr_rdma_write_imm);
	LAYERS_REPLACE(qpx, build, wr_send);
	LAYERS_REPLACE(qpx, build, wr_send_imm);
	LAYERS_REPLACE(qpx, build, wr_send_inv);
	LAYERS_REPLACE(qpx, build, wr_set_ud_addr);
	LAYERS_REPLACE(qpx, build, wr_set_xrc_srqn);
	LAYERS_REPLACE(qpx, build, wr_set_inline_data);
	LAYERS_REPLACE(qpx, build, wr_set_inline_data_list);
	LAYERS_REPLACE(qpx, build, wr_set_sge);
	LAYERS_REPLACE(qpx, build, wr_set_sge_list);
}

/* ------------------------------------------------------------------------ */
/* The provider's functions                                                  */
/* ------------------------------------------------------------------------ */

static void replay_begin(const struct ibv_qp_ex *below, struct ibv_qp_ex *qpx,
			 const struct ibv_send_wr *wr)
{
	uint64_t remote_addr = wr->wr.rdma.remote_addr;
	uint32_t rkey = wr->wr.rdma.rkey;

	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		below->wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey, remote_addr,
					 wr->wr.atomic.compare_add,
					 wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		below->wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, remote_addr,
					   wr->wr.atomic.compare_add);
		break;
	case IBV_WR_BIND_MW:
		below->wr_bind_mw(qpx, wr->bind_mw.mw, wr->bind_mw.rkey,
				  &wr->bind_mw.bind_info);
		break;
	case IBV_WR_LOCAL_INV:
		below->wr_local_inv(qpx, wr->invalidate_rkey);
		break;
	case IBV_WR_RDMA_READ:
		below->wr_rdma_read(qpx, rkey, remote_addr);
		break;
	case IBV_WR_RDMA_WRITE:
		below->wr_rdma_write(qpx, rkey, remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		below->wr_rdma_write_imm(qpx, rkey, remote_addr, wr->imm_data);
		break;
	case IBV_WR_SEND_WITH_IMM:
		below->wr_send_imm(qpx, wr->imm_data);
		break;
	case IBV_WR_SEND_WITH_INV:
		below->wr_send_inv(qpx, wr->invalidate_rkey);
		break;
	default:
		below->wr_send(qpx);
	}
}

static void replay_complete(const struct ibv_qp_ex *below,
			    struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	if (qpx->qp_base.qp_type == IBV_QPT_UD)
		below->wr_set_ud_addr(qpx, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				      wr->wr.ud.remote_qkey);
	if (qpx->qp_base.qp_type == IBV_QPT_XRC_SEND)
		below->wr_set_xrc_srqn(qpx, wr->qp_type.xrc.remote_srqn);
	if (wr->send_flags & IBV_SEND_INLINE)
		below->wr_set_inline_data(
			qpx, (void *)(uintptr_t)wr->sg_list[0].addr,
			wr->sg_list[0].length);
	else if (wr->num_sge)
		below->wr_set_sge_list(qpx, (size_t)wr->num_sge, wr->sg_list);
}

/* wr_id and wr_flags belong to the program. */
int fault_wr_replay(const struct fault_wr *wr, struct ibv_qp_ex *qpx)
{
	uint64_t wr_id = qpx->wr_id;
	unsigned int wr_flags = qpx->wr_flags;

	wr->below.wr_start(qpx);
	for (uint32_t i = 0; i < wr->nr; i++) {
		replay_begin(&wr->below, qpx, &wr->wrs[i]);
		replay_complete(&wr->below, qpx, &wr->wrs[i]);
	}
	qpx->wr_id = wr_id;
	qpx->wr_flags = wr_flags;
	return wr->below.wr_complete(qpx);
}
