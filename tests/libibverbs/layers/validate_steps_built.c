/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes in requests of the extended API. */
#include <stdlib.h>

#include "libibverbs/layers/validate_steps.h"

#define ALL_OPS                                                       \
	((uint64_t)(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | \
		    IBV_QP_EX_WITH_RDMA_READ))

static struct ibv_qp *new_qp_to_itself(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = fixture.pd,
		.send_ops_flags = type == IBV_QPT_UD ? IBV_QP_EX_WITH_SEND
						     : ALL_OPS,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(fixture.ctx, &attr);

	assert_non_null(qp);
	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	return qp;
}

static void begin(struct ibv_qp *qp)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	qpx->wr_id = 7;
	qpx->wr_flags = IBV_SEND_SIGNALED;
}

static void end(struct ibv_qp *qp, bool mistake, enum ibv_wc_status status)
{
	assert_int_equal(ibv_wr_complete(ibv_qp_to_qp_ex(qp)), 0);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? status : IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_KY_001_built(bool mistake)
{
	struct ibv_qp *qp = new_qp_to_itself(IBV_QPT_RC);

	begin(qp);
	ibv_wr_rdma_write(ibv_qp_to_qp_ex(qp), fixture.mr->rkey,
			  (uintptr_t)fixture.memory);
	ibv_wr_set_sge(ibv_qp_to_qp_ex(qp),
		       fixture.mr->lkey + (mistake ? 0x1000 : 0),
		       (uintptr_t)fixture.memory, 8);
	end(qp, mistake, IBV_WC_LOC_PROT_ERR);
}

static void step_KY_005_built(bool mistake)
{
	struct ibv_qp *qp = new_qp_to_itself(IBV_QPT_RC);
	struct ibv_sge sges[2] = { step_sge(8), step_sge(8) };

	if (mistake)
		sges[1].addr += FIXTURE_BYTES;
	begin(qp);
	ibv_wr_rdma_write(ibv_qp_to_qp_ex(qp), fixture.mr->rkey,
			  (uintptr_t)fixture.memory);
	ibv_wr_set_sge_list(ibv_qp_to_qp_ex(qp), 2, sges);
	end(qp, mistake, IBV_WC_LOC_PROT_ERR);
}

static void step_KY_006_built(bool mistake)
{
	struct ibv_qp *qp = new_qp_to_itself(IBV_QPT_RC);
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 8,
				       mistake ? 0 : IBV_ACCESS_LOCAL_WRITE);

	assert_non_null(mr);
	begin(qp);
	ibv_wr_rdma_read(ibv_qp_to_qp_ex(qp), fixture.mr->rkey,
			 (uintptr_t)fixture.memory);
	ibv_wr_set_sge(ibv_qp_to_qp_ex(qp), mr->lkey, (uintptr_t)fixture.memory,
		       8);
	end(qp, mistake, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* The destination does not exist, so the datagram is lost. */
static void step_UD_003_built(bool mistake)
{
	struct ibv_qp *qp = new_qp_to_itself(IBV_QPT_UD);
	struct step_datagram other;

	step_datagram_begin(&other);
	begin(qp);
	ibv_wr_send(ibv_qp_to_qp_ex(qp));
	ibv_wr_set_ud_addr(ibv_qp_to_qp_ex(qp), other.ah,
			   mistake ? UINT32_C(1) << 24 : qp->qp_num, 0x1234);
	ibv_wr_set_sge(ibv_qp_to_qp_ex(qp), fixture.mr->lkey,
		       (uintptr_t)fixture.memory, 8);
	end(qp, false, IBV_WC_SUCCESS);
	step_datagram_end(&other);
}

static void step_EX_007(bool mistake)
{
	struct ibv_qp *qp = new_qp_to_itself(IBV_QPT_RC);

	begin(qp);
	if (mistake)
		ibv_qp_to_qp_ex(qp)->wr_flags |= IBV_SEND_INLINE;
	ibv_wr_rdma_write(ibv_qp_to_qp_ex(qp), fixture.mr->rkey,
			  (uintptr_t)fixture.memory);
	ibv_wr_set_sge(ibv_qp_to_qp_ex(qp), fixture.mr->lkey,
		       (uintptr_t)fixture.memory, 8);
	end(qp, false, IBV_WC_SUCCESS);
}

const struct validate_step validate_steps_built[] = {
	VALIDATE_STEP(EX, 007),		  VALIDATE_VARIANT(KY, 001, built),
	VALIDATE_VARIANT(KY, 005, built), VALIDATE_VARIANT(KY, 006, built),
	VALIDATE_VARIANT(UD, 003, built), { .rule = LAYERS_RULE_NONE },
};
