/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs: packets that the engine returns many at a time must equal the packets
 * that it returns one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"
#include "uroce_pair.h"

#define MTU	    1024
#define MAX_PACKETS 600

/* A returned packet, and the address of its payload. */
struct trace {
	uint32_t nr, nr_runs;
	const uint8_t *memory; /* of the side that sends */
	struct uroce_packet packet[MAX_PACKETS];
	const uint8_t *payload[MAX_PACKETS];
};

static void record_packet(struct trace *trace, const struct uroce_out *out,
			  uint32_t nr)
{
	const uint8_t *payload = out->iovecs.iov[0].iov_base;

	for (uint32_t i = 0; i < nr; i++) {
		struct uroce_packet *packet = &trace->packet[trace->nr];

		assert_true(trace->nr < MAX_PACKETS);
		*packet = out->packet;
		packet->psn = uroce_psn_add(packet->psn, (int32_t)i);
		trace->payload[trace->nr++] =
			payload + (size_t)i * packet->payload_len;
	}
}

/* Takes everything that can be sent now, in runs of up to @max. */
static struct trace *take_all(struct pair *pair, unsigned int side,
			      uint32_t max)
{
	struct uroce_engine *engine = &pair->side[side].engine;
	struct trace *trace = calloc(1, sizeof(*trace));
	struct uroce_out out;

	assert_non_null(trace);
	trace->memory = pair->side[side].memory;
	while (uroce_engine_next(engine, pair->now, &out)) {
		uint32_t nr;

		record_packet(trace, &out, 1);
		if (!max)
			continue;
		nr = uroce_engine_next_run(engine, pair->now, max, &out);
		assert_true(nr <= max);
		record_packet(trace, &out, nr);
		trace->nr_runs += nr > 0;
	}
	return trace;
}

static void post_request(struct pair *pair, enum ibv_wr_opcode opcode,
			 uint32_t from, uint32_t bytes)
{
	/* the second SGE begins in the middle of a packet */
	struct ibv_sge sge[2] = { pair_sge(pair, 0, from, bytes / 2 + 100),
				  pair_sge(pair, 0, from + bytes / 2 + 200,
					   bytes - bytes / 2 - 100) };
	struct uroce_send_wqe wqe = {
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 2,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};

	pair_post(pair, 0, &wqe, sge);
}

/* Queues the same requests in a new pair, so that the PSNs are equal. */
static struct pair *new_pair(enum ibv_qp_type type)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.type = type;
	pair = pair_new(&o);
	post_request(pair, IBV_WR_RDMA_WRITE, 0, 40 * MTU + 300);
	post_request(pair, IBV_WR_SEND, 100000, 7 * MTU);
	post_request(pair, IBV_WR_RDMA_WRITE, 3, 90 * MTU);
	return pair;
}

static void assert_same(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->nr, b->nr);
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct uroce_packet *x = &a->packet[i];
		const struct uroce_packet *y = &b->packet[i];

		assert_int_equal(x->opcode, y->opcode);
		assert_int_equal(x->psn, y->psn);
		assert_int_equal(x->ack_req, y->ack_req);
		assert_int_equal(x->mig_req, y->mig_req);
		assert_int_equal(x->solicited, y->solicited);
		assert_int_equal(x->dest_qpn, y->dest_qpn);
		assert_int_equal(x->pkey, y->pkey);
		assert_int_equal(x->payload_len, y->payload_len);
		if (x->payload_len)
			assert_int_equal(a->payload[i] - a->memory,
					 b->payload[i] - b->memory);
	}
}

static void check_type(enum ibv_qp_type type, uint32_t max)
{
	struct pair *one = new_pair(type), *many = new_pair(type);
	struct trace *a = take_all(one, 0, 0), *b = take_all(many, 0, max);

	assert_true(a->nr >= 64);
	assert_same(a, b);
	assert_int_equal(a->nr_runs, 0);
	assert_true(b->nr_runs >= 3);
	assert_int_equal(pair_count(one, 0, UROCE_C_TX_PACKETS),
			 pair_count(many, 0, UROCE_C_TX_PACKETS));
	assert_int_equal(pair_count(one, 0, UROCE_C_TX_BYTES),
			 pair_count(many, 0, UROCE_C_TX_BYTES));
	free(a);
	free(b);
	pair_free(one);
	pair_free(many);
}

