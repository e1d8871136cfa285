/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of completion counter ops:
 * libibverbs/foreign/foreign_adapt_comp_cntr.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_comp_cntr counter;

static int query_comp_cntr_caps(struct ibv_context *ctx,
				struct ibv_comp_cntr_caps *caps, size_t size)
{
	ADAPT_RECORD("query_comp_cntr_caps", ADAPT_PTR(ctx), ADAPT_PTR(caps),
		     size);
	return adapt_result();
}

static struct ibv_comp_cntr *
create_comp_cntr(struct ibv_context *ctx, struct ibv_comp_cntr_init_attr *attr)
{
	ADAPT_RECORD("create_comp_cntr", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	ADAPT_RECORD("destroy_comp_cntr", ADAPT_PTR(cntr));
	return adapt_result();
}

static int qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			       struct ibv_qp_attach_comp_cntr_attr *attr)
{
	ADAPT_RECORD("qp_attach_comp_cntr", ADAPT_PTR(qp), ADAPT_PTR(cntr),
		     ADAPT_PTR(attr));
	return adapt_result();
}

static int read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	ADAPT_RECORD("read_comp_cntr", ADAPT_PTR(cntr), ADAPT_PTR(value));
	return adapt_result();
}

static int set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	ADAPT_RECORD("set_comp_cntr", ADAPT_PTR(cntr), value);
	return adapt_result();
}

static int inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	ADAPT_RECORD("inc_comp_cntr", ADAPT_PTR(cntr), amount);
	return adapt_result();
}

static int read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	ADAPT_RECORD("read_err_comp_cntr", ADAPT_PTR(cntr), ADAPT_PTR(value));
	return adapt_result();
}

static int set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	ADAPT_RECORD("set_err_comp_cntr", ADAPT_PTR(cntr), value);
	return adapt_result();
}

static int inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	ADAPT_RECORD("inc_err_comp_cntr", ADAPT_PTR(cntr), amount);
	return adapt_result();
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
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

static void foreign_adapt_query_comp_cntr_caps_passes_struct_size(void **state)
{
	struct ibv_comp_cntr_caps caps = {};

	ADAPT_OK(adapt.ops.query_comp_cntr_caps(adapt.ctx, &caps));
	ADAPT_CHECK_CALL("query_comp_cntr_caps", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&caps), sizeof(caps));
	ADAPT_FAILS(adapt.ops.query_comp_cntr_caps(adapt.ctx, &caps));
}

static void foreign_adapt_comp_cntr_is_created_and_destroyed(void **state)
{
	struct ibv_comp_cntr_init_attr attr = {};
	struct ibv_comp_cntr *cntr = NULL;

	ADAPT_CREATES(&counter,
		      adapt.ops.create_comp_cntr(adapt.ctx, &attr, &cntr));
	ADAPT_CHECK_CALL("create_comp_cntr", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(cntr, &counter);

	ADAPT_FAILS(adapt.ops.destroy_comp_cntr(cntr));
	ADAPT_OK(adapt.ops.destroy_comp_cntr(cntr));
	ADAPT_CHECK_CALL("destroy_comp_cntr", ADAPT_PTR(cntr));

	cntr = NULL;
	ADAPT_FAILS(adapt.ops.create_comp_cntr(adapt.ctx, &attr, &cntr));
	assert_null(cntr);
}

static void foreign_adapt_qp_attach_comp_cntr_passes_arguments(void **state)
{
	struct ibv_qp_attach_comp_cntr_attr attr = {};
	struct ibv_qp qp = { .context = adapt.ctx };

	ADAPT_OK(adapt.ops.qp_attach_comp_cntr(&qp, &counter, &attr));
	ADAPT_CHECK_CALL("qp_attach_comp_cntr", ADAPT_PTR(&qp),
			 ADAPT_PTR(&counter), ADAPT_PTR(&attr));
	ADAPT_FAILS(adapt.ops.qp_attach_comp_cntr(&qp, &counter, &attr));
}

static void
foreign_adapt_comp_cntr_value_is_read_set_and_incremented(void **state)
{
	uint64_t value = 0;

	ADAPT_OK(adapt.ops.read_comp_cntr(&counter, &value));
	ADAPT_CHECK_CALL("read_comp_cntr", ADAPT_PTR(&counter),
			 ADAPT_PTR(&value));
	ADAPT_FAILS(adapt.ops.read_comp_cntr(&counter, &value));

	ADAPT_OK(adapt.ops.set_comp_cntr(&counter, UINT64_MAX));
	ADAPT_CHECK_CALL("set_comp_cntr", ADAPT_PTR(&counter), UINT64_MAX);
	ADAPT_FAILS(adapt.ops.set_comp_cntr(&counter, 1));

	ADAPT_OK(adapt.ops.inc_comp_cntr(&counter, 12));
	ADAPT_CHECK_CALL("inc_comp_cntr", ADAPT_PTR(&counter), 12);
	ADAPT_FAILS(adapt.ops.inc_comp_cntr(&counter, 12));
}

static void
foreign_adapt_comp_cntr_error_value_is_read_set_and_incremented(void **state)
{
	uint64_t value = 0;

	ADAPT_OK(adapt.ops.read_err_comp_cntr(&counter, &value));
	ADAPT_CHECK_CALL("read_err_comp_cntr", ADAPT_PTR(&counter),
			 ADAPT_PTR(&value));
	ADAPT_FAILS(adapt.ops.read_err_comp_cntr(&counter, &value));

	ADAPT_OK(adapt.ops.set_err_comp_cntr(&counter, UINT64_MAX));
	ADAPT_CHECK_CALL("set_err_comp_cntr", ADAPT_PTR(&counter), UINT64_MAX);
	ADAPT_FAILS(adapt.ops.set_err_comp_cntr(&counter, 1));

	ADAPT_OK(adapt.ops.inc_err_comp_cntr(&counter, 12));
	ADAPT_CHECK_CALL("inc_err_comp_cntr", ADAPT_PTR(&counter), 12);
	ADAPT_FAILS(adapt.ops.inc_err_comp_cntr(&counter, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_query_comp_cntr_caps_passes_struct_size,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_comp_cntr_is_created_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_qp_attach_comp_cntr_passes_arguments,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_comp_cntr_value_is_read_set_and_incremented,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_comp_cntr_error_value_is_read_set_and_incremented,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
