// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: data of lists of scatter/gather entries, messages
 * without data, the null MR, and many requests at once. Group "data".
 */
#include "conform.h"

#define LIST_BYTES   65537u /* of the longest message */
#define LIST_STRIDE  3	    /* bytes between two entries, which stay zero */
#define LIST_MEM     (2 * LIST_BYTES)
#define MIX_BYTES    32768u
#define MIX_LONGEST  6000u
#define MIX_BATCH    16
#define MIX_SLOT     8192u
#define WRAP_DEPTH   4
#define WRAP_SLOT    5000u
#define BOTH_NR	     16
#define BOTH_BYTES   65537u
#define NULL_DISCARD 5000u
#define HUGE_BYTES   (1u << 30)
#define HUGE_KEPT    10000u

/* A sequence that is the same in each run. */
static uint32_t lists_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

static int lists_max_sge(int limit)
{
	return limit < CONFORM_MAX_SGE ? limit : CONFORM_MAX_SGE;
}

/*
 * Divides @length bytes into @nr entries with gaps between them. Every fourth
 * entry is empty, as far as there are more entries than needed.
 */
static void lists_divide(uint64_t *state, const struct mem *mem,
			 uint32_t length, int nr, struct ibv_sge *list)
{
	size_t offset = LIST_STRIDE;

	for (int i = 0; i < nr; i++) {
		uint32_t size = length;

		if (i < nr - 1)
			size = lists_random(
				state, 2 * length / (uint32_t)(nr - i) + 1);
		if (i % 4 == 3 && i < nr - 1)
			size = 0;
		if (size > length)
			size = length;
		list[i] = sge(mem, offset, size);
		offset += size + LIST_STRIDE;
		length -= size;
	}
}

/* Copies between the entries and contiguous memory. */
static void lists_copy(const struct mem *mem, const struct ibv_sge *list,
		       int nr, uint8_t *flat, bool to_flat)
{
	for (int i = 0; i < nr; i++) {
		uint8_t *view = mem->view + (list[i].addr - mem->addr);

		if (to_flat)
			memcpy(flat, view, list[i].length);
		else
			memcpy(view, flat, list[i].length);
		flat += list[i].length;
	}
}

/* The bytes between and after the entries are zero. */
static void lists_check_gaps(const struct mem *mem, const struct ibv_sge *list,
			     int nr)
{
	size_t offset = 0;

	for (int i = 0; i < nr; i++) {
		size_t begin = list[i].addr - mem->addr;

		mem_require_value(mem, offset, begin - offset, 0);
		offset = begin + list[i].length;
	}
	mem_require_value(mem, offset, mem->length - offset, 0);
}

/* What the tests of SGE lists have in common. */
struct lists_rig {
	struct pair pair;
	struct mem *client, *server, *flat;
	uint64_t random;
	int max_send, max_recv;
};

static struct lists_rig lists_rig_new(void)
{
	const int max = lists_max_sge(conform_device()->orig_attr.max_sge);
	const struct qp_args args = { .max_send_sge = (uint32_t)max,
				      .max_recv_sge = (uint32_t)max };

	return (struct lists_rig){
		.pair = pair_new(&args, NULL),
		.client = mem_new(CLIENT, LIST_MEM, CONFORM_ALL_ACCESS),
		.server = mem_new(SERVER, LIST_MEM, CONFORM_ALL_ACCESS),
		.flat = mem_new(CLIENT, LIST_BYTES, IBV_ACCESS_LOCAL_WRITE),
		.max_send = max,
		.max_recv = max,
	};
}

/* Fills the entries of the sender with the bytes of @seed, in order. */
static void lists_fill(struct lists_rig *rig, struct mem *mem,
		       const struct ibv_sge *list, int nr, uint32_t length,
		       uint32_t seed)
{
	memset(rig->client->view, 0, LIST_MEM);
	memset(rig->server->view, 0, LIST_MEM);
	mem_fill(rig->flat, 0, length, seed);
	lists_copy(mem, list, nr, rig->flat->view, false);
}

