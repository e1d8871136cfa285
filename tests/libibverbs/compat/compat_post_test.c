/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path of libibverbs 1.0: libibverbs/compat/compat_post.c and
 * compat_cq.c. Like programs, the tests call the op table of the context. The
 * fake provider has no data path, so the test sets its own ops in the context.
 * They record the work requests and reject the one that the test selects.
 */
#include <string.h>

#include "libibverbs/compat/compat_fixture.h"

#define MAX_SEEN 64

static struct ibv_cq_1_0 *cq;
static struct ibv_srq_1_0 *srq;
static struct ibv_qp_1_0 *rc, *ud;

static struct ibv_send_wr sends[MAX_SEEN];
static struct ibv_recv_wr recvs[MAX_SEEN];
static size_t nr_seen, nr_calls;
static size_t refuse_at; /* number of the request that fails, from 1; 0: none */
static const void *seen_object;
static int seen_number;

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad_wr)
{
	seen_object = qp;
	nr_calls++;
	for (; wr; wr = wr->next) {
		if (nr_seen + 1 == refuse_at) {
			*bad_wr = wr;
			return ENOMEM;
		}
		sends[nr_seen++] = *wr;
	}
	return 0;
}

static int take_recvs(const void *object, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	seen_object = object;
	nr_calls++;
	for (; wr; wr = wr->next) {
		if (nr_seen + 1 == refuse_at) {
			*bad_wr = wr;
			return ENOMEM;
		}
		recvs[nr_seen++] = *wr;
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad_wr)
{
	return take_recvs(qp, wr, bad_wr);
}

static int post_srq_recv(struct ibv_srq *real, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr)
{
	return take_recvs(real, wr, bad_wr);
}

static int poll_cq(struct ibv_cq *real, int num_entries, struct ibv_wc *wc)
{
	seen_object = real;
	seen_number = num_entries;
	wc->wr_id = 0x1234;
	return 1;
}

static int req_notify_cq(struct ibv_cq *real, int solicited_only)
{
	seen_object = real;
	seen_number = solicited_only;
	return EIO;
}

static const struct verbs_context_ops data_path = {
	.post_send = post_send,
	.post_recv = post_recv,
	.post_srq_recv = post_srq_recv,
	.poll_cq = poll_cq,
	.req_notify_cq = req_notify_cq,
};

static int compat_post_setup(void **state)
{
	int ret = compat_open(state);

	verbs_context_set_ops(verbs_get_ctx(compat.ctx->real_context),
			      &data_path);
	cq = compat_create_cq(NULL);
	srq = compat_create_srq(NULL);
	rc = compat_create_qp(cq, NULL, IBV_QPT_RC, NULL);
	ud = compat_create_qp(cq, srq, IBV_QPT_UD, NULL);
	memset(sends, 0xee, sizeof(sends));
	nr_seen = 0;
	nr_calls = 0;
	refuse_at = 0;
	seen_object = NULL;
	return ret;
}

static int compat_post_teardown(void **state)
{
	assert_int_equal(compat_ibv_destroy_qp(rc), 0);
	assert_int_equal(compat_ibv_destroy_qp(ud), 0);
	assert_int_equal(compat_ibv_destroy_srq(srq), 0);
	assert_int_equal(compat_ibv_destroy_cq(cq), 0);
	return compat_close(state);
}

/* A list of requests with the numbers 1, 2, ... */
static void send_wrs_init(struct ibv_send_wr_1_0 *wr, size_t count)
{
	memset(wr, 0, count * sizeof(*wr));
	for (size_t i = 0; i < count; i++) {
		wr[i].wr_id = i + 1;
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
	}
}

static void recv_wrs_init(struct ibv_recv_wr_1_0 *wr, size_t count)
{
	memset(wr, 0, count * sizeof(*wr));
	for (size_t i = 0; i < count; i++) {
		wr[i].wr_id = i + 1;
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
	}
}

/* Set bad_wr to a pointer that is no work request, and post the list. */
static int send_wrs_post(struct ibv_qp_1_0 *qp, struct ibv_send_wr_1_0 *wr,
			 struct ibv_send_wr_1_0 **bad_wr)
{
	*bad_wr = UNTOUCHED;
	return compat.ctx->ops.post_send(qp, wr, bad_wr);
}

/* ------------------------------------------------------------------------ */
/* Sends                                                                    */
/* ------------------------------------------------------------------------ */

/* All members of a request except its address. */
static void compat_post_send_rdma_is_translated(void **state)
{
	struct ibv_sge sge = { .addr = 1 };
	struct ibv_send_wr_1_0 wr = {
		.wr_id = 0x0123456789abcdef,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.imm_data = htobe32(5),
		.wr.rdma = { .remote_addr = 0xfedcba9876543210, .rkey = 6 },
	};
	struct ibv_send_wr_1_0 *bad;

	assert_int_equal(send_wrs_post(rc, &wr, &bad), 0);
	assert_ptr_equal(bad, UNTOUCHED);
	assert_ptr_equal(seen_object, rc->real_qp);
	assert_int_equal(nr_seen, 1);
	assert_int_equal(sends[0].wr_id, 0x0123456789abcdef);
	assert_ptr_equal(sends[0].sg_list, &sge);
	assert_int_equal(sends[0].num_sge, 1);
	assert_int_equal(sends[0].opcode, IBV_WR_RDMA_WRITE_WITH_IMM);
	assert_int_equal(sends[0].send_flags,
			 IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	assert_int_equal(sends[0].imm_data, htobe32(5));
	assert_int_equal(sends[0].wr.rdma.remote_addr, 0xfedcba9876543210);
	assert_int_equal(sends[0].wr.rdma.rkey, 6);
	assert_int_equal(sends[0].qp_type.xrc.remote_srqn, 0);
	assert_int_equal(sends[0].bind_mw.rkey, 0);
}

static void compat_post_send_atomic_is_translated(void **state)
{
	struct ibv_send_wr_1_0 wr = {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.wr.atomic = { .remote_addr = 1,
			       .compare_add = 2,
			       .swap = 3,
			       .rkey = 4 },
	};
	struct ibv_send_wr_1_0 *bad;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(send_wrs_post(rc, &wr, &bad), 0);
		assert_int_equal(sends[i].opcode, wr.opcode);
		assert_int_equal(sends[i].wr.atomic.remote_addr, 1);
		assert_int_equal(sends[i].wr.atomic.compare_add, 2);
		assert_int_equal(sends[i].wr.atomic.swap, 3);
		assert_int_equal(sends[i].wr.atomic.rkey, 4);
		wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	}
}

static void compat_post_send_ud_uses_real_ah(void **state)
{
	struct ibv_ah_attr attr = {};
	struct ibv_ah_1_0 *ah = compat_ibv_create_ah(compat.pd, &attr);
	struct ibv_send_wr_1_0 wr = {
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = ah, .remote_qpn = 7, .remote_qkey = 8 },
	};
	struct ibv_send_wr_1_0 *bad;

	assert_non_null(ah);
	assert_int_equal(send_wrs_post(ud, &wr, &bad), 0);
	assert_ptr_equal(seen_object, ud->real_qp);
	assert_ptr_equal(sends[0].wr.ud.ah, ah->real_ah);
	assert_int_equal(sends[0].wr.ud.remote_qpn, 7);
	assert_int_equal(sends[0].wr.ud.remote_qkey, 8);

	/* a NULL handle is passed to the provider */
	wr.wr.ud.ah = NULL;
	assert_int_equal(send_wrs_post(ud, &wr, &bad), 0);
	assert_null(sends[1].wr.ud.ah);
	assert_int_equal(compat_ibv_destroy_ah(ah), 0);
}

