// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: data of every size arrives as it was sent, with
 * every opcode of RC, and no byte beside it changes.
 */
#include "conform.h"

#define GUARD	      64 /* bytes around the target that must stay zero */
#define MAX_SIZE      (4u << 20)
#define IMM	      0x8badf00du
#define NR_SIZES      16
#define NR_DATA_SIZES 5

static const enum ibv_wr_opcode data_opcodes[] = {
	IBV_WR_SEND,	   IBV_WR_SEND_WITH_IMM,
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	IBV_WR_RDMA_READ,
};
#define NR_OPCODES (sizeof(data_opcodes) / sizeof(data_opcodes[0]))

static uint32_t data_size(int i)
{
	const uint32_t mtu = conform_mtu();
	const uint32_t sizes[NR_SIZES] = {
		0,    1,    8,	  40,	 41,	mtu - 1, mtu,	  mtu + 1,
		8191, 8192, 8193, 65535, 65536, 65537,	 1 << 20, MAX_SIZE,
	};

	return sizes[i];
}

/* A connection, and memory of both ends. */
struct data_rig {
	struct pair pair;
	struct mem *client, *server;
	uint64_t wr_id; /* of the last work request */
};

static struct data_rig data_rig_new(size_t length, const struct qp_args *args)
{
	struct data_rig rig = { .pair = pair_new(args, NULL) };

	rig.client = mem_new(CLIENT, length, CONFORM_ALL_ACCESS);
	rig.server = mem_new(SERVER, length, CONFORM_ALL_ACCESS);
	rig.wr_id = UINT64_C(0x123456789abcdef0);
	return rig;
}

