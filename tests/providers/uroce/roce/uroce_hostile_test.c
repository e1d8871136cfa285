/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets that a conforming peer never sends, or not at this time: each is
 * counted, gets the response of the protocol or none, and changes no memory.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_hostile.h"

/* A packet that gets a NAK and moves the QP to ERR. */
struct refusal {
	uint8_t opcode;
	uint32_t payload_len, dma_len;
	uint32_t rkey_off;
	int64_t va_off;
	enum uroce_counter counter;
	uint8_t nak;
};

static const struct refusal refusals[] = {
	/* no first packet of a message */
	{ UROCE_SEND_MIDDLE, MTU, .counter = UROCE_C_BAD_OP_SEQUENCE,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_SEND_LAST, 10, .counter = UROCE_C_BAD_OP_SEQUENCE,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_SEND_LAST_INV, 10, .counter = UROCE_C_BAD_OP_SEQUENCE,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_MIDDLE, MTU, .counter = UROCE_C_BAD_OP_SEQUENCE,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_LAST_IMM, 10, .counter = UROCE_C_BAD_OP_SEQUENCE,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	/* a payload length that the opcode does not allow */
	{ UROCE_SEND_FIRST, MTU - 1, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_SEND_FIRST, 0, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_SEND_FIRST, 4096, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_SEND_ONLY, MTU + 1, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_ONLY, MTU + 4, MTU + 4, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	/* a payload length that differs from the RETH */
	{ UROCE_WRITE_ONLY, 8, 9, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_ONLY, 8, 0, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_FIRST, MTU, MTU, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_FIRST, MTU, 8, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_WRITE_FIRST, MTU, UINT32_MAX, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_READ_REQUEST, 0, 0x80000001, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_ATOMIC_WRITE, 8, 16, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	{ UROCE_ATOMIC_WRITE, 4, 8, .counter = UROCE_C_BAD_LENGTH,
	  .nak = UROCE_NAK_INVALID_REQUEST },
	/* memory without remote access */
	{ UROCE_WRITE_ONLY, 8, 8, 1, .counter = UROCE_C_BAD_KEY,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_WRITE_FIRST, MTU, 0x7fffffff, .counter = UROCE_C_BAD_RANGE,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_WRITE_ONLY, 8, 8, 0, PAIR_MEMORY - TARGET - 7,
	  UROCE_C_BAD_RANGE, UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_WRITE_ONLY, 8, 8, 0, -TARGET - 1, UROCE_C_BAD_RANGE,
	  UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_READ_REQUEST, 0, 8, 0x100, .counter = UROCE_C_BAD_KEY,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_READ_REQUEST, 0, PAIR_MEMORY, .counter = UROCE_C_BAD_RANGE,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_FETCH_ADD, 0, 0, 1, .counter = UROCE_C_BAD_KEY,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	{ UROCE_CMP_SWAP, 0, 0, 0, 4, UROCE_C_MISALIGNED,
	  UROCE_NAK_INVALID_REQUEST },
	{ UROCE_ATOMIC_WRITE, 8, 8, 0, 1, UROCE_C_MISALIGNED,
	  UROCE_NAK_INVALID_REQUEST },
	/* invalidating a region instead of a window */
	{ UROCE_SEND_ONLY_INV, 0, .counter = UROCE_C_BAD_KEY,
	  .nak = UROCE_NAK_REMOTE_ACCESS },
	/* a FLUSH without a target */
	{ UROCE_FLUSH, 0, 8, .counter = UROCE_C_NOT_ENABLED,
	  .nak = UROCE_NAK_INVALID_REQUEST },
};

static void hostile_malformed_request_is_refused(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct uroce_packet packet = next_packet(pair, r->opcode);
		uint32_t psn = packet.psn;

		hostile_post_recv(pair);
		packet.dma_len = r->dma_len;
		packet.rkey += r->rkey_off;
		packet.va += (uint64_t)r->va_off;
		packet.inv_rkey = pair->side[1].key;
		inject_packet(pair, packet, r->payload_len);
		(void)pair_step(pair);
		if (pair_count(pair, 1, r->counter) != 1)
			fail_msg("refusal %zu was not counted", i);
		assert_int_equal(seen.nr, 1);
		assert_int_equal(seen.last.opcode, UROCE_ACKNOWLEDGE);
		assert_int_equal(seen.last.syndrome, UROCE_AETH_NAK | r->nak);
		assert_int_equal(seen.last.psn, psn);
		assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_ERR);
		check_memory_unchanged(pair);
		/* the QP sends no further response */
		inject_packet(pair, next_packet(pair, UROCE_SEND_ONLY), 10);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_STATE), 1);
		assert_int_equal(seen.nr, 1);
		pair_free(pair);
	}
}

