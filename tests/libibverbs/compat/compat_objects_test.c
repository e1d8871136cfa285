/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creation and destruction of the objects of libibverbs 1.0:
 * libibverbs/compat/compat_pd.c and similar files. The real function is called
 * with the real objects; a failure has the same result as that of the real
 * function and leaks nothing.
 */
#include <string.h>

#include "libibverbs/compat/compat_fixture.h"
#include "support/alloc_fail.h"

static int user_context; /* any context pointer of a program */

/* The fake provider reports that the object is in use. */
#define ASSERT_BUSY(call)                   \
	do {                                \
		fake_provider.ret = -EBUSY; \
		ASSERT_ERRNO(call, EBUSY);  \
		fake_provider.ret = 0;      \
	} while (0)

/* An object has two blocks, the shadow and the real one. Fail each of them. */
#define ASSERT_NULL_WITHOUT_MEMORY(call)                \
	do {                                            \
		for (unsigned int n = 1; n < 3; n++) {  \
			alloc_fail_at(n);               \
			ASSERT_NULL(call, ENOMEM);      \
			assert_true(alloc_fail_done()); \
		}                                       \
	} while (0)

#define ASSERT_NULL_BY_PROVIDER(call)       \
	do {                                \
		fake_provider.ret = -EPERM; \
		ASSERT_NULL(call, EPERM);   \
		fake_provider.ret = 0;      \
	} while (0)

/* Check the number of objects of the fake provider that exist. */
static void assert_objects(unsigned int count)
{
	assert_int_equal(fake_provider.nr_objects, count);
}

/* ------------------------------------------------------------------------ */
/* PD, MR, AH                                                               */
/* ------------------------------------------------------------------------ */

static void compat_pd_alloc_and_dealloc_succeed(void **state)
{
	struct ibv_pd_1_0 *pd;

	errno = SOME_ERRNO;
	pd = compat_ibv_alloc_pd(compat.ctx);
	assert_non_null(pd);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(fake_provider.args.ctx, compat.ctx->real_context);
	assert_ptr_equal(pd->context, compat.ctx);
	assert_int_equal(pd->handle, pd->real_pd->handle);

	ASSERT_BUSY(compat_ibv_dealloc_pd(pd));
	ASSERT_OK(compat_ibv_dealloc_pd(pd));
	ASSERT_NULL_BY_PROVIDER(compat_ibv_alloc_pd(compat.ctx));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_alloc_pd(compat.ctx));
	ASSERT_NULL(compat_ibv_alloc_pd(NULL), EINVAL);
	ASSERT_ERRNO(compat_ibv_dealloc_pd(NULL), EINVAL);
	assert_objects(1);
}

static void compat_mr_reg_and_dereg_succeed(void **state)
{
	struct ibv_mr_1_0 *mr;
	char buf[64];

	mr = compat_ibv_reg_mr(compat.pd, buf, 64, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_ptr_equal(fake_provider.args.pd, compat.pd->real_pd);
	assert_ptr_equal(fake_provider.args.addr, buf);
	assert_int_equal(fake_provider.args.length, 64);
	assert_int_equal(fake_provider.args.iova, (uintptr_t)buf);
	assert_int_equal(fake_provider.args.access, IBV_ACCESS_LOCAL_WRITE);
	assert_ptr_equal(mr->context, compat.ctx);
	assert_ptr_equal(mr->pd, compat.pd);
	assert_int_equal(mr->lkey, mr->real_mr->lkey);
	assert_int_equal(mr->rkey, mr->real_mr->rkey);
	assert_int_equal(mr->handle, mr->real_mr->handle);

	ASSERT_BUSY(compat_ibv_dereg_mr(mr));
	ASSERT_OK(compat_ibv_dereg_mr(mr));
	ASSERT_NULL_BY_PROVIDER(compat_ibv_reg_mr(compat.pd, buf, 64, 0));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_reg_mr(compat.pd, buf, 64, 0));
	ASSERT_NULL(compat_ibv_reg_mr(NULL, buf, 64, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_dereg_mr(NULL), EINVAL);
	assert_objects(1);
}

static void compat_ah_create_and_destroy_succeed(void **state)
{
	struct ibv_ah_attr attr = { .dlid = 7 };
	struct ibv_ah_1_0 *ah = compat_ibv_create_ah(compat.pd, &attr);

	assert_non_null(ah);
	assert_ptr_equal(fake_provider.args.pd, compat.pd->real_pd);
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(ah->context, compat.ctx);
	assert_ptr_equal(ah->pd, compat.pd);
	assert_int_equal(ah->handle, ah->real_ah->handle);

	ASSERT_BUSY(compat_ibv_destroy_ah(ah));
	ASSERT_OK(compat_ibv_destroy_ah(ah));
	ASSERT_NULL_BY_PROVIDER(compat_ibv_create_ah(compat.pd, &attr));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_ah(compat.pd, &attr));
	ASSERT_NULL(compat_ibv_create_ah(NULL, &attr), EINVAL);
	ASSERT_NULL(compat_ibv_create_ah(compat.pd, NULL), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_ah(NULL), EINVAL);
	assert_objects(1);
}