/* The entries of the receiver contain the bytes of @seed, in order. */
static void lists_check(struct lists_rig *rig, const struct mem *mem,
			const struct ibv_sge *list, int nr, uint32_t length,
			uint32_t seed)
{
	memset(rig->flat->view, 0, length);
	lists_copy(mem, list, nr, rig->flat->view, true);
	mem_require(rig->flat, 0, length, seed);
	lists_check_gaps(mem, list, nr);
}

static void lists_send(struct lists_rig *rig, uint32_t length, int nr_send,
		       int nr_recv)
{
	struct work work = { .opcode = IBV_WR_SEND,
			     .wr_id = length,
			     .nr_sge = nr_send };
	struct ibv_sge recv[CONFORM_MAX_SGE];
	struct ibv_wc wc;

	conform_context("SEND of %u bytes, %d to %d entries", length, nr_send,
			nr_recv);
	lists_divide(&rig->random, rig->client, length, nr_send, work.sge);
	lists_divide(&rig->random, rig->server, length, nr_recv, recv);
	lists_fill(rig, rig->client, work.sge, nr_send, length, length);
	REQUIRE_EQUAL(post_recv_try(rig->pair.server, 1, recv, nr_recv), 0);
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, length);
	wc = poll_success(rig->pair.server->recv_cq, 1);
	REQUIRE_EQUAL(wc.byte_len, length);
	lists_check(rig, rig->server, recv, nr_recv, length, length);
}

static const uint32_t lists_sizes[] = { 2, 41, 1025, 4097, 8193, LIST_BYTES };
static const int lists_numbers[] = { 1, 2, 3, 7, CONFORM_MAX_SGE };
#define NR_LIST_SIZES	6
#define NR_LIST_NUMBERS 5

static int lists_number(int i, int max)
{
	return lists_numbers[i] < max ? lists_numbers[i] : max;
}

static void data_send_sge_lists_arrive_in_order(void)
{
	struct lists_rig rig = lists_rig_new();

	for (int i = 0; i < NR_LIST_SIZES; i++) {
		for (int k = 0; k < NR_LIST_NUMBERS; k++) {
			int more = lists_number(k, rig.max_send);
			int less = lists_number(NR_LIST_NUMBERS - 1 - k,
						rig.max_recv);

			lists_send(&rig, lists_sizes[i], more, less);
			lists_send(&rig, lists_sizes[i], more, more);
		}
	}
}

static void data_write_sge_lists_arrive_in_order(void)
{
	struct lists_rig rig = lists_rig_new();

	for (int i = 0; i < NR_LIST_SIZES * NR_LIST_NUMBERS; i++) {
		const uint32_t length = lists_sizes[i / NR_LIST_NUMBERS];
		struct work work = {
			.opcode = IBV_WR_RDMA_WRITE,
			.wr_id = (uint64_t)i,
			.remote_addr = rig.server->addr + LIST_STRIDE,
			.rkey = rig.server->rkey,
			.nr_sge =
				lists_number(i % NR_LIST_NUMBERS, rig.max_send),
		};
		struct ibv_sge target = sge(rig.server, LIST_STRIDE, length);

		conform_context("WRITE of %u bytes, %d entries", length,
				work.nr_sge);
		lists_divide(&rig.random, rig.client, length, work.nr_sge,
			     work.sge);
		lists_fill(&rig, rig.client, work.sge, work.nr_sge, length,
			   length);
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, work.wr_id);
		lists_check(&rig, rig.server, &target, 1, length, length);
	}
}

