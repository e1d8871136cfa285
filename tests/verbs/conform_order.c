// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: the order in which requests of a QP execute,
 * complete and become visible (IBTA 9.5, 10.8.3).
 */
#include "conform.h"

#include <string.h>

#define ORDER_MAX (1 << 20)

struct order_rig {
	struct pair pair;
	struct mem *client, *server;
};

static struct order_rig order_rig_new(void)
{
	struct order_rig rig = { .pair = pair_new(NULL, NULL) };

	rig.client = mem_new(CLIENT, 2 * ORDER_MAX, CONFORM_ALL_ACCESS);
	rig.server = mem_new(SERVER, 2 * ORDER_MAX, CONFORM_ALL_ACCESS);
	return rig;
}

static const uint32_t order_lengths[] = { 8, 100, 5000, 70000, ORDER_MAX };
#define ORDER_NR_LENGTHS (sizeof(order_lengths) / sizeof(order_lengths[0]))

static void order_mixed_opcodes_complete_in_post_order(void)
{
	struct order_rig rig = order_rig_new();
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_READ,
					       IBV_WR_RDMA_WRITE, IBV_WR_SEND,
					       IBV_WR_RDMA_READ,
					       IBV_WR_RDMA_WRITE };
	struct work work[40];

	for (uint64_t i = 0; i < 40; i++) {
		uint32_t length = order_lengths[i * 7 % 4];

		work[i] = work_rdma(opcodes[i % 5], rig.client, 0, length,
				    rig.server, ORDER_MAX);
		work[i].wr_id = i;
		if (opcodes[i % 5] == IBV_WR_SEND)
			post_recv(rig.pair.server, rig.server, 0, ORDER_MAX, i);
	}
	for (int i = 0; i < 40; i += 8)
		post_list(rig.pair.client, &work[i], 8);
	for (uint64_t i = 0; i < 40; i++)
		poll_success(rig.pair.client->send_cq, i);
	for (uint64_t i = 2; i < 40; i += 5)
		poll_success(rig.pair.server->recv_cq, i);
}

/* IBTA 9.5: data of a WRITE is visible when a later message completes. */
static void order_write_then_send_is_visible_at_cqe(void)
{
	struct order_rig rig = order_rig_new();

	for (uint32_t round = 0; round < 4 * ORDER_NR_LENGTHS; round++) {
		uint32_t length = order_lengths[round % ORDER_NR_LENGTHS];
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0, length,
				  rig.server, 0),
			work_send(rig.client, 0, 8),
		};

		conform_context("WRITE of %u bytes", length);
		mem_fill(rig.client, 0, length, round);
		work[0].unsignaled = true;
		post_recv(rig.pair.server, rig.server, ORDER_MAX, 100, round);
		post_list(rig.pair.client, work, 2);
		poll_success(rig.pair.server->recv_cq, round);
		mem_require(rig.server, 0, length, round);
		poll_success(rig.pair.client->send_cq, 0);
	}
}

/* Both WRITEs are visible when the second one completes the receive. */
static void order_write_then_write_imm_is_visible_at_cqe(void)
{
	struct order_rig rig = order_rig_new();

	for (uint32_t round = 0; round < 4 * ORDER_NR_LENGTHS; round++) {
		uint32_t length = order_lengths[round % ORDER_NR_LENGTHS];
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0, length,
				  rig.server, 0),
			work_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, rig.client, 0,
				  length, rig.server, ORDER_MAX),
		};

		conform_context("WRITEs of %u bytes", length);
		mem_fill(rig.client, 0, length, round);
		work[0].unsignaled = true;
		post_recv(rig.pair.server, rig.server, 0, 0, round);
		post_list(rig.pair.client, work, 2);
		poll_success(rig.pair.server->recv_cq, round);
		mem_require(rig.server, 0, length, round);
		mem_require(rig.server, ORDER_MAX, length, round);
		poll_success(rig.pair.client->send_cq, 0);
	}
}

/* A READ returns what older WRITEs have written. */
static void order_read_after_write_returns_new_data(void)
{
	struct order_rig rig = order_rig_new();

	for (uint32_t round = 0; round < 4 * ORDER_NR_LENGTHS; round++) {
		uint32_t length = order_lengths[round % ORDER_NR_LENGTHS];
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0, length,
				  rig.server, 0),
			work_rdma(IBV_WR_RDMA_READ, rig.client, ORDER_MAX,
				  length, rig.server, 0),
		};

		conform_context("%u bytes", length);
		mem_fill(rig.client, 0, length, round);
		work[0].unsignaled = true;
		post_list(rig.pair.client, work, 2);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.client, ORDER_MAX, length, round);
	}
}

