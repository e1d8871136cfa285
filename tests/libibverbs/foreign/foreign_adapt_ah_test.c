/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles, multicast: libibverbs/foreign/foreign_adapt_ah.c. */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	ADAPT_SAW("create_ah", ADAPT_PTR(pd), ADAPT_PTR(attr));
	return adapt_object();
}

static int destroy_ah(struct ibv_ah *ah)
{
	ADAPT_SAW("destroy_ah", ADAPT_PTR(ah));
	return adapt_int();
}

static int attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	ADAPT_SAW("attach_mcast", ADAPT_PTR(qp), ADAPT_PTR(gid), lid);
	return adapt_int();
}

static int detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	ADAPT_SAW("detach_mcast", ADAPT_PTR(qp), ADAPT_PTR(gid), lid);
	return adapt_int();
}

static int start(void **state)
{
	adapt_start(&(struct foreign_ops){
		.create_ah = create_ah,
		.destroy_ah = destroy_ah,
		.attach_mcast = attach_mcast,
		.detach_mcast = detach_mcast,
	});
	return 0;
}

static void a_handle_belongs_to_its_pd(void **state)
{
	struct ibv_ah *ah = NULL, made = {};
	struct ibv_ah_attr attr = {};

	ADAPT_MAKES(&made, adapt.ops.create_ah(&adapt.pd, &attr, &ah));
	ADAPT_SEEN("create_ah", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr));
	assert_ptr_equal(ah, &made);
	assert_ptr_equal(ah->context, adapt.ctx);
	assert_ptr_equal(ah->pd, &adapt.pd);

	ADAPT_FAILS(adapt.ops.destroy_ah(ah));
	ADAPT_OK(adapt.ops.destroy_ah(ah));
	ADAPT_SEEN("destroy_ah", ADAPT_PTR(ah));

	ah = NULL;
	ADAPT_FAILS(adapt.ops.create_ah(&adapt.pd, &attr, &ah));
	assert_null(ah);
}

static void groups_are_joined_and_left(void **state)
{
	struct ibv_qp qp = { .context = adapt.ctx };
	union ibv_gid gid = {};

	ADAPT_OK(adapt.ops.attach_mcast(&qp, &gid, 0xc001));
	ADAPT_SEEN("attach_mcast", ADAPT_PTR(&qp), ADAPT_PTR(&gid), 0xc001);
	ADAPT_FAILS(adapt.ops.attach_mcast(&qp, &gid, 0xc001));

	ADAPT_OK(adapt.ops.detach_mcast(&qp, &gid, 0xc001));
	ADAPT_SEEN("detach_mcast", ADAPT_PTR(&qp), ADAPT_PTR(&gid), 0xc001);
	ADAPT_FAILS(adapt.ops.detach_mcast(&qp, &gid, 0xc001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_handle_belongs_to_its_pd, start),
		cmocka_unit_test_setup(groups_are_joined_and_left, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
