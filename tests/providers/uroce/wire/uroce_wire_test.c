/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encoding and decoding the headers of every opcode, their bytes in order, and
 * every bound of the parser.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/wire/uroce_wire.h"

/* All members differ, so that swapped members are detected. */
static const struct uroce_packet all_members = {
	.solicited = true,
	.ack_req = true,
	.mig_req = true,
	.fecn = true,
	.becn = true,
	.selective = true,
	.pkey = 0x8123,
	.dest_qpn = 0xa1b2c3,
	.psn = 0xfedcba,
	.syndrome = 0x65,
	.msn = 0x102030,
	.feth_placement = 3,
	.feth_level = 1,
	.qkey = 0x11223344,
	.src_qpn = 0x556677,
	.va = 0x0102030405060708,
	.rkey = 0x99aabbcc,
	.dma_len = 0x7fffffff,
	.swap_add = 0x1112131415161718,
	.compare = 0x2122232425262728,
	.orig = 0x3132333435363738,
	.inv_rkey = 0xddeeff00,
	.xrc_srqn = 0x414243,
};

/* IBTA 9.2.1, A17.9.3: defined opcodes, one bit per opcode. */
static const uint32_t defined_ops[8] = {
	[UROCE_RC >> 5] = 0x30dfffff,  [UROCE_UC >> 5] = 0x00000fff,
	[UROCE_UD >> 5] = 0x00000030,  [UROCE_CNP >> 5] = 0x00000002,
	[UROCE_XRC >> 5] = 0x001fffff,
};

static bool is_defined(unsigned int opcode)
{
	return defined_ops[opcode >> 5] >> (opcode & 31) & 1;
}

static void check_bth(const struct uroce_packet *got,
		      const struct uroce_packet *sent)
{
	assert_int_equal(got->opcode, sent->opcode);
	assert_int_equal(got->solicited, sent->solicited);
	assert_int_equal(got->ack_req, sent->ack_req);
	assert_int_equal(got->mig_req, sent->mig_req);
	assert_int_equal(got->fecn, sent->fecn);
	assert_int_equal(got->becn, sent->becn);
	assert_int_equal(got->selective, sent->selective);
	assert_int_equal(got->pkey, sent->pkey);
	assert_int_equal(got->dest_qpn, sent->dest_qpn);
	assert_int_equal(got->psn, sent->psn);
}

/* A member is decoded if the opcode has its header; otherwise it is 0. */
static void check_headers(const struct uroce_packet *got,
			  const struct uroce_packet *sent)
{
	const uint32_t va_headers = UROCE_T_RETH | UROCE_T_ATOMIC_ETH;
	uint32_t traits = got->traits;

	assert_int_equal(got->syndrome,
			 traits & UROCE_T_AETH ? sent->syndrome : 0);
	assert_int_equal(got->msn, traits & UROCE_T_AETH ? sent->msn : 0);
	assert_int_equal(got->feth_placement,
			 traits & UROCE_T_FETH ? sent->feth_placement : 0);
	assert_int_equal(got->feth_level,
			 traits & UROCE_T_FETH ? sent->feth_level : 0);
	assert_int_equal(got->qkey, traits & UROCE_T_DETH ? sent->qkey : 0);
	assert_int_equal(got->src_qpn,
			 traits & UROCE_T_DETH ? sent->src_qpn : 0);
	assert_int_equal(got->va, traits & va_headers ? sent->va : 0);
	assert_int_equal(got->rkey, traits & va_headers ? sent->rkey : 0);
	assert_int_equal(got->dma_len,
			 traits & UROCE_T_RETH ? sent->dma_len : 0);
	assert_int_equal(got->swap_add,
			 traits & UROCE_T_ATOMIC_ETH ? sent->swap_add : 0);
	assert_int_equal(got->compare,
			 traits & UROCE_T_ATOMIC_ETH ? sent->compare : 0);
	assert_int_equal(got->orig,
			 traits & UROCE_T_ATOMIC_ACK_ETH ? sent->orig : 0);
	assert_int_equal(got->imm, traits & UROCE_T_IMM ? sent->imm : 0);
	assert_int_equal(got->inv_rkey,
			 traits & UROCE_T_IETH ? sent->inv_rkey : 0);
	assert_int_equal(got->xrc_srqn,
			 traits & UROCE_T_XRCETH ? sent->xrc_srqn : 0);
}

