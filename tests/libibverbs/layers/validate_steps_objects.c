/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes when objects are made and destroyed. */
#include "libibverbs/layers/validate_steps.h"

#include <errno.h>
#include <sys/mman.h>

#define PAGE 4096

static void step_CQ_010(bool mistake)
{
	struct ibv_cq *cq =
		ibv_create_cq(fixture.ctx, 8, NULL, NULL, mistake ? 1000 : 0);

	assert_int_equal(cq == NULL, mistake);
	if (cq)
		assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void step_QP_012(bool mistake)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { mistake ? 1U << 30 : 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_int_equal(qp == NULL, mistake);
	if (qp)
		assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_SR_005(bool mistake)
{
	struct ibv_srq_init_attr attr = { .attr = { 8, 1, 0 } };
	struct ibv_srq *srq;

	if (mistake)
		attr.attr.max_wr = 1U << 30;
	srq = ibv_create_srq(fixture.pd, &attr);
	assert_int_equal(srq == NULL, mistake);
	if (srq)
		assert_int_equal(ibv_destroy_srq(srq), 0);
}

static void register_memory(void *addr, size_t length, int access, bool mistake)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, addr, length, access);

	assert_int_equal(mr == NULL, mistake);
	if (mr)
		assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_KY_008(bool mistake)
{
	register_memory(fixture.memory, 8,
			IBV_ACCESS_REMOTE_WRITE |
				(mistake ? 0 : IBV_ACCESS_LOCAL_WRITE),
			mistake);
}

static void step_KY_009(bool mistake)
{
	uint8_t *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(munmap(memory + PAGE, PAGE), 0);
	register_memory(memory, mistake ? 2 * PAGE : PAGE,
			IBV_ACCESS_LOCAL_WRITE, mistake);
	assert_int_equal(munmap(memory, PAGE), 0);
}

/* ------------------------------------------------------------------------ */
/* Lifetime                                                                  */
/* ------------------------------------------------------------------------ */

static void step_LT_001(bool mistake)
{
	struct ibv_context *ctx = fixture_open();
	static struct ibv_cq *cq; /* for sanitizers: it has a pointer */

	cq = ibv_create_cq(ctx, 8, NULL, NULL, 0);
	assert_non_null(cq);
	if (!mistake)
		assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void step_LT_002(bool mistake)
{
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, fixture.memory, 8, 0);

	assert_non_null(mr);
	if (mistake)
		assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(pd, &attr);
}

static void step_LT_003_call(bool mistake)
{
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 8, NULL, NULL, 0);
	struct ibv_qp *qp;

	assert_non_null(cq);
	if (mistake)
		assert_int_equal(ibv_destroy_cq(cq), 0);
	qp = create_qp(fixture.pd, cq);
	if (mistake) {
		assert_null(qp);
		assert_int_equal(errno, EINVAL);
		return;
	}
	assert_non_null(qp);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void step_LT_003_twice(bool mistake)
{
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);

	assert_non_null(pd);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	if (mistake)
		assert_int_equal(ibv_dealloc_pd(pd), EINVAL);
}

static void step_LT_008_call(bool mistake)
{
	struct ibv_context *ctx = fixture_open();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_qp *qp;

	assert_non_null(pd);
	qp = create_qp(mistake ? pd : fixture.pd, fixture.cq);
	assert_int_equal(qp == NULL, mistake);
	if (qp)
		assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                    */
/* ------------------------------------------------------------------------ */

static void step_CQ_006(bool mistake)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(fixture.ctx);
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 8, NULL,
					  mistake ? NULL : channel, 0);

	assert_non_null(cq);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
}

/* A QP with the CQ, which is connected to itself. */
static struct ibv_qp *new_qp_with_cq(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_non_null(qp);
	step_connect_to_itself(qp);
	return qp;
}

static void step_EV_003(bool mistake)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(fixture.ctx);
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 8, NULL, channel, 0);
	struct ibv_qp *qp = new_qp_with_cq(cq);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge), *bad;
	struct ibv_cq *event_cq;
	void *context;

	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	assert_int_equal(ibv_get_cq_event(channel, &event_cq, &context), 0);
	ibv_ack_cq_events(cq, mistake ? 2 : 1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
}

/* The mistake: 8 completions do not fit into the CQ. */
static void step_CQ_003(bool mistake)
{
	struct ibv_cq *cq =
		ibv_create_cq(fixture.ctx, mistake ? 1 : 8, NULL, NULL, 0);
	struct ibv_qp *qp = new_qp_with_cq(cq);
	struct ibv_async_event event;
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge), *bad;

	assert_true(!mistake || cq->cqe < 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	if (mistake) {
		assert_int_equal(ibv_get_async_event(fixture.ctx, &event), 0);
		assert_int_equal(event.event_type, IBV_EVENT_CQ_ERR);
		ibv_ack_async_event(&event);
	} else {
		assert_int_equal(fixture_poll(cq).status, IBV_WC_SUCCESS);
	}
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void step_AD_008(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);
	const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 1 } };

	fixture_to_init(qp);
	assert_int_equal(
		ibv_attach_mcast(mistake ? fixture.left : qp, &group, 0),
		mistake ? EINVAL : 0);
	if (!mistake)
		assert_int_equal(ibv_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

const struct validate_step validate_steps_objects[] = {
	VALIDATE_STEP(AD, 008),		  VALIDATE_STEP(CQ, 003),
	VALIDATE_STEP(CQ, 006),		  VALIDATE_STEP(EV, 003),
	VALIDATE_STEP(CQ, 010),		  VALIDATE_STEP(KY, 008),
	VALIDATE_STEP(KY, 009),		  VALIDATE_STEP(LT, 001),
	VALIDATE_STEP(LT, 002),		  VALIDATE_VARIANT(LT, 003, call),
	VALIDATE_VARIANT(LT, 003, twice), VALIDATE_VARIANT(LT, 008, call),
	VALIDATE_STEP(QP, 012),		  VALIDATE_STEP(SR, 005),
	{ .rule = LAYERS_RULE_NONE },
};
