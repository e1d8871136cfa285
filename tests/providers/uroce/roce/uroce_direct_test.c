/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which requests a QP executes by direct access, and which it sends. The access
 * is a memcpy() between the memory of the two sides, which are in this process;
 * a test can make it fail.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include <cmocka.h>

#include "uroce/roce/uroce_direct.h"
#include "uroce_expect.h"

#define PART 200000

static struct {
	unsigned int nr;      /* attempted copies */
	int error;	      /* result of a copy */
	unsigned int nr_good; /* successful copies before @error */
	struct uroce_direct_access last;
	uint32_t nr_iov_bytes;
	bool recently_polling;
	struct pair *pair;
} direct;

static int copy_by_test(struct uroce_channel *channel,
			const struct uroce_direct_access *wanted)
{
	uint8_t *there = direct.pair->side[1].memory + wanted->va - PAIR_IOVA +
			 wanted->offset;

	assert_ptr_equal(channel, &direct.pair->side[0].channel);
	direct.last = *wanted;
	direct.nr_iov_bytes = 0;
	if (direct.nr++ >= direct.nr_good && direct.error)
		return direct.error;
	for (uint32_t i = 0; i < wanted->nr_iov; i++) {
		const struct iovec *iov = &wanted->iov[i];

		if (wanted->read)
			memcpy(iov->iov_base, there, iov->iov_len);
		else
			memcpy(there, iov->iov_base, iov->iov_len);
		there += iov->iov_len;
		direct.nr_iov_bytes += (uint32_t)iov->iov_len;
	}
	return 0;
}

static bool is_recently_polling(struct uroce_channel *channel, uint32_t bytes)
{
	return direct.recently_polling;
}

static struct pair *new_direct(enum ibv_qp_type type)
{
	struct pair_options o = pair_defaults();

	memset(&direct, 0, sizeof(direct));
	o.type = type;
	o.bound = true;
	direct.pair = pair_new(&o);
	direct.pair->side[0].channel.direct_copy = copy_by_test;
	direct.pair->side[0].channel.chunk = PART;
	direct.pair->side[0].channel.is_recently_polling = is_recently_polling;
	return direct.pair;
}

static void post_one(struct pair *pair, enum ibv_wr_opcode opcode,
		     uint64_t wr_id, uint32_t length)
{
	pair_request(pair, wr_id, opcode, length, 4096);
}

static void expect_sent(struct pair *pair, uint64_t wr_id,
			enum ibv_wc_status status)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.wr_id, wr_id);
	assert_int_equal(cqe.status, status);
}

static void direct_write_and_read_send_no_packet(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	uint64_t sent = pair->net.order;

	memset(pair->side[0].memory, 7, 100000);
	post_one(pair, IBV_WR_RDMA_WRITE, 1, 100000);
	post_one(pair, IBV_WR_RDMA_WRITE, 2, 1);
	pair_run(pair);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	expect_sent(pair, 2, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 2);
	assert_false(direct.last.read);
	assert_int_equal(direct.last.access, IBV_ACCESS_REMOTE_WRITE);
	assert_int_equal(direct.last.qpn, pair->side[0].qp->qpn);
	assert_int_equal(direct.last.dest_qpn, pair->side[1].qp->qpn);
	assert_int_equal(pair->side[1].memory[4096 + 99999], 7);
	memset(pair->side[0].memory, 0, 100000);
	post_one(pair, IBV_WR_RDMA_READ, 3, 100000);
	pair_run(pair);
	expect_sent(pair, 3, IBV_WC_SUCCESS);
	assert_true(direct.last.read);
	assert_int_equal(direct.last.access, IBV_ACCESS_REMOTE_READ);
	assert_int_equal(pair->side[0].memory[99999], 7);
	assert_int_equal(pair->net.order, sent);
	pair_free(pair);
}

static void direct_refused_copy_falls_back_to_packets(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	uint64_t sent = pair->net.order;

	memset(pair->side[0].memory, 9, 10000);
	direct.error = -EACCES;
	post_one(pair, IBV_WR_RDMA_WRITE, 1, 10000);
	pair_run(pair);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 1);
	assert_true(pair->net.order > sent);
	assert_int_equal(pair->side[1].memory[4096 + 9999], 9);
	/* the next request is copied again */
	direct.error = 0;
	post_one(pair, IBV_WR_RDMA_WRITE, 2, 10000);
	pair_run(pair);
	expect_sent(pair, 2, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 2);
	pair_free(pair);
}

