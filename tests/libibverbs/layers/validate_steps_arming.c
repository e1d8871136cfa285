/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes with completion events: a queue is armed too late, or not again. */
#include "libibverbs/layers/validate_steps.h"

struct arming {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq; /* of the messages that the right QP receives */
	struct ibv_qp *left, *right;
	int clock_s;
};

static struct ibv_qp *arming_new_qp(struct ibv_cq *recv_cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = recv_cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_non_null(qp);
	return qp;
}

static void arming_begin(struct arming *arming)
{
	arming->channel = ibv_create_comp_channel(fixture.ctx);
	arming->cq = ibv_create_cq(fixture.ctx, 8, NULL, arming->channel, 0);
	assert_non_null(arming->cq);
	arming->left = arming_new_qp(fixture.cq);
	arming->right = arming_new_qp(arming->cq);
	fixture_connect(arming->left, arming->right);
	arming->clock_s = 0;
}

static void arming_end(const struct arming *arming)
{
	step_set_clock(0);
	assert_int_equal(ibv_destroy_qp(arming->left), 0);
	assert_int_equal(ibv_destroy_qp(arming->right), 0);
	assert_int_equal(ibv_destroy_cq(arming->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(arming->channel), 0);
}

static void arming_wait(struct arming *arming)
{
	arming->clock_s += 2;
	step_set_clock(arming->clock_s);
}

/* The peer has acknowledged it, so its completion exists. */
static void arming_send(const struct arming *arming, unsigned int flags)
{
	struct ibv_sge sge, recv_sge = step_sge(64);
	struct ibv_recv_wr recv = { .sg_list = &recv_sge, .num_sge = 1 };
	struct ibv_send_wr wr = step_write(&sge), *bad;
	struct ibv_recv_wr *bad_recv;

	assert_int_equal(ibv_post_recv(arming->right, &recv, &bad_recv), 0);
	wr.opcode = IBV_WR_SEND;
	wr.send_flags |= flags;
	assert_int_equal(ibv_post_send(arming->left, &wr, &bad), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
}

static void arming_arm(const struct arming *arming, bool solicited_only)
{
	assert_int_equal(ibv_req_notify_cq(arming->cq, solicited_only), 0);
}

static void arming_poll(const struct arming *arming, int nr)
{
	struct ibv_wc wc[8];

	assert_int_equal(ibv_poll_cq(arming->cq, 8, wc), nr);
}

static void arming_take_event(const struct arming *arming)
{
	struct ibv_cq *cq;
	void *unused;

	assert_int_equal(ibv_get_cq_event(arming->channel, &cq, &unused), 0);
	assert_ptr_equal(cq, arming->cq);
	ibv_ack_cq_events(cq, 1);
}

/* The control polls the queue after it armed it. */
static void step_CQ_007(bool mistake)
{
	struct arming arming;

	arming_begin(&arming);
	arming_send(&arming, 0);
	arming_arm(&arming, false);
	if (!mistake)
		arming_poll(&arming, 1);
	arming_wait(&arming);
	arming_poll(&arming, mistake ? 1 : 0);
	arming_wait(&arming);
	arming_poll(&arming, 0);
	arming_end(&arming);
}

/* In the control, the event is in the channel. */
static void step_CQ_007_event(bool mistake)
{
	struct arming arming;

	arming_begin(&arming);
	if (mistake)
		arming_send(&arming, 0);
	arming_arm(&arming, false);
	if (!mistake)
		arming_send(&arming, 0);
	arming_wait(&arming);
	arming_poll(&arming, 1);
	arming_wait(&arming);
	arming_arm(&arming, false);
	if (!mistake)
		arming_take_event(&arming);
	arming_end(&arming);
}

static void step_CQ_008(bool mistake)
{
	struct arming arming;

	arming_begin(&arming);
	arming_arm(&arming, false);
	for (int i = 0; i < 3; i++) {
		arming_send(&arming, 0);
		if (i > 0)
			arming_wait(&arming);
		if (i == 0 || !mistake)
			arming_take_event(&arming);
		if (!mistake)
			arming_arm(&arming, false);
		arming_poll(&arming, 1);
		arming_poll(&arming, 0);
	}
	arming_end(&arming);
}

static void step_CQ_009(bool mistake)
{
	struct arming arming;

	arming_begin(&arming);
	arming_arm(&arming, true);
	arming_send(&arming, mistake ? 0 : IBV_SEND_SOLICITED);
	arming_wait(&arming);
	arming_poll(&arming, 1);
	arming_wait(&arming);
	arming_poll(&arming, 0);
	if (!mistake)
		arming_take_event(&arming);
	arming_end(&arming);
}

const struct validate_step validate_steps_arming[] = {
	VALIDATE_STEP(CQ, 007),	      VALIDATE_VARIANT(CQ, 007, event),
	VALIDATE_STEP(CQ, 008),	      VALIDATE_STEP(CQ, 009),
	{ .rule = LAYERS_RULE_NONE },
};