/* The region has another PD, or no remote access. */
static void hostile_request_to_foreign_region_is_refused(void **state)
{
	static const uint8_t opcodes[] = { UROCE_WRITE_ONLY, UROCE_READ_REQUEST,
					   UROCE_FETCH_ADD,
					   UROCE_ATOMIC_WRITE };

	for (size_t i = 0; i < 2 * sizeof(opcodes); i++) {
		uint8_t opcode = opcodes[i / 2];
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct pair_side *side = &pair->side[1];
		struct uroce_region *region =
			uroce_memory_find(side->engine.core.memory, side->key);
		struct uroce_packet packet = next_packet(pair, opcode);
		bool brings = opcode == UROCE_WRITE_ONLY ||
			      opcode == UROCE_ATOMIC_WRITE;

		if (i % 2)
			region->pd++;
		else
			region->access = IBV_ACCESS_LOCAL_WRITE;
		packet.dma_len = 8;
		inject_packet(pair, packet, brings ? 8 : 0);
		(void)pair_step(pair);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_PD), i % 2);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_RIGHTS),
				 !(i % 2));
		assert_int_equal(seen.last.syndrome,
				 UROCE_AETH_NAK | UROCE_NAK_REMOTE_ACCESS);
		check_memory_unchanged(pair);
		pair_free(pair);
	}
}

static void hostile_opcode_sequence_is_refused(void **state)
{
	static const uint8_t wrong[][2] = {
		{ UROCE_SEND_FIRST, UROCE_WRITE_MIDDLE },
		{ UROCE_SEND_FIRST, UROCE_SEND_FIRST },
		{ UROCE_SEND_FIRST, UROCE_SEND_ONLY },
		{ UROCE_SEND_FIRST, UROCE_READ_REQUEST },
		{ UROCE_SEND_FIRST, UROCE_FETCH_ADD },
		{ UROCE_WRITE_FIRST, UROCE_SEND_LAST },
		{ UROCE_WRITE_FIRST, UROCE_WRITE_ONLY },
		{ UROCE_WRITE_FIRST, UROCE_FLUSH },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct uroce_packet packet = next_packet(pair, wrong[i][0]);
		bool full = wrong[i][1] == UROCE_WRITE_MIDDLE ||
			    wrong[i][1] == UROCE_SEND_FIRST;
		uint32_t len = full ? MTU : 8;

		if (wrong[i][1] == UROCE_READ_REQUEST ||
		    wrong[i][1] == UROCE_FETCH_ADD ||
		    wrong[i][1] == UROCE_FLUSH)
			len = 0;
		hostile_post_recv(pair);
		packet.dma_len = 5 * MTU;
		inject_packet(pair, packet, MTU);
		packet = next_packet(pair, wrong[i][1]);
		packet.dma_len = 8;
		inject_packet(pair, packet, len);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_OP_SEQUENCE),
				 1);
		pair_free(pair);
	}
}

