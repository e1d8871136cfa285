/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creating objects without memory or descriptors: the call fails and changes
 * nothing. AddressSanitizer reports leaks as well. Linked with WRAP malloc
 * calloc reallocarray aligned_alloc pipe2.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_pipe2(int *fds, int flags);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_pipe2(int *fds, int flags);

static unsigned int countdown; /* 1: the next allocation fails; 0: none */
static int failed_with;	       /* errno of the failed allocation, or 0 */

static bool fails(int err)
{
	if (!countdown || --countdown)
		return false;
	failed_with = err;
	errno = err;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails(ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails(ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
	return fails(ENOMEM) ? NULL : __real_reallocarray(block, count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails(ENOMEM) ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_pipe2(int *fds, int flags)
{
	return fails(EMFILE) ? -1 : __real_pipe2(fds, flags);
}

static struct uroce_context *ctx;
static struct ibv_context *ibctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static uint8_t memory[64];

static int setup(void **state)
{
	countdown = 0;
	ctx = fake_worker_context();
	ibctx = &ctx->vctx.context;
	pd = new_pd(ctx);
	cq = new_cq(ctx, 4, NULL);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0); /* not in use */
	fake_worker_close(ctx);
	return 0;
}

/* Lets each allocation of @make fail once. Return: number of allocations. */
static unsigned int fail_each(int (*make)(void), void (*unmake)(void))
{
	for (unsigned int n = 1;; n++) {
		int ret;

		countdown = n;
		failed_with = 0;
		ret = make();
		countdown = 0;
		if (ret == 0)
			unmake();
		if (!failed_with) {
			assert_int_equal(ret, 0);
			return n - 1;
		}
		assert_int_equal(ret, -failed_with);
	}
}

static struct ibv_pd *made_pd;

static int make_pd(void)
{
	return uroce_alloc_pd(ibctx, &made_pd);
}

static int make_parent(void)
{
	struct ibv_parent_domain_init_attr attr = { .pd = pd };

	return uroce_alloc_parent_domain(ibctx, &attr, &made_pd);
}

static void unmake_pd(void)
{
	assert_int_equal(uroce_dealloc_pd(made_pd), 0);
}

static void shortage_alloc_pd_fails_cleanly(void **state)
{
	assert_int_equal(fail_each(make_pd, unmake_pd), 1);
	assert_int_equal(fail_each(make_parent, unmake_pd), 1);
}

static struct ibv_mr *made_mr;

static int make_mr(void)
{
	return uroce_reg_mr(pd, memory, sizeof(memory), 0, 0, &made_mr);
}

static int make_null_mr(void)
{
	return uroce_alloc_null_mr(pd, &made_mr);
}

static void unmake_mr(void)
{
	assert_int_equal(uroce_dereg_mr(verbs_container_of(
				 made_mr, struct verbs_mr, ibv_mr)),
			 0);
}

static struct ibv_mw *made_mw;

static int make_mw(void)
{
	return uroce_alloc_mw(pd, IBV_MW_TYPE_2, &made_mw);
}

static void unmake_mw(void)
{
	assert_int_equal(uroce_dealloc_mw(made_mw), 0);
}

static void shortage_reg_mr_and_alloc_mw_fail_cleanly(void **state)
{
	assert_in_range(fail_each(make_mr, unmake_mr), 2, 4);
	assert_in_range(fail_each(make_null_mr, unmake_mr), 1, 4);
	assert_in_range(fail_each(make_mw, unmake_mw), 1, 4);
}

static struct verbs_cq *made_cq;
static struct ibv_comp_channel channel;

static int make_cq(void)
{
	const struct ibv_cq_init_attr_ex attr = { .cqe = 4 };

	return uroce_create_cq(ibctx, &attr, true, &made_cq);
}

static void unmake_cq(void)
{
	assert_int_equal(uroce_destroy_cq(&made_cq->cq), 0);
}

static int make_channel(void)
{
	return uroce_create_comp_channel(ibctx, &channel.fd);
}

static void unmake_channel(void)
{
	(void)close(channel.fd);
}

static void shortage_create_cq_fails_cleanly(void **state)
{
	assert_int_equal(fail_each(make_cq, unmake_cq), 2);
	assert_int_equal(fail_each(make_channel, unmake_channel), 2);
}

static struct verbs_srq *made_srq;

static int make_srq(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};

	return uroce_create_srq(ibctx, &attr, &made_srq);
}

static void unmake_srq(void)
{
	assert_int_equal(uroce_destroy_srq(&made_srq->srq), 0);
}

static struct verbs_qp *made_qp;

static int make_qp(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UD,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};

	return uroce_create_qp(ibctx, &attr, &made_qp);
}

static void unmake_qp(void)
{
	assert_int_equal(uroce_destroy_qp(&made_qp->qp), 0);
}

static void shortage_create_qp_and_srq_fail_cleanly(void **state)
{
	assert_int_equal(fail_each(make_srq, unmake_srq), 2);
	assert_in_range(fail_each(make_qp, unmake_qp), 4, 8);
}

static struct ibv_qp *rc_qp;
static struct ibv_qp_attr rc_attr;

static int make_ready(void)
{
	const int to_rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int to_rts = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			   IBV_QP_MAX_QP_RD_ATOMIC;
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr init;
	int ret;

	assert_int_equal(uroce_query_qp(rc_qp, &now, 0, &init), 0);
	rc_attr.qp_state = IBV_QPS_RTR;
	if (now.qp_state == IBV_QPS_INIT) {
		ret = uroce_modify_qp(rc_qp, &rc_attr, to_rtr);
		if (ret)
			return ret;
	}
	rc_attr.qp_state = IBV_QPS_RTS;
	return uroce_modify_qp(rc_qp, &rc_attr, to_rts);
}

static void make_initial(void)
{
	rc_attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(uroce_modify_qp(rc_qp, &rc_attr, IBV_QP_STATE), 0);
	rc_attr.qp_state = IBV_QPS_INIT;
	assert_int_equal(uroce_modify_qp(rc_qp, &rc_attr,
					 IBV_QP_STATE | IBV_QP_PKEY_INDEX |
						 IBV_QP_PORT |
						 IBV_QP_ACCESS_FLAGS),
			 0);
}

/* There is memory for outstanding READs as the attributes say. */
static void shortage_modify_qp_fails_cleanly(void **state)
{
	struct ibv_qp_init_attr init;

	rc_qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	connect_qp(rc_qp, rc_qp);
	assert_int_equal(uroce_query_qp(rc_qp, &rc_attr, 0, &init), 0);
	rc_attr.max_rd_atomic = 128;
	rc_attr.max_dest_rd_atomic = 128;
	make_initial();
	assert_int_equal(fail_each(make_ready, make_initial), 2);
	rc_attr.max_rd_atomic = 0;
	rc_attr.max_dest_rd_atomic = 0;
	assert_int_equal(fail_each(make_ready, make_initial), 0);
	assert_int_equal(uroce_destroy_qp(rc_qp), 0);
}

static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };

