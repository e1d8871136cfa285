/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control verbs on objects whose public fields handle and context are not those
 * that they were created with. As with a kernel, the verb fails and the object
 * stays what it was.
 */
#include <errno.h>

#include "verbs_fixture.h"

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* A control verb; returns 0 or an errno. */
typedef int verb(void *object);

static struct ibv_context *other;

static int setup(void **state)
{
	other = fixture_open();
	return fixture_setup(state);
}

static int teardown(void **state)
{
	assert_int_equal(ibv_close_device(other), 0);
	return fixture_teardown(state);
}

static void run_verbs(void *object, verb *const *verbs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int err = verbs[i](object);

		if (err != ENOENT && err != EINVAL)
			fail_msg("verb %zu returns %d", i, err);
	}
}

static void check_object(void *object, struct ibv_context **context,
			 uint32_t *handle, verb *const *verbs, size_t nr)
{
	struct ibv_context *own_context = *context;
	const uint32_t own = *handle;
	const uint32_t wrong[] = { own + 1, own ^ 0x80000000, ~own };

	for (size_t i = 0; i < SIZE(wrong); i++) {
		*handle = wrong[i];
		run_verbs(object, verbs, nr);
	}
	*handle = own;
	*context = other;
	run_verbs(object, verbs, nr);
	*context = own_context;
}

static int err_of(const void *object)
{
	return object ? 0 : errno;
}

/* -- PD -- */

static int pd_dealloc(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static int pd_reg_mr(void *pd)
{
	return err_of(ibv_reg_mr(pd, fixture.memory, 64, 0));
}

static int pd_rereg_mr(void *pd)
{
	errno = 0;
	if (ibv_rereg_mr(fixture.mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0) ==
	    0)
		return 0;
	return errno;
}

static int pd_alloc_null_mr(void *pd)
{
	return err_of(ibv_alloc_null_mr(pd));
}

static int pd_alloc_mw(void *pd)
{
	return err_of(ibv_alloc_mw(pd, IBV_MW_TYPE_1));
}

static struct ibv_ah *new_ah(struct ibv_pd *pd)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };

	attr.grh.sgid_index = fixture_gid_index();
	if (ibv_query_gid(fixture.ctx, 1, fixture_gid_index(),
			  &attr.grh.dgid) != 0)
		return NULL;
	return ibv_create_ah(pd, &attr);
}

static int pd_create_ah(void *pd)
{
	return err_of(new_ah(pd));
}

static struct ibv_srq *new_srq(struct ibv_pd *pd)
{
	struct ibv_srq_init_attr attr = { .attr = { 8, 1, 0 } };

	return ibv_create_srq(pd, &attr);
}

static int pd_create_srq(void *pd)
{
	return err_of(new_srq(pd));
}

static struct ibv_qp *new_qp(struct ibv_pd *pd, struct ibv_cq *send_cq,
			     struct ibv_cq *recv_cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = send_cq,
		.recv_cq = recv_cq,
		.srq = srq,
		.cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_UD,
	};

	return ibv_create_qp(pd, &attr);
}

static int pd_create_qp(void *pd)
{
	return err_of(new_qp(pd, fixture.cq, fixture.cq, NULL));
}

static int pd_alloc_parent_domain(void *pd)
{
	struct ibv_parent_domain_init_attr attr = { .pd = pd };

	return err_of(ibv_alloc_parent_domain(fixture.ctx, &attr));
}

static int pd_create_cq(void *pd)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = pd,
	};

	return err_of(ibv_create_cq_ex(fixture.ctx, &attr));
}

static void verbs_pd_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = {
		pd_dealloc,    pd_reg_mr,
		pd_rereg_mr,   pd_alloc_null_mr,
		pd_alloc_mw,   pd_create_ah,
		pd_create_srq, pd_create_qp,
		pd_create_cq,  pd_alloc_parent_domain,
	};
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);

	assert_non_null(pd);
	check_object(pd, &pd->context, &pd->handle, verbs, SIZE(verbs));
	assert_ptr_equal(fixture.mr->pd, fixture.pd);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* -- CQ -- */

static int cq_destroy(void *cq)
{
	return ibv_destroy_cq(cq);
}

static int cq_resize(void *cq)
{
	return ibv_resize_cq(cq, 16);
}

static int cq_modify(void *cq)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { 1, 1 },
	};

	return ibv_modify_cq(cq, &attr);
}

static int cq_create_qp_to_send(void *cq)
{
	return err_of(new_qp(fixture.pd, cq, fixture.cq, NULL));
}

static int cq_create_qp_to_receive(void *cq)
{
	return err_of(new_qp(fixture.pd, fixture.cq, cq, NULL));
}