static void data_read_sge_lists_arrive_in_order(void)
{
	const int max = lists_max_sge(conform_device()->orig_attr.max_sge_rd);
	struct lists_rig rig = lists_rig_new();

	for (int i = 0; i < NR_LIST_SIZES * NR_LIST_NUMBERS; i++) {
		const uint32_t length = lists_sizes[i / NR_LIST_NUMBERS];
		struct work work = {
			.opcode = IBV_WR_RDMA_READ,
			.wr_id = (uint64_t)i,
			.remote_addr = rig.server->addr + LIST_STRIDE,
			.rkey = rig.server->rkey,
			.nr_sge = lists_number(i % NR_LIST_NUMBERS, max),
		};
		struct ibv_sge source = sge(rig.server, LIST_STRIDE, length);

		conform_context("READ of %u bytes, %d entries", length,
				work.nr_sge);
		lists_divide(&rig.random, rig.client, length, work.nr_sge,
			     work.sge);
		lists_fill(&rig, rig.server, &source, 1, length, length);
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, work.wr_id);
		lists_check(&rig, rig.client, work.sge, work.nr_sge, length,
			    length);
	}
}

/* -- no data -- */

/* A message of zero bytes, with an empty list and with empty entries. */
static void data_zero_length_messages_complete(void)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND,
						      IBV_WR_RDMA_WRITE,
						      IBV_WR_RDMA_READ };
	struct pair pair = pair_new(NULL, NULL);
	struct mem *client = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *server = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	for (int i = 0; i < 6; i++) {
		struct work work =
			work_rdma(opcodes[i / 2], client, 0, 0, server, 8);

		conform_context("opcode %d, %d entries", (int)work.opcode,
				i % 2 ? 3 : 0);
		work.nr_sge = i % 2 ? 3 : 0;
		work.sge[1] = sge(client, 100, 0);
		work.sge[2] = sge(client, 4096, 0);
		work.wr_id = (uint64_t)i;
		if (work.opcode == IBV_WR_SEND)
			REQUIRE_EQUAL(post_recv_try(pair.server, 77, NULL, 0),
				      0);
		post(pair.client, &work);
		poll_success(pair.client->send_cq, work.wr_id);
		if (work.opcode == IBV_WR_SEND)
			REQUIRE_EQUAL(
				poll_success(pair.server->recv_cq, 77).byte_len,
				0);
	}
	mem_require_value(client, 0, 4096, 0);
	mem_require_value(server, 0, 4096, 0);
}

/* IBTA C9-88: the responder does not check the R_Key of zero bytes. */
static void data_zero_length_needs_no_rkey(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct work work[2] = {
		{ .opcode = IBV_WR_RDMA_WRITE, .wr_id = 1 },
		{ .opcode = IBV_WR_RDMA_READ, .wr_id = 2 },
	};

	post_list(pair.client, work, 2);
	poll_success(pair.client->send_cq, 1);
	poll_success(pair.client->send_cq, 2);
}

static void data_zero_length_write_imm_has_only_imm(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct work work = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
			     .wr_id = 1,
			     .imm = 0x01020304 };
	struct ibv_wc wc;

	REQUIRE_EQUAL(post_recv_try(pair.server, 77, NULL, 0), 0);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 1);
	wc = poll_success(pair.server->recv_cq, 77);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	REQUIRE_EQUAL(wc.byte_len, 0);
	REQUIRE_EQUAL(be32toh(wc.imm_data), 0x01020304);
}

/* -- the null MR: a receive discards a part of the message -- */

static void data_null_mr_discards_received_bytes(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 3 * NULL_DISCARD, 0);
	struct mem *to =
		mem_new(SERVER, 2 * NULL_DISCARD, IBV_ACCESS_LOCAL_WRITE);
	const struct ibv_sge list[3] = {
		sge(to, 0, 7),
		sge_null(SERVER, NULL_DISCARD),
		sge(to, 7, NULL_DISCARD),
	};
	struct work work = work_send(from, 0, 2 * NULL_DISCARD);
	struct ibv_wc wc;

	mem_fill(from, 0, 7, 1);
	mem_fill(from, 7, NULL_DISCARD, 2);
	mem_fill(from, 7 + NULL_DISCARD, NULL_DISCARD - 7, 3);
	REQUIRE_EQUAL(post_recv_try(pair.server, 77, list, 3), 0);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	wc = poll_success(pair.server->recv_cq, 77);
	REQUIRE_EQUAL(wc.byte_len, 2 * NULL_DISCARD);
	mem_require(to, 0, 7, 1);
	mem_require(to, 7, NULL_DISCARD - 7, 3);
	mem_require_value(to, NULL_DISCARD, NULL_DISCARD, 0);
}

