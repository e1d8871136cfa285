/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * READs, atomics and FLUSHes that a conforming peer does not send, or not so
 * often; and unrequested responses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_hostile.h"

static void hostile_reads_above_limit_are_refused(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct uroce_packet packet;
	struct pair *pair;

	o.rd_atomic = 2;
	pair = hostile_pair_new(o, &seen);
	packet = next_packet(pair, UROCE_READ_REQUEST);
	packet.dma_len = 8;
	for (int i = 0; i < 3; i++) {
		pair_inject(pair, 0, &packet, NULL);
		packet.psn = (packet.psn + 1) & 0xffffff;
	}
	pair_run(pair);
	assert_int_equal(pair_count(pair, 1, UROCE_C_TOO_MANY_READS), 1);
	assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_ERR);
	/* the first two get responses, then comes the NAK */
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.last.syndrome,
			 UROCE_AETH_NAK | UROCE_NAK_INVALID_REQUEST);
	pair_free(pair);
}

/* A QP with max_dest_rd_atomic 0 has no resources. */
static void hostile_read_without_resources_is_refused(void **state)
{
	static const uint8_t opcodes[] = { UROCE_READ_REQUEST, UROCE_FETCH_ADD,
					   UROCE_FLUSH };

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct pair_options o = pair_defaults();
		struct uroce_packet packet;
		struct seen seen;
		struct pair *pair;

		o.rd_atomic = 0;
		pair = hostile_pair_new(o, &seen);
		packet = next_packet(pair, opcodes[i]);
		packet.feth_placement = IBV_FLUSH_GLOBAL;
		packet.dma_len = 8;
		inject_packet(pair, packet, 0);
		(void)pair_step(pair);
		assert_int_equal(pair_count(pair, 1, UROCE_C_NOT_ENABLED), 1);
		assert_int_equal(seen.last.syndrome,
				 UROCE_AETH_NAK | UROCE_NAK_INVALID_REQUEST);
		pair_free(pair);
	}
}

static void hostile_flush_of_unknown_level_is_refused(void **state)
{
	for (uint8_t level = 0; level < 4; level++) {
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct uroce_packet packet = next_packet(pair, UROCE_FLUSH);

		packet.feth_placement = IBV_FLUSH_GLOBAL;
		packet.feth_level = level;
		packet.dma_len = 8;
		inject_packet(pair, packet, 0);
		assert_int_equal(pair_count(pair, 1, UROCE_C_NOT_ENABLED),
				 level > IBV_FLUSH_MR);
		pair_free(pair);
	}
}

/* Late duplicates of requests use no resources of new requests. */
static void hostile_late_duplicates_use_no_resources(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct uroce_packet first, second;
	struct pair *pair;

	o.rd_atomic = 1;
	pair = hostile_pair_new(o, &seen);
	first = next_packet(pair, UROCE_READ_REQUEST);
	first.dma_len = 8;
	inject_packet(pair, first, 0);
	second = next_packet(pair, UROCE_READ_REQUEST);
	second.dma_len = 8;
	pair_inject(pair, 0, &first, NULL);
	pair_inject(pair, 0, &second, NULL);
	pair_run(pair);
	assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_RTS);
	assert_int_equal(seen.last.psn, second.psn);
	pair_free(pair);
}

static void hostile_duplicate_read_must_match_original(void **state)
{
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	struct uroce_packet read = next_packet(pair, UROCE_READ_REQUEST);
	struct uroce_packet bad[5];

	read.dma_len = 3 * MTU;
	inject_packet(pair, read, 0);
	(void)pair_step(pair);
	assert_int_equal(seen.nr, 3);
	for (size_t i = 0; i < 5; i++)
		bad[i] = read;
	bad[0].rkey++;
	bad[1].va += 8;
	bad[2].dma_len++;
	bad[3].psn = (read.psn + 1) & 0xffffff; /* except the first address */
	bad[4].psn = (read.psn - 1) & 0xffffff; /* no such PSN */
	for (size_t i = 0; i < 5; i++) {
		inject_packet(pair, bad[i], 0);
		(void)pair_step(pair);
	}
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_DUPLICATE), 5);
	assert_int_equal(seen.nr, 3);
	/* the rest of the request is valid */
	read.psn = (read.psn + 1) & 0xffffff;
	read.va += MTU;
	read.dma_len -= MTU;
	inject_packet(pair, read, 0);
	(void)pair_step(pair);
	assert_int_equal(seen.nr, 5);
	assert_int_equal(seen.last.opcode, UROCE_READ_RESP_LAST);
	pair_free(pair);
}

