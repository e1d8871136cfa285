/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting work requests through the kernel. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define MAX_WRS	   400
#define BUF_LEN	   4096 /* of cmd_post.c */
#define HEADER_LEN 24
#define SEND_LEN   56
#define RECV_LEN   16
#define SGE_LEN	   16

_Static_assert(sizeof(struct ib_uverbs_send_wr) == SEND_LEN, "send");
_Static_assert(sizeof(struct ib_uverbs_recv_wr) == RECV_LEN, "receive");

/* Expected request. */
struct expected_request {
	uint64_t response;
	uint32_t handle, wr_count, sge_count, wqe_size;
	uint8_t bytes[BUF_LEN];
	size_t len; /* used bytes */
};

static struct expected_request expected_request(uint32_t handle,
						uint32_t wqe_size)
{
	return (struct expected_request){ .handle = handle,
					  .wqe_size = wqe_size };
}

/* All work requests must be added before the SGEs. */
static void add_wr(struct expected_request *r, const void *wr)
{
	memcpy(r->bytes + r->len, wr, r->wqe_size);
	r->len += r->wqe_size;
	r->wr_count++;
}

static void add_sge(struct expected_request *r, const struct ibv_sge *sge)
{
	memcpy(r->bytes + r->len, sge, SGE_LEN);
	r->len += SGE_LEN;
	r->sge_count++;
}

static void expect_post(enum test_form form, uint32_t command,
			const struct expected_request *r, uint32_t bad_wr,
			int err)
{
	const struct ib_uverbs_post_send_resp out = { .bad_wr = bad_wr };
	const struct fake_write cmd = {
		.command = command,
		.in = r,
		.in_len = HEADER_LEN + r->len,
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static struct ibv_sge sges[4] = {
	{ 0x1111, 11, 12 },
	{ 0x2222, 21, 22 },
	{ 0x3333, 31, 32 },
	{ 0x4444, 41, 42 },
};

/* ------------------------------------------------------------------------ */
/* Send work requests                                                        */
/* ------------------------------------------------------------------------ */

static struct ibv_qp qp_of(struct kernel_test *t, enum ibv_qp_type type)
{
	return (struct ibv_qp){ .context = t->ctx,
				.handle = 61,
				.qp_type = type };
}

static const uint32_t post_send = IB_USER_VERBS_CMD_POST_SEND;

/* Common part, then the union of 32 bytes. */
struct kernel_send {
	uint64_t wr_id;
	uint32_t num_sge, opcode, send_flags, imm_data;
	uint64_t wr[4];
};

/* An rkey occupies the first half of a 64-bit word. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define KEY(rkey) (rkey)
#else
#define KEY(rkey) ((uint64_t)(rkey) << 32)
#endif

static void post_send_rdma_and_atomic_fields_are_sent(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct ibv_send_wr wr[3] = {
		{ .wr_id = 1,
		  .next = &wr[1],
		  .sg_list = &sges[0],
		  .num_sge = 2,
		  .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE,
		  .imm_data = 0x01020304,
		  .wr.rdma = { .remote_addr = 0x1122334455, .rkey = 0x66 } },
		{ .wr_id = 2,
		  .next = &wr[2],
		  .sg_list = &sges[2],
		  .num_sge = 1,
		  .opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		  .wr.atomic = { 0x2233445566, 0x77, 0x88, 0x99 } },
		{ .wr_id = 3,
		  .opcode = IBV_WR_SEND_WITH_INV,
		  .invalidate_rkey = 0x0a0b0c0d,
		  .wr.rdma = { .remote_addr = 1, .rkey = 2 } },
	};
	const struct kernel_send expected[3] = {
		{ 1, 2, 1, 3, 0x01020304, { 0x1122334455, KEY(0x66) } },
		{ 2, 1, 5, 0, 0, { 0x2233445566, 0x77, 0x88, KEY(0x99) } },
		/* A send has no remote address. */
		{ 3, 0, 9, 0, 0x0a0b0c0d, { 0 } },
	};
	struct expected_request r = expected_request(61, SEND_LEN);
	struct ibv_send_wr *bad = &wr[2];

	for (int i = 0; i < 3; i++)
		add_wr(&r, &expected[i]);
	for (int i = 0; i < 3; i++)
		add_sge(&r, &sges[i]);
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		expect_post(form, post_send, &r, 0, 0);
		assert_int_equal(verbs_cmd_post_send(&qp, wr, &bad), 0);
		assert_ptr_equal(bad, &wr[2]);
	}
}

