/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests to memory that both sides have mapped: which are executed at once,
 * with what result, and which are sent. Both sides are in this process, so all
 * of their memory is shared; the test decides whether the engine finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_direct.h"
#include "uroce_expect.h"

#define PART 200000

static struct {
	uint32_t nr_shared;
	bool refused;	   /* no mapping is found */
	unsigned int nr;   /* lookups */
	unsigned int left; /* leave() calls */
	unsigned int shift;
	struct uroce_direct_access last;
	struct pair *pair;
} shared;

static uint8_t *enter(struct uroce_channel *channel,
		      const struct uroce_direct_access *wanted)
{
	assert_ptr_equal(channel, &shared.pair->side[0].channel);
	assert_int_equal(shared.nr, shared.left);
	shared.last = *wanted;
	if (shared.refused)
		return NULL;
	shared.nr++;
	return shared.pair->side[1].memory + wanted->va - PAIR_IOVA +
	       wanted->offset + shared.shift;
}

static void count_leave(struct uroce_channel *channel)
{
	shared.left++;
}

static struct pair *new_shared(enum ibv_qp_type type)
{
	struct pair_options o = pair_defaults();
	struct uroce_channel *channel;

	memset(&shared, 0, sizeof(shared));
	shared.nr_shared = 1;
	o.type = type;
	o.bound = true;
	shared.pair = pair_new(&o);
	channel = &shared.pair->side[0].channel;
	channel->nr_shared = &shared.nr_shared;
	channel->direct_begin = enter;
	channel->direct_end = count_leave;
	channel->chunk = PART;
	return shared.pair;
}

static void pair_end(struct pair *pair)
{
	assert_int_equal(shared.nr, shared.left);
	pair_free(pair);
}

static void expect_sent(struct pair *pair, uint64_t wr_id)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.wr_id, wr_id);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
}

static uint64_t word(struct pair *pair, unsigned int side, size_t offset)
{
	uint64_t value;

	memcpy(&value, pair->side[side].memory + offset, sizeof(value));
	return value;
}

static void set_word(struct pair *pair, unsigned int side, size_t offset,
		     uint64_t value)
{
	memcpy(pair->side[side].memory + offset, &value, sizeof(value));
}

static void post_atomic(struct pair *pair, enum ibv_wr_opcode opcode,
			uint64_t remote, uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = pair_sge(pair, 0, 64, 8);
	struct uroce_send_wqe wqe = {
		.wr_id = 1,
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA + remote,
			    .rkey = pair->side[1].key,
			    .compare_add = compare_add,
			    .swap = swap },
	};

	pair_post(pair, 0, &wqe, &sge);
	pair_run(pair);
}

static void shared_write_and_read_are_local_copies(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	uint64_t sent = pair->net.order;

	for (uint32_t length = 1; length <= 2 * PART + 7;
	     length = length * 3 + 1) {
		memset(pair->side[0].memory, (int)length, length);
		pair->side[1].memory[4096 + length] = 99;
		pair_request(pair, 1, IBV_WR_RDMA_WRITE, length, 4096);
		pair_run(pair);
		expect_sent(pair, 1);
		assert_int_equal(shared.last.access, IBV_ACCESS_REMOTE_WRITE);
		assert_int_equal(shared.last.bytes, length);
		assert_memory_equal(pair->side[1].memory + 4096,
				    pair->side[0].memory, length);
		assert_int_equal(pair->side[1].memory[4096 + length], 99);
		memset(pair->side[0].memory, 0, length);
		pair_request(pair, 2, IBV_WR_RDMA_READ, length, 4096);
		pair_run(pair);
		expect_sent(pair, 2);
		assert_int_equal(shared.last.access, IBV_ACCESS_REMOTE_READ);
		assert_memory_equal(pair->side[1].memory + 4096,
				    pair->side[0].memory, length);
	}
	assert_int_equal(pair->net.order, sent);
	pair_end(pair);
}

static void shared_atomic_is_executed_locally(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	uint64_t sent = pair->net.order;

	set_word(pair, 1, 8192, 40);
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 8192, 2, 0);
	expect_sent(pair, 1);
	assert_int_equal(shared.last.access, IBV_ACCESS_REMOTE_ATOMIC);
	assert_int_equal(shared.last.bytes, 8);
	assert_int_equal(word(pair, 1, 8192), 42);
	assert_int_equal(word(pair, 0, 64), 40);
	post_atomic(pair, IBV_WR_ATOMIC_CMP_AND_SWP, 8192, 41, 7);
	expect_sent(pair, 1);
	assert_int_equal(word(pair, 1, 8192), 42);
	assert_int_equal(word(pair, 0, 64), 42);
	post_atomic(pair, IBV_WR_ATOMIC_CMP_AND_SWP, 8192, 42, 7);
	expect_sent(pair, 1);
	assert_int_equal(word(pair, 1, 8192), 7);
	assert_int_equal(word(pair, 0, 64), 42);
	assert_int_equal(pair->net.order, sent);
	pair_end(pair);
}

/* The responder executes the atomic, with all its side effects. */
static void shared_misaligned_atomic_is_sent(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	struct uroce_cqe cqe;

	/* the memory of the owner is aligned, the offset in the file is not */
	shared.shift = 4;
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 8192, 2, 0);
	expect_sent(pair, 1);
	assert_int_equal(shared.nr, 1);
	assert_int_equal(word(pair, 1, 8192), 2);
	assert_int_equal(word(pair, 1, 8200), 0);
	shared.shift = 0;
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 8194, 2, 0);
	assert_int_equal(shared.nr, 1);
	assert_true(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_REM_INV_REQ_ERR);
	pair_end(pair);
}