static void direct_polling_target_gets_packets(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);

	direct.recently_polling = true;
	post_one(pair, IBV_WR_RDMA_WRITE, 1, 8);
	pair_run(pair);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 0);
	direct.recently_polling = false;
	post_one(pair, IBV_WR_RDMA_WRITE, 2, 8);
	pair_run(pair);
	expect_sent(pair, 2, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 1);
	pair_free(pair);
}

/* A WRITE must not overtake a SEND, nor a READ a WRITE that was sent. */
static void direct_copy_keeps_order_of_requests(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);

	post_recv(pair, 9, 100);
	post_one(pair, IBV_WR_SEND, 1, 10);
	post_one(pair, IBV_WR_RDMA_WRITE, 2, 10);
	pair_run(pair);
	assert_int_equal(direct.nr, 0);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	expect_sent(pair, 2, IBV_WC_SUCCESS);
	/* all requests are acknowledged */
	post_one(pair, IBV_WR_RDMA_READ, 3, 10);
	pair_run(pair);
	expect_sent(pair, 3, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 1);
	pair_free(pair);
}

static void direct_unsuitable_requests_are_sent(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);

	post_recv(pair, 9, 100);
	post_recv(pair, 10, 100);
	post_one(pair, IBV_WR_SEND, 1, 8);
	post_one(pair, IBV_WR_RDMA_WRITE_WITH_IMM, 2, 8);
	post_one(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, 8);
	post_one(pair, IBV_WR_RDMA_WRITE, 4, 0);
	pair_run(pair);
	for (uint64_t i = 1; i <= 4; i++)
		expect_sent(pair, i, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 0);
	pair->side[0].channel.failed = true;
	post_one(pair, IBV_WR_RDMA_WRITE, 5, 8);
	pair_run(pair);
	assert_int_equal(direct.nr, 0);
	pair_free(pair);

	pair = new_direct(IBV_QPT_UC);
	post_one(pair, IBV_WR_RDMA_WRITE, 1, 8);
	pair_run(pair);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 0);
	pair_free(pair);
}

#define LONG (2 * PART + 1000)

static void fill_long(struct pair *pair)
{
	for (uint32_t i = 0; i < LONG; i++)
		pair->side[0].memory[i] = (uint8_t)(i * 13 + i / 251);
	memset(pair->side[1].memory, 0, 4096 + LONG);
}

static void assert_long(const struct pair *pair)
{
	assert_memory_equal(pair->side[1].memory + 4096, pair->side[0].memory,
			    LONG);
}

/* Each part is authorized with the whole range. */
static void direct_long_write_is_copied_in_parts(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	struct uroce_qp *qp = pair->side[0].qp;
	struct uroce_send_wqe *wqe;

	fill_long(pair);
	post_one(pair, IBV_WR_RDMA_WRITE, 1, LONG);
	wqe = uroce_ring_at(&qp->sq, qp->cur);
	assert_true(uroce_direct_is_long(qp));
	assert_int_equal(uroce_direct_try(qp, wqe), UROCE_DIRECT_MORE);
	assert_int_equal(direct.last.chunk, PART);
	assert_int_equal(direct.last.bytes, LONG);
	assert_false(pair_poll(&pair->side[0].send_cq, &(struct uroce_cqe){}));
	/* a started request is continued */
	direct.recently_polling = true;
	assert_int_equal(uroce_direct_try(qp, wqe), UROCE_DIRECT_MORE);
	assert_int_equal(uroce_direct_try(qp, wqe), UROCE_DIRECT_DONE);
	assert_int_equal(direct.last.offset, 2 * PART);
	assert_int_equal(direct.last.chunk, 1000);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	assert_long(pair);
	assert_false(uroce_direct_is_long(qp));
	pair_free(pair);
}