static void post_send_fields_depend_on_opcode(void **state)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		uint32_t number;
		uint64_t wr[4];
	} cases[] = {
		{ IBV_WR_RDMA_WRITE, 0, { 0x10, KEY(0x20) } },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, 1, { 0x10, KEY(0x20) } },
		{ IBV_WR_SEND, 2, { 0 } },
		{ IBV_WR_SEND_WITH_IMM, 3, { 0 } },
		{ IBV_WR_RDMA_READ, 4, { 0x10, KEY(0x20) } },
		{ IBV_WR_ATOMIC_CMP_AND_SWP,
		  5,
		  { 0x10, KEY(0x20), 0x30, KEY(0x40) } },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD,
		  6,
		  { 0x10, KEY(0x20), 0x30, KEY(0x40) } },
		{ IBV_WR_LOCAL_INV, 7, { 0 } },
		{ IBV_WR_SEND_WITH_INV, 9, { 0 } },
	};
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_UC);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ibv_send_wr wr = { .opcode = cases[i].opcode };
		struct kernel_send expected = { .opcode = cases[i].number };
		struct expected_request r = expected_request(61, SEND_LEN);
		struct ibv_send_wr *bad;

		wr.wr.atomic.remote_addr = 0x10;
		wr.wr.atomic.compare_add = KEY(0x20); /* for RDMA: the rkey */
		wr.wr.atomic.swap = 0x30;
		wr.wr.atomic.rkey = 0x40;
		memcpy(expected.wr, cases[i].wr, sizeof(expected.wr));
		add_wr(&r, &expected);
		expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
		assert_int_equal(verbs_cmd_post_send(&qp, &wr, &bad), 0);
	}
}

static void post_send_ud_sends_ah_handle(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_UD);
	struct ibv_ah ah = { .handle = 77 };
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.sg_list = sges,
		.num_sge = 4,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = 5,
		.wr.ud = { &ah, 0x123456, 0x11111111 },
	};
	const struct ib_uverbs_send_wr expected = {
		.wr_id = 1,
		.num_sge = 4,
		.opcode = IB_UVERBS_WR_SEND_WITH_IMM,
		.ex.imm_data = 5,
		.wr.ud = { .ah = 77,
			   .remote_qpn = 0x123456,
			   .remote_qkey = 0x11111111 },
	};
	struct expected_request r = expected_request(61, SEND_LEN);
	struct ibv_send_wr *bad;

	add_wr(&r, &expected);
	for (int i = 0; i < 4; i++)
		add_sge(&r, &sges[i]);
	expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
	assert_int_equal(verbs_cmd_post_send(&qp, &wr, &bad), 0);
}

/* A list of send work requests with @num_sge SGEs each. */
static struct ibv_send_wr sends[MAX_WRS];

static void make_sends(int nr, int num_sge, struct ibv_sge *list)
{
	for (int i = 0; i < nr; i++)
		sends[i] = (struct ibv_send_wr){
			.wr_id = (uint64_t)i,
			.next = i + 1 < nr ? &sends[i + 1] : NULL,
			.sg_list = list,
			.num_sge = num_sge,
			.opcode = IBV_WR_SEND,
		};
}

static void add_sends(struct expected_request *r, int first, int nr,
		      int num_sge, const struct ibv_sge *list)
{
	for (int i = first; i < first + nr; i++) {
		const struct kernel_send wr = {
			.wr_id = (uint64_t)i,
			.num_sge = (uint32_t)num_sge,
			.opcode = IB_UVERBS_WR_SEND,
		};

		add_wr(r, &wr);
	}
	for (int i = 0; i < nr * num_sge; i++)
		add_sge(r, &list[i % num_sge]);
}

static void post_send_long_list_is_sent_in_batches(void **state)
{
	/* 24 + 56 n + 16 n <= 4096 */
	const int fit = (BUF_LEN - HEADER_LEN) / (SEND_LEN + SGE_LEN);
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct ibv_send_wr *bad;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		int nr = 2 * fit + 1;

		kernel_test_force(t, form);
		make_sends(nr, 1, sges);
		for (int first = 0; first < nr; first += fit) {
			struct expected_request r =
				expected_request(61, SEND_LEN);
			int left = nr - first;

			add_sends(&r, first, left < fit ? left : fit, 1, sges);
			expect_post(form, post_send, &r, 0, 0);
		}
		assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad), 0);
	}
}

static void post_send_wr_of_buffer_size_is_sent(void **state)
{
	enum {
		FIT = (BUF_LEN - HEADER_LEN - SEND_LEN) / SGE_LEN,
	};
	static struct ibv_sge list[FIT + 1];
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct expected_request r = expected_request(61, SEND_LEN);
	struct ibv_send_wr *bad = NULL;

	for (uint32_t i = 0; i < FIT + 1; i++)
		list[i].addr = i;
	make_sends(1, FIT, list);
	add_sends(&r, 0, 1, FIT, list);
	expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
	assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad), 0);

	make_sends(1, FIT + 1, list);
	assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad), -EINVAL);
	assert_ptr_equal(bad, &sends[0]);
}