/*
 * The responder may deregister the region as soon as it knows that the READ is
 * complete. A duplicate that arrives then does no harm.
 */
static void hostile_duplicate_read_of_removed_region_keeps_qp(void **state)
{
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	struct uroce_packet read = next_packet(pair, UROCE_READ_REQUEST);
	const struct uroce_qp *qp = pair->side[1].qp;

	read.dma_len = 3 * MTU;
	inject_packet(pair, read, 0);
	(void)pair_step(pair);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(uroce_memory_remove(pair->side[1].engine.core.memory,
					     pair->side[1].key),
			 0);
	for (uint32_t i = 0; i < 3; i++) {
		inject_packet(pair, read, 0);
		(void)pair_step(pair);
		/* the requester needs it if the first response was lost */
		assert_int_equal(seen.nr, 4 + i);
		assert_int_equal(seen.last.syndrome,
				 UROCE_AETH_NAK | UROCE_NAK_REMOTE_ACCESS);
		assert_int_equal(seen.last.psn, read.psn);
		assert_int_equal(uroce_qp_state(qp), IBV_QPS_RTS);
		read.psn = (read.psn + 1) & 0xffffff;
		read.va += MTU;
		read.dma_len -= MTU;
	}
	assert_int_equal(qp->events, 0);
	/* a new request of the region is refused */
	read.psn = qp->roce->resp.epsn;
	read.dma_len = 8;
	inject_packet(pair, read, 0);
	(void)pair_step(pair);
	assert_int_equal(uroce_qp_state(qp), IBV_QPS_ERR);
	pair_free(pair);
}

static void hostile_duplicate_atomic_is_replayed(void **state)
{
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	struct uroce_packet add = next_packet(pair, UROCE_FETCH_ADD);
	uint64_t number;

	add.swap_add = 5;
	for (int i = 0; i < 3; i++) {
		inject_packet(pair, add, 0);
		(void)pair_step(pair);
	}
	memcpy(&number, pair->side[1].memory + TARGET, 8);
	assert_int_equal(number, 5);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.last.opcode, UROCE_ATOMIC_ACK);
	assert_int_equal(seen.last.orig, 0);
	assert_int_equal(seen.last.psn, add.psn);
	pair_free(pair);
}

/* Three packets; an early packet causes a single NAK. */
static void hostile_gap_is_reported_by_single_nak(void **state)
{
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	struct uroce_packet packet = next_packet(pair, UROCE_WRITE_ONLY);
	uint32_t psn = packet.psn;

	packet.dma_len = 4;
	for (uint32_t i = 1; i <= 3; i++) {
		packet.psn = (psn + i) & 0xffffff;
		inject_packet(pair, packet, 4);
		(void)pair_step(pair);
	}
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.last.syndrome, UROCE_AETH_NAK);
	assert_int_equal(seen.last.psn, psn);
	assert_int_equal(pair_count(pair, 1, UROCE_C_OUT_OF_SEQUENCE), 3);
	pair_free(pair);

	/* all at once, so that the NAK is not sent when the first arrives */
	pair = hostile_pair_new(pair_defaults(), &seen);
	packet = next_packet(pair, UROCE_WRITE_ONLY);
	packet.dma_len = 4;
	packet.payload_len = 4;
	packet.psn = (psn + 1) & 0xffffff;
	pair_inject(pair, 0, &packet, "abcd");
	packet.psn = psn;
	pair_inject(pair, 0, &packet, "abcd");
	(void)pair_step(pair);
	(void)pair_step(pair);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.last.syndrome, UROCE_AETH_NAK);
	assert_int_equal(seen.last.psn, (psn + 1) & 0xffffff);
	pair_free(pair);
}

