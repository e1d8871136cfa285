/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes in posts. The QPs of the fixture have 8 WQEs with 2 SGEs. */
#include "libibverbs/layers/validate_steps.h"

/* The provider refuses the mistake. Without it, the request succeeds. */
static void post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, bool mistake)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(qp, wr, &bad) != 0, mistake);
	if (!mistake)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
}

static void post_recv(struct ibv_qp *qp, bool mistake)
{
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad) != 0, mistake);
}

static void step_PO_004(bool mistake)
{
	struct ibv_sge sges[3] = { step_sge(8), step_sge(8), step_sge(8) };
	struct ibv_send_wr wr = step_write(&sges[0]);

	wr.num_sge = mistake ? 3 : 2;
	post_send(fixture.left, &wr, mistake);
}

static void step_PO_005(bool mistake)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp_attr attr;
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_int_equal(
		ibv_query_qp(fixture.left, &attr, IBV_QP_CAP, &init_attr), 0);
	wr.send_flags |= IBV_SEND_INLINE;
	sge.length = init_attr.cap.max_inline_data + (mistake ? 1 : 0);
	post_send(fixture.left, &wr, mistake);
}

static void step_PO_006(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	wr.opcode = IBV_WR_RDMA_READ;
	if (mistake)
		wr.send_flags |= IBV_SEND_INLINE;
	post_send(fixture.left, &wr, mistake);
}

static void step_PO_010(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	if (mistake)
		wr.opcode = (enum ibv_wr_opcode)200;
	post_send(fixture.left, &wr, mistake);
}

static void step_QP_008(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	if (!mistake)
		fixture_to_rts(qp);
	post_send(qp, &wr, mistake);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_QP_009(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);

	if (!mistake)
		fixture_to_init(qp);
	post_recv(qp, mistake);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_SR_002(bool mistake)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 8, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(fixture.pd, &srq_attr);
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.srq = mistake ? srq : NULL,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_non_null(qp);
	fixture_to_init(qp);
	post_recv(qp, mistake);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

/* ------------------------------------------------------------------------ */
/* Datagrams                                                                 */
/* ------------------------------------------------------------------------ */

static void datagram_end(struct step_datagram *step, bool mistake)
{
	post_send(step->qp, &step->wr, mistake);
	step_datagram_end(step);
}

static void step_UD_003(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	if (mistake)
		step.wr.wr.ud.ah = NULL;
	datagram_end(&step, mistake);
}

static void step_PO_009(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	if (mistake)
		step.wr.opcode = IBV_WR_RDMA_READ;
	datagram_end(&step, mistake);
}

/* An address handle of another domain, or of a parent domain of the QP's. */
static void step_UD_003_domain(bool mistake)
{
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);
	struct ibv_parent_domain_init_attr init_attr = { .pd = fixture.pd };
	struct ibv_pd *parent =
		ibv_alloc_parent_domain(fixture.ctx, &init_attr);
	struct step_datagram step;
	struct ibv_ah *ah, *own;
	int mask;
	struct ibv_qp_attr attr = validate_step_attr(IBV_QPS_RTR, &mask);

	assert_non_null(pd);
	assert_non_null(parent);
	step_datagram_begin(&step);
	ah = ibv_create_ah(mistake ? pd : parent, &attr.ah_attr);
	assert_non_null(ah);
	own = step.ah;
	step.wr.wr.ud.ah = ah;
	post_send(step.qp, &step.wr, false);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	step.ah = own;
	step_datagram_end(&step);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

const struct validate_step validate_steps_posts[] = {
	VALIDATE_VARIANT(UD, 003, domain),
	VALIDATE_STEP(PO, 004),
	VALIDATE_STEP(PO, 005),
	VALIDATE_STEP(PO, 006),
	VALIDATE_STEP(PO, 009),
	VALIDATE_STEP(PO, 010),
	VALIDATE_STEP(QP, 008),
	VALIDATE_STEP(QP, 009),
	VALIDATE_STEP(SR, 002),
	VALIDATE_STEP(UD, 003),
	{ .rule = LAYERS_RULE_NONE },
};
