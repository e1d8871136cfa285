/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of ops of protection, thread and XRC domains:
 * libibverbs/foreign/foreign_adapt_pd.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_pd *alloc_pd(struct ibv_context *ctx)
{
	ADAPT_RECORD("alloc_pd", ADAPT_PTR(ctx));
	return adapt_new_object();
}

static int dealloc_pd(struct ibv_pd *pd)
{
	ADAPT_RECORD("dealloc_pd", ADAPT_PTR(pd));
	return adapt_result();
}

static struct ibv_pd *import_pd(struct ibv_context *ctx, uint32_t handle)
{
	ADAPT_RECORD("import_pd", ADAPT_PTR(ctx), handle);
	return adapt_new_object();
}

static void unimport_pd(struct ibv_pd *pd)
{
	ADAPT_RECORD("unimport_pd", ADAPT_PTR(pd));
}

static struct ibv_td *alloc_td(struct ibv_context *ctx,
			       struct ibv_td_init_attr *attr)
{
	ADAPT_RECORD("alloc_td", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int dealloc_td(struct ibv_td *td)
{
	ADAPT_RECORD("dealloc_td", ADAPT_PTR(td));
	return adapt_result();
}

static struct ibv_pd *
alloc_parent_domain(struct ibv_context *ctx,
		    struct ibv_parent_domain_init_attr *attr)
{
	ADAPT_RECORD("alloc_parent_domain", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *ctx,
				  struct ibv_xrcd_init_attr *attr)
{
	ADAPT_RECORD("open_xrcd", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int close_xrcd(struct ibv_xrcd *xrcd)
{
	ADAPT_RECORD("close_xrcd", ADAPT_PTR(xrcd));
	return adapt_result();
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
		.alloc_pd = alloc_pd,
		.dealloc_pd = dealloc_pd,
		.import_pd = import_pd,
		.unimport_pd = unimport_pd,
		.alloc_td = alloc_td,
		.dealloc_td = dealloc_td,
		.alloc_parent_domain = alloc_parent_domain,
		.open_xrcd = open_xrcd,
		.close_xrcd = close_xrcd,
	});
	return 0;
}

static void foreign_adapt_alloc_pd_sets_context(void **state)
{
	struct ibv_pd *pd = NULL, made = {};

	ADAPT_CREATES(&made, adapt.ops.alloc_pd(adapt.ctx, &pd));
	ADAPT_CHECK_CALL("alloc_pd", ADAPT_PTR(adapt.ctx));
	assert_ptr_equal(pd, &made);
	assert_ptr_equal(pd->context, adapt.ctx);

	ADAPT_FAILS(adapt.ops.dealloc_pd(pd));
	ADAPT_OK(adapt.ops.dealloc_pd(pd));
	ADAPT_CHECK_CALL("dealloc_pd", ADAPT_PTR(pd));

	pd = &adapt.pd;
	ADAPT_FAILS(adapt.ops.alloc_pd(adapt.ctx, &pd));
	assert_ptr_equal(pd, &adapt.pd);
}

static void foreign_adapt_pd_is_imported_and_unimported(void **state)
{
	struct ibv_pd *pd = NULL, made = {};

	ADAPT_CREATES(&made, adapt.ops.import_pd(adapt.ctx, 71, &pd));
	ADAPT_CHECK_CALL("import_pd", ADAPT_PTR(adapt.ctx), 71);
	assert_ptr_equal(pd, &made);
	adapt.ops.unimport_pd(pd);
	ADAPT_CHECK_CALL("unimport_pd", ADAPT_PTR(pd));

	pd = &adapt.pd;
	ADAPT_FAILS(adapt.ops.import_pd(adapt.ctx, 71, &pd));
	assert_ptr_equal(pd, &adapt.pd);
}

static void foreign_adapt_td_is_allocated_and_freed(void **state)
{
	struct ibv_td *td = NULL, made = { .context = adapt.ctx };
	struct ibv_td_init_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.alloc_td(adapt.ctx, &attr, &td));
	ADAPT_CHECK_CALL("alloc_td", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(td, &made);

	ADAPT_FAILS(adapt.ops.dealloc_td(td));
	ADAPT_OK(adapt.ops.dealloc_td(td));
	ADAPT_CHECK_CALL("dealloc_td", ADAPT_PTR(td));

	td = NULL;
	ADAPT_FAILS(adapt.ops.alloc_td(adapt.ctx, &attr, &td));
	assert_null(td);
}

static void foreign_adapt_alloc_parent_domain_returns_pd(void **state)
{
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd = NULL, made = {};

	ADAPT_CREATES(&made,
		      adapt.ops.alloc_parent_domain(adapt.ctx, &attr, &pd));
	ADAPT_CHECK_CALL("alloc_parent_domain", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(pd, &made);

	pd = NULL;
	ADAPT_FAILS(adapt.ops.alloc_parent_domain(adapt.ctx, &attr, &pd));
	assert_null(pd);
}

static void foreign_adapt_xrcd_is_opened_and_closed(void **state)
{
	struct ibv_xrcd *xrcd = NULL, made = { .context = adapt.ctx };
	struct ibv_xrcd_init_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.open_xrcd(adapt.ctx, &attr, &xrcd));
	ADAPT_CHECK_CALL("open_xrcd", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(xrcd, &made);

	ADAPT_FAILS(adapt.ops.close_xrcd(xrcd));
	ADAPT_OK(adapt.ops.close_xrcd(xrcd));
	ADAPT_CHECK_CALL("close_xrcd", ADAPT_PTR(xrcd));

	xrcd = NULL;
	ADAPT_FAILS(adapt.ops.open_xrcd(adapt.ctx, &attr, &xrcd));
	assert_null(xrcd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(foreign_adapt_alloc_pd_sets_context,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_pd_is_imported_and_unimported,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_td_is_allocated_and_freed,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_alloc_parent_domain_returns_pd,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_xrcd_is_opened_and_closed,
				       setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
