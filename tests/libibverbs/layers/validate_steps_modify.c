/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes in calls of ibv_modify_qp(), and in address vectors. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libibverbs/layers/validate_steps.h"

#define INIT_MASK \
	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR_MASK                                                        \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                            \
	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | \
	 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

struct ibv_qp_attr validate_step_attr(enum ibv_qp_state state,
				      int *ret_attr_mask)
{
	struct ibv_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = fixture.left->qp_num,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};

	attr.ah_attr.grh.sgid_index = fixture_gid_index();
	assert_int_equal(ibv_query_gid(fixture.ctx, 1, fixture_gid_index(),
				       &attr.ah_attr.grh.dgid),
			 0);
	*ret_attr_mask = state == IBV_QPS_INIT	? INIT_MASK
			 : state == IBV_QPS_RTR ? RTR_MASK
						: RTS_MASK;
	return attr;
}

/* A new QP, the attributes of the step to test, and its expected result. */
struct modify_step {
	struct ibv_qp *qp;
	struct ibv_qp_attr attr;
	int mask;
};

static struct modify_step modify_begin(enum ibv_qp_state state)
{
	struct modify_step step = { fixture_new_qp(IBV_QPT_RC), {}, 0 };

	for (int before = IBV_QPS_INIT; before < (int)state; before++) {
		step.attr = validate_step_attr((enum ibv_qp_state)before,
					       &step.mask);
		assert_int_equal(ibv_modify_qp(step.qp, &step.attr, step.mask),
				 0);
	}
	step.attr = validate_step_attr(state, &step.mask);
	return step;
}

/* The provider refuses the mistake. */
static void modify_end(struct modify_step *step, bool mistake)
{
	assert_int_equal(ibv_modify_qp(step->qp, &step->attr, step->mask) != 0,
			 mistake);
	assert_int_equal(ibv_destroy_qp(step->qp), 0);
}

static void step_QP_001(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_INIT);

	if (mistake)
		step.attr = validate_step_attr(IBV_QPS_RTR, &step.mask);
	modify_end(&step, mistake);
}

static void step_QP_002(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_INIT);

	if (mistake)
		step.mask &= ~IBV_QP_PORT;
	modify_end(&step, mistake);
}

static void step_QP_003(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_INIT);

	if (mistake)
		step.mask |= IBV_QP_TIMEOUT;
	modify_end(&step, mistake);
}

static void step_QP_004(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_INIT);

	if (mistake)
		step.attr.port_num = 2;
	modify_end(&step, mistake);
}

/* The interface has an MTU of 1500 bytes. */
static void step_QP_005(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.path_mtu = IBV_MTU_2048;
	modify_end(&step, mistake);
}

static void step_QP_007(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.rq_psn = 1U << 24;
	modify_end(&step, mistake);
}

static void step_QP_015(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	step.mask |= IBV_QP_CUR_STATE;
	step.attr.cur_qp_state = mistake ? IBV_QPS_SQD : IBV_QPS_RTR;
	modify_end(&step, mistake);
}

static void step_QP_016(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.path_mtu = (enum ibv_mtu)1024;
	modify_end(&step, mistake);
}

static void step_QP_017(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	step.mask |= IBV_QP_RATE_LIMIT;
	step.attr.rate_limit = mistake ? UINT32_MAX : 1000;
	modify_end(&step, mistake);
}

static void step_QP_018(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	step.mask |= IBV_QP_PATH_MIG_STATE;
	step.attr.path_mig_state = mistake ? IBV_MIG_ARMED : IBV_MIG_MIGRATED;
	modify_end(&step, mistake);
}

static void step_RC_006(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	if (mistake)
		step.attr.max_rd_atomic = UINT8_MAX;
	modify_end(&step, mistake);
}

static void step_RC_011(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	if (mistake)
		step.attr.timeout = 32;
	modify_end(&step, mistake);
}

/* ------------------------------------------------------------------------ */
/* Attributes that the provider accepts                                      */
/* ------------------------------------------------------------------------ */

static void set_lo(const char *state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "ip link set lo %s", state);
	assert_int_equal(system(command), 0);
}

static enum ibv_port_state port_state(void)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(fixture.ctx, 1, &attr), 0);
	return attr.state;
}

/* The port follows the interface. */
static void wait_for_port_down(void)
{
	time_t limit = time(NULL) + 60;

	while (port_state() == IBV_PORT_ACTIVE && time(NULL) < limit)
		(void)sched_yield();
	assert_int_not_equal(port_state(), IBV_PORT_ACTIVE);
}

static void step_QP_006(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake) {
		set_lo("down");
		wait_for_port_down();
	}
	modify_end(&step, false);
	set_lo("up");
}

static void step_RC_001(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	if (mistake)
		step.attr.timeout = 0;
	modify_end(&step, false);
}

static void step_RC_002(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	if (mistake)
		step.attr.rnr_retry = 0;
	modify_end(&step, false);
}

static void step_RC_003(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.min_rnr_timer = 0;
	modify_end(&step, false);
}

static void step_RC_004(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTS);

	if (mistake)
		step.attr.timeout = 31;
	modify_end(&step, false);
}

/* ------------------------------------------------------------------------ */
/* Address vectors                                                           */
/* ------------------------------------------------------------------------ */

static void address_end(struct modify_step *step, bool mistake)
{
	struct ibv_ah *ah = ibv_create_ah(fixture.pd, &step->attr.ah_attr);

	assert_int_equal(ah == NULL, mistake);
	if (ah)
		assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_destroy_qp(step->qp), 0);
}

static void step_AD_001(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	step.attr.ah_attr.is_global = !mistake;
	modify_end(&step, mistake);
}

static void step_AD_002(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.ah_attr.grh.sgid_index = 77;
	address_end(&step, mistake);
}

static void step_AD_005(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.ah_attr.grh.dgid.raw[11] ^= 0xff;
	address_end(&step, mistake);
}

static void step_AD_006(bool mistake)
{
	struct modify_step step = modify_begin(IBV_QPS_RTR);

	if (mistake)
		step.attr.ah_attr.port_num = 2;
	modify_end(&step, mistake);
}

const struct validate_step validate_steps_modify[] = {
	VALIDATE_STEP(AD, 006), VALIDATE_STEP(QP, 006),
	VALIDATE_STEP(RC, 001), VALIDATE_STEP(RC, 002),
	VALIDATE_STEP(RC, 003), VALIDATE_STEP(RC, 004),
	VALIDATE_STEP(AD, 001), VALIDATE_STEP(AD, 002),
	VALIDATE_STEP(AD, 005), VALIDATE_STEP(QP, 001),
	VALIDATE_STEP(QP, 002), VALIDATE_STEP(QP, 003),
	VALIDATE_STEP(QP, 004), VALIDATE_STEP(QP, 005),
	VALIDATE_STEP(QP, 007), VALIDATE_STEP(QP, 015),
	VALIDATE_STEP(QP, 016), VALIDATE_STEP(QP, 017),
	VALIDATE_STEP(QP, 018), VALIDATE_STEP(RC, 006),
	VALIDATE_STEP(RC, 011), { .rule = LAYERS_RULE_NONE },
};