static void data_null_mr_read_response_is_discarded(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from =
		mem_new(SERVER, 2 * NULL_DISCARD, CONFORM_ALL_ACCESS);
	struct mem *to = mem_new(CLIENT, NULL_DISCARD, CONFORM_ALL_ACCESS);
	struct work work = work_rdma(IBV_WR_RDMA_READ, to, 0, 100, from, 0);

	work.sge[0] = sge_null(CLIENT, NULL_DISCARD);
	work.sge[1] = sge(to, 10, 100);
	work.nr_sge = 2;
	mem_fill(from, NULL_DISCARD, 100, 1);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require_value(to, 0, 10, 0);
	mem_require(to, 10, 100, 1);
	mem_require_value(to, 110, NULL_DISCARD - 110, 0);
}

/*
 * 1 GB, of which the receiver keeps only the end. The sender has less memory:
 * its entries are the same.
 */
static void data_message_of_1_gb_arrives_whole(void)
{
	const int max = lists_max_sge(conform_device()->orig_attr.max_sge);
	const struct qp_args args = { .max_send_sge = (uint32_t)max };
	struct pair pair = pair_new(&args, NULL);
	struct mem *from, *to;
	struct work work;
	struct ibv_sge list[2];
	struct ibv_wc wc;

	if (max < CONFORM_MAX_SGE || conform_port()->max_msg_sz < HUGE_BYTES)
		conform_skip("shorter messages only");
	from = mem_new(CLIENT, HUGE_BYTES / CONFORM_MAX_SGE, 0);
	to = mem_new(SERVER, 3 * HUGE_KEPT, IBV_ACCESS_LOCAL_WRITE);
	mem_fill(from, from->length - HUGE_KEPT, HUGE_KEPT, 1);
	work = work_send(from, 0, (uint32_t)from->length);
	work.nr_sge = CONFORM_MAX_SGE;
	for (int i = 1; i < CONFORM_MAX_SGE; i++)
		work.sge[i] = work.sge[0];
	list[0] = sge_null(SERVER, HUGE_BYTES - HUGE_KEPT);
	list[1] = sge(to, HUGE_KEPT, HUGE_KEPT);
	REQUIRE_EQUAL(post_recv_try(pair.server, 77, list, 2), 0);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	wc = poll_success(pair.server->recv_cq, 77);
	REQUIRE_EQUAL(wc.byte_len, HUGE_BYTES);
	mem_require_value(to, 0, HUGE_KEPT, 0);
	mem_require(to, HUGE_KEPT, HUGE_KEPT, 1);
	mem_require_value(to, 2 * HUGE_KEPT, HUGE_KEPT, 0);
}

/* -- many requests -- */

