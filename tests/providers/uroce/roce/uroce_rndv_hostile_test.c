/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets without payload that a conforming peer never sends: they are refused
 * like others, and only memory changes that the peer could write anyway.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce/roce/uroce_requester.h"
#include "uroce_long_message.h"

/* Bytes available from TO on, and packets that fit into them. */
#define ROOM (5 * MTU + 1000)
#define FITS 5

/* @nr packets of side 0 in one, without payload. */
static struct uroce_packet request_packet(const struct fake *fake,
					  uint8_t opcode, uint32_t nr)
{
	const struct pair *pair = fake->pair;

	return (struct uroce_packet){
		.opcode = UROCE_RC | opcode,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[1].qp->qpn,
		.psn = pair->side[1].qp->roce->resp.epsn,
		.ack_req = true,
		.nr_absent = nr,
		.payload_len = nr * MTU,
		.source = (uintptr_t)pair->side[0].memory + FROM,
		.va = PAIR_IOVA + TO,
		.rkey = pair->side[1].key,
		.dma_len = ROOM,
	};
}

static void deliver_packet(struct fake *fake, unsigned int from,
			   const struct uroce_packet *packet)
{
	static const uint8_t garbage[2 * MTU] = { 0xbd, 0xbd, 0xbd };

	pair_inject(fake->pair, from, packet, garbage);
	(void)fake_step(fake);
	uroce_engine_sent(&fake->pair->side[!from].engine, fake->pair->now);
}

static struct fake *new_receiver(void)
{
	struct fake *fake = fake_new();
	struct place from = place_with_sge(fake, 0, FROM, MB);
	struct place to = place_with_sge(fake, 1, TO, ROOM);

	pair_post_recv(fake->pair, 1, 101, to.sge, 1);
	fake_fill(fake, 0, from.sge, 1, 1);
	return fake;
}

/* Checks that nothing was pulled, and the error. */
static void expect_refusal(struct fake *fake, enum uroce_counter counter,
			   enum ibv_wc_status receive)
{
	struct uroce_cqe cqe;

	assert_int_equal(pair_count(fake->pair, 1, counter), 1);
	assert_int_equal(fake->side[1].pull.nr, 0);
	assert_int_equal(uroce_qp_state(fake->pair->side[1].qp), IBV_QPS_ERR);
	assert_true(pair_poll(&fake->pair->side[1].recv_cq, &cqe));
	assert_int_equal(cqe.status, receive);
	fake_check_rest(fake, 1);
}

/* -- any operation -- */

struct oddity {
	uint8_t opcode;
	uint32_t nr, payload_len;
};