static void compat_post_send_list_keeps_order(void **state)
{
	struct ibv_send_wr_1_0 wr[MAX_SEEN], *bad;

	for (size_t count = 0; count <= MAX_SEEN; count++) {
		nr_seen = 0;
		send_wrs_init(wr, count);
		assert_int_equal(send_wrs_post(rc, count ? wr : NULL, &bad), 0);
		assert_int_equal(nr_seen, count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(sends[i].wr_id, i + 1);
	}
}

static void compat_post_send_short_list_is_single_call(void **state)
{
	struct ibv_send_wr_1_0 wr[16], *bad;

	send_wrs_init(wr, 16);
	assert_int_equal(send_wrs_post(rc, wr, &bad), 0);
	assert_int_equal(nr_calls, 1);
}

static void compat_post_send_rejected_wr_is_bad_wr(void **state)
{
	struct ibv_send_wr_1_0 wr[40], *bad;

	send_wrs_init(wr, 40);
	for (size_t n = 1; n <= 40; n++) {
		nr_seen = 0;
		refuse_at = n;
		assert_int_equal(send_wrs_post(rc, wr, &bad), ENOMEM);
		assert_ptr_equal(bad, &wr[n - 1]);
		assert_int_equal(nr_seen, n - 1);
	}
}

/* 1.0 lacks these opcodes; their arguments do not fit into its struct. */
static void compat_post_send_newer_opcode_is_einval(void **state)
{
	static const enum ibv_wr_opcode later[] = {
		IBV_WR_LOCAL_INV,    IBV_WR_BIND_MW, IBV_WR_SEND_WITH_INV,
		IBV_WR_TSO,	     IBV_WR_DRIVER1, IBV_WR_FLUSH,
		IBV_WR_ATOMIC_WRITE,
	};
	struct ibv_send_wr_1_0 wr[40], *bad;

	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		/* the first place, and places in both batches */
		size_t at = 6 * i;

		nr_seen = 0;
		send_wrs_init(wr, 40);
		wr[at].opcode = later[i];
		assert_int_equal(send_wrs_post(rc, wr, &bad), EINVAL);
		assert_ptr_equal(bad, &wr[at]);
		assert_int_equal(nr_seen, at);
	}
}