/* The last of many WRITEs to one place remains. */
static void order_of_writes_is_post_order(void)
{
	struct order_rig rig = order_rig_new();
	struct work work[16];

	for (uint32_t round = 0; round < 3 * ORDER_NR_LENGTHS; round++) {
		uint32_t length = order_lengths[round % ORDER_NR_LENGTHS] / 16;

		if (!length)
			length = 1;
		conform_context("WRITEs of %u bytes", length);
		for (size_t i = 0; i < 16; i++) {
			work[i] = work_rdma(IBV_WR_RDMA_WRITE, rig.client,
					    i * length, length, rig.server, 0);
			work[i].unsignaled = i < 15;
			memset(rig.client->view + i * length,
			       (int)(round * 16 + i), length);
		}
		post_list(rig.pair.client, work, 16);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require_value(rig.server, 0, length,
				  (uint8_t)(round * 16 + 15));
	}
}

/*
 * IBTA 10.8.3.3: a fenced request uses what older READs have brought. The first
 * byte of each round differs from that of the one before.
 */
static void order_each_fence(enum ibv_wr_opcode opcode)
{
	struct order_rig rig = order_rig_new();

	for (uint32_t round = 0; round < 4 * ORDER_NR_LENGTHS; round++) {
		uint32_t length = order_lengths[round % ORDER_NR_LENGTHS];
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_READ, rig.client, 0, length,
				  rig.server, 0),
			work_rdma(opcode, rig.client, 0, length, rig.server,
				  ORDER_MAX),
		};

		conform_context("opcode %d, %u bytes", (int)opcode, length);
		mem_fill(rig.server, 0, length, round);
		memset(rig.client->view, 0xee, length);
		work[0].unsignaled = true;
		work[1].flags = IBV_SEND_FENCE;
		if (opcode == IBV_WR_SEND)
			post_recv(rig.pair.server, rig.server, ORDER_MAX,
				  ORDER_MAX, round);
		post_list(rig.pair.client, work, 2);
		poll_success(rig.pair.client->send_cq, 0);
		mem_require(rig.server, ORDER_MAX, length, round);
		if (opcode == IBV_WR_SEND)
			poll_success(rig.pair.server->recv_cq, round);
	}
}

static void order_fenced_write_waits_for_read(void)
{
	order_each_fence(IBV_WR_RDMA_WRITE);
}

static void order_fenced_send_waits_for_read(void)
{
	order_each_fence(IBV_WR_SEND);
}

static void order_fenced_write_waits_for_atomic(void)
{
	struct order_rig rig = order_rig_new();

	for (uint64_t round = 0; round < 50; round++) {
		struct work work[2] = {
			work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rig.client, 0,
				    rig.server, 0, 1, 0),
			work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0, 8,
				  rig.server, 64),
		};
		uint64_t result;

		memset(rig.client->view, 0xee, 8);
		work[0].unsignaled = true;
		work[1].flags = IBV_SEND_FENCE;
		post_list(rig.pair.client, work, 2);
		poll_success(rig.pair.client->send_cq, 0);
		memcpy(&result, rig.server->view + 64, 8);
		REQUIRE_EQUAL(result, round);
	}
}

/*
 * Programs wait for the last byte of a WRITE by looking at it. IBTA does not
 * promise it, but all devices keep it.
 */
static void order_last_byte_of_write_is_last(void)
{
	const uint32_t lengths[] = {
		9, 64, 100, 4096, 8192, 9000, 65536, 300000
	};
	struct order_rig rig = order_rig_new();

	for (uint32_t round = 0; round < 3 * 8; round++) {
		uint32_t length = lengths[round % 8];
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig.client, 0,
					     length, rig.server, 0);
		const uint8_t *copy;

		conform_context("WRITE of %u bytes", length);
		memset(rig.server->view, 0, length);
		memset(rig.client->view, 0x5c, length);
		server_spin_byte(rig.server, length - 1, 0x5c, 0, length);
		post(rig.pair.client, &work);
		copy = server_spin_result();
		for (uint32_t i = 0; i < length; i++)
			if (copy[i] != 0x5c)
				REQUIRE_EQUAL(copy[i], 0x5c);
		poll_success(rig.pair.client->send_cq, 0);
	}
}

const struct conform_test conform_order[] = {
	{ "order.mixed_opcodes_complete_in_post_order",
	  order_mixed_opcodes_complete_in_post_order, NEED_RC },
	{ "order.write_then_send_is_visible_at_cqe",
	  order_write_then_send_is_visible_at_cqe, NEED_RC },
	{ "order.write_then_write_imm_is_visible_at_cqe",
	  order_write_then_write_imm_is_visible_at_cqe, NEED_IMM },
	{ "order.read_after_write_returns_new_data",
	  order_read_after_write_returns_new_data, NEED_RC },
	{ "order.of_writes_is_post_order", order_of_writes_is_post_order,
	  NEED_RC },
	{ "order.fenced_write_waits_for_read",
	  order_fenced_write_waits_for_read, NEED_RC },
	{ "order.fenced_send_waits_for_read", order_fenced_send_waits_for_read,
	  NEED_RC },
	{ "order.fenced_write_waits_for_atomic",
	  order_fenced_write_waits_for_atomic, NEED_ATOMIC },
	{ "order.last_byte_of_write_is_last", order_last_byte_of_write_is_last,
	  NEED_RC },
	{},
};
