/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mistakes when memory windows are bound. */
#include "libibverbs/layers/validate_steps.h"

#define REGION_BYTES 64

/* A window, a region for it, and a request that binds both. */
struct window_step {
	struct ibv_mw *mw;
	struct ibv_mr *mr;
	struct ibv_send_wr wr;
};

static void window_begin(struct window_step *step, enum ibv_mw_type type,
			 int access)
{
	step->mw = ibv_alloc_mw(fixture.pd, type);
	assert_non_null(step->mw);
	step->mr = ibv_reg_mr(fixture.pd, fixture.memory, REGION_BYTES, access);
	assert_non_null(step->mr);
	step->wr = (struct ibv_send_wr){
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = step->mw,
			.rkey = ibv_inc_rkey(step->mw->rkey),
			.bind_info = {
				.mr = step->mr,
				.addr = (uintptr_t)fixture.memory,
				.length = REGION_BYTES,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
			},
		},
	};
}

static void window_free(const struct window_step *step)
{
	assert_int_equal(ibv_dealloc_mw(step->mw), 0);
	assert_int_equal(ibv_dereg_mr(step->mr), 0);
}

/* The bind fails if it has a mistake. */
static void window_end(struct window_step *step, bool mistake)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(fixture.left, &step->wr, &bad), 0);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? IBV_WC_MW_BIND_ERR : IBV_WC_SUCCESS);
	window_free(step);
}

static void step_MW_001(bool mistake)
{
	struct window_step step;

	window_begin(&step, IBV_MW_TYPE_2,
		     IBV_ACCESS_LOCAL_WRITE |
			     (mistake ? 0 : IBV_ACCESS_MW_BIND));
	window_end(&step, mistake);
}

static void step_MW_002(bool mistake)
{
	struct window_step step;

	window_begin(&step, IBV_MW_TYPE_2,
		     IBV_ACCESS_MW_BIND |
			     (mistake ? 0 : IBV_ACCESS_LOCAL_WRITE));
	window_end(&step, mistake);
}

static void step_MW_003(bool mistake)
{
	struct window_step step;

	window_begin(&step, IBV_MW_TYPE_2,
		     IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE);
	if (mistake)
		step.wr.bind_mw.bind_info.length++;
	window_end(&step, mistake);
}

/* ibv_bind_mw() of a window of type 1, with the mistake of AV-MW-003. */
static void step_MW_003_bind(bool mistake)
{
	struct window_step step;
	struct ibv_mw_bind bind;

	window_begin(&step, IBV_MW_TYPE_1,
		     IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE);
	bind = (struct ibv_mw_bind){
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = step.wr.bind_mw.bind_info,
	};
	if (mistake)
		bind.bind_info.length++;
	assert_int_equal(ibv_bind_mw(fixture.left, step.mw, &bind), 0);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? IBV_WC_MW_BIND_ERR : IBV_WC_SUCCESS);
	window_free(&step);
}

static void step_MW_004(bool mistake)
{
	struct window_step step;
	struct ibv_send_wr *bad;

	window_begin(&step, mistake ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2,
		     IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE);
	if (mistake) {
		assert_int_not_equal(
			ibv_post_send(fixture.left, &step.wr, &bad), 0);
		window_free(&step);
	} else {
		window_end(&step, false);
	}
}

const struct validate_step validate_steps_windows[] = {
	VALIDATE_STEP(MW, 001), VALIDATE_STEP(MW, 002),
	VALIDATE_STEP(MW, 003), VALIDATE_VARIANT(MW, 003, bind),
	VALIDATE_STEP(MW, 004), { .rule = LAYERS_RULE_NONE },
};