static bool data_has_imm(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool data_is_send(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

static bool data_takes_receive(enum ibv_wr_opcode opcode)
{
	return data_is_send(opcode) || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static const char *data_name(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return "SEND";
	case IBV_WR_SEND_WITH_IMM:
		return "SEND_WITH_IMM";
	case IBV_WR_RDMA_WRITE:
		return "RDMA_WRITE";
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return "RDMA_WRITE_WITH_IMM";
	default:
		return "RDMA_READ";
	}
}

static enum ibv_wc_opcode data_wc_opcode(enum ibv_wr_opcode opcode)
{
	if (data_is_send(opcode))
		return IBV_WC_SEND;
	return opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ
					  : IBV_WC_RDMA_WRITE;
}

/* The bytes at @offset are those of @seed, and no byte around them changed. */
static void data_check(const struct mem *mem, size_t offset, size_t length,
		       uint32_t seed)
{
	mem_require(mem, offset, length, seed);
	mem_require_value(mem, offset - GUARD, GUARD, 0);
	mem_require_value(mem, offset + length, GUARD, 0);
}

/* Both completions of one operation, and no others. */
static void data_complete(struct data_rig *rig, enum ibv_wr_opcode opcode,
			  uint32_t length)
{
	struct ibv_wc wc = poll_success(rig->pair.client->send_cq, rig->wr_id);

	REQUIRE_EQUAL(wc.opcode, data_wc_opcode(opcode));
	REQUIRE_EQUAL(wc.qp_num, rig->pair.client->num);
	if (!data_takes_receive(opcode))
		return;
	wc = poll_success(rig->pair.server->recv_cq, ~rig->wr_id);
	REQUIRE_EQUAL(wc.opcode, data_is_send(opcode)
					 ? IBV_WC_RECV
					 : IBV_WC_RECV_RDMA_WITH_IMM);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.server->num);
	REQUIRE_EQUAL(wc.byte_len, length);
	REQUIRE_EQUAL(wc.wc_flags & IBV_WC_WITH_IMM,
		      data_has_imm(opcode) ? IBV_WC_WITH_IMM : 0);
	if (data_has_imm(opcode))
		REQUIRE_EQUAL(be32toh(wc.imm_data), IMM);
}

static void data_poll_no_more(const struct data_rig *rig)
{
	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
}

/*
 * Moves data between two ranges by one work request: from the client to the
 * server, or with RDMA_READ the other way.
 */
static void data_move(struct data_rig *rig, enum ibv_wr_opcode opcode,
		      size_t client_offset, size_t server_offset,
		      uint32_t length, unsigned int flags)
{
	const bool reads = opcode == IBV_WR_RDMA_READ;
	const uint32_t seed = (uint32_t)++rig->wr_id;
	struct mem *from = reads ? rig->server : rig->client;
	struct mem *to = reads ? rig->client : rig->server;
	size_t from_offset = reads ? server_offset : client_offset;
	size_t to_offset = reads ? client_offset : server_offset;
	struct work work = work_rdma(opcode, rig->client, client_offset, length,
				     rig->server, server_offset);

	conform_context("%s of %u bytes from offset %zu to %zu",
			data_name(opcode), length, from_offset, to_offset);
	memset(to->view + to_offset, 0, length);
	mem_fill(from, from_offset, length, seed);
	work.wr_id = rig->wr_id;
	work.imm = IMM;
	work.flags = flags;
	if (flags & IBV_SEND_INLINE)
		work.sge[0].lkey = 0xdead; /* not used */
	/* RDMA_WRITE_WITH_IMM does not use the receive's memory. */
	if (data_is_send(opcode))
		post_recv(rig->pair.server, to, to_offset, length, ~work.wr_id);
	else if (data_takes_receive(opcode))
		REQUIRE_EQUAL(
			post_recv_try(rig->pair.server, ~work.wr_id, NULL, 0),
			0);
	post(rig->pair.client, &work);
	if (flags & IBV_SEND_INLINE)
		memset(from->view + from_offset, 0xee, length);
	data_complete(rig, opcode, length);
	data_check(to, to_offset, length, seed);
	memset(to->view + to_offset, 0, length);
	memset(from->view + from_offset, 0, length);
}

static void data_move_every_size(enum ibv_wr_opcode opcode)
{
	struct data_rig rig = data_rig_new(MAX_SIZE + 3 * GUARD, NULL);

	for (int i = 0; i < NR_SIZES; i++)
		data_move(&rig, opcode, GUARD, 2 * GUARD, data_size(i), 0);
	data_poll_no_more(&rig);
}

static void data_send_every_size_arrives_intact(void)
{
	data_move_every_size(IBV_WR_SEND);
}

static void data_send_imm_every_size_arrives_intact(void)
{
	data_move_every_size(IBV_WR_SEND_WITH_IMM);
}

static void data_write_every_size_arrives_intact(void)
{
	data_move_every_size(IBV_WR_RDMA_WRITE);
}

static void data_write_imm_every_size_arrives_intact(void)
{
	data_move_every_size(IBV_WR_RDMA_WRITE_WITH_IMM);
}

static void data_read_every_size_arrives_intact(void)
{
	data_move_every_size(IBV_WR_RDMA_READ);
}

/* -- alignment, ends of regions -- */

static void data_unaligned_addresses_arrive_intact(void)
{
	static const uint32_t sizes[] = { 1, 3, 7, 8, 9, 63, 64, 65, 4097 };
	struct data_rig rig = data_rig_new(16384, NULL);

	for (size_t op = 0; op < NR_OPCODES; op++) {
		if (data_has_imm(data_opcodes[op]))
			continue;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			size_t shift = (i + op) % 8;

			data_move(&rig, data_opcodes[op], 4096 + shift,
				  4096 + 7 - shift, sizes[i], 0);
			data_move(&rig, data_opcodes[op], 4096 - shift,
				  4096 + shift, sizes[i], 0);
		}
	}
	data_poll_no_more(&rig);
}

/* The first and the last bytes of a region can be accessed. */
static void data_whole_region_arrives_intact(void)
{
	static const uint32_t sizes[] = { 1, 4095, 4096, 12289, 70001 };
	struct pair pair = pair_new(NULL, NULL);

	for (int i = 0; i < NR_DATA_SIZES; i++) {
		struct mem *from =
			mem_new(CLIENT, sizes[i], CONFORM_ALL_ACCESS);
		struct mem *to = mem_new(SERVER, sizes[i], CONFORM_ALL_ACCESS);
		struct mem *back =
			mem_new(CLIENT, sizes[i], CONFORM_ALL_ACCESS);
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_WRITE, from, 0, sizes[i], to, 0),
			work_rdma(IBV_WR_RDMA_READ, back, 0, sizes[i], to, 0),
		};

		conform_context("a region of %u bytes", sizes[i]);
		mem_fill(from, 0, sizes[i], (uint32_t)i);
		work[0].wr_id = 1;
		work[1].wr_id = 2;
		post_list(pair.client, work, 2);
		poll_success(pair.client->send_cq, 1);
		poll_success(pair.client->send_cq, 2);
		mem_require(to, 0, sizes[i], (uint32_t)i);
		mem_require(back, 0, sizes[i], (uint32_t)i);
	}
}

