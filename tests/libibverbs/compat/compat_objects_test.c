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

static int mine; /* any context pointer of a program */

/* The fake provider's result for an object in use. */
#define ASSERT_BUSY(call)                   \
	do {                                \
		fake_provider.ret = -EBUSY; \
		ASSERT_ERRNO(call, EBUSY);  \
		fake_provider.ret = 0;      \
	} while (0)

/* Frees both blocks of an object, the shadow and the real one. */
#define ASSERT_NULL_WITHOUT_MEMORY(call)                \
	do {                                            \
		for (unsigned int n = 1; n < 3; n++) {  \
			alloc_fail_at(n);               \
			ASSERT_NULL(call, ENOMEM);      \
			assert_true(alloc_fail_done()); \
		}                                       \
	} while (0)

#define ASSERT_NULL_REFUSED(call)           \
	do {                                \
		fake_provider.ret = -EPERM; \
		ASSERT_NULL(call, EPERM);   \
		fake_provider.ret = 0;      \
	} while (0)

/* The fake provider has created that many objects since @what. */
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
	ASSERT_NULL_REFUSED(compat_ibv_alloc_pd(compat.ctx));
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
	ASSERT_NULL_REFUSED(compat_ibv_reg_mr(compat.pd, buf, 64, 0));
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
	ASSERT_NULL_REFUSED(compat_ibv_create_ah(compat.pd, &attr));
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
	struct ibv_cq_1_0 *cq = compat_ibv_create_cq(ctx, 10, &mine, NULL, 3);

	assert_non_null(cq);
	assert_ptr_equal(fake_provider.args.ctx, ctx->real_context);
	assert_int_equal(fake_provider.args.cq_attr.cqe, 10);
	assert_int_equal(fake_provider.args.cq_attr.comp_vector, 3);
	assert_ptr_equal(fake_provider.args.cq_attr.cq_context, cq);
	assert_ptr_equal(cq->context, ctx);
	assert_ptr_equal(cq->cq_context, &mine);
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
	ASSERT_NULL_REFUSED(compat_ibv_create_cq(ctx, 1, NULL, NULL, 0));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_cq(ctx, 1, NULL, NULL, 0));
	ASSERT_NULL(compat_ibv_create_cq(NULL, 1, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(compat_ibv_create_cq(ctx, 0, NULL, NULL, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_resize_cq(NULL, 1), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_cq(NULL), EINVAL);
	assert_objects(1);
}

static void compat_srq_create_and_destroy_succeed(void **state)
{
	struct ibv_srq_init_attr attr = { .srq_context = &mine,
					  .attr = { .max_wr = 5 } };
	struct ibv_srq_attr limit = { .srq_limit = 2 }, asked;
	struct ibv_srq_1_0 *srq;

	fake_provider.srq_attr.max_wr = 8;
	srq = compat_ibv_create_srq(compat.pd, &attr);
	assert_non_null(srq);
	assert_ptr_equal(fake_provider.args.srq_attr.pd, compat.pd->real_pd);
	assert_ptr_equal(fake_provider.args.srq_attr.srq_context, srq);
	assert_int_equal(fake_provider.args.srq_attr.attr.max_wr, 5);
	assert_int_equal(attr.attr.max_wr, 8);
	assert_ptr_equal(attr.srq_context, &mine);
	assert_ptr_equal(srq->context, compat.ctx);
	assert_ptr_equal(srq->srq_context, &mine);
	assert_ptr_equal(srq->pd, compat.pd);
	assert_int_equal(srq->handle, srq->real_srq->handle);

	ASSERT_OK(compat_ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	assert_ptr_equal(fake_provider.args.attr, &limit);
	assert_int_equal(fake_provider.args.attr_mask, IBV_SRQ_LIMIT);
	ASSERT_OK(compat_ibv_query_srq(srq, &asked));
	assert_ptr_equal(fake_provider.args.attr, srq->real_srq);
	assert_int_equal(asked.max_wr, 8);
	ASSERT_BUSY(compat_ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	ASSERT_BUSY(compat_ibv_query_srq(srq, &asked));
	ASSERT_BUSY(compat_ibv_destroy_srq(srq));
	ASSERT_OK(compat_ibv_destroy_srq(srq));
}

static void compat_srq_create_failure_is_null(void **state)
{
	struct ibv_srq_init_attr attr = { .srq_context = &mine };
	const struct ibv_srq_init_attr before = attr;
	struct ibv_srq_attr asked;

	fake_provider.srq_attr.max_wr = 8;
	ASSERT_NULL_REFUSED(compat_ibv_create_srq(compat.pd, &attr));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_srq(compat.pd, &attr));
	assert_memory_equal(&attr, &before, sizeof(attr));
	ASSERT_NULL(compat_ibv_create_srq(NULL, &attr), EINVAL);
	ASSERT_NULL(compat_ibv_create_srq(compat.pd, NULL), EINVAL);
	ASSERT_ERRNO(compat_ibv_modify_srq(NULL, &asked, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_srq(NULL, &asked), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_srq(NULL), EINVAL);
	assert_objects(1);
}

/* ------------------------------------------------------------------------ */
/* QP                                                                       */
/* ------------------------------------------------------------------------ */

/* Two CQs, an SRQ, and the attributes of a QP. */
static struct ibv_cq_1_0 *cqs[2];
static struct ibv_srq_1_0 *rq;
static struct ibv_qp_init_attr_1_0 init;

static int start_qp(void **state)
{
	int ret = compat_open(state);

	cqs[0] = compat_create_cq(NULL);
	cqs[1] = compat_create_cq(NULL);
	rq = compat_create_srq(NULL);
	init = (struct ibv_qp_init_attr_1_0){
		.qp_context = &mine,
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

static int finish_qp(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(compat_ibv_destroy_srq(rq), 0);
	assert_int_equal(compat_ibv_destroy_cq(cqs[0]), 0);
	assert_int_equal(compat_ibv_destroy_cq(cqs[1]), 0);
	return compat_close(state);
}

static void compat_qp_create_uses_real_objects(void **state)
{
	const struct ibv_qp_init_attr_ex *seen = &fake_provider.args.qp_attr;
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init);

	assert_non_null(qp);
	assert_ptr_equal(seen->pd, compat.pd->real_pd);
	assert_ptr_equal(seen->send_cq, cqs[0]->real_cq);
	assert_ptr_equal(seen->recv_cq, cqs[1]->real_cq);
	assert_ptr_equal(seen->srq, rq->real_srq);
	assert_ptr_equal(seen->qp_context, qp);
	assert_int_equal(seen->cap.max_send_wr, 5);
	assert_int_equal(seen->qp_type, IBV_QPT_UD);
	assert_int_equal(seen->sq_sig_all, 1);

	assert_int_equal(init.cap.max_send_wr, 16);
	assert_ptr_equal(init.qp_context, &mine);
	assert_ptr_equal(qp->context, compat.ctx);
	assert_ptr_equal(qp->qp_context, &mine);
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
	struct ibv_qp_init_attr_1_0 before = init;
	struct ibv_qp_attr attr = {};

	ASSERT_NULL_REFUSED(compat_ibv_create_qp(compat.pd, &init));
	ASSERT_NULL_WITHOUT_MEMORY(compat_ibv_create_qp(compat.pd, &init));
	assert_memory_equal(&init, &before, sizeof(init));
	ASSERT_NULL(compat_ibv_create_qp(NULL, &init), EINVAL);
	ASSERT_NULL(compat_ibv_create_qp(compat.pd, NULL), EINVAL);
	init.send_cq = NULL;
	ASSERT_NULL(compat_ibv_create_qp(compat.pd, &init), EINVAL);
	ASSERT_ERRNO(compat_ibv_modify_qp(NULL, &attr, 0), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_qp(NULL, &attr, 0, &init), EINVAL);
	ASSERT_ERRNO(compat_ibv_destroy_qp(NULL), EINVAL);
	assert_objects(4);
}

/* Size of struct ibv_qp_attr in 1.0, on any architecture. */
#define OLD_QP_ATTR_SIZE offsetof(struct ibv_qp_attr, rate_limit)

static struct ibv_qp_attr seen_attr;

static int modify_sees(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	seen_attr = *attr;
	return fake_provider.ret;
}

static void compat_qp_modify_reaches_provider(void **state)
{
	static const struct verbs_context_ops ops = {
		.modify_qp = modify_sees,
	};
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init);
	struct ibv_qp_attr attr;

	verbs_context_set_ops(verbs_get_ctx(compat.ctx->real_context), &ops);
	/* bytes behind the old struct are not read */
	memset(&attr, 0x77, sizeof(attr));
	attr.qp_state = IBV_QPS_INIT;
	ASSERT_OK(compat_ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	assert_memory_equal(&seen_attr, &attr, OLD_QP_ATTR_SIZE);
	assert_int_equal(seen_attr.rate_limit, 0);
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
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init);
	struct ibv_qp_init_attr_1_0 told;
	struct ibv_qp_attr attr;
	unsigned char *bytes = (unsigned char *)&attr;

	memset(&fake_provider.qp_attr, 0x55, sizeof(fake_provider.qp_attr));
	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	memset(&attr, 0xee, sizeof(attr));
	memset(&told, 0xee, sizeof(told));
	ASSERT_OK(compat_ibv_query_qp(qp, &attr, IBV_QP_STATE, &told));
	assert_ptr_equal(fake_provider.args.attr, qp->real_qp);
	assert_int_equal(fake_provider.args.attr_mask, IBV_QP_STATE);
	assert_memory_equal(&attr, &fake_provider.qp_attr, OLD_QP_ATTR_SIZE);
	for (size_t i = OLD_QP_ATTR_SIZE; i < sizeof(attr); i++)
		assert_int_equal(bytes[i], 0xee);
	assert_int_equal(qp->state, IBV_QPS_SQE);
	assert_ptr_equal(told.qp_context, &mine);
	assert_ptr_equal(told.send_cq, cqs[0]);
	assert_ptr_equal(told.recv_cq, cqs[1]);
	assert_ptr_equal(told.srq, rq);

	memset(&told, 0xee, sizeof(told));
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(compat_ibv_query_qp(qp, &attr, 0, &told), EIO);
	assert_int_equal(told.sq_sig_all, (int)0xeeeeeeee);
	ASSERT_ERRNO(compat_ibv_query_qp(qp, NULL, 0, &told), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_qp(qp, &attr, 0, NULL), EINVAL);
	fake_provider.ret = 0;
	ASSERT_OK(compat_ibv_destroy_qp(qp));
}

static void compat_qp_mcast_attach_and_detach_succeed(void **state)
{
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &init);
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

#define QP_TEST(name) cmocka_unit_test_setup_teardown(name, start_qp, finish_qp)

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