/* Work requests before the invalid one are posted. */
static void post_send_invalid_wr_is_refused_after_valid_ones(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < 3; i++) {
		struct ibv_qp qp = qp_of(t, i == 2 ? IBV_QPT_UD : IBV_QPT_RC);
		struct ibv_ah ah = { .handle = 77 };
		struct ib_uverbs_send_wr wr = {
			.num_sge = 1,
			.opcode = IB_UVERBS_WR_SEND,
		};
		struct expected_request r = expected_request(61, SEND_LEN);
		struct ibv_send_wr *bad = NULL;

		make_sends(3, 1, sges);
		if (i == 0)
			sends[1].num_sge = -1;
		if (i == 1)
			sends[1].num_sge = INT32_MAX;
		if (i == 2) {
			sends[0].wr.ud.ah = &ah;
			wr.wr.ud.ah = 77;
		}
		add_wr(&r, &wr);
		add_sge(&r, &sges[0]);
		expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
		assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad),
				 -EINVAL);
		assert_ptr_equal(bad, &sends[1]);
	}
}

static void post_send_error_sets_bad_wr_from_response(void **state)
{
	/* bad_wr of the response, counted from 1; 0 or invalid: first one */
	static const struct {
		uint32_t bad_wr;
		int nr;
	} cases[] = { { 1, 0 }, { 2, 1 }, { 3, 2 },
		      { 0, 0 }, { 4, 0 }, { UINT32_MAX, 0 } };
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct expected_request r = expected_request(61, SEND_LEN);

	make_sends(3, 0, NULL);
	add_sends(&r, 0, 3, 0, NULL);
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			struct ibv_send_wr *bad = NULL;

			expect_post(form, post_send, &r, cases[i].bad_wr,
				    ENOMEM);
			assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad),
					 -ENOMEM);
			assert_ptr_equal(bad, &sends[cases[i].nr]);
		}
	}
}

static void post_send_bad_wr_index_is_relative_to_batch(void **state)
{
	const int fit = (BUF_LEN - HEADER_LEN) / SEND_LEN;
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct ibv_send_wr *bad = NULL;
	struct expected_request r = expected_request(61, SEND_LEN);

	make_sends(fit + 5, 0, NULL);
	add_sends(&r, 0, fit, 0, NULL);
	expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
	r = expected_request(61, SEND_LEN);
	add_sends(&r, fit, 5, 0, NULL);
	expect_post(FORM_INVOKE_WRITE, post_send, &r, 2, EINVAL);
	assert_int_equal(verbs_cmd_post_send(&qp, sends, &bad), -EINVAL);
	assert_ptr_equal(bad, &sends[fit + 1]);
}

/* Some drivers use an empty list as a doorbell. */
static void post_empty_list_sends_command(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = qp_of(t, IBV_QPT_RC);
	struct ibv_srq srq = { .context = t->ctx, .handle = 91 };
	struct expected_request r = expected_request(61, SEND_LEN);
	struct ibv_send_wr *bad_send = NULL;
	struct ibv_recv_wr *bad_recv = NULL;

	expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, 0);
	assert_int_equal(verbs_cmd_post_send(&qp, NULL, &bad_send), 0);
	expect_post(FORM_INVOKE_WRITE, post_send, &r, 0, EIO);
	assert_int_equal(verbs_cmd_post_send(&qp, NULL, &bad_send), -EIO);
	assert_null(bad_send);
	r = expected_request(91, RECV_LEN);
	expect_post(FORM_INVOKE_WRITE, IB_USER_VERBS_CMD_POST_SRQ_RECV, &r, 0,
		    0);
	assert_int_equal(verbs_cmd_post_srq_recv(&srq, NULL, &bad_recv), 0);
}

/* ------------------------------------------------------------------------ */
/* Receive work requests                                                     */
/* ------------------------------------------------------------------------ */

static struct ibv_recv_wr recvs[MAX_WRS];

static void make_recvs(int nr, int num_sge)
{
	for (int i = 0; i < nr; i++)
		recvs[i] = (struct ibv_recv_wr){
			.wr_id = (uint64_t)i,
			.next = i + 1 < nr ? &recvs[i + 1] : NULL,
			.sg_list = sges,
			.num_sge = num_sge,
		};
}

static void add_recvs(struct expected_request *r, int first, int nr,
		      int num_sge)
{
	for (int i = first; i < first + nr; i++) {
		const struct ib_uverbs_recv_wr wr = {
			.wr_id = (uint64_t)i,
			.num_sge = (uint32_t)num_sge,
		};

		add_wr(r, &wr);
	}
	for (int i = 0; i < nr * num_sge; i++)
		add_sge(r, &sges[i % num_sge]);
}