static void direct_refused_part_falls_back_to_packets(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	struct uroce_cqe cqe;

	fill_long(pair);
	direct.nr_good = 1;
	direct.error = -EFAULT;
	post_one(pair, IBV_WR_RDMA_WRITE, 1, LONG);
	pair_run(pair);
	assert_int_equal(direct.nr, 2);
	expect_sent(pair, 1, IBV_WC_SUCCESS);
	assert_false(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_long(pair);
	/* the next request starts at its first byte */
	direct.error = 0;
	fill_long(pair);
	post_one(pair, IBV_WR_RDMA_WRITE, 2, LONG);
	pair_run(pair);
	assert_int_equal(direct.nr, 5);
	expect_sent(pair, 2, IBV_WC_SUCCESS);
	assert_long(pair);
	pair_free(pair);
}

/* The request fails as without direct access, before any byte is copied. */
static void direct_bad_lkey_fails_before_copy(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	struct ibv_sge sge = pair_sge(pair, 0, 0, 100);
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_RDMA_WRITE,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};

	sge.lkey ^= 1;
	pair_post(pair, 0, &wqe, &sge);
	pair_run(pair);
	expect_sent(pair, 0, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(direct.nr, 0);
	pair_free(pair);
}

/* The null region has zeros for a single packet only. */
static void direct_null_region_source_is_sent(void **state)
{
	const struct uroce_region null = {
		.bytes = UINT64_MAX,
		.pd = PAIR_PD,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.kind = UROCE_REGION_NULL,
	};
	struct pair *pair = new_direct(IBV_QPT_RC);
	struct ibv_sge sge = { .length = 100000 };
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_RDMA_WRITE,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};

	assert_int_equal(uroce_memory_add(pair->side[0].engine.core.memory,
					  &null, &sge.lkey),
			 0);
	memset(pair->side[1].memory, 1, 100000);
	pair_post(pair, 0, &wqe, &sge);
	pair_run(pair);
	expect_sent(pair, 0, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 0);
	assert_int_equal(pair->side[1].memory[99999], 0);
	pair_free(pair);
}

static void direct_copies_sge_list_and_inline_data(void **state)
{
	struct pair *pair = new_direct(IBV_QPT_RC);
	struct ibv_sge sge[] = {
		pair_sge(pair, 0, 0, 3000),
		pair_sge(pair, 0, 5000, 0),
		pair_sge(pair, 0, 10000, 20000),
	};
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_RDMA_WRITE,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 3,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};

	memset(pair->side[0].memory, 3, 3000);
	memset(pair->side[0].memory + 10000, 4, 20000);
	pair_post(pair, 0, &wqe, sge);
	pair_run(pair);
	expect_sent(pair, 0, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 1);
	assert_int_equal(direct.nr_iov_bytes, 23000);
	assert_int_equal(pair->side[1].memory[2999], 3);
	assert_int_equal(pair->side[1].memory[3000], 4);
	assert_int_equal(pair->side[1].memory[22999], 4);

	wqe.flags |= IBV_SEND_INLINE;
	wqe.nr_sge = 0;
	wqe.length = 16;
	memset(pair->side[1].memory, 1, 16);
	pair_post(pair, 0, &wqe, NULL);
	memset(((struct uroce_send_wqe *)uroce_ring_front(
			&pair->side[0].qp->sq))
		       ->sge,
	       5, 16);
	pair_run(pair);
	expect_sent(pair, 0, IBV_WC_SUCCESS);
	assert_int_equal(direct.nr, 2);
	assert_int_equal(pair->side[1].memory[15], 5);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(direct_write_and_read_send_no_packet),
		cmocka_unit_test(direct_refused_copy_falls_back_to_packets),
		cmocka_unit_test(direct_polling_target_gets_packets),
		cmocka_unit_test(direct_copy_keeps_order_of_requests),
		cmocka_unit_test(direct_unsuitable_requests_are_sent),
		cmocka_unit_test(direct_long_write_is_copied_in_parts),
		cmocka_unit_test(direct_refused_part_falls_back_to_packets),
		cmocka_unit_test(direct_bad_lkey_fails_before_copy),
		cmocka_unit_test(direct_null_region_source_is_sent),
		cmocka_unit_test(direct_copies_sge_list_and_inline_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