static void verbs_cq_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { cq_destroy, cq_resize, cq_modify,
				cq_create_qp_to_send, cq_create_qp_to_receive };
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 8, NULL, NULL, 0);

	assert_non_null(cq);
	check_object(cq, &cq->context, &cq->handle, verbs, SIZE(verbs));
	assert_int_equal(cq->cqe, 8);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

/* -- SRQ -- */

static int srq_destroy(void *srq)
{
	return ibv_destroy_srq(srq);
}

static int srq_modify(void *srq)
{
	struct ibv_srq_attr attr = { .srq_limit = 4 };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

static int srq_query(void *srq)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(srq, &attr);
}

static int srq_create_qp(void *srq)
{
	return err_of(new_qp(fixture.pd, fixture.cq, fixture.cq, srq));
}

static void verbs_srq_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { srq_destroy, srq_modify, srq_query,
				srq_create_qp };
	struct ibv_srq *srq = new_srq(fixture.pd);
	struct ibv_srq_attr attr;

	assert_non_null(srq);
	check_object(srq, &srq->context, &srq->handle, verbs, SIZE(verbs));
	assert_int_equal(ibv_query_srq(srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

/* -- QP -- */

static int qp_destroy(void *qp)
{
	return ibv_destroy_qp(qp);
}

static int qp_modify(void *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static int qp_query(void *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
}

static int qp_attach(void *qp)
{
	const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 1 } };

	return ibv_attach_mcast(qp, &group, 0);
}

static int qp_detach(void *qp)
{
	const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 1 } };

	return ibv_detach_mcast(qp, &group, 0);
}

static void verbs_qp_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { qp_destroy, qp_modify, qp_query, qp_attach,
				qp_detach };
	struct ibv_qp *ud = fixture_new_qp(IBV_QPT_UD);
	struct ibv_qp *const qps[] = { fixture.left, fixture.right, ud };

	for (size_t i = 0; i < SIZE(qps); i++)
		check_object(qps[i], &qps[i]->context, &qps[i]->handle, verbs,
			     SIZE(verbs));
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory + 8,
				       fixture.mr->rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(ud), 0);
}

/* -- MR, MW, AH -- */

static int mr_dereg(void *mr)
{
	return ibv_dereg_mr(mr);
}

static int mr_rereg(void *mr)
{
	errno = 0;
	if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0) == 0)
		return 0;
	return errno;
}

static void verbs_mr_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { mr_dereg, mr_rereg };
	struct ibv_mr *mr = fixture.mr;

	check_object(mr, &mr->context, &mr->handle, verbs, SIZE(verbs));
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory + 8, mr->rkey),
			 IBV_WC_SUCCESS);
}

/* The kernel does not know what the application writes into a region's keys. */
static void verbs_dereg_mr_ignores_public_keys(void **state)
{
	struct ibv_mr *one = ibv_reg_mr(fixture.pd, fixture.memory, 64, 0);
	struct ibv_mr *two = ibv_reg_mr(fixture.pd, fixture.memory, 64, 0);

	assert_non_null(one);
	assert_non_null(two);
	one->lkey = two->lkey;
	one->rkey = two->rkey;
	assert_int_equal(ibv_dereg_mr(one), 0);
	assert_int_equal(ibv_dereg_mr(two), 0);
}

static int mw_dealloc(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static void verbs_mw_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { mw_dealloc };
	struct ibv_mw *mw = ibv_alloc_mw(fixture.pd, IBV_MW_TYPE_1);

	assert_non_null(mw);
	check_object(mw, &mw->context, &mw->handle, verbs, SIZE(verbs));
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static int ah_destroy(void *ah)
{
	return ibv_destroy_ah(ah);
}

static void verbs_ah_with_changed_handle_is_rejected(void **state)
{
	verb *const verbs[] = { ah_destroy };
	struct ibv_ah *ah = new_ah(fixture.pd);

	assert_non_null(ah);
	check_object(ah, &ah->context, &ah->handle, verbs, SIZE(verbs));
	assert_int_equal(ibv_destroy_ah(ah), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs_pd_with_changed_handle_is_rejected),
		TEST(verbs_cq_with_changed_handle_is_rejected),
		TEST(verbs_srq_with_changed_handle_is_rejected),
		TEST(verbs_qp_with_changed_handle_is_rejected),
		TEST(verbs_mr_with_changed_handle_is_rejected),
		TEST(verbs_dereg_mr_ignores_public_keys),
		TEST(verbs_mw_with_changed_handle_is_rejected),
		TEST(verbs_ah_with_changed_handle_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