/* Unrequested responses. */
static void hostile_unrequested_responses_are_ignored(void **state)
{
	static const uint8_t opcodes[] = { UROCE_ACKNOWLEDGE,
					   UROCE_READ_RESP_ONLY,
					   UROCE_READ_RESP_MIDDLE,
					   UROCE_ATOMIC_ACK };
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	struct ibv_sge sge = pair_sge(pair, 1, TARGET, 3000);
	struct uroce_send_wqe wqe = { .wr_id = 4,
				      .opcode = IBV_WR_RDMA_WRITE,
				      .flags = IBV_SEND_SIGNALED,
				      .nr_sge = 1 };
	struct uroce_packet packet;
	struct uroce_cqe cqe;

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		packet = next_packet(pair, opcodes[i]);
		for (int off = -1; off <= 1; off++) {
			packet.psn = (pair->side[1].qp->roce->req.una_psn +
				      (uint32_t)off) &
				     0xffffff;
			packet.syndrome = UROCE_AETH_NAK | (uint8_t)i;
			inject_packet(pair, packet, 0);
		}
	}
	assert_int_equal(pair_count(pair, 1, UROCE_C_STALE_ACKS), 12);
	/*
	 * a WRITE is outstanding and gets the response of a READ or an atomic
	 */
	wqe.remote.va = PAIR_IOVA;
	wqe.remote.rkey = pair->side[0].key;
	pair_post(pair, 1, &wqe, &sge);
	inject_packet(
		pair, packet,
		0); /* sends the WRITE; the injected packet arrives first */
	packet = next_packet(pair, UROCE_READ_RESP_ONLY);
	packet.psn = pair->side[1].qp->roce->req.una_psn;
	pair->filter = NULL;
	inject_packet(pair, packet, 8);
	packet.opcode = UROCE_ATOMIC_ACK;
	inject_packet(pair, packet, 0);
	packet.opcode = UROCE_ACKNOWLEDGE;
	packet.syndrome = 0x40; /* reserved */
	inject_packet(pair, packet, 0);
	pair_run(pair);
	assert_true(pair_poll(&pair->side[1].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_true(pair_count(pair, 1, UROCE_C_BAD_RESPONSES) >= 1);
	pair_free(pair);
}

static void hostile_read_response_of_wrong_length_fails_request(void **state)
{
	static const uint32_t lengths[] = { 0, 99, 101, MTU };

	for (size_t i = 0; i < 4; i++) {
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct ibv_sge sge = pair_sge(pair, 1, TARGET, 100);
		struct uroce_send_wqe wqe = { .wr_id = 4,
					      .opcode = IBV_WR_RDMA_READ,
					      .nr_sge = 1 };
		struct uroce_packet packet =
			next_packet(pair, UROCE_READ_RESP_ONLY);
		struct uroce_cqe cqe;

		pair->filter = drop_responses;
		wqe.remote.va = PAIR_IOVA;
		wqe.remote.rkey = pair->side[0].key;
		packet.psn = pair->side[1].qp->roce->req.una_psn;
		pair_post(pair, 1, &wqe, &sge);
		inject_packet(pair, packet, lengths[i]);
		inject_packet(pair, packet, lengths[i]);
		assert_true(pair_poll(&pair->side[1].send_cq, &cqe));
		assert_int_equal(cqe.status, IBV_WC_BAD_RESP_ERR);
		check_memory_unchanged(pair);
		pair_free(pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_reads_above_limit_are_refused),
		cmocka_unit_test(hostile_read_without_resources_is_refused),
		cmocka_unit_test(hostile_flush_of_unknown_level_is_refused),
		cmocka_unit_test(hostile_late_duplicates_use_no_resources),
		cmocka_unit_test(hostile_duplicate_read_must_match_original),
		cmocka_unit_test(
			hostile_duplicate_read_of_removed_region_keeps_qp),
		cmocka_unit_test(hostile_duplicate_atomic_is_replayed),
		cmocka_unit_test(hostile_gap_is_reported_by_single_nak),
		cmocka_unit_test(hostile_unrequested_responses_are_ignored),
		cmocka_unit_test(
			hostile_read_response_of_wrong_length_fails_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