/* The packets are full, and exclude the last one. */
static void rndv_hostile_packet_count_must_match_length(void **state)
{
	static const struct oddity oddities[] = {
		{ UROCE_SEND_FIRST, 2, 2 * MTU - 1 },
		{ UROCE_SEND_FIRST, 2, 2 * MTU + 1 },
		{ UROCE_SEND_FIRST, 2, 0 },
		{ UROCE_SEND_FIRST, 1, 2 * MTU },
		{ UROCE_SEND_FIRST, 0x40001, MTU }, /* overflows 32 bits */
		{ UROCE_SEND_ONLY, 1, MTU },
		{ UROCE_SEND_ONLY, 1, 100 },
		{ UROCE_SEND_ONLY_IMM, 1, MTU },
		{ UROCE_WRITE_FIRST, 2, 2 * MTU - 1 },
		{ UROCE_WRITE_FIRST, 0x40001, MTU },
		{ UROCE_WRITE_ONLY, 1, ROOM },
		{ UROCE_WRITE_ONLY, 5, ROOM },
		{ UROCE_WRITE_ONLY_IMM, 1, MTU },
		{ UROCE_READ_REQUEST, 1, 0 },
		{ UROCE_FETCH_ADD, 1, 0 },
		{ UROCE_CMP_SWAP, 3, 0 },
		{ UROCE_ATOMIC_WRITE, 1, 8 },
		{ UROCE_FLUSH, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(oddities) / sizeof(oddities[0]); i++) {
		struct fake *fake = new_receiver();
		struct uroce_packet packet = request_packet(
			fake, oddities[i].opcode, oddities[i].nr);

		packet.payload_len = oddities[i].payload_len;
		deliver_packet(fake, 0, &packet);
		expect_refusal(fake, UROCE_C_BAD_LENGTH, IBV_WC_WR_FLUSH_ERR);
		fake_free(fake);
	}
}

static void rndv_hostile_last_packet_with_count_is_refused(void **state)
{
	static const uint8_t ops[][2] = {
		{ UROCE_SEND_FIRST, UROCE_SEND_LAST },
		{ UROCE_SEND_FIRST, UROCE_SEND_LAST_IMM },
		{ UROCE_SEND_FIRST, UROCE_SEND_LAST_INV },
		{ UROCE_WRITE_FIRST, UROCE_WRITE_LAST },
		{ UROCE_WRITE_FIRST, UROCE_WRITE_LAST_IMM },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct fake *fake = new_receiver();
		struct uroce_packet packet = request_packet(fake, ops[i][0], 2);
		struct place to = place_with_sge(fake, 1, TO, 2 * MTU);

		deliver_packet(fake, 0, &packet);
		fake_take(fake, 1, to.sge, 1, 1);
		fake->side[1].pull.nr = 0;
		packet = request_packet(fake, ops[i][1], 1);
		deliver_packet(fake, 0, &packet);
		expect_refusal(fake, UROCE_C_BAD_LENGTH, IBV_WC_WR_FLUSH_ERR);
		fake_free(fake);
	}
}

/* The length is valid, the source address is not. */
static void rndv_hostile_unreadable_source_counts_as_lost(void **state)
{
	static const uint8_t ops[] = { UROCE_SEND_FIRST, UROCE_WRITE_FIRST };

	for (size_t i = 0; i < sizeof(ops); i++) {
		struct fake *fake = new_receiver();
		struct uroce_packet packet = request_packet(fake, ops[i], FITS);
		uint32_t psn = packet.psn;

		packet.source = UINT64_MAX - 100;
		deliver_packet(fake, 0, &packet);
		assert_int_equal(
			pair_count(fake->pair, 1, UROCE_C_OUT_OF_SEQUENCE), 1);
		assert_int_equal(fake->side[1].nr_notified, 1);
		assert_int_equal(fake->pair->side[1].qp->roce->resp.epsn, psn);
		assert_int_equal(uroce_qp_state(fake->pair->side[1].qp),
				 IBV_QPS_RTS);
		fake_check_rest(fake, 1);
		fake_free(fake);
	}
}

/*
 * The receiver cannot detect whether the data was pushed; it is the peer's
 * message.
 */
static void rndv_hostile_absent_payload_without_push_completes(void **state)
{
	static const uint8_t ops[] = { UROCE_SEND_FIRST, UROCE_SEND_MIDDLE };
	struct fake *fake = new_receiver();
	struct uroce_packet packet;
	struct uroce_cqe cqe;

	for (size_t i = 0; i < sizeof(ops); i++) {
		packet = request_packet(fake, ops[i], 2);
		packet.source = 0;
		deliver_packet(fake, 0, &packet);
	}
	packet = request_packet(fake, UROCE_SEND_LAST, 0);
	packet.payload_len = 1;
	deliver_packet(fake, 0, &packet);
	assert_true(pair_poll(&fake->pair->side[1].recv_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.byte_len, 4 * MTU + 1);
	assert_int_equal(fake->side[1].pull.nr, 0);
	fake_clear(fake, 1, place_with_sge(fake, 1, TO + 4 * MTU, 1).sge);
	fake_check_rest(fake, 1);
	fake_free(fake);
}

/* -- to a receive work request -- */

static void rndv_hostile_length_above_receive_is_refused(void **state)
{
	static const uint32_t numbers[] = { FITS + 1, PART / MTU, 0x3ffff };

	for (size_t i = 0; i < sizeof(numbers) / 4; i++) {
		struct fake *fake = new_receiver();
		struct uroce_packet packet =
			request_packet(fake, UROCE_SEND_FIRST, numbers[i]);

		deliver_packet(fake, 0, &packet);
		expect_refusal(fake, UROCE_C_TOO_LONG, IBV_WC_LOC_LEN_ERR);
		fake_free(fake);
	}
}

/* In the middle of a message. */
static void rndv_hostile_middle_above_receive_is_refused(void **state)
{
	struct fake *fake = new_receiver();
	struct uroce_packet packet = request_packet(fake, UROCE_SEND_FIRST, 3);
	struct place to = place_with_sge(fake, 1, TO, 3 * MTU);

	deliver_packet(fake, 0, &packet);
	assert_int_equal(fake->side[1].pulled, 3 * MTU);
	fake_take(fake, 1, to.sge, 1, 1);
	fake->side[1].pull.nr = 0;
	packet = request_packet(fake, UROCE_SEND_MIDDLE, 3);
	deliver_packet(fake, 0, &packet);
	expect_refusal(fake, UROCE_C_TOO_LONG, IBV_WC_LOC_LEN_ERR);
	fake_free(fake);
}

static void rndv_hostile_request_without_rndv_channel_is_dropped(void **state)
{
	struct fake *fake = new_receiver();
	struct uroce_packet packet = request_packet(fake, UROCE_SEND_FIRST, 2);
	const struct uroce_rndv_ops *ops = fake->pair->side[1].channel.rndv;

	fake->pair->side[1].channel.rndv = NULL;
	deliver_packet(fake, 0, &packet);
	assert_int_equal(pair_count(fake->pair, 1, UROCE_C_OUT_OF_SEQUENCE), 1);
	fake_check_rest(fake, 1);
	fake->pair->side[1].channel.rndv = ops;
	fake_free(fake);
}

/* -- to memory -- */

struct refusal {
	uint8_t opcode;
	uint32_t nr, dma_len;
	int64_t va_off;
	uint32_t rkey_off;
	enum uroce_counter counter;
};

static void rndv_hostile_write_is_checked_before_pull(void **state)
{
	static const struct refusal refusals[] = {
		/* as much as announced, which ends the message, or more */
		{ UROCE_WRITE_FIRST, 5, 5 * MTU, 0, 0, UROCE_C_BAD_LENGTH },
		{ UROCE_WRITE_FIRST, 6, ROOM, 0, 0, UROCE_C_BAD_LENGTH },
		{ UROCE_WRITE_FIRST, 0x3ffff, ROOM, 0, 0, UROCE_C_BAD_LENGTH },
		/* no access rights there */
		{ UROCE_WRITE_FIRST, 5, ROOM, 0, 1, UROCE_C_BAD_KEY },
		{ UROCE_WRITE_FIRST, 5, ROOM, FAKE_MEMORY - TO - ROOM + 1, 0,
		  UROCE_C_BAD_RANGE },
		{ UROCE_WRITE_FIRST, 5, ROOM, -(int64_t)TO - 1, 0,
		  UROCE_C_BAD_RANGE },
		/* no first packet of a message */
		{ UROCE_WRITE_MIDDLE, 5, ROOM, 0, 0, UROCE_C_BAD_OP_SEQUENCE },
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		struct fake *fake = new_receiver();
		struct uroce_packet packet =
			request_packet(fake, r->opcode, r->nr);

		packet.dma_len = r->dma_len;
		packet.va += (uint64_t)r->va_off;
		packet.rkey += r->rkey_off;
		deliver_packet(fake, 0, &packet);
		expect_refusal(fake, r->counter, IBV_WC_WR_FLUSH_ERR);
		fake_free(fake);
	}
}

static void rndv_hostile_rights_are_checked_for_each_part(void **state)
{
	struct fake *fake = new_receiver();
	struct pair_side *side = &fake->pair->side[1];
	struct uroce_packet packet = request_packet(fake, UROCE_WRITE_FIRST, 2);
	struct place to = place_with_sge(fake, 1, TO, 2 * MTU);

	deliver_packet(fake, 0, &packet);
	assert_int_equal(fake->side[1].pull.nr, 1);
	fake_take(fake, 1, to.sge, 1, 1);
	fake->side[1].pull.nr = 0;
	uroce_memory_find(side->engine.core.memory, side->key)->access =
		IBV_ACCESS_LOCAL_WRITE;
	packet = request_packet(fake, UROCE_WRITE_MIDDLE, 2);
	deliver_packet(fake, 0, &packet);
	expect_refusal(fake, UROCE_C_BAD_RIGHTS, IBV_WC_WR_FLUSH_ERR);
	fake_free(fake);
}

/* Nothing behind the end of the message is pulled. */
static void rndv_hostile_part_beyond_message_is_refused(void **state)
{
	struct fake *fake = new_receiver();
	struct uroce_packet packet = request_packet(fake, UROCE_WRITE_FIRST, 3);

	packet.source = 0;
	deliver_packet(fake, 0, &packet);
	packet = request_packet(fake, UROCE_WRITE_MIDDLE, 3);
	deliver_packet(fake, 0, &packet);
	expect_refusal(fake, UROCE_C_BAD_LENGTH, IBV_WC_WR_FLUSH_ERR);
	fake_free(fake);
}

/* -- responses -- */

static bool lose_responses(struct fake *fake, unsigned int from,
			   const struct uroce_packet *packet)
{
	return from == 1;
}

/* A READ of side 0, whose responses the test builds. */
static struct fake *new_reader(uint32_t length, uint8_t rd_atomic)
{
	struct pair_options o = fake_defaults();
	struct message m;
	struct fake *fake;

	o.timeout = 0;
	o.rd_atomic = rd_atomic;
	fake = fake_new_with(&o);
	m = message_new(fake, IBV_WR_RDMA_READ, length);
	fake->loses = lose_responses;
	message_post(fake, &m, 1);
	fake_run(fake);
	assert_true(fake->nr_lost);
	return fake;
}

/* The response has failed the READ, after @pulls pulls. */
static void expect_bad_response(struct fake *fake, unsigned int pulls)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(&fake->pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_BAD_RESP_ERR);
	assert_int_equal(fake->side[0].pull.nr, pulls);
}

static struct uroce_packet response_packet(const struct fake *fake,
					   uint8_t opcode, uint32_t nr)
{
	struct pair *pair = fake->pair;

	return (struct uroce_packet){
		.opcode = UROCE_RC | opcode,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[0].qp->qpn,
		.psn = pair->side[0].qp->roce->req.una_psn,
		.nr_absent = nr,
		.payload_len = nr * MTU,
		.source = (uintptr_t)pair->side[1].memory + FROM,
		.syndrome = UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS,
	};
}

static void rndv_hostile_read_response_length_mismatch_is_refused(void **state)
{
	static const struct {
		uint32_t nr, payload_len;
	} cases[] = {
		{ FITS + 1, ROOM }, /* includes the last packet */
		{ FITS + 1, (FITS + 1) * MTU },
		{ FITS + 2, (FITS + 2) * MTU },
		{ 0x3ffff, 0x3ffffu * MTU },
		{ 0x40001, MTU },
		{ 2, MTU },
		{ 1, MTU + 1 },
		{ 1, MTU - 1 },
		{ 1, 0 },
		{ 100, 0 },
		{ UINT32_MAX, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake *fake = new_reader(ROOM, 16);
		struct uroce_packet packet = response_packet(
			fake, UROCE_READ_RESP_FIRST, cases[i].nr);

		packet.payload_len = cases[i].payload_len;
		deliver_packet(fake, 1, &packet);
		expect_bad_response(fake, 0);
		fake_check_rest(fake, 0);
		fake_free(fake);
	}
}

static void rndv_hostile_last_read_response_needs_payload(void **state)
{
	struct fake *fake = new_reader(ROOM, 16);
	struct uroce_packet packet =
		response_packet(fake, UROCE_READ_RESP_FIRST, FITS);
	struct uroce_cqe cqe;

	packet.source = 0;
	deliver_packet(fake, 1, &packet);
	assert_false(pair_poll(&fake->pair->side[0].send_cq, &cqe));
	packet = response_packet(fake, UROCE_READ_RESP_LAST, 1);
	packet.payload_len = ROOM - FITS * MTU;
	deliver_packet(fake, 1, &packet);
	expect_bad_response(fake, 0);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/* The rkey of the READ selects the source, not the response. */
static void rndv_hostile_read_response_is_pulled_by_rkey(void **state)
{
	struct fake *fake = new_reader(ROOM, 16);
	struct uroce_packet packet =
		response_packet(fake, UROCE_READ_RESP_FIRST, FITS);
	struct place to = place_with_sge(fake, 0, TO, FITS * MTU);

	packet.source = 4096; /* invalid address */
	deliver_packet(fake, 1, &packet);
	assert_int_equal(fake->side[0].pulled, FITS * MTU);
	fake_take(fake, 0, to.sge, 1, 1);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/* The region has been removed. */
static void rndv_read_response_without_region_is_requested_again(void **state)
{
	struct fake *fake = new_reader(ROOM, 16);
	struct pair_side *side = &fake->pair->side[1];
	struct uroce_packet packet =
		response_packet(fake, UROCE_READ_RESP_FIRST, FITS);
	struct uroce_cqe cqe;

	assert_int_equal(
		uroce_memory_remove(side->engine.core.memory, side->key), 0);
	fake->loses = NULL;
	deliver_packet(fake, 1, &packet);
	assert_int_equal(fake->side[0].pull.nr, 0);
	assert_int_equal(uroce_qp_state(fake->pair->side[0].qp), IBV_QPS_RTS);
	fake_run(fake);
	assert_true(pair_poll(&fake->pair->side[0].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_REM_ACCESS_ERR);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/* A peer without a channel with rendezvous does not announce a source. */
static void rndv_read_response_without_copy_is_requested_again(void **state)
{
	struct fake *fake = new_reader(ROOM, 16);
	struct message m = message_new(fake, IBV_WR_RDMA_READ, ROOM);
	struct uroce_packet packet =
		response_packet(fake, UROCE_READ_RESP_FIRST, FITS);

	fake->pair->side[0].channel.direct_copy = NULL;
	fake->loses = NULL;
	deliver_packet(fake, 1, &packet);
	assert_int_equal(fake->side[0].pull.nr, 0);
	fake_run(fake);
	message_check(fake, &m, 1);
	fake_free(fake);
}

/* Data for the null region is not pulled. */
static void rndv_read_response_to_null_region_is_requested_again(void **state)
{
	const struct uroce_region null = {
		.bytes = UINT64_MAX,
		.pd = PAIR_PD,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.kind = UROCE_REGION_NULL,
	};
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_READ, ROOM);
	struct uroce_packet packet;

	assert_int_equal(
		uroce_memory_add(fake->pair->side[0].engine.core.memory, &null,
				 &m.to.sge[0].lkey),
		0);
	message_post(fake, &m, 1);
	fake->loses = lose_responses;
	(void)fake_step(fake);
	packet = response_packet(fake, UROCE_READ_RESP_FIRST, FITS);
	fake->loses = NULL;
	deliver_packet(fake, 1, &packet);
	fake_run(fake);
	assert_int_equal(fake->side[0].pull.nr, 0);
	message_expect_completions(fake, &m, 1);
	message_expect_no_completion(fake);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/* A long READ is requested in parts, one at a time. */
static void rndv_hostile_early_response_of_next_part_is_refused(void **state)
{
	struct fake *fake = new_reader(2 * MB, 1);
	struct uroce_packet packet = response_packet(
		fake, UROCE_READ_RESP_FIRST, UROCE_LONG_READ_PART / MTU - 2);

	deliver_packet(fake, 1, &packet);
	assert_int_equal(fake->side[0].pull.nr, 1);
	packet = response_packet(fake, UROCE_READ_RESP_MIDDLE, 3);
	deliver_packet(fake, 1, &packet);
	expect_bad_response(fake, 1);
	fake_free(fake);
}

/* No request is outstanding. */
static void rndv_hostile_unrequested_response_is_dropped(void **state)
{
	struct fake *fake = fake_new();
	struct uroce_packet packet =
		response_packet(fake, UROCE_READ_RESP_FIRST, 2);

	deliver_packet(fake, 1, &packet);
	assert_int_equal(pair_count(fake->pair, 0, UROCE_C_STALE_ACKS), 1);
	assert_int_equal(fake->side[0].pull.nr, 0);
	fake_check_rest(fake, 0);
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rndv_hostile_packet_count_must_match_length),
		cmocka_unit_test(
			rndv_hostile_last_packet_with_count_is_refused),
		cmocka_unit_test(rndv_hostile_unreadable_source_counts_as_lost),
		cmocka_unit_test(
			rndv_hostile_absent_payload_without_push_completes),
		cmocka_unit_test(rndv_hostile_length_above_receive_is_refused),
		cmocka_unit_test(rndv_hostile_middle_above_receive_is_refused),
		cmocka_unit_test(
			rndv_hostile_request_without_rndv_channel_is_dropped),
		cmocka_unit_test(rndv_hostile_write_is_checked_before_pull),
		cmocka_unit_test(rndv_hostile_rights_are_checked_for_each_part),
		cmocka_unit_test(rndv_hostile_part_beyond_message_is_refused),
		cmocka_unit_test(
			rndv_hostile_read_response_length_mismatch_is_refused),
		cmocka_unit_test(rndv_hostile_last_read_response_needs_payload),
		cmocka_unit_test(rndv_hostile_read_response_is_pulled_by_rkey),
		cmocka_unit_test(
			rndv_read_response_without_region_is_requested_again),
		cmocka_unit_test(
			rndv_read_response_without_copy_is_requested_again),
		cmocka_unit_test(
			rndv_read_response_to_null_region_is_requested_again),
		cmocka_unit_test(
			rndv_hostile_early_response_of_next_part_is_refused),
		cmocka_unit_test(rndv_hostile_unrequested_response_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
