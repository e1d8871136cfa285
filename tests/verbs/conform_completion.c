// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: what a completion means, which requests have one,
 * and its fields.
 */
#include "conform.h"

#include <arpa/inet.h>
#include <string.h>

#define COMPLETION_MAX (1 << 20)

struct completion_rig {
	struct pair pair;
	struct mem *client, *server;
};

static struct completion_rig completion_rig_new(const struct qp_args *args)
{
	struct completion_rig rig = { .pair = pair_new(args, NULL) };

	rig.client = mem_new(CLIENT, COMPLETION_MAX, CONFORM_ALL_ACCESS);
	rig.server = mem_new(SERVER, COMPLETION_MAX, CONFORM_ALL_ACCESS);
	return rig;
}

static const uint32_t completion_lengths[] = { 1,    8,	    41,	   1024,
					       8193, 65537, 300000 };
#define COMPLETION_NR_LENGTHS \
	(sizeof(completion_lengths) / sizeof(completion_lengths[0]))

/* -- what it means -- */

/* IBTA 9.7.7: the data is in the memory of the peer. */
static void completion_write_cqe_implies_remote_data(void)
{
	struct completion_rig rig = completion_rig_new(NULL);

	for (uint32_t round = 0; round < 5 * COMPLETION_NR_LENGTHS; round++) {
		uint32_t length =
			completion_lengths[round % COMPLETION_NR_LENGTHS];
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0,
					     length, rig.server, 100);

		conform_context("WRITE of %u bytes", length);
		mem_fill(rig.client, 0, length, round);
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.server, 100, length, round);
	}
}

static void completion_send_cqe_implies_remote_data(void)
{
	struct completion_rig rig = completion_rig_new(NULL);

	for (uint32_t round = 0; round < 3 * COMPLETION_NR_LENGTHS; round++) {
		uint32_t length =
			completion_lengths[round % COMPLETION_NR_LENGTHS];
		struct work work = work_send(rig.client, 0, length);

		conform_context("SEND of %u bytes", length);
		mem_fill(rig.client, 0, length, round);
		post_recv(rig.pair.server, rig.server, 0, COMPLETION_MAX,
			  round);
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.server, 0, length, round);
		poll_success(rig.pair.server->recv_cq, round);
	}
}

static void completion_read_cqe_implies_local_data(void)
{
	struct completion_rig rig = completion_rig_new(NULL);

	for (uint32_t round = 0; round < 3 * COMPLETION_NR_LENGTHS; round++) {
		uint32_t length =
			completion_lengths[round % COMPLETION_NR_LENGTHS];
		struct work work = work_rdma(IBV_WR_RDMA_READ, rig.client, 7,
					     length, rig.server, 50);

		conform_context("READ of %u bytes", length);
		mem_fill(rig.server, 50, length, round);
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.client, 7, length, round);
	}
}

/* A SEND is not complete while it waits for a receive. */
static void completion_waits_for_receive(void)
{
	struct completion_rig rig = completion_rig_new(NULL);
	const uint32_t lengths[] = { 8, 5000, 100000 };

	for (size_t i = 0; i < 3; i++) {
		struct work work = work_send(rig.client, 0, lengths[i]);

		conform_context("SEND of %u bytes", lengths[i]);
		mem_fill(rig.client, 0, lengths[i], 5);
		post(rig.pair.client, &work);
		poll_nothing(rig.pair.client->send_cq, 3);
		post_recv(rig.pair.server, rig.server, 0, COMPLETION_MAX, i);
		poll_success(rig.pair.server->recv_cq, i);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.server, 0, lengths[i], 5);
	}
}

/* -- which requests have one -- */

/* The completion of a request is that of all unsignaled ones before it. */
static void completion_of_signaled_covers_older(void)
{
	struct completion_rig rig = completion_rig_new(NULL);
	struct work work[32];

	/* more requests than the queue has room for */
	for (uint32_t round = 0; round < 12; round++) {
		mem_fill(rig.client, 0, 32 * 64, round);
		for (size_t i = 0; i < 32; i++) {
			work[i] = work_rdma(IBV_WR_RDMA_WRITE, rig.client,
					    64 * i, 64, rig.server, 64 * i);
			work[i].wr_id = i;
			work[i].unsignaled = i < 31;
		}
		post_list(rig.pair.client, work, 32);
		poll_success(rig.pair.client->send_cq, 31);
		mem_require(rig.server, 0, 32 * 64, round);
		poll_nothing(rig.pair.client->send_cq, 0);
	}
}

static void completion_of_unsignaled_does_not_appear(void)
{
	struct completion_rig rig = completion_rig_new(NULL);
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ, IBV_WR_SEND };

	for (size_t i = 0; i < 3; i++) {
		struct work work = work_rdma(opcodes[i], rig.client, 0, 100,
					     rig.server, 0);

		conform_context("opcode %d", (int)opcodes[i]);
		post_recv(rig.pair.server, rig.server, 0, 100, 1);
		work.unsignaled = true;
		post(rig.pair.client, &work);
		poll_nothing(rig.pair.client->send_cq, 2);
	}
}

static void completion_of_each_with_sq_sig_all(void)
{
	const struct qp_args args = { .all_signaled = true };
	struct completion_rig rig = completion_rig_new(&args);
	struct work work[8];

	for (size_t i = 0; i < 8; i++) {
		work[i] =
			work_rdma(i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
				  rig.client, 0, 100, rig.server, 0);
		work[i].wr_id = 60 + i;
		work[i].unsignaled = i % 3;
	}
	post_list(rig.pair.client, work, 8);
	for (size_t i = 0; i < 8; i++)
		poll_success(rig.pair.client->send_cq, 60 + i);
	poll_nothing(rig.pair.client->send_cq, 0);
}