static void hostile_write_length_mismatch_is_refused(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t len;
	} second[] = {
		{ UROCE_WRITE_LAST, 0 },      { UROCE_WRITE_LAST, 99 },
		{ UROCE_WRITE_LAST, 101 },    { UROCE_WRITE_LAST, MTU + 1 },
		{ UROCE_WRITE_MIDDLE, MTU },  { UROCE_WRITE_MIDDLE, 100 },
		{ UROCE_WRITE_LAST_IMM, 99 },
	};

	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
		struct seen seen;
		struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
		struct uroce_packet packet =
			next_packet(pair, UROCE_WRITE_FIRST);

		hostile_post_recv(pair);
		packet.dma_len = MTU + 100;
		inject_packet(pair, packet, MTU);
		inject_packet(pair, next_packet(pair, second[i].opcode),
			      second[i].len);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_LENGTH), 1);
		assert_int_equal(pair->side[1].memory[TARGET + MTU], 0);
		pair_free(pair);
	}
}

/* Packets that are dropped before a QP is selected, without a response. */
static void hostile_packet_without_matching_qp_is_dropped(void **state)
{
	struct uroce_path other;
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);
	const struct uroce_packet good = next_packet(pair, UROCE_SEND_ONLY);
	struct uroce_packet packet;

	hostile_post_recv(pair);
	packet = good;
	packet.dest_qpn ^= 1;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_QP), 1);
	packet.dest_qpn = good.dest_qpn ^ 0x10000; /* another slot */
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_QP), 2);
	packet = good;
	packet.pkey = 0xfffe;
	inject_packet(pair, packet, 4);
	packet.pkey = 0;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_PKEY), 2);
	packet = good;
	packet.opcode |= UROCE_UC;
	inject_packet(pair, packet, 4);
	packet.opcode = UROCE_UD | UROCE_SEND_ONLY;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_TRANSPORT), 2);
	/*
	 * from another address: the wire of the pair follows the path of side 0
	 */
	other = pair->side[0].path;
	pair->side[0].path.sgid[15] ^= 0x80;
	inject_packet(pair, good, 4);
	pair->side[0].path = other;
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_SOURCE), 1);
	pair->side[0].path.dgid[15] ^= 0x80; /* to another local address */
	inject_packet(pair, good, 4);
	pair->side[0].path = other;
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_SOURCE), 2);
	packet = good;
	packet.dest_qpn = UROCE_QPN_MULTICAST;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_GROUP), 1);
	assert_int_equal(seen.nr, 0);
	check_memory_unchanged(pair);
	/* limited partition members are accepted */
	packet = good;
	packet.pkey = 0x7fff;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair->side[1].memory[0], 0xbd);
	pair_free(pair);
}

static void hostile_packet_in_wrong_qp_state_is_dropped(void **state)
{
	static const uint8_t states[] = { IBV_QPS_RESET, IBV_QPS_INIT,
					  IBV_QPS_ERR };
	struct seen seen;
	struct pair *pair = hostile_pair_new(pair_defaults(), &seen);

	for (size_t i = 0; i < sizeof(states); i++) {
		pair->side[1].qp->state = states[i];
		inject_packet(pair, next_packet(pair, UROCE_SEND_ONLY), 4);
	}
	pair->side[1].qp->state =
		IBV_QPS_RTR; /* no requests are outstanding yet */
	inject_packet(pair, next_packet(pair, UROCE_ACKNOWLEDGE), 0);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_STATE), 4);
	assert_int_equal(seen.nr, 0);
	pair_free(pair);
}

static void hostile_wrong_qkey_is_dropped(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct uroce_packet packet;
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = hostile_pair_new(o, &seen);
	hostile_post_recv(pair);
	packet = next_packet(pair, UROCE_UD | UROCE_SEND_ONLY);
	packet.qkey ^= 0x80000000;
	inject_packet(pair, packet, 4);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_QKEY), 1);
	check_memory_unchanged(pair);
	pair_free(pair);
}

