/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of send WQEs, local operations, and encodings of times. */
#include "uroce/qp/uroce_sq.h"

#include "uroce/qp/uroce_atomic.h"

/* IBTA 9.7.6.1.3: 4.096 us * 2^n */
#define TIMEOUT_UNIT_NS UINT64_C(4096)

/* QP types that support an opcode, one bit each: IBTA 9.2.1, table 36. */
#define RC (1 << 0)
#define UC (1 << 1)
#define UD (1 << 2)

struct operation {
	uint8_t kind; /* enum uroce_sq_kind */
	uint8_t types;
};

static const struct operation operations[] = {
	[IBV_WR_RDMA_WRITE] = { UROCE_SQ_WRITE, RC | UC },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { UROCE_SQ_WRITE, RC | UC },
	[IBV_WR_SEND] = { UROCE_SQ_SEND, RC | UC | UD },
	[IBV_WR_SEND_WITH_IMM] = { UROCE_SQ_SEND, RC | UC | UD },
	[IBV_WR_RDMA_READ] = { UROCE_SQ_READ, RC },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { UROCE_SQ_ATOMIC, RC },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { UROCE_SQ_ATOMIC, RC },
	[IBV_WR_LOCAL_INV] = { UROCE_SQ_LOCAL, RC | UC },
	[IBV_WR_BIND_MW] = { UROCE_SQ_LOCAL, RC | UC },
	[IBV_WR_SEND_WITH_INV] = { UROCE_SQ_SEND, RC },
	[IBV_WR_FLUSH] = { UROCE_SQ_FLUSH, RC },
	[IBV_WR_ATOMIC_WRITE] = { UROCE_SQ_ATOMIC_WRITE, RC },
};

static struct operation operation_of(const struct uroce_send_wqe *wqe)
{
	static const struct operation none;

	if (wqe->opcode >= sizeof(operations) / sizeof(operations[0]))
		return none;
	return operations[wqe->opcode];
}

static uint8_t type_bit(const struct uroce_qp *qp)
{
	if (qp->type == IBV_QPT_RC)
		return RC;
	return qp->type == IBV_QPT_UC ? UC : UD;
}

enum uroce_sq_kind uroce_sq_kind(const struct uroce_send_wqe *wqe)
{
	return (enum uroce_sq_kind)operation_of(wqe).kind;
}

bool uroce_sq_is_local(const struct uroce_send_wqe *wqe)
{
	return operation_of(wqe).kind == UROCE_SQ_LOCAL;
}

bool uroce_sq_has_response(const struct uroce_send_wqe *wqe)
{
	uint8_t kind = operation_of(wqe).kind;

	return kind == UROCE_SQ_READ || kind == UROCE_SQ_ATOMIC ||
	       kind == UROCE_SQ_FLUSH || kind == UROCE_SQ_ATOMIC_WRITE;
}

static bool sq_length_is_valid(const struct uroce_qp *qp,
			       const struct uroce_send_wqe *wqe)
{
	uint8_t kind = operation_of(wqe).kind;

	if (kind == UROCE_SQ_ATOMIC || kind == UROCE_SQ_ATOMIC_WRITE)
		return wqe->length == UROCE_ATOMIC_BYTES;
	if (qp->type == IBV_QPT_UD)
		return wqe->length <= qp->mtu; /* 9.8.3: one packet */
	return wqe->length <= UROCE_MAX_MESSAGE;
}

enum ibv_wc_status uroce_sq_check(const struct uroce_qp *qp,
				  const struct uroce_send_wqe *wqe)
{
	if (!(operation_of(wqe).types & type_bit(qp)))
		return IBV_WC_LOC_QP_OP_ERR;
	if (uroce_sq_has_response(wqe) && !qp->max_rd_atomic)
		return IBV_WC_LOC_QP_OP_ERR;
	return sq_length_is_valid(qp, wqe) ? IBV_WC_SUCCESS
					   : IBV_WC_LOC_LEN_ERR;
}

enum ibv_wc_status uroce_sq_execute_local(const struct uroce_qp *qp,
					  const struct uroce_send_wqe *wqe)
{
	struct uroce_memory *memory = qp->core->memory;
	struct uroce_bind bind = {
		.window_key = wqe->bind.window_key,
		.new_tag = wqe->bind.new_key,
		.memory_key = wqe->bind.memory_key,
		.access = wqe->bind.access,
		.va = wqe->bind.va,
		.bytes = wqe->bind.bytes,
		.pd = qp->pd,
		.qpn = qp->qpn,
	};
	uint32_t key;

	if (wqe->opcode == IBV_WR_BIND_MW)
		return uroce_window_bind(memory, &bind, &key)
			       ? IBV_WC_MW_BIND_ERR
			       : IBV_WC_SUCCESS;
	return uroce_window_invalidate(memory, wqe->inv_rkey, qp->pd, qp->qpn)
		       ? IBV_WC_LOC_QP_OP_ERR
		       : IBV_WC_SUCCESS;
}

uint64_t uroce_sq_rnr_ns(uint8_t timer)
{
	/* IBTA 9.7.5.2.8, table 45, in units of 10 us */
	static const uint32_t units[32] = {
		65536, 1,    2,	   3,	  4,	 6,	8,     12,
		16,    24,   32,   48,	  64,	 96,	128,   192,
		256,   384,  512,  768,	  1024,	 1536,	2048,  3072,
		4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152
	};

	return units[timer & 31] * UINT64_C(10000);
}

uint64_t uroce_sq_timeout_ns(uint8_t timeout)
{
	return timeout ? TIMEOUT_UNIT_NS << (timeout & 31) : UROCE_NEVER;
}