static void completions_of_receives_are_in_post_order(void)
{
	struct completion_rig rig = completion_rig_new(NULL);

	for (uint64_t id = 0; id < 64; id++)
		post_recv(rig.pair.server, rig.server, 1000 * id, 1000, id);
	for (uint64_t id = 0; id < 64; id++) {
		struct work work = work_send(rig.client, 0, (uint32_t)id * 15);

		work.unsignaled = id < 63;
		post(rig.pair.client, &work);
	}
	for (uint64_t id = 0; id < 64; id++)
		REQUIRE_EQUAL(
			poll_success(rig.pair.server->recv_cq, id).byte_len,
			id * 15);
	poll_success(rig.pair.client->send_cq, 0);
}

/* -- its fields -- */

static void completion_has_opcode_and_length(void)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		enum ibv_wc_opcode completed;
	} cases[] = {
		{ IBV_WR_SEND, IBV_WC_SEND },
		{ IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE },
		{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ },
	};
	struct completion_rig rig = completion_rig_new(NULL);

	for (size_t i = 0; i < 3 * COMPLETION_NR_LENGTHS; i++) {
		uint32_t length = completion_lengths[i / 3];
		struct work work = work_rdma(cases[i % 3].opcode, rig.client, 0,
					     length, rig.server, 0);
		struct ibv_wc wc;

		conform_context("opcode %d, %u bytes", (int)work.opcode,
				length);
		work.wr_id = 1000 + i;
		if (work.opcode == IBV_WR_SEND)
			post_recv(rig.pair.server, rig.server, 0,
				  COMPLETION_MAX, i);
		post(rig.pair.client, &work);
		wc = poll_success(rig.pair.client->send_cq, 1000 + i);
		REQUIRE_EQUAL(wc.opcode, cases[i % 3].completed);
		REQUIRE_EQUAL(wc.qp_num, rig.pair.client->num);
		/* IBTA 11.4.2.1: of a READ, and of receives */
		if (work.opcode == IBV_WR_RDMA_READ)
			REQUIRE_EQUAL(wc.byte_len, length);
		if (work.opcode != IBV_WR_SEND)
			continue;
		wc = poll_success(rig.pair.server->recv_cq, i);
		REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV);
		REQUIRE_EQUAL(wc.byte_len, length);
		REQUIRE_EQUAL(wc.qp_num, rig.pair.server->num);
		REQUIRE_EQUAL(wc.wc_flags & (IBV_WC_WITH_IMM | IBV_WC_WITH_INV),
			      0);
	}
}

static void completion_has_immediate_data(void)
{
	struct completion_rig rig = completion_rig_new(NULL);

	for (size_t i = 0; i < 2 * COMPLETION_NR_LENGTHS; i++) {
		uint32_t length = completion_lengths[i / 2];
		bool write = i % 2;
		struct work work = work_rdma(write ? IBV_WR_RDMA_WRITE_WITH_IMM
						   : IBV_WR_SEND_WITH_IMM,
					     rig.client, 0, length, rig.server,
					     500000);
		struct ibv_wc wc;

		conform_context("opcode %d, %u bytes", (int)work.opcode,
				length);
		work.imm = 0x01020304 + (uint32_t)i;
		memset(rig.server->view, 0, 500000);
		mem_fill(rig.client, 0, length, 9);
		post_recv(rig.pair.server, rig.server, 0, 400000, i);
		post(rig.pair.client, &work);
		wc = poll_success(rig.pair.server->recv_cq, i);
		REQUIRE_EQUAL(wc.opcode,
			      write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV);
		REQUIRE_EQUAL(wc.byte_len, length);
		REQUIRE_EQUAL(wc.wc_flags & (IBV_WC_WITH_IMM | IBV_WC_WITH_INV),
			      IBV_WC_WITH_IMM);
		REQUIRE_EQUAL(ntohl(wc.imm_data), work.imm);
		mem_require(rig.server, write ? 500000 : 0, length, 9);
		if (write) /* the memory of the receive is not used */
			mem_require_value(rig.server, 0, 400000, 0);
		wc = poll_success(rig.pair.client->send_cq, 0);
		REQUIRE_EQUAL(wc.opcode,
			      write ? IBV_WC_RDMA_WRITE : IBV_WC_SEND);
	}
}

const struct conform_test conform_completion[] = {
	{ "completion.write_cqe_implies_remote_data",
	  completion_write_cqe_implies_remote_data, NEED_RC },
	{ "completion.send_cqe_implies_remote_data",
	  completion_send_cqe_implies_remote_data, NEED_RC },
	{ "completion.read_cqe_implies_local_data",
	  completion_read_cqe_implies_local_data, NEED_RC },
	{ "completion.waits_for_receive", completion_waits_for_receive,
	  NEED_RC },
	{ "completion.of_signaled_covers_older",
	  completion_of_signaled_covers_older, NEED_RC },
	{ "completion.of_unsignaled_does_not_appear",
	  completion_of_unsignaled_does_not_appear, NEED_RC },
	{ "completion.of_each_with_sq_sig_all",
	  completion_of_each_with_sq_sig_all, NEED_RC },
	{ "completion.of_receives_is_in_post_order",
	  completions_of_receives_are_in_post_order, NEED_RC },
	{ "completion.has_opcode_and_length", completion_has_opcode_and_length,
	  NEED_RC },
	{ "completion.has_immediate_data", completion_has_immediate_data,
	  NEED_IMM },
	{},
};