/* Queues of a few entries, each of which is used many times. */
static void data_queues_wrap_many_times(void)
{
	const struct qp_args args = { .max_send_wr = WRAP_DEPTH,
				      .max_recv_wr = WRAP_DEPTH };
	struct pair pair = pair_new(&args, NULL);
	struct mem *from = mem_new(CLIENT, WRAP_DEPTH * WRAP_SLOT, 0);
	struct mem *to =
		mem_new(SERVER, WRAP_DEPTH * WRAP_SLOT, IBV_ACCESS_LOCAL_WRITE);
	struct work work[WRAP_DEPTH];
	uint64_t random = 1;

	for (uint32_t round = 0; round < 100; round++) {
		conform_context("round %u", round);
		for (uint32_t i = 0; i < WRAP_DEPTH; i++) {
			uint32_t length = lists_random(&random, WRAP_SLOT);

			work[i] = work_send(from, i * WRAP_SLOT, length);
			work[i].wr_id = i;
			mem_fill(from, i * WRAP_SLOT, length, round + i);
			post_recv(pair.server, to, i * WRAP_SLOT, WRAP_SLOT, i);
		}
		post_list(pair.client, work, WRAP_DEPTH);
		for (uint32_t i = 0; i < WRAP_DEPTH; i++) {
			uint32_t length = work[i].sge[0].length;
			struct ibv_wc wc;

			poll_success(pair.client->send_cq, i);
			wc = poll_success(pair.server->recv_cq, i);
			REQUIRE_EQUAL(wc.byte_len, length);
			mem_require(to, i * WRAP_SLOT, length, round + i);
		}
	}
}

static void data_both_directions_at_once_arrive_intact(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct qp *qp[2] = { pair.client, pair.server };
	struct mem *from[2], *to[2];

	for (int end = 0; end < 2; end++) {
		from[end] = mem_new((enum end)end, BOTH_NR * BOTH_BYTES, 0);
		to[end] = mem_new((enum end)end, BOTH_NR * BOTH_BYTES,
				  IBV_ACCESS_LOCAL_WRITE);
		mem_fill(from[end], 0, BOTH_NR * BOTH_BYTES, (uint32_t)end);
		for (uint32_t i = 0; i < BOTH_NR; i++)
			post_recv(qp[end], to[end], i * BOTH_BYTES, BOTH_BYTES,
				  100 + i);
	}
	for (uint32_t i = 0; i < BOTH_NR; i++) {
		for (int end = 0; end < 2; end++) {
			struct work work = work_send(from[end], i * BOTH_BYTES,
						     BOTH_BYTES);

			work.wr_id = i;
			post(qp[end], &work);
		}
	}
	for (int end = 0; end < 2; end++) {
		uint32_t sent = 0, received = 0;

		while (sent + received < 2 * BOTH_NR) {
			struct ibv_wc wc =
				poll_status(qp[end]->send_cq, IBV_WC_SUCCESS);

			if (wc.opcode == IBV_WC_SEND)
				REQUIRE_EQUAL(wc.wr_id, sent++);
			else
				REQUIRE_EQUAL(wc.wr_id, 100 + received++);
		}
		REQUIRE_EQUAL(sent, received);
		mem_require(to[end], 0, BOTH_NR * BOTH_BYTES, (uint32_t)!end);
	}
}

/* -- a random mix, compared with a model of the server's memory -- */

struct mix {
	struct pair pair;
	struct mem *from, *to, *slots;
	uint8_t *model, *slot_model; /* what @to and @slots must contain */
	uint64_t random;
};

/* The next request; SENDs go to @slots in turn, WRITEs anywhere in @to. */
static struct work mix_next(struct mix *mix, uint32_t nr)
{
	uint32_t length = lists_random(&mix->random, 2)
				  ? lists_random(&mix->random, MIX_LONGEST)
				  : lists_random(&mix->random, 64);
	uint32_t at = lists_random(&mix->random, MIX_BYTES - length);
	uint32_t source = lists_random(&mix->random, MIX_BYTES - length);
	const uint8_t *bytes = mix->from->view + source;
	struct work work;

	if (lists_random(&mix->random, 3)) {
		work = work_rdma(IBV_WR_RDMA_WRITE, mix->from, source, length,
				 mix->to, at);
		memcpy(mix->model + at, bytes, length);
	} else {
		work = work_send(mix->from, source, length);
		memcpy(mix->slot_model + nr * MIX_SLOT, bytes, length);
	}
	if (length <= 32 && lists_random(&mix->random, 2))
		work.flags = IBV_SEND_INLINE;
	work.wr_id = nr;
	work.unsignaled = nr != MIX_BATCH - 1;
	return work;
}