static void run_equals_packets_of_next(void **state)
{
	for (uint32_t max = 1; max <= 64; max += 9) {
		check_type(IBV_QPT_RC, max);
		check_type(IBV_QPT_UC, max);
	}
}

/* The responses of two READs, of which the second one is a single packet. */
static struct trace *take_responses(struct pair *pair, uint32_t max)
{
	struct uroce_out out;

	post_request(pair, IBV_WR_RDMA_READ, 0, 50 * MTU + 1);
	post_request(pair, IBV_WR_RDMA_READ, 0, 300);
	while (uroce_engine_next(&pair->side[0].engine, pair->now, &out)) {
		out.packet.path = &pair->side[0].path;
		out.packet.traits = uroce_wire_traits(out.packet.opcode);
		uroce_engine_receive(&pair->side[1].engine, &out.packet,
				     pair->now);
	}
	return take_all(pair, 1, max);
}

static void run_equals_single_read_responses(void **state)
{
	struct pair_options o = pair_defaults();

	for (uint32_t max = 1; max <= 64; max += 9) {
		struct pair *one = pair_new(&o), *many = pair_new(&o);
		struct trace *a = take_responses(one, 0);
		struct trace *b = take_responses(many, max);

		assert_int_equal(a->nr, 52);
		assert_same(a, b);
		assert_true(b->nr_runs >= 1);
		assert_int_equal(pair_count(one, 1, UROCE_C_TX_BYTES),
				 pair_count(many, 1, UROCE_C_TX_BYTES));
		free(a);
		free(b);
		pair_free(one);
		pair_free(many);
	}
}

/* Retransmitted packets are single until the peer has acknowledged one. */
static void run_excludes_retransmitted_packets(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct trace *trace;

	post_request(pair, IBV_WR_RDMA_WRITE, 0, 20 * MTU);
	trace = take_all(pair, 0, 64);
	assert_true(trace->nr_runs > 0);
	free(trace);
	/* all of them are lost */
	pair->now += 1000000000;
	(void)uroce_engine_expire(&pair->side[0].engine, pair->now);
	trace = take_all(pair, 0, 64);
	assert_int_equal(trace->nr, 20);
	assert_int_equal(trace->nr_runs, 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 20);
	free(trace);
	pair_free(pair);
}

/* The zeros of the null region are not consecutive in memory. */
static void run_excludes_null_region(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_region null = {
		.kind = UROCE_REGION_NULL,
		.bytes = UINT64_MAX / 2,
		.pd = PAIR_PD,
		.access = IBV_ACCESS_LOCAL_WRITE,
	};
	struct uroce_send_wqe wqe = {
		.opcode = IBV_WR_RDMA_WRITE,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA, .rkey = pair->side[1].key },
	};
	struct ibv_sge sge = { .addr = 4096, .length = 10 * MTU };
	struct trace *trace;

	assert_int_equal(uroce_memory_add(pair->side[0].engine.core.memory,
					  &null, &sge.lkey),
			 0);
	pair_post(pair, 0, &wqe, &sge);
	trace = take_all(pair, 0, 64);
	assert_int_equal(trace->nr, 10);
	assert_int_equal(trace->nr_runs, 0);
	free(trace);
	pair_free(pair);
}

/* A response precedes the rest of a message. */
static void run_yields_to_response(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_engine *engine = &pair->side[0].engine;
	struct uroce_out out;

	post_request(pair, IBV_WR_RDMA_WRITE, 0, 20 * MTU);
	assert_true(uroce_engine_next(engine, pair->now, &out));
	pair->side[0].qp->roce->resp.reply = UROCE_REPLY_ACK;
	assert_int_equal(uroce_engine_next_run(engine, pair->now, 64, &out), 0);
	assert_true(uroce_engine_next(engine, pair->now, &out));
	assert_int_equal(out.packet.opcode, UROCE_ACKNOWLEDGE);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_equals_packets_of_next),
		cmocka_unit_test(run_equals_single_read_responses),
		cmocka_unit_test(run_excludes_retransmitted_packets),
		cmocka_unit_test(run_excludes_null_region),
		cmocka_unit_test(run_yields_to_response),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