/* The receive commands for QPs and SRQs. */
struct recv_case {
	uint32_t command, handle;
	int (*run)(struct kernel_test *t, struct ibv_recv_wr **bad);
};

static int run_recv(struct kernel_test *t, struct ibv_recv_wr **bad)
{
	struct ibv_qp qp = qp_of(t, IBV_QPT_UD);

	return verbs_cmd_post_recv(&qp, recvs, bad);
}

static int run_srq_recv(struct kernel_test *t, struct ibv_recv_wr **bad)
{
	struct ibv_srq srq = { .context = t->ctx, .handle = 91 };

	return verbs_cmd_post_srq_recv(&srq, recvs, bad);
}

static const struct recv_case recv_cases[2] = {
	{ IB_USER_VERBS_CMD_POST_RECV, 61, run_recv },
	{ IB_USER_VERBS_CMD_POST_SRQ_RECV, 91, run_srq_recv },
};

static void post_recv_fields_are_sent_in_both_write_forms(void **state)
{
	struct kernel_test *t = *state;

	make_recvs(3, 2);
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		for (int i = 0; i < 2; i++) {
			const struct recv_case *c = &recv_cases[i];
			struct expected_request r =
				expected_request(c->handle, RECV_LEN);
			struct ibv_recv_wr *bad = NULL;

			add_recvs(&r, 0, 3, 2);
			expect_post(form, c->command, &r, 0, 0);
			assert_int_equal(c->run(t, &bad), 0);
			assert_null(bad);
		}
	}
}

static void post_recv_error_sets_bad_wr_from_response(void **state)
{
	struct kernel_test *t = *state;

	make_recvs(3, 0);
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		for (int i = 0; i < 2; i++) {
			const struct recv_case *c = &recv_cases[i];
			struct expected_request r =
				expected_request(c->handle, RECV_LEN);
			struct ibv_recv_wr *bad = NULL;

			add_recvs(&r, 0, 3, 0);
			expect_post(form, c->command, &r, 2, ENOMEM);
			assert_int_equal(c->run(t, &bad), -ENOMEM);
			assert_ptr_equal(bad, &recvs[1]);
			expect_post(form, c->command, &r, 9, ENOMEM);
			assert_int_equal(c->run(t, &bad), -ENOMEM);
			assert_ptr_equal(bad, &recvs[0]);
		}
	}
}

static void post_recv_long_list_is_sent_in_batches(void **state)
{
	const int fit = (BUF_LEN - HEADER_LEN) / (RECV_LEN + SGE_LEN);
	struct kernel_test *t = *state;

	make_recvs(fit + 10, 1);
	for (int i = 0; i < 2; i++) {
		const struct recv_case *c = &recv_cases[i];
		struct expected_request r =
			expected_request(c->handle, RECV_LEN);
		struct ibv_recv_wr *bad = NULL;

		add_recvs(&r, 0, fit, 1);
		expect_post(FORM_INVOKE_WRITE, c->command, &r, 0, 0);
		r = expected_request(c->handle, RECV_LEN);
		add_recvs(&r, fit, 10, 1);
		expect_post(FORM_INVOKE_WRITE, c->command, &r, 3, EINVAL);
		assert_int_equal(c->run(t, &bad), -EINVAL);
		assert_ptr_equal(bad, &recvs[fit + 2]);
	}
}

static void post_recv_invalid_wr_is_refused(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < 2; i++) {
		const struct recv_case *c = &recv_cases[i];
		struct expected_request r =
			expected_request(c->handle, RECV_LEN);
		struct ibv_recv_wr *bad = NULL;

		make_recvs(3, 0);
		recvs[2].num_sge = -1;
		add_recvs(&r, 0, 2, 0);
		expect_post(FORM_INVOKE_WRITE, c->command, &r, 0, 0);
		assert_int_equal(c->run(t, &bad), -EINVAL);
		assert_ptr_equal(bad, &recvs[2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(post_send_rdma_and_atomic_fields_are_sent),
		KERNEL_TEST(post_send_fields_depend_on_opcode),
		KERNEL_TEST(post_send_ud_sends_ah_handle),
		KERNEL_TEST(post_send_long_list_is_sent_in_batches),
		KERNEL_TEST(post_send_wr_of_buffer_size_is_sent),
		KERNEL_TEST(post_send_invalid_wr_is_refused_after_valid_ones),
		KERNEL_TEST(post_send_error_sets_bad_wr_from_response),
		KERNEL_TEST(post_send_bad_wr_index_is_relative_to_batch),
		KERNEL_TEST(post_empty_list_sends_command),
		KERNEL_TEST(post_recv_fields_are_sent_in_both_write_forms),
		KERNEL_TEST(post_recv_error_sets_bad_wr_from_response),
		KERNEL_TEST(post_recv_long_list_is_sent_in_batches),
		KERNEL_TEST(post_recv_invalid_wr_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