static int join(void)
{
	return uroce_attach_mcast(&made_qp->qp, &group, 0);
}

static void leave(void)
{
	assert_int_equal(uroce_detach_mcast(&made_qp->qp, &group, 0), 0);
}

static void shortage_attach_mcast_fails_cleanly(void **state)
{
	assert_int_equal(make_qp(), 0);
	assert_int_equal(fail_each(join, leave), 1);
	assert_int_equal(fake_worker.nr_joined, 0);
	unmake_qp();
}

/*
 * Unread events must be removed, which needs memory and a pipe for the channel,
 * and again for asynchronous events.
 */
static void shortage_destroy_can_be_retried(void **state)
{
	static const struct {
		unsigned int nth;
		int ret;
	} failures[] = {
		{ 1, -ENOMEM },
		{ 2, -EMFILE },
		{ 3, -ENOMEM },
		{ 2, -EMFILE }, /* the channel events are removed */
	};
	struct ibv_comp_channel own = { .context = ibctx };
	struct ibv_cq *queue;

	assert_int_equal(uroce_create_comp_channel(ibctx, &own.fd), 0);
	queue = new_cq(ctx, 4, &own);
	uroce_worker_callbacks.cq_event(&to_uroce_cq(queue)->cq, true, true);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		countdown = failures[i].nth;
		assert_int_equal(uroce_destroy_cq(queue), failures[i].ret);
		countdown = 0;
	}
	assert_int_equal(uroce_destroy_cq(queue), 0);
	(void)close(own.fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shortage_alloc_pd_fails_cleanly),
		TEST(shortage_reg_mr_and_alloc_mw_fail_cleanly),
		TEST(shortage_create_cq_fails_cleanly),
		TEST(shortage_create_qp_and_srq_fail_cleanly),
		TEST(shortage_modify_qp_fails_cleanly),
		TEST(shortage_attach_mcast_fails_cleanly),
		TEST(shortage_destroy_can_be_retried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