static void mix_batch(struct mix *mix, uint32_t round)
{
	struct work work[MIX_BATCH];

	conform_context("batch %u", round);
	for (uint32_t i = 0; i < MIX_BATCH; i++) {
		work[i] = mix_next(mix, i);
		if (work[i].opcode != IBV_WR_SEND)
			continue;
		post_recv(mix->pair.server, mix->slots, i * MIX_SLOT, MIX_SLOT,
			  i);
	}
	post_list(mix->pair.client, work, MIX_BATCH);
	poll_success(mix->pair.client->send_cq, MIX_BATCH - 1);
	for (uint32_t i = 0; i < MIX_BATCH; i++) {
		struct ibv_wc wc;

		if (work[i].opcode != IBV_WR_SEND)
			continue;
		wc = poll_success(mix->pair.server->recv_cq, i);
		REQUIRE_EQUAL(wc.byte_len, work[i].sge[0].length);
	}
	REQUIRE(memcmp(mix->to->view, mix->model, MIX_BYTES) == 0);
	REQUIRE(memcmp(mix->slots->view, mix->slot_model,
		       MIX_BATCH * MIX_SLOT) == 0);
}

static void data_random_mix_leaves_expected_memory(void)
{
	static uint8_t model[MIX_BYTES], slot_model[MIX_BATCH * MIX_SLOT];
	struct mix mix = {
		.pair = pair_new(NULL, NULL),
		.from = mem_new(CLIENT, MIX_BYTES, 0),
		.to = mem_new(SERVER, MIX_BYTES, CONFORM_ALL_ACCESS),
		.slots = mem_new(SERVER, MIX_BATCH * MIX_SLOT,
				 IBV_ACCESS_LOCAL_WRITE),
		.model = model,
		.slot_model = slot_model,
		.random = 7,
	};

	memset(model, 0, sizeof(model));
	memset(slot_model, 0, sizeof(slot_model));
	mem_fill(mix.from, 0, MIX_BYTES, 1);
	for (uint32_t round = 0; round < 40; round++)
		mix_batch(&mix, round);
	poll_nothing(mix.pair.client->send_cq, 0);
	poll_nothing(mix.pair.server->recv_cq, 0);
}

const struct conform_test conform_data_lists[] = {
	{ "data.send_sge_lists_arrive_in_order",
	  data_send_sge_lists_arrive_in_order, NEED_RC },
	{ "data.write_sge_lists_arrive_in_order",
	  data_write_sge_lists_arrive_in_order, NEED_RC },
	{ "data.read_sge_lists_arrive_in_order",
	  data_read_sge_lists_arrive_in_order, NEED_RC },
	{ "data.zero_length_messages_complete",
	  data_zero_length_messages_complete, NEED_RC },
	{ "data.zero_length_needs_no_rkey", data_zero_length_needs_no_rkey,
	  NEED_RC },
	{ "data.zero_length_write_imm_has_only_imm",
	  data_zero_length_write_imm_has_only_imm, NEED_IMM },
	{ "data.null_mr_discards_received_bytes",
	  data_null_mr_discards_received_bytes, NEED_RC },
	{ "data.null_mr_read_response_is_discarded",
	  data_null_mr_read_response_is_discarded, NEED_RC },
	{ "data.message_of_1_gb_arrives_whole",
	  data_message_of_1_gb_arrives_whole, NEED_RC },
	{ "data.queues_wrap_many_times", data_queues_wrap_many_times, NEED_RC },
	{ "data.both_directions_at_once_arrive_intact",
	  data_both_directions_at_once_arrive_intact, NEED_RC },
	{ "data.random_mix_leaves_expected_memory",
	  data_random_mix_leaves_expected_memory, NEED_RC },
	{},
};
