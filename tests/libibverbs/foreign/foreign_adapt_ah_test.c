/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of address handle and multicast ops:
 * libibverbs/foreign/foreign_adapt_ah.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	ADAPT_RECORD("create_ah", ADAPT_PTR(pd), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int destroy_ah(struct ibv_ah *ah)
{
	ADAPT_RECORD("destroy_ah", ADAPT_PTR(ah));
	return adapt_result();
}

static int attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	ADAPT_RECORD("attach_mcast", ADAPT_PTR(qp), ADAPT_PTR(gid), lid);
	return adapt_result();
}

static int detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	ADAPT_RECORD("detach_mcast", ADAPT_PTR(qp), ADAPT_PTR(gid), lid);
	return adapt_result();
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
		.create_ah = create_ah,
		.destroy_ah = destroy_ah,
		.attach_mcast = attach_mcast,
		.detach_mcast = detach_mcast,
	});
	return 0;
}

static void foreign_adapt_create_ah_sets_context_and_pd(void **state)
{
	struct ibv_ah *ah = NULL, made = {};
	struct ibv_ah_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.create_ah(&adapt.pd, &attr, &ah));
	ADAPT_CHECK_CALL("create_ah", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr));
	assert_ptr_equal(ah, &made);
	assert_ptr_equal(ah->context, adapt.ctx);
	assert_ptr_equal(ah->pd, &adapt.pd);

	ADAPT_FAILS(adapt.ops.destroy_ah(ah));
	ADAPT_OK(adapt.ops.destroy_ah(ah));
	ADAPT_CHECK_CALL("destroy_ah", ADAPT_PTR(ah));

	ah = NULL;
	ADAPT_FAILS(adapt.ops.create_ah(&adapt.pd, &attr, &ah));
	assert_null(ah);
}

static void foreign_adapt_attach_mcast_passes_arguments(void **state)
{
	struct ibv_qp qp = { .context = adapt.ctx };
	union ibv_gid gid = {};

	ADAPT_OK(adapt.ops.attach_mcast(&qp, &gid, 0xc001));
	ADAPT_CHECK_CALL("attach_mcast", ADAPT_PTR(&qp), ADAPT_PTR(&gid),
			 0xc001);
	ADAPT_FAILS(adapt.ops.attach_mcast(&qp, &gid, 0xc001));

	ADAPT_OK(adapt.ops.detach_mcast(&qp, &gid, 0xc001));
	ADAPT_CHECK_CALL("detach_mcast", ADAPT_PTR(&qp), ADAPT_PTR(&gid),
			 0xc001);
	ADAPT_FAILS(adapt.ops.detach_mcast(&qp, &gid, 0xc001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_create_ah_sets_context_and_pd,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_attach_mcast_passes_arguments,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