static void hostile_datagram_longer_than_receive_is_dropped(void **state)
{
	struct pair_options o = pair_defaults();
	struct ibv_sge sge;
	struct seen seen;
	struct uroce_cqe cqe;
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = hostile_pair_new(o, &seen);
	sge = pair_sge(pair, 1, 0, 139);
	inject_packet(pair, next_packet(pair, UROCE_UD | UROCE_SEND_ONLY), 100);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_RECEIVE), 1);
	pair_post_recv(pair, 1, 1, &sge, 1);
	inject_packet(pair, next_packet(pair, UROCE_UD | UROCE_SEND_ONLY), 100);
	assert_int_equal(pair_count(pair, 1, UROCE_C_TOO_LONG), 1);
	check_memory_unchanged(pair);
	assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
	assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_RTS);
	/* the receive work request is still posted */
	inject_packet(pair, next_packet(pair, UROCE_UD | UROCE_SEND_ONLY), 99);
	assert_true(pair_poll(&pair->side[1].recv_cq, &cqe));
	assert_int_equal(cqe.byte_len, 139);
	pair_free(pair);
}

/* UC reports no error: only the wrong message is lost. */
static void hostile_uc_sequence_is_dropped(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_packet packet;
	struct uroce_cqe cqe;
	struct seen seen;
	struct pair *pair;

	o.type = IBV_QPT_UC;
	pair = hostile_pair_new(o, &seen);
	hostile_post_recv(pair);
	inject_packet(pair, next_packet(pair, UROCE_UC | UROCE_SEND_MIDDLE),
		      MTU);
	inject_packet(pair, next_packet(pair, UROCE_UC | UROCE_SEND_FIRST), 5);
	inject_packet(pair, next_packet(pair, UROCE_UC | UROCE_SEND_LAST), 5);
	/* the middle packet is missing */
	inject_packet(pair, next_packet(pair, UROCE_UC | UROCE_SEND_FIRST),
		      MTU);
	packet = next_packet(pair, UROCE_UC | UROCE_SEND_LAST);
	packet.psn++;
	inject_packet(pair, packet, 5);
	/* memory without remote access */
	packet = next_packet(pair, UROCE_UC | UROCE_WRITE_ONLY);
	packet.dma_len = 8;
	packet.rkey++;
	inject_packet(pair, packet, 8);
	assert_int_equal(seen.nr, 0);
	assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
	assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_RTS);
	assert_int_equal(pair_count(pair, 1, UROCE_C_UC_LOST), 6);
	/* a new first packet discards the previous message */
	inject_packet(pair, next_packet(pair, UROCE_UC | UROCE_SEND_FIRST),
		      MTU);
	packet = next_packet(pair, UROCE_UC | UROCE_SEND_ONLY);
	packet.psn += 1000;
	inject_packet(pair, packet, 7);
	assert_true(pair_poll(&pair->side[1].recv_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.byte_len, 7);
	pair_free(pair);
}

/*
 * A packet with a wrong ICRC changes nothing, wherever the error is detected.
 */
static void hostile_bad_icrc_changes_nothing(void **state)
{
	static const uint8_t opcodes[] = {
		UROCE_SEND_ONLY,    UROCE_SEND_FIRST,	UROCE_SEND_MIDDLE,
		UROCE_WRITE_ONLY,   UROCE_READ_REQUEST, UROCE_FETCH_ADD,
		UROCE_ATOMIC_WRITE, UROCE_ACKNOWLEDGE,	UROCE_READ_RESP_ONLY,
	};

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct pair_options o = pair_defaults();
		struct pair_datagram *datagram;
		struct seen seen;
		struct pair *pair;
		struct uroce_packet packet;
		struct uroce_responder before;
		struct uroce_cqe cqe;

		o.ipv6 = true;
		pair = hostile_pair_new(o, &seen);
		packet = next_packet(pair, opcodes[i]);
		hostile_post_recv(pair);
		before = pair->side[1].qp->roce->resp;
		packet.dma_len = 8;
		if (opcodes[i] == UROCE_ACKNOWLEDGE ||
		    opcodes[i] == UROCE_READ_RESP_ONLY) {
			struct ibv_sge sge = pair_sge(pair, 1, TARGET, 8);
			struct uroce_send_wqe wqe = {
				.nr_sge = 1, .opcode = IBV_WR_RDMA_READ
			};

			packet.psn = pair->side[1].qp->roce->req.una_psn;
			pair->filter = drop_responses;
			pair_post(pair, 1, &wqe, &sge);
		}
		packet.payload_len =
			opcodes[i] == UROCE_READ_REQUEST ||
					opcodes[i] == UROCE_FETCH_ADD ||
					opcodes[i] == UROCE_ACKNOWLEDGE
				? 0
				: 8;
		pair_inject(pair, 0, &packet, "damaged!");
		datagram = pair_first_datagram(pair);
		datagram->bytes[datagram->len - 1] ^= 1;
		(void)pair_step(pair);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_ICRC), 1);
		assert_int_equal(seen.nr, 0);
		assert_int_equal(pair->side[1].qp->roce->resp.epsn,
				 before.epsn);
		assert_int_equal(pair->side[1].qp->roce->resp.message,
				 before.message);
		assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
		assert_false(pair_poll(&pair->side[1].send_cq, &cqe));
		assert_int_equal(uroce_qp_state(pair->side[1].qp), IBV_QPS_RTS);
		pair_free(pair);
	}
}