static void data_short_message_leaves_rest_of_receive(void)
{
	struct data_rig rig = data_rig_new(3 * 8192, NULL);
	const uint32_t sizes[] = { 0, 1, 41, conform_mtu() + 1 };
	struct work work;

	for (int i = 0; i < 4; i++) {
		conform_context("SEND of %u bytes", sizes[i]);
		rig.wr_id++;
		memset(rig.server->view, 0x5a, rig.server->length);
		mem_fill(rig.client, 0, sizes[i], 7);
		work = work_send(rig.client, 0, sizes[i]);
		work.wr_id = rig.wr_id;
		post_recv(rig.pair.server, rig.server, 8192, 8192, ~rig.wr_id);
		post(rig.pair.client, &work);
		data_complete(&rig, IBV_WR_SEND, sizes[i]);
		mem_require(rig.server, 8192, sizes[i], 7);
		mem_require_value(rig.server, 0, 8192, 0x5a);
		mem_require_value(rig.server, 8192 + sizes[i],
				  2 * 8192 - sizes[i], 0x5a);
	}
}

/* -- inline data -- */

/* The memory is changed as soon as the request was posted. */
static void data_inline_every_opcode_arrives_intact(void)
{
	const struct qp_args args = { .max_inline_data = 128 };
	struct data_rig rig = data_rig_new(8192, &args);
	const uint32_t max = rig.pair.client->cap.max_inline_data;
	const uint32_t sizes[] = { 0,  1,  7,  8,   9,	 12,  13,
				   32, 40, 41, 127, 128, max, max - 1 };

	REQUIRE(max >= 128);
	for (size_t op = 0; op < NR_OPCODES; op++) {
		if (data_opcodes[op] == IBV_WR_RDMA_READ)
			continue;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			if (sizes[i] > 4096)
				continue;
			data_move(&rig, data_opcodes[op], GUARD + i, 2 * GUARD,
				  sizes[i], IBV_SEND_INLINE);
		}
	}
	data_poll_no_more(&rig);
}

static void data_inline_sge_list_arrives_in_order(void)
{
	const struct qp_args args = { .max_send_sge = 4,
				      .max_inline_data = 64 };
	struct data_rig rig = data_rig_new(4096, &args);
	struct work work = work_send(rig.client, 1000, 10);

	work.nr_sge = 4;
	work.sge[1] = sge(rig.client, 500, 0);
	work.sge[2] = sge(rig.client, 2001, 31);
	work.sge[3] = sge(rig.client, 10, 1);
	work.flags = IBV_SEND_INLINE;
	work.wr_id = ++rig.wr_id;
	mem_fill(rig.client, 1000, 10, 1);
	mem_fill(rig.client, 2001, 31, 2);
	mem_fill(rig.client, 10, 1, 3);
	post_recv(rig.pair.server, rig.server, GUARD, 1000, ~rig.wr_id);
	post(rig.pair.client, &work);
	memset(rig.client->view, 0xee, 4096);
	data_complete(&rig, IBV_WR_SEND, 42);
	mem_require_value(rig.server, 0, GUARD, 0);
	mem_require(rig.server, GUARD, 10, 1);
	mem_require(rig.server, GUARD + 10, 31, 2);
	mem_require(rig.server, GUARD + 41, 1, 3);
	mem_require_value(rig.server, GUARD + 42, 1000, 0);
}

const struct conform_test conform_data[] = {
	{ "data.send_every_size_arrives_intact",
	  data_send_every_size_arrives_intact, NEED_RC },
	{ "data.send_imm_every_size_arrives_intact",
	  data_send_imm_every_size_arrives_intact, NEED_IMM },
	{ "data.write_every_size_arrives_intact",
	  data_write_every_size_arrives_intact, NEED_RC },
	{ "data.write_imm_every_size_arrives_intact",
	  data_write_imm_every_size_arrives_intact, NEED_IMM },
	{ "data.read_every_size_arrives_intact",
	  data_read_every_size_arrives_intact, NEED_RC },
	{ "data.unaligned_addresses_arrive_intact",
	  data_unaligned_addresses_arrive_intact, NEED_RC },
	{ "data.whole_region_arrives_intact", data_whole_region_arrives_intact,
	  NEED_RC },
	{ "data.short_message_leaves_rest_of_receive",
	  data_short_message_leaves_rest_of_receive, NEED_RC },
	{ "data.inline_every_opcode_arrives_intact",
	  data_inline_every_opcode_arrives_intact, NEED_IMM },
	{ "data.inline_sge_list_arrives_in_order",
	  data_inline_sge_list_arrives_in_order, NEED_RC },
	{},
};