/* ------------------------------------------------------------------------ */
/* CQ, SRQ                                                                  */
/* ------------------------------------------------------------------------ */

static void compat_cq_create_resize_and_destroy_succeed(void **state)
{
	struct ibv_context_1_0 *ctx = compat.ctx;
	struct ibv_cq_1_0 *cq =
		compat_ibv_create_cq(ctx, 10, &user_context, NULL, 3);

	assert_non_null(cq);
	assert_ptr_equal(fake_provider.args.ctx, ctx->real_context);
	assert_int_equal(fake_provider.args.cq_attr.cqe, 10);
	assert_int_equal(fake_provider.args.cq_attr.comp_vector, 3);
	assert_ptr_equal(fake_provider.args.cq_attr.cq_context, cq);
	assert_ptr_equal(cq->context, ctx);
	assert_ptr_equal(cq->cq_context, &user_context);
	assert_int_equal(cq->cqe, 10);
	assert_int_equal(cq->handle, cq->real_cq->handle);

	cq->real_cq->cqe = 99;
	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(compat_ibv_resize_cq(cq, 90), EINVAL);
	assert_int_equal(cq->cqe, 10);
	fake_provider.ret = 0;
	ASSERT_OK(compat_ibv_resize_cq(cq, 90));
	assert_ptr_equal(fake_provider.args.attr, cq->real_cq);
	assert_int_equal(fake_provider.args.cqe, 90);
	assert_int_equal(cq->cqe, 99);

	ASSERT_BUSY(compat_ibv_destroy_cq(cq));
	ASSERT_OK(compat_ibv_destroy_cq(cq));
	ASSERT_NULL_BY_PROVIDER(compat_ibv_create_cq(ctx, 1, NULL, NULL, 0));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_cq(ctx, 1, NULL, NULL, 0));
	ASSERT_NULL(compat_ibv_create_cq(NULL, 1, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(compat_ibv_create_cq(ctx, 0, NULL, NULL, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_resize_cq(NULL, 1), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_cq(NULL), EINVAL);
	assert_objects(1);
}

static void compat_srq_create_and_destroy_succeed(void **state)
{
	struct ibv_srq_init_attr attr = { .srq_context = &user_context,
					  .attr = { .max_wr = 5 } };
	struct ibv_srq_attr limit = { .srq_limit = 2 }, queried;
	struct ibv_srq_1_0 *srq;

	fake_provider.srq_attr.max_wr = 8;
	srq = compat_ibv_create_srq(compat.pd, &attr);
	assert_non_null(srq);
	assert_ptr_equal(fake_provider.args.srq_attr.pd, compat.pd->real_pd);
	assert_ptr_equal(fake_provider.args.srq_attr.srq_context, srq);
	assert_int_equal(fake_provider.args.srq_attr.attr.max_wr, 5);
	assert_int_equal(attr.attr.max_wr, 8);
	assert_ptr_equal(attr.srq_context, &user_context);
	assert_ptr_equal(srq->context, compat.ctx);
	assert_ptr_equal(srq->srq_context, &user_context);
	assert_ptr_equal(srq->pd, compat.pd);
	assert_int_equal(srq->handle, srq->real_srq->handle);

	ASSERT_OK(compat_ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	assert_ptr_equal(fake_provider.args.attr, &limit);
	assert_int_equal(fake_provider.args.attr_mask, IBV_SRQ_LIMIT);
	ASSERT_OK(compat_ibv_query_srq(srq, &queried));
	assert_ptr_equal(fake_provider.args.attr, srq->real_srq);
	assert_int_equal(queried.max_wr, 8);
	ASSERT_BUSY(compat_ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	ASSERT_BUSY(compat_ibv_query_srq(srq, &queried));
	ASSERT_BUSY(compat_ibv_destroy_srq(srq));
	ASSERT_OK(compat_ibv_destroy_srq(srq));
}

static void compat_srq_create_failure_is_null(void **state)
{
	struct ibv_srq_init_attr attr = { .srq_context = &user_context };
	const struct ibv_srq_init_attr before = attr;
	struct ibv_srq_attr queried;

	fake_provider.srq_attr.max_wr = 8;
	ASSERT_NULL_BY_PROVIDER(compat_ibv_create_srq(compat.pd, &attr));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_srq(compat.pd, &attr));
	assert_memory_equal(&attr, &before, sizeof(attr));
	ASSERT_NULL(compat_ibv_create_srq(NULL, &attr), EINVAL);
	ASSERT_NULL(compat_ibv_create_srq(compat.pd, NULL), EINVAL);
	ASSERT_ERRNO(compat_ibv_modify_srq(NULL, &queried, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_srq(NULL, &queried), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_srq(NULL), EINVAL);
	assert_objects(1);
}

/* ------------------------------------------------------------------------ */
/* QP                                                                       */
/* ------------------------------------------------------------------------ */

/* Two CQs, an SRQ, and the attributes of a QP. */
static struct ibv_cq_1_0 *cqs[2];
static struct ibv_srq_1_0 *rq;
static struct ibv_qp_init_attr_1_0 init_attr;

static int qp_setup(void **state)
{
	int ret = compat_open(state);

	cqs[0] = compat_create_cq(NULL);
	cqs[1] = compat_create_cq(NULL);
	rq = compat_create_srq(NULL);
	init_attr = (struct ibv_qp_init_attr_1_0){
		.qp_context = &user_context,
		.send_cq = cqs[0],
		.recv_cq = cqs[1],
		.srq = rq,
		.cap = { .max_send_wr = 5 },
		.qp_type = IBV_QPT_UD,
		.sq_sig_all = 1,
	};
	fake_provider.qp_cap.max_send_wr = 16;
	return ret;
}

static int qp_teardown(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(compat_ibv_destroy_srq(rq), 0);
	assert_int_equal(compat_ibv_destroy_cq(cqs[0]), 0);
	assert_int_equal(compat_ibv_destroy_cq(cqs[1]), 0);
	return compat_close(state);
}

static void compat_qp_create_uses_real_objects(void **state)
{
	const struct ibv_qp_init_attr_ex *passed_attr =
		&fake_provider.args.qp_attr;
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init_attr);

	assert_non_null(qp);
	assert_ptr_equal(passed_attr->pd, compat.pd->real_pd);
	assert_ptr_equal(passed_attr->send_cq, cqs[0]->real_cq);
	assert_ptr_equal(passed_attr->recv_cq, cqs[1]->real_cq);
	assert_ptr_equal(passed_attr->srq, rq->real_srq);
	assert_ptr_equal(passed_attr->qp_context, qp);
	assert_int_equal(passed_attr->cap.max_send_wr, 5);
	assert_int_equal(passed_attr->qp_type, IBV_QPT_UD);
	assert_int_equal(passed_attr->sq_sig_all, 1);

	assert_int_equal(init_attr.cap.max_send_wr, 16);
	assert_ptr_equal(init_attr.qp_context, &user_context);
	assert_ptr_equal(qp->context, compat.ctx);
	assert_ptr_equal(qp->qp_context, &user_context);
	assert_ptr_equal(qp->pd, compat.pd);
	assert_ptr_equal(qp->send_cq, cqs[0]);
	assert_ptr_equal(qp->recv_cq, cqs[1]);
	assert_ptr_equal(qp->srq, rq);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	assert_int_equal(qp->qp_type, IBV_QPT_UD);
	assert_int_equal(qp->qp_num, qp->real_qp->qp_num);
	assert_int_equal(qp->handle, qp->real_qp->handle);
	ASSERT_BUSY(compat_ibv_destroy_qp(qp));
	ASSERT_OK(compat_ibv_destroy_qp(qp));
}

static void compat_qp_create_failure_is_null(void **state)
{
	struct ibv_qp_init_attr_1_0 before = init_attr;
	struct ibv_qp_attr attr = {};

	ASSERT_NULL_BY_PROVIDER(compat_ibv_create_qp(compat.pd, &init_attr));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_qp(compat.pd, &init_attr));
	assert_memory_equal(&init_attr, &before, sizeof(init_attr));
	ASSERT_NULL(compat_ibv_create_qp(NULL, &init_attr), EINVAL);
	ASSERT_NULL(compat_ibv_create_qp(compat.pd, NULL), EINVAL);
	init_attr.send_cq = NULL;
	ASSERT_NULL(compat_ibv_create_qp(compat.pd, &init_attr), EINVAL);
	ASSERT_ERRNO(compat_ibv_modify_qp(NULL, &attr, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_qp(NULL, &attr, 0, &init_attr), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_qp(NULL), EINVAL);
	assert_objects(4);
}

/* Size of struct ibv_qp_attr in 1.0, on any architecture. */
#define OLD_QP_ATTR_SIZE offsetof(struct ibv_qp_attr, rate_limit)

static struct ibv_qp_attr passed_qp_attr;

static int record_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			    int mask)
{
	passed_qp_attr = *attr;
	return fake_provider.ret;
}

static void compat_qp_modify_reaches_provider(void **state)
{
	static const struct verbs_context_ops ops = {
		.modify_qp = record_modify_qp,
	};
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init_attr);
	struct ibv_qp_attr attr;

	verbs_context_set_ops(verbs_get_ctx(compat.ctx->real_context), &ops);
	/* bytes behind the old struct are not read */
	memset(&attr, 0x77, sizeof(attr));
	attr.qp_state = IBV_QPS_INIT;
	ASSERT_OK(compat_ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	assert_memory_equal(&passed_qp_attr, &attr, OLD_QP_ATTR_SIZE);
	assert_int_equal(passed_qp_attr.rate_limit, 0);
	assert_int_equal(qp->state, IBV_QPS_INIT);

	attr.qp_state = IBV_QPS_RTR;
	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(compat_ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(qp->state, IBV_QPS_INIT);
	ASSERT_ERRNO(compat_ibv_modify_qp(qp, NULL, IBV_QP_STATE), EINVAL);
	fake_provider.ret = 0;
	ASSERT_OK(compat_ibv_destroy_qp(qp));
}

static void compat_qp_query_returns_attributes(void **state)
{
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init_attr);
	struct ibv_qp_init_attr_1_0 queried_init;
	struct ibv_qp_attr attr;
	unsigned char *bytes = (unsigned char *)&attr;

	memset(&fake_provider.qp_attr, 0x55, sizeof(fake_provider.qp_attr));
	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	memset(&attr, 0xee, sizeof(attr));
	memset(&queried_init, 0xee, sizeof(queried_init));
	ASSERT_OK(compat_ibv_query_qp(qp, &attr, IBV_QP_STATE, &queried_init));
	assert_ptr_equal(fake_provider.args.attr, qp->real_qp);
	assert_int_equal(fake_provider.args.attr_mask, IBV_QP_STATE);
	assert_memory_equal(&attr, &fake_provider.qp_attr, OLD_QP_ATTR_SIZE);
	for (size_t i = OLD_QP_ATTR_SIZE; i < sizeof(attr); i++)
		assert_int_equal(bytes[i], 0xee);
	assert_int_equal(qp->state, IBV_QPS_SQE);
	assert_ptr_equal(queried_init.qp_context, &user_context);
	assert_ptr_equal(queried_init.send_cq, cqs[0]);
	assert_ptr_equal(queried_init.recv_cq, cqs[1]);
	assert_ptr_equal(queried_init.srq, rq);

	memset(&queried_init, 0xee, sizeof(queried_init));
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(compat_ibv_query_qp(qp, &attr, 0, &queried_init), EIO);
	assert_int_equal(queried_init.sq_sig_all, (int)0xeeeeeeee);
	ASSERT_ERRNO(compat_ibv_query_qp(qp, NULL, 0, &queried_init), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_qp(qp, &attr, 0, NULL), EINVAL);
	fake_provider.ret = 0;
	ASSERT_OK(compat_ibv_destroy_qp(qp));
}

static void compat_qp_mcast_attach_and_detach_succeed(void **state)
{
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init_attr);
	union ibv_gid gid = { .raw = { 0xff } };

	ASSERT_OK(compat_ibv_attach_mcast(qp, &gid, 3));
	ASSERT_OP("attach_mcast");
	assert_ptr_equal(fake_provider.args.attr, qp->real_qp);
	assert_ptr_equal(fake_provider.args.gid, &gid);
	assert_int_equal(fake_provider.args.lid, 3);
	ASSERT_OK(compat_ibv_detach_mcast(qp, &gid, 3));
	ASSERT_OP("detach_mcast");
	assert_ptr_equal(fake_provider.args.attr, qp->real_qp);
	ASSERT_BUSY(compat_ibv_attach_mcast(qp, &gid, 3));
	ASSERT_BUSY(compat_ibv_detach_mcast(qp, &gid, 3));
	ASSERT_ERRNO(compat_ibv_attach_mcast(NULL, &gid, 3), EINVAL);
	ASSERT_ERRNO(compat_ibv_detach_mcast(NULL, &gid, 3), EINVAL);
	ASSERT_OK(compat_ibv_destroy_qp(qp));
}

#define QP_TEST(name) \
	cmocka_unit_test_setup_teardown(name, qp_setup, qp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPAT_TEST(compat_pd_alloc_and_dealloc_succeed),
		COMPAT_TEST(compat_mr_reg_and_dereg_succeed),
		COMPAT_TEST(compat_ah_create_and_destroy_succeed),
		COMPAT_TEST(compat_cq_create_resize_and_destroy_succeed),
		COMPAT_TEST(compat_srq_create_and_destroy_succeed),
		COMPAT_TEST(compat_srq_create_failure_is_null),
		QP_TEST(compat_qp_create_uses_real_objects),
		QP_TEST(compat_qp_create_failure_is_null),
		QP_TEST(compat_qp_modify_reaches_provider),
		QP_TEST(compat_qp_query_returns_attributes),
		QP_TEST(compat_qp_mcast_attach_and_detach_succeed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