static void wire_every_opcode_encodes_and_decodes(void **state)
{
	uint8_t buf[UROCE_MAX_HEADER + UROCE_MAX_MTU];
	struct uroce_packet sent = all_members, got;

	sent.imm = htonl(0xcafef00d);
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		uint32_t max = 0;

		sent.opcode = (uint8_t)opcode;
		if (!is_defined(opcode))
			continue;
		if (uroce_wire_traits((uint8_t)opcode) & UROCE_T_PAYLOAD)
			max = 9;
		for (uint32_t len = 0; len <= max; len++) {
			int ret;

			memset(buf, 0xee, sizeof(buf));
			sent.payload_len = len;
			ret = uroce_wire_encode(&sent, buf);
			assert_in_range(ret, UROCE_BTH_LEN, UROCE_MAX_HEADER);
			assert_int_equal(buf[ret], 0xee);
			assert_int_equal(
				uroce_wire_decode(
					buf, (size_t)ret + (len + 3) / 4 * 4,
					&got),
				0);
			check_bth(&got, &sent);
			check_headers(&got, &sent);
			assert_int_equal(got.payload_len, len);
			assert_ptr_equal(got.payload, buf + ret);
			assert_null(got.icrc_check);
		}
	}
}

/* IBTA A14: 8 reserved bits and the SRQ, in front of all other headers. */
static void wire_xrceth_follows_bth_of_requests(void **state)
{
	static const uint8_t xrceth[] = { 0, 0x41, 0x42, 0x43 };
	static const uint8_t ops[] = { UROCE_SEND_FIRST,    UROCE_SEND_MIDDLE,
				       UROCE_SEND_ONLY_IMM, UROCE_WRITE_ONLY,
				       UROCE_READ_REQUEST,  UROCE_CMP_SWAP };
	struct uroce_packet packet = all_members, got;
	uint8_t buf[UROCE_MAX_HEADER], rc[UROCE_MAX_HEADER];

	for (size_t i = 0; i < sizeof(ops); i++) {
		int len, rc_len;

		packet.opcode = ops[i];
		rc_len = uroce_wire_encode(&packet, rc);
		packet.opcode |= UROCE_XRC;
		len = uroce_wire_encode(&packet, buf);
		assert_int_equal(len, rc_len + 4);
		assert_memory_equal(buf + UROCE_BTH_LEN, xrceth, 4);
		assert_memory_equal(buf + UROCE_BTH_LEN + 4, rc + UROCE_BTH_LEN,
				    (size_t)rc_len - UROCE_BTH_LEN);
		buf[UROCE_BTH_LEN] = 0xff; /* reserved */
		assert_int_equal(uroce_wire_decode(buf, (size_t)len, &got), 0);
		assert_int_equal(got.xrc_srqn, 0x414243);
		assert_int_equal(uroce_wire_decode(buf, (size_t)len - 4, &got),
				 -EBADMSG);
	}
	packet.opcode = UROCE_XRC | UROCE_ACKNOWLEDGE;
	assert_int_equal(uroce_wire_encode(&packet, buf), UROCE_BTH_LEN + 4);
}

static void wire_undefined_opcode_is_rejected(void **state)
{
	uint8_t buf[64] = {};
	struct uroce_packet packet = {}, got = { .psn = 5 };

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		if (is_defined(opcode)) {
			assert_int_not_equal(uroce_wire_traits((uint8_t)opcode),
					     0);
			continue;
		}
		packet.opcode = (uint8_t)opcode;
		assert_int_equal(uroce_wire_encode(&packet, buf), -EINVAL);
		buf[0] = (uint8_t)opcode;
		assert_int_equal(uroce_wire_decode(buf, sizeof(buf), &got),
				 -EOPNOTSUPP);
		assert_int_equal(got.psn, 5);
	}
}