static void shared_unmapped_memory_falls_back_to_packets(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	uint64_t sent = pair->net.order;

	shared.refused = true;
	memset(pair->side[0].memory, 9, 100);
	pair_request(pair, 1, IBV_WR_RDMA_WRITE, 100, 4096);
	pair_run(pair);
	expect_sent(pair, 1);
	assert_true(pair->net.order > sent);
	assert_int_equal(pair->side[1].memory[4096 + 99], 9);
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 8192, 2, 0);
	expect_sent(pair, 1);
	assert_int_equal(word(pair, 1, 8192), 2);
	/* the next request is executed locally */
	shared.refused = false;
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 8192, 2, 0);
	expect_sent(pair, 1);
	assert_int_equal(shared.nr, 1);
	assert_int_equal(word(pair, 1, 8192), 4);
	assert_int_equal(word(pair, 0, 64), 2);
	pair_end(pair);
}

static void shared_without_mapping_is_not_tried(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);

	shared.nr_shared = 0;
	pair_request(pair, 1, IBV_WR_RDMA_WRITE, 100, 4096);
	pair_run(pair);
	expect_sent(pair, 1);
	assert_int_equal(shared.last.bytes, 0);
	pair_end(pair);
}

/* Without access rights to the local memory nothing is executed. */
static void shared_access_keeps_order_of_requests(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	struct uroce_cqe cqe;
	struct ibv_sge sge = pair_sge(pair, 0, 64, 8);
	struct uroce_send_wqe wqe = {
		.wr_id = 4,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA,
			    .rkey = pair->side[1].key,
			    .compare_add = 1 },
	};

	post_recv(pair, 9, 100);
	pair_request(pair, 1, IBV_WR_SEND, 10, 4096);
	pair_request(pair, 2, IBV_WR_RDMA_WRITE, 10, 4096);
	pair_run(pair);
	assert_int_equal(shared.nr, 0);
	expect_sent(pair, 1);
	expect_sent(pair, 2);
	pair_request(pair, 3, IBV_WR_RDMA_WRITE, 10, 4096);
	pair_run(pair);
	expect_sent(pair, 3);
	assert_int_equal(shared.nr, 1);
	sge.lkey ^= 1;
	pair_post(pair, 0, &wqe, &sge);
	pair_run(pair);
	assert_true(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(shared.nr, 1);
	pair_end(pair);
}

static void shared_unsuitable_requests_are_sent(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);

	post_recv(pair, 9, 100);
	post_recv(pair, 10, 100);
	pair_request(pair, 1, IBV_WR_SEND, 8, 4096);
	pair_run(pair);
	pair_request(pair, 2, IBV_WR_RDMA_WRITE_WITH_IMM, 8, 4096);
	pair_run(pair);
	pair_request(pair, 3, IBV_WR_RDMA_WRITE, 0, 4096);
	pair_run(pair);
	for (uint64_t i = 1; i <= 3; i++)
		expect_sent(pair, i);
	pair->side[0].channel.failed = true;
	pair_request(pair, 4, IBV_WR_RDMA_WRITE, 8, 4096);
	pair_run(pair);
	assert_int_equal(shared.nr, 0);
	pair_end(pair);

	pair = new_shared(IBV_QPT_UC);
	pair_request(pair, 1, IBV_WR_RDMA_WRITE, 8, 4096);
	pair_run(pair);
	expect_sent(pair, 1);
	assert_int_equal(shared.nr, 0);
	pair_end(pair);
}

static void shared_access_gathers_sge_list(void **state)
{
	struct pair *pair = new_shared(IBV_QPT_RC);
	struct ibv_sge sge[] = {
		pair_sge(pair, 0, 0, 3),
		pair_sge(pair, 0, 100, 0),
		pair_sge(pair, 0, 200, 5),
	};
	struct uroce_send_wqe wqe = {
		.wr_id = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 3,
		.remote = { .va = PAIR_IOVA + 4096,
			    .rkey = pair->side[1].key,
			    .compare_add = 1 },
	};
	const uint8_t first[] = { 1, 2, 3 }, rest[] = { 4, 5, 6, 7, 8 };

	memcpy(pair->side[1].memory + 4096, first, 3);
	memcpy(pair->side[1].memory + 4099, rest, 5);
	pair_post(pair, 0, &wqe, sge);
	pair_run(pair);
	expect_sent(pair, 1);
	assert_memory_equal(pair->side[0].memory, first, 3);
	assert_memory_equal(pair->side[0].memory + 200, rest, 5);
	wqe.opcode = IBV_WR_RDMA_WRITE;
	wqe.remote.va += 1001;
	pair_post(pair, 0, &wqe, sge);
	pair_run(pair);
	expect_sent(pair, 1);
	assert_memory_equal(pair->side[1].memory + 5097, first, 3);
	assert_memory_equal(pair->side[1].memory + 5100, rest, 5);
	assert_int_equal(shared.nr, 2);
	pair_end(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_write_and_read_are_local_copies),
		cmocka_unit_test(shared_atomic_is_executed_locally),
		cmocka_unit_test(shared_misaligned_atomic_is_sent),
		cmocka_unit_test(shared_unmapped_memory_falls_back_to_packets),
		cmocka_unit_test(shared_without_mapping_is_not_tried),
		cmocka_unit_test(shared_access_keeps_order_of_requests),
		cmocka_unit_test(shared_unsuitable_requests_are_sent),
		cmocka_unit_test(shared_access_gathers_sge_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
