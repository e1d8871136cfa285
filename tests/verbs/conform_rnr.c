// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: a responder without a receive request.
 */
#include "conform.h"

#include <errno.h>

#define TIMER_16_NS UINT64_C(2560000) /* IBTA 9.7.5.2.8, value 16 */

static void rnr_require_exhausted(struct pair pair, struct mem *mem,
				  uint64_t least_ns)
{
	struct work work = work_send(mem, 0, 100);
	uint64_t start;

	work.wr_id = 7;
	start = conform_now_ns();
	post(pair.client, &work);
	REQUIRE_EQUAL(
		poll_status(pair.client->send_cq, IBV_WC_RNR_RETRY_EXC_ERR)
			.wr_id,
		7);
	REQUIRE(conform_now_ns() - start >= least_ns);
	qp_wait_state(pair.client, IBV_QPS_ERR);
	REQUIRE_EQUAL(qp_query(pair.server).qp_state, IBV_QPS_RTS);
	poll_nothing(pair.server->recv_cq, 0);
}

static void rnr_retries_exhausted_is_rnr_retry_exc(void)
{
	const struct connect_args args = { .rnr_retry = 3,
					   .min_rnr_timer = 16 };
	struct pair pair = pair_new(NULL, &args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	rnr_require_exhausted(pair, mem, 3 * TIMER_16_NS);
}

static void rnr_zero_retries_is_rnr_retry_exc(void)
{
	const struct connect_args args = { .rnr_retry = CONFORM_ZERO };
	struct pair pair = pair_new(NULL, &args);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	rnr_require_exhausted(pair, mem, 0);
}

/* IBTA: 7 means that the requester retries for ever. */
static void rnr_infinite_succeeds_late(void)
{
	const struct connect_args args = { .rnr_retry = 7 };
	struct pair pair = pair_new(NULL, &args);
	struct mem *mem = mem_new(CLIENT, 1 << 20, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 1 << 20, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 300001);

	mem_fill(mem, 0, 300001, 5);
	work.wr_id = 1;
	post(pair.client, &work);
	poll_nothing(pair.client->send_cq, 20);
	post_recv(pair.server, target, 64, 300001, 2);
	REQUIRE_EQUAL(poll_success(pair.server->recv_cq, 2).byte_len, 300001);
	poll_success(pair.client->send_cq, 1);
	mem_require_value(target, 0, 64, 0);
	mem_require(target, 64, 300001, 5);
	mem_require_value(target, 64 + 300001, 64, 0);
}

static void rnr_later_sends_arrive_once_in_order(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 1 << 16, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 1 << 16, CONFORM_ALL_ACCESS);

	for (uint32_t i = 0; i < 16; i++) {
		struct work work = work_send(mem, (size_t)i * 4096, 1000 + i);

		mem_fill(mem, (size_t)i * 4096, 1000 + i, i + 1);
		work.wr_id = i;
		post(pair.client, &work);
	}
	poll_nothing(pair.client->send_cq, 5);
	for (uint32_t i = 0; i < 16; i++) {
		post_recv(pair.server, target, (size_t)i * 4096, 4096, i);
		REQUIRE_EQUAL(poll_success(pair.server->recv_cq, i).byte_len,
			      1000 + i);
		poll_success(pair.client->send_cq, i);
		mem_require(target, (size_t)i * 4096, 1000 + i, i + 1);
	}
	poll_nothing(pair.client->send_cq, 1);
	poll_nothing(pair.server->recv_cq, 1);
}

static void rnr_write_before_it_is_executed(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work[2] = {
		work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 500, target, 1000),
		work_send(mem, 600, 10),
	};

	mem_fill(mem, 0, 500, 9);
	work[0].wr_id = 1;
	work[1].wr_id = 2;
	post_list(pair.client, work, 2);
	poll_success(pair.client->send_cq, 1);
	mem_require(target, 1000, 500, 9);
	poll_nothing(pair.client->send_cq, 5);
	post_recv(pair.server, target, 0, 10, 3);
	poll_success(pair.server->recv_cq, 3);
	poll_success(pair.client->send_cq, 2);
}

static void rnr_write_imm_waits_for_receive(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, mem, 0, 500,
				     target, 1000);
	struct ibv_wc wc;

	mem_fill(mem, 0, 500, 9);
	work.imm = 0x1234;
	work.wr_id = 1;
	post(pair.client, &work);
	poll_nothing(pair.client->send_cq, 5);
	post_recv(pair.server, target, 0, 0, 3);
	wc = poll_success(pair.server->recv_cq, 3);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	REQUIRE_EQUAL(be32toh(wc.imm_data), 0x1234);
	REQUIRE_EQUAL(wc.byte_len, 500);
	poll_success(pair.client->send_cq, 1);
	mem_require(target, 1000, 500, 9);
}

/*
 * Every request that a full send queue has accepted completes, and the queue
 * has room for the size that ibv_create_qp() returned.
 */
static void rnr_full_send_queue_completes_in_order(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 8);
	uint64_t nr = 0;
	int ret;

	while (!(ret = post_try(pair.client, &work, 1, NULL))) {
		work = work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 8, target, 8);
		work.wr_id = ++nr;
		REQUIRE(nr < 512);
	}
	REQUIRE(ret == ENOMEM || ret == -1);
	REQUIRE(nr >= pair.client->cap.max_send_wr);
	poll_nothing(pair.client->send_cq, 5);
	post_recv(pair.server, target, 0, 8, 1);
	for (uint64_t i = 0; i < nr; i++)
		poll_success(pair.client->send_cq, i);
	poll_nothing(pair.client->send_cq, 1);
	work.wr_id = nr;
	post(pair.client, &work);
	poll_success(pair.client->send_cq, nr);
}

const struct conform_test conform_rnr[] = {
	{ "rnr.retries_exhausted_is_rnr_retry_exc",
	  rnr_retries_exhausted_is_rnr_retry_exc, NEED_RC },
	{ "rnr.zero_retries_is_rnr_retry_exc",
	  rnr_zero_retries_is_rnr_retry_exc, NEED_RC },
	{ "rnr.infinite_succeeds_late", rnr_infinite_succeeds_late, NEED_RC },
	{ "rnr.later_sends_arrive_once_in_order",
	  rnr_later_sends_arrive_once_in_order, NEED_RC },
	{ "rnr.write_before_it_is_executed", rnr_write_before_it_is_executed,
	  NEED_RC },
	{ "rnr.write_imm_waits_for_receive", rnr_write_imm_waits_for_receive,
	  NEED_IMM },
	{ "rnr.full_send_queue_completes_in_order",
	  rnr_full_send_queue_completes_in_order, NEED_RC },
	{},
};