/* ------------------------------------------------------------------------ */
/* Receives                                                                 */
/* ------------------------------------------------------------------------ */

static void compat_post_recv_is_translated(void **state)
{
	struct ibv_sge sge = {};
	struct ibv_recv_wr_1_0 wr = { .wr_id = 5,
				      .sg_list = &sge,
				      .num_sge = 1 };
	struct ibv_recv_wr_1_0 *bad = UNTOUCHED;

	assert_int_equal(compat.ctx->ops.post_recv(rc, &wr, &bad), 0);
	assert_ptr_equal(seen_object, rc->real_qp);
	assert_int_equal(compat.ctx->ops.post_srq_recv(srq, &wr, &bad), 0);
	assert_ptr_equal(seen_object, srq->real_srq);
	assert_ptr_equal(bad, UNTOUCHED);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(recvs[i].wr_id, 5);
		assert_ptr_equal(recvs[i].sg_list, &sge);
		assert_int_equal(recvs[i].num_sge, 1);
	}
}

static void compat_post_recv_list_keeps_order(void **state)
{
	struct ibv_recv_wr_1_0 wr[MAX_SEEN], *bad;

	for (size_t count = 1; count <= MAX_SEEN; count++) {
		nr_seen = 0;
		recv_wrs_init(wr, count);
		assert_int_equal(compat.ctx->ops.post_recv(rc, wr, &bad), 0);
		assert_int_equal(nr_seen, count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(recvs[i].wr_id, i + 1);
	}
	assert_int_equal(compat.ctx->ops.post_srq_recv(srq, NULL, &bad), 0);
	assert_int_equal(nr_seen, MAX_SEEN);
}

static void compat_post_recv_rejected_wr_is_bad_wr(void **state)
{
	struct ibv_recv_wr_1_0 wr[40], *bad;

	recv_wrs_init(wr, 40);
	for (size_t n = 1; n <= 40; n++) {
		nr_seen = 0;
		refuse_at = n;
		assert_int_equal(compat.ctx->ops.post_srq_recv(srq, wr, &bad),
				 ENOMEM);
		assert_ptr_equal(bad, &wr[n - 1]);
		assert_int_equal(nr_seen, n - 1);
	}
}

/* ------------------------------------------------------------------------ */
/* Completions                                                              */
/* ------------------------------------------------------------------------ */

static void compat_poll_cq_polls_real_cq(void **state)
{
	struct ibv_wc wc;

	assert_int_equal(compat.ctx->ops.poll_cq(cq, 4, &wc), 1);
	assert_ptr_equal(seen_object, cq->real_cq);
	assert_int_equal(seen_number, 4);
	assert_int_equal(wc.wr_id, 0x1234);
}

static void compat_req_notify_cq_arms_real_cq(void **state)
{
	assert_int_equal(compat.ctx->ops.req_notify_cq(cq, 1), EIO);
	assert_ptr_equal(seen_object, cq->real_cq);
	assert_int_equal(seen_number, 1);
}

#define POST_TEST(name)                                          \
	cmocka_unit_test_setup_teardown(name, compat_post_setup, \
					compat_post_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		POST_TEST(compat_post_send_rdma_is_translated),
		POST_TEST(compat_post_send_atomic_is_translated),
		POST_TEST(compat_post_send_ud_uses_real_ah),
		POST_TEST(compat_post_send_list_keeps_order),
		POST_TEST(compat_post_send_short_list_is_single_call),
		POST_TEST(compat_post_send_rejected_wr_is_bad_wr),
		POST_TEST(compat_post_send_newer_opcode_is_einval),
		POST_TEST(compat_post_recv_is_translated),
		POST_TEST(compat_post_recv_list_keeps_order),
		POST_TEST(compat_post_recv_rejected_wr_is_bad_wr),
		POST_TEST(compat_poll_cq_polls_real_cq),
		POST_TEST(compat_req_notify_cq_arms_real_cq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