/* Callers without traits use the short function. */
static void wire_is_response_matches_traits(void **state)
{
	unsigned int nr_answers = 0;

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		uint32_t traits = uroce_wire_traits((uint8_t)opcode);

		if (!traits)
			continue;
		assert_int_equal(uroce_wire_is_response((uint8_t)opcode),
				 (traits & UROCE_T_RESPONSE) != 0);
		nr_answers += uroce_wire_is_response((uint8_t)opcode);
	}
	/* of RC and XRC: four of a READ, an ACK, an atomic ACK */
	assert_int_equal(nr_answers, 2 * 6);
}

static void check_bytes(struct uroce_packet packet, const uint8_t *bytes,
			size_t len)
{
	uint8_t buf[UROCE_MAX_HEADER];

	assert_int_equal(uroce_wire_encode(&packet, buf), len);
	assert_memory_equal(buf, bytes, len);
}

/* Written from the figures of the specification. */
static void wire_encoding_matches_specification(void **state)
{
	static const uint8_t write_only_imm[] = {
		0x0b, 0xd0, 0xff, 0xff, 0x00, 0xa1, 0xb2, 0xc3,
		0x80, 0xfe, 0xdc, 0xba, 1,    2,    3,	  4,
		5,    6,    7,	  8,	0x99, 0xaa, 0xbb, 0xcc,
		0x00, 0x00, 0x00, 0x07, 0xca, 0xfe, 0xf0, 0x0d
	};
	static const uint8_t cmp_swap[] = {
		0x13, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0x12, 0x00, 0x00,
		0x00, 0x01, 1,	  2,	3,    4,    5,	  6,	7,    8,
		0x99, 0xaa, 0xbb, 0xcc, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
		0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28
	};
	static const uint8_t flush[] = { 0x1c, 0x00, 0xff, 0xff, 0x81, 0x00,
					 0x00, 0x12, 0x80, 0x00, 0x00, 0x01,
					 0x00, 0x00, 0x00, 0x13, 1,    2,
					 3,    4,    5,	   6,	 7,    8,
					 0x99, 0xaa, 0xbb, 0xcc, 0,    0,
					 0,    9 };
	static const uint8_t nak[] = { 0x11, 0x00, 0xff, 0xff, 0x00, 0x00,
				       0x00, 0x12, 0x00, 0x00, 0x00, 0x01,
				       0x60, 0x10, 0x20, 0x30 };
	static const uint8_t cnp[28] = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00,
					 0x00, 0x12, 0x00, 0x00, 0x00, 0x00 };
	struct uroce_packet packet = all_members;

	packet.opcode = UROCE_RC | UROCE_WRITE_ONLY_IMM;
	packet.pkey = UROCE_PKEY_DEFAULT;
	packet.imm = htonl(0xcafef00d);
	packet.fecn = false;
	packet.becn = false;
	packet.selective = false;
	packet.dma_len = 7;
	packet.payload_len = 7; /* one byte of padding */
	check_bytes(packet, write_only_imm, sizeof(write_only_imm));

	packet.solicited = false;
	packet.mig_req = false;
	packet.ack_req = false;
	packet.payload_len = 0;
	packet.dest_qpn = 0x12;
	packet.psn = 1;
	packet.becn = true;
	packet.opcode = UROCE_RC | UROCE_CMP_SWAP;
	check_bytes(packet, cmp_swap, sizeof(cmp_swap));

	packet.opcode = UROCE_RC | UROCE_FLUSH;
	packet.becn = false;
	packet.fecn = true;
	packet.selective = true;
	packet.ack_req = true;
	packet.dma_len = 9;
	check_bytes(packet, flush, sizeof(flush));

	packet.opcode = UROCE_RC | UROCE_ACKNOWLEDGE;
	packet.fecn = false;
	packet.selective = false;
	packet.ack_req = false;
	packet.syndrome = UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ;
	check_bytes(packet, nak, sizeof(nak));

	packet.opcode = UROCE_CNP;
	packet.becn = true;
	packet.psn = 0;
	check_bytes(packet, cnp, sizeof(cnp));
}

