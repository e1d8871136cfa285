/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion counters: libibverbs/foreign/foreign_adapt_comp_cntr.c. */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_comp_cntr counter;

static int query_comp_cntr_caps(struct ibv_context *ctx,
				struct ibv_comp_cntr_caps *caps, size_t size)
{
	ADAPT_SAW("query_comp_cntr_caps", ADAPT_PTR(ctx), ADAPT_PTR(caps),
		  size);
	return adapt_int();
}

static struct ibv_comp_cntr *
create_comp_cntr(struct ibv_context *ctx, struct ibv_comp_cntr_init_attr *attr)
{
	ADAPT_SAW("create_comp_cntr", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_object();
}

static int destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	ADAPT_SAW("destroy_comp_cntr", ADAPT_PTR(cntr));
	return adapt_int();
}

static int qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			       struct ibv_qp_attach_comp_cntr_attr *attr)
{
	ADAPT_SAW("qp_attach_comp_cntr", ADAPT_PTR(qp), ADAPT_PTR(cntr),
		  ADAPT_PTR(attr));
	return adapt_int();
}

static int read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	ADAPT_SAW("read_comp_cntr", ADAPT_PTR(cntr), ADAPT_PTR(value));
	return adapt_int();
}

static int set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	ADAPT_SAW("set_comp_cntr", ADAPT_PTR(cntr), value);
	return adapt_int();
}

static int inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	ADAPT_SAW("inc_comp_cntr", ADAPT_PTR(cntr), amount);
	return adapt_int();
}

static int read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	ADAPT_SAW("read_err_comp_cntr", ADAPT_PTR(cntr), ADAPT_PTR(value));
	return adapt_int();
}

static int set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	ADAPT_SAW("set_err_comp_cntr", ADAPT_PTR(cntr), value);
	return adapt_int();
}

static int inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	ADAPT_SAW("inc_err_comp_cntr", ADAPT_PTR(cntr), amount);
	return adapt_int();
}

static int start(void **state)
{
	adapt_start(&(struct foreign_ops){
		.query_comp_cntr_caps = query_comp_cntr_caps,
		.create_comp_cntr = create_comp_cntr,
		.destroy_comp_cntr = destroy_comp_cntr,
		.qp_attach_comp_cntr = qp_attach_comp_cntr,
		.read_comp_cntr = read_comp_cntr,
		.set_comp_cntr = set_comp_cntr,
		.inc_comp_cntr = inc_comp_cntr,
		.read_err_comp_cntr = read_err_comp_cntr,
		.set_err_comp_cntr = set_err_comp_cntr,
		.inc_err_comp_cntr = inc_err_comp_cntr,
	});
	counter = (struct ibv_comp_cntr){ .context = adapt.ctx };
	return 0;
}

static void limits_are_queried(void **state)
{
	struct ibv_comp_cntr_caps caps = {};

	ADAPT_OK(adapt.ops.query_comp_cntr_caps(adapt.ctx, &caps));
	ADAPT_SEEN("query_comp_cntr_caps", ADAPT_PTR(adapt.ctx),
		   ADAPT_PTR(&caps), sizeof(caps));
	ADAPT_FAILS(adapt.ops.query_comp_cntr_caps(adapt.ctx, &caps));
}

static void a_counter_lives(void **state)
{
	struct ibv_comp_cntr_init_attr attr = {};
	struct ibv_comp_cntr *cntr = NULL;

	ADAPT_MAKES(&counter,
		    adapt.ops.create_comp_cntr(adapt.ctx, &attr, &cntr));
	ADAPT_SEEN("create_comp_cntr", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(cntr, &counter);

	ADAPT_FAILS(adapt.ops.destroy_comp_cntr(cntr));
	ADAPT_OK(adapt.ops.destroy_comp_cntr(cntr));
	ADAPT_SEEN("destroy_comp_cntr", ADAPT_PTR(cntr));

	cntr = NULL;
	ADAPT_FAILS(adapt.ops.create_comp_cntr(adapt.ctx, &attr, &cntr));
	assert_null(cntr);
}

static void a_counter_is_attached(void **state)
{
	struct ibv_qp_attach_comp_cntr_attr attr = {};
	struct ibv_qp qp = { .context = adapt.ctx };

	ADAPT_OK(adapt.ops.qp_attach_comp_cntr(&qp, &counter, &attr));
	ADAPT_SEEN("qp_attach_comp_cntr", ADAPT_PTR(&qp), ADAPT_PTR(&counter),
		   ADAPT_PTR(&attr));
	ADAPT_FAILS(adapt.ops.qp_attach_comp_cntr(&qp, &counter, &attr));
}

static void a_counter_is_read_and_written(void **state)
{
	uint64_t value = 0;

	ADAPT_OK(adapt.ops.read_comp_cntr(&counter, &value));
	ADAPT_SEEN("read_comp_cntr", ADAPT_PTR(&counter), ADAPT_PTR(&value));
	ADAPT_FAILS(adapt.ops.read_comp_cntr(&counter, &value));

	ADAPT_OK(adapt.ops.set_comp_cntr(&counter, UINT64_MAX));
	ADAPT_SEEN("set_comp_cntr", ADAPT_PTR(&counter), UINT64_MAX);
	ADAPT_FAILS(adapt.ops.set_comp_cntr(&counter, 1));

	ADAPT_OK(adapt.ops.inc_comp_cntr(&counter, 12));
	ADAPT_SEEN("inc_comp_cntr", ADAPT_PTR(&counter), 12);
	ADAPT_FAILS(adapt.ops.inc_comp_cntr(&counter, 12));
}

static void its_errors_are_read_and_written(void **state)
{
	uint64_t value = 0;

	ADAPT_OK(adapt.ops.read_err_comp_cntr(&counter, &value));
	ADAPT_SEEN("read_err_comp_cntr", ADAPT_PTR(&counter),
		   ADAPT_PTR(&value));
	ADAPT_FAILS(adapt.ops.read_err_comp_cntr(&counter, &value));

	ADAPT_OK(adapt.ops.set_err_comp_cntr(&counter, UINT64_MAX));
	ADAPT_SEEN("set_err_comp_cntr", ADAPT_PTR(&counter), UINT64_MAX);
	ADAPT_FAILS(adapt.ops.set_err_comp_cntr(&counter, 1));

	ADAPT_OK(adapt.ops.inc_err_comp_cntr(&counter, 12));
	ADAPT_SEEN("inc_err_comp_cntr", ADAPT_PTR(&counter), 12);
	ADAPT_FAILS(adapt.ops.inc_err_comp_cntr(&counter, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(limits_are_queried, start),
		cmocka_unit_test_setup(a_counter_lives, start),
		cmocka_unit_test_setup(a_counter_is_attached, start),
		cmocka_unit_test_setup(a_counter_is_read_and_written, start),
		cmocka_unit_test_setup(its_errors_are_read_and_written, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