static void inject_damaged(struct pair *pair, const struct uroce_packet *packet)
{
	struct pair_datagram *datagram;

	pair_inject(pair, 0, packet, "damaged!");
	datagram = pair_first_datagram(pair);
	datagram->bytes[datagram->len - 1] ^= 1;
	(void)pair_step(pair);
}

/* One inverted bit must not arm a QP, or move it to another path. */
static void hostile_bad_icrc_keeps_migration_state(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_packet packet;
	struct uroce_path path;
	struct uroce_qp *qp;
	struct seen seen;
	struct pair *pair;

	o.ipv6 = true;
	pair = hostile_pair_new(o, &seen);
	qp = pair->side[1].qp;
	qp->mig_state = IBV_MIG_REARM;
	packet = next_packet(pair, UROCE_SEND_FIRST);
	packet.mig_req = false;
	packet.payload_len = 8;
	inject_damaged(pair, &packet);
	assert_int_equal(qp->mig_state, IBV_MIG_REARM);
	hostile_post_recv(pair);
	packet = next_packet(pair, UROCE_SEND_ONLY);
	packet.mig_req = false;
	inject_packet(pair, packet, 4);
	assert_int_equal(qp->mig_state, IBV_MIG_ARMED);

	path = pair->side[0].path;
	qp->alternate.path = qp->path;
	qp->alternate.path.dgid[15] ^= 0x80;
	pair->side[0].path.sgid[15] ^= 0x80;
	packet = next_packet(pair, UROCE_SEND_FIRST);
	packet.mig_req = true;
	packet.payload_len = 8;
	inject_damaged(pair, &packet);
	assert_int_equal(qp->mig_state, IBV_MIG_ARMED);
	assert_memory_equal(qp->path.dgid, path.sgid, UROCE_GID_LEN);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_ICRC), 2);
	hostile_post_recv(pair);
	packet = next_packet(pair, UROCE_SEND_ONLY);
	packet.mig_req = true;
	inject_packet(pair, packet, 4);
	assert_int_equal(qp->mig_state, IBV_MIG_MIGRATED);
	assert_memory_equal(qp->path.dgid, pair->side[0].path.sgid,
			    UROCE_GID_LEN);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_malformed_request_is_refused),
		cmocka_unit_test(hostile_request_to_foreign_region_is_refused),
		cmocka_unit_test(hostile_opcode_sequence_is_refused),
		cmocka_unit_test(hostile_write_length_mismatch_is_refused),
		cmocka_unit_test(hostile_packet_without_matching_qp_is_dropped),
		cmocka_unit_test(hostile_packet_in_wrong_qp_state_is_dropped),
		cmocka_unit_test(hostile_wrong_qkey_is_dropped),
		cmocka_unit_test(
			hostile_datagram_longer_than_receive_is_dropped),
		cmocka_unit_test(hostile_uc_sequence_is_dropped),
		cmocka_unit_test(hostile_bad_icrc_changes_nothing),
		cmocka_unit_test(hostile_bad_icrc_keeps_migration_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