static void wire_truncated_packet_is_rejected(void **state)
{
	uint8_t buf[UROCE_MAX_HEADER];
	struct uroce_packet packet = all_members, got = { .psn = 5 };

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		uint8_t *cut;
		int ret;

		if (!is_defined(opcode))
			continue;
		packet.opcode = (uint8_t)opcode;
		ret = uroce_wire_encode(&packet, buf);
		for (size_t len = 0; len < (size_t)ret; len++) {
			/* exact size, for the address sanitizer */
			cut = malloc(len ? len : 1);
			assert_non_null(cut);
			memcpy(cut, buf, len);
			assert_int_equal(uroce_wire_decode(cut, len, &got),
					 -EBADMSG);
			free(cut);
		}
		assert_int_equal(got.psn, 5);
	}
}

static void wire_bad_padding_is_rejected(void **state)
{
	uint8_t buf[64] = { UROCE_RC | UROCE_SEND_ONLY };
	struct uroce_packet got;

	for (uint32_t len = 0; len < 16; len++) {
		for (uint32_t pad = 0; pad < 4; pad++) {
			bool good = (len + 12) % 4 == 0 && len >= pad &&
				    !(len == 0 && pad);

			buf[1] = (uint8_t)(pad << 4);
			assert_int_equal(uroce_wire_decode(buf, 12 + len, &got),
					 good ? 0 : -EBADMSG);
			if (good)
				assert_int_equal(got.payload_len, len - pad);
		}
	}
}

static void wire_payload_above_mtu_is_rejected(void **state)
{
	static uint8_t buf[UROCE_BTH_LEN + UROCE_MAX_MTU + 4];
	struct uroce_packet got;

	buf[0] = UROCE_RC | UROCE_SEND_MIDDLE;
	assert_int_equal(
		uroce_wire_decode(buf, UROCE_BTH_LEN + UROCE_MAX_MTU, &got), 0);
	assert_int_equal(got.payload_len, UROCE_MAX_MTU);
	assert_int_equal(uroce_wire_decode(buf, sizeof(buf), &got), -EBADMSG);
	buf[0] = UROCE_RC | UROCE_ATOMIC_ACK;
	assert_int_equal(uroce_wire_decode(buf, 24, &got), 0);
	assert_int_equal(uroce_wire_decode(buf, 28, &got), -EBADMSG);
	buf[0] = UROCE_RC | UROCE_READ_REQUEST;
	assert_int_equal(uroce_wire_decode(buf, 28, &got), 0);
	assert_int_equal(uroce_wire_decode(buf, 32, &got), -EBADMSG);
}

static void wire_unknown_version_is_rejected(void **state)
{
	uint8_t buf[UROCE_BTH_LEN] = { UROCE_RC | UROCE_SEND_ONLY };
	struct uroce_packet got;

	for (uint8_t version = 1; version < 16; version++) {
		buf[1] = version;
		assert_int_equal(uroce_wire_decode(buf, sizeof(buf), &got),
				 -EPROTONOSUPPORT);
	}
}

static void wire_reserved_bits_are_ignored(void **state)
{
	uint8_t buf[16] = { UROCE_RC | UROCE_ACKNOWLEDGE };
	struct uroce_packet got;

	buf[4] = 0x3f; /* IBTA 9.2: reserved */
	buf[8] = 0x7f;
	assert_int_equal(uroce_wire_decode(buf, sizeof(buf), &got), 0);
	assert_false(got.fecn || got.becn || got.ack_req);
	assert_int_equal(got.psn, 0);
	assert_int_equal(got.dest_qpn, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_every_opcode_encodes_and_decodes),
		cmocka_unit_test(wire_undefined_opcode_is_rejected),
		cmocka_unit_test(wire_xrceth_follows_bth_of_requests),
		cmocka_unit_test(wire_is_response_matches_traits),
		cmocka_unit_test(wire_encoding_matches_specification),
		cmocka_unit_test(wire_truncated_packet_is_rejected),
		cmocka_unit_test(wire_bad_padding_is_rejected),
		cmocka_unit_test(wire_payload_above_mtu_is_rejected),
		cmocka_unit_test(wire_unknown_version_is_rejected),
		cmocka_unit_test(wire_reserved_bits_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
