/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The headers of a packet: the encoder and the decoder of each header are next
 * to each other. The UDP port and shm use the two functions at the end of the
 * file. The port adds the ICRC after uroce_wire_encode(), and begins its
 * verification after uroce_wire_decode().
 *
 * op_traits[] lists the headers of each opcode; uroce_wire_encode() and
 * uroce_wire_decode() define their order in a packet.
 */
#include "uroce/wire/uroce_wire.h"

#include <errno.h>
#include <string.h>

#include "uroce/wire/uroce_bytes.h"

/* BTH (IBTA 9.2): byte 1 and byte 4. */
#define BTH_SOLICITED  0x80
#define BTH_MIG_REQ    0x40
#define BTH_PAD_SHIFT  4
#define BTH_PAD_MASK   0x03
#define BTH_TVER_MASK  0x0f
#define BTH_FECN       0x80 /* A17.9.3 */
#define BTH_BECN       0x40
#define BTH_SELECTIVE  0x01 /* Resv6, which the ICRC does not cover */
#define BTH_ACK_REQ    0x80
#define FETH_PLACEMENT 0x0f /* A19.4.2: byte 3 */
#define FETH_LEVEL     0x30
#define FETH_LEVEL_SHR 4

#define SEND  (UROCE_T_SEND | UROCE_T_PAYLOAD)
#define WRITE (UROCE_T_WRITE | UROCE_T_PAYLOAD)
#define RESP  (UROCE_T_RESPONSE | UROCE_T_READ_RESP | UROCE_T_PAYLOAD)
#define FIRST UROCE_T_FIRST
#define LAST  UROCE_T_LAST
#define ONLY  (UROCE_T_FIRST | UROCE_T_LAST)

/* IBTA 9.2.1, table 36: headers of each operation. */
static const uint32_t op_traits[UROCE_NR_OPS] = {
	[UROCE_SEND_FIRST] = SEND | FIRST,
	[UROCE_SEND_MIDDLE] = SEND,
	[UROCE_SEND_LAST] = SEND | LAST,
	[UROCE_SEND_LAST_IMM] = SEND | LAST | UROCE_T_IMM,
	[UROCE_SEND_ONLY] = SEND | ONLY,
	[UROCE_SEND_ONLY_IMM] = SEND | ONLY | UROCE_T_IMM,
	[UROCE_WRITE_FIRST] = WRITE | FIRST | UROCE_T_RETH,
	[UROCE_WRITE_MIDDLE] = WRITE,
	[UROCE_WRITE_LAST] = WRITE | LAST,
	[UROCE_WRITE_LAST_IMM] = WRITE | LAST | UROCE_T_IMM,
	[UROCE_WRITE_ONLY] = WRITE | ONLY | UROCE_T_RETH,
	[UROCE_WRITE_ONLY_IMM] = WRITE | ONLY | UROCE_T_RETH | UROCE_T_IMM,
	[UROCE_READ_REQUEST] = ONLY | UROCE_T_RETH | UROCE_T_NONPOSTED,
	[UROCE_READ_RESP_FIRST] = RESP | FIRST | UROCE_T_AETH,
	[UROCE_READ_RESP_MIDDLE] = RESP,
	[UROCE_READ_RESP_LAST] = RESP | LAST | UROCE_T_AETH,
	[UROCE_READ_RESP_ONLY] = RESP | ONLY | UROCE_T_AETH,
	/* with a payload only if the request allowed that */
	[UROCE_ACKNOWLEDGE] = UROCE_T_RESPONSE | ONLY | UROCE_T_AETH |
			      UROCE_T_PAYLOAD,
	[UROCE_ATOMIC_ACK] = UROCE_T_RESPONSE | ONLY | UROCE_T_AETH |
			     UROCE_T_ATOMIC_ACK_ETH,
	[UROCE_CMP_SWAP] = ONLY | UROCE_T_ATOMIC_ETH | UROCE_T_NONPOSTED,
	[UROCE_FETCH_ADD] = ONLY | UROCE_T_ATOMIC_ETH | UROCE_T_NONPOSTED,
	[UROCE_SEND_LAST_INV] = SEND | LAST | UROCE_T_IETH,
	[UROCE_SEND_ONLY_INV] = SEND | ONLY | UROCE_T_IETH,
	[UROCE_FLUSH] = ONLY | UROCE_T_FETH | UROCE_T_RETH | UROCE_T_NONPOSTED,
	[UROCE_ATOMIC_WRITE] = ONLY | UROCE_T_RETH | UROCE_T_NONPOSTED |
			       UROCE_T_PAYLOAD,
};

/* These advance a cursor; uroce_wire_decode() has checked the length. */
static void wire_put16(uint8_t **pos, uint16_t value)
{
	uroce_put16(*pos, value);
	*pos += sizeof(value);
}

static uint16_t get16(const uint8_t **pos)
{
	uint16_t value = uroce_get16(*pos);

	*pos += sizeof(value);
	return value;
}

static void put32(uint8_t **pos, uint32_t value)
{
	uroce_put32(*pos, value);
	*pos += sizeof(value);
}

static uint32_t wire_get32(const uint8_t **pos)
{
	uint32_t value = uroce_get32(*pos);

	*pos += sizeof(value);
	return value;
}

static void put64(uint8_t **pos, uint64_t value)
{
	uroce_put64(*pos, value);
	*pos += sizeof(value);
}

static uint64_t wire_get64(const uint8_t **pos)
{
	uint64_t value = uroce_get64(*pos);

	*pos += sizeof(value);
	return value;
}

static void put_bth(uint8_t **pos, const struct uroce_packet *packet)
{
	uint8_t flags =
		(uint8_t)(uroce_wire_pad(packet->payload_len) << BTH_PAD_SHIFT);

	if (packet->solicited)
		flags |= BTH_SOLICITED;
	if (packet->mig_req)
		flags |= BTH_MIG_REQ;
	*(*pos)++ = packet->opcode;
	*(*pos)++ = flags;
	wire_put16(pos, packet->pkey);
	put32(pos, (uint32_t)(packet->fecn ? BTH_FECN : 0) << 24 |
			   (uint32_t)(packet->becn ? BTH_BECN : 0) << 24 |
			   (uint32_t)(packet->selective ? BTH_SELECTIVE : 0)
				   << 24 |
			   (packet->dest_qpn & UROCE_QPN_MASK));
	put32(pos, (uint32_t)(packet->ack_req ? BTH_ACK_REQ : 0) << 24 |
			   (packet->psn & UROCE_PSN_MASK));
}

void uroce_wire_set_psn(uint8_t *buf, uint32_t psn)
{
	uint8_t *pos = buf + UROCE_BTH_LEN - 3;

	*pos++ = (uint8_t)(psn >> 16);
	*pos++ = (uint8_t)(psn >> 8);
	*pos = (uint8_t)psn;
}

/* The other reserved bits are ignored (9.2: "ignored on receive"). */
static int get_bth(const uint8_t **pos, struct uroce_packet *packet,
		   uint32_t *ret_pad)
{
	uint8_t flags;
	uint32_t word;

	packet->opcode = *(*pos)++;
	flags = *(*pos)++;
	packet->solicited = flags & BTH_SOLICITED;
	packet->mig_req = flags & BTH_MIG_REQ;
	packet->pkey = get16(pos);
	word = wire_get32(pos);
	packet->fecn = word >> 24 & BTH_FECN;
	packet->becn = word >> 24 & BTH_BECN;
	packet->selective = word >> 24 & BTH_SELECTIVE;
	packet->dest_qpn = word & UROCE_QPN_MASK;
	word = wire_get32(pos);
	packet->ack_req = word >> 24 & BTH_ACK_REQ;
	packet->psn = word & UROCE_PSN_MASK;

	/* IBTA 9.6.1.1: only version 0 is defined */
	if (flags & BTH_TVER_MASK)
		return -EPROTONOSUPPORT;
	*ret_pad = flags >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	return 0;
}

static void put_xrceth(uint8_t **pos, const struct uroce_packet *packet)
{
	put32(pos, packet->xrc_srqn & UROCE_QPN_MASK);
}

static void get_xrceth(const uint8_t **pos, struct uroce_packet *packet)
{
	packet->xrc_srqn = wire_get32(pos) & UROCE_QPN_MASK;
}

static void put_deth(uint8_t **pos, const struct uroce_packet *packet)
{
	put32(pos, packet->qkey);
	put32(pos, packet->src_qpn & UROCE_QPN_MASK);
}

static void get_deth(const uint8_t **pos, struct uroce_packet *packet)
{
	packet->qkey = wire_get32(pos);
	packet->src_qpn = wire_get32(pos) & UROCE_QPN_MASK;
}

static void put_feth(uint8_t **pos, const struct uroce_packet *packet)
{
	put32(pos, (uint32_t)(packet->feth_placement & FETH_PLACEMENT) |
			   ((uint32_t)packet->feth_level << FETH_LEVEL_SHR &
			    FETH_LEVEL));
}

static void get_feth(const uint8_t **pos, struct uroce_packet *packet)
{
	uint32_t word = wire_get32(pos);

	packet->feth_placement = word & FETH_PLACEMENT;
	packet->feth_level = (word & FETH_LEVEL) >> FETH_LEVEL_SHR;
}

static void put_reth(uint8_t **pos, const struct uroce_packet *packet)
{
	put64(pos, packet->va);
	put32(pos, packet->rkey);
	put32(pos, packet->dma_len);
}

static void get_reth(const uint8_t **pos, struct uroce_packet *packet)
{
	packet->va = wire_get64(pos);
	packet->rkey = wire_get32(pos);
	packet->dma_len = wire_get32(pos);
}

static void put_atomic_eth(uint8_t **pos, const struct uroce_packet *packet)
{
	put64(pos, packet->va);
	put32(pos, packet->rkey);
	put64(pos, packet->swap_add);
	put64(pos, packet->compare);
}

static void get_atomic_eth(const uint8_t **pos, struct uroce_packet *packet)
{
	packet->va = wire_get64(pos);
	packet->rkey = wire_get32(pos);
	packet->swap_add = wire_get64(pos);
	packet->compare = wire_get64(pos);
}

static void put_aeth(uint8_t **pos, const struct uroce_packet *packet)
{
	put32(pos, (uint32_t)packet->syndrome << 24 |
			   (packet->msn & UROCE_PSN_MASK));
}

static void get_aeth(const uint8_t **pos, struct uroce_packet *packet)
{
	uint32_t word = wire_get32(pos);

	packet->syndrome = (uint8_t)(word >> 24);
	packet->msn = word & UROCE_PSN_MASK;
}

/* The immediate keeps its byte order. */
static void put_imm(uint8_t **pos, const struct uroce_packet *packet)
{
	memcpy(*pos, &packet->imm, sizeof(packet->imm));
	*pos += sizeof(packet->imm);
}

static void get_imm(const uint8_t **pos, struct uroce_packet *packet)
{
	memcpy(&packet->imm, *pos, sizeof(packet->imm));
	*pos += sizeof(packet->imm);
}

uint32_t uroce_wire_traits(uint8_t opcode)
{
	/* operations that UC does not support (9.2.1, table 36) */
	const uint32_t not_uc = UROCE_T_RESPONSE | UROCE_T_NONPOSTED |
				UROCE_T_IETH;
	/* A19 extends XRC too, but uroce does not */
	const uint32_t not_xrc = UROCE_T_FETH | UROCE_T_IETH;
	uint8_t op = opcode & UROCE_OP_MASK;
	uint32_t traits = op_traits[op];

	if (opcode == UROCE_CNP)
		return UROCE_T_CNP;
	switch (opcode & UROCE_TRANSPORT_MASK) {
	case UROCE_RC:
		return traits;
	case UROCE_UC:
		return traits & not_uc ? 0 : traits;
	case UROCE_UD:
		if (op == UROCE_SEND_ONLY || op == UROCE_SEND_ONLY_IMM)
			return traits | UROCE_T_DETH;
		return 0;
	case UROCE_XRC:
		if (!traits || traits & not_xrc || op == UROCE_ATOMIC_WRITE)
			return 0;
		return traits & UROCE_T_RESPONSE ? traits
						 : traits | UROCE_T_XRCETH;
	default:
		return 0;
	}
}

/* Bytes of all headers (IBTA 9.3, 9.5). */
static uint32_t header_len(uint32_t traits)
{
	uint32_t len = UROCE_BTH_LEN;

	if (traits & UROCE_T_XRCETH)
		len += 4;
	if (traits & UROCE_T_DETH)
		len += 8;
	if (traits & UROCE_T_FETH)
		len += 4;
	if (traits & UROCE_T_RETH)
		len += 16;
	if (traits & UROCE_T_ATOMIC_ETH)
		len += 28;
	if (traits & UROCE_T_AETH)
		len += 4;
	if (traits & UROCE_T_ATOMIC_ACK_ETH)
		len += 8;
	if (traits & (UROCE_T_IMM | UROCE_T_IETH))
		len += 4;
	if (traits & UROCE_T_CNP)
		len += UROCE_CNP_BYTES;
	return len;
}

static void put_cnp(uint8_t **pos)
{
	memset(*pos, 0, UROCE_CNP_BYTES);
	*pos += UROCE_CNP_BYTES;
}

int uroce_wire_encode(const struct uroce_packet *packet, uint8_t *buf)
{
	uint32_t traits = uroce_wire_traits(packet->opcode);
	uint8_t *pos = buf;

	if (!traits)
		return -EINVAL;
	put_bth(&pos, packet);
	if (traits & UROCE_T_XRCETH)
		put_xrceth(&pos, packet);
	if (traits & UROCE_T_DETH)
		put_deth(&pos, packet);
	if (traits & UROCE_T_FETH)
		put_feth(&pos, packet);
	if (traits & UROCE_T_RETH)
		put_reth(&pos, packet);
	if (traits & UROCE_T_ATOMIC_ETH)
		put_atomic_eth(&pos, packet);
	if (traits & UROCE_T_AETH)
		put_aeth(&pos, packet);
	if (traits & UROCE_T_ATOMIC_ACK_ETH)
		put64(&pos, packet->orig);
	if (traits & UROCE_T_IMM)
		put_imm(&pos, packet);
	if (traits & UROCE_T_IETH)
		put32(&pos, packet->inv_rkey);
	if (traits & UROCE_T_CNP)
		put_cnp(&pos);
	return (int)(pos - buf);
}

int uroce_wire_decode(const uint8_t *buf, size_t len,
		      struct uroce_packet *ret_packet)
{
	struct uroce_packet packet = {};
	const uint8_t *pos = buf;
	uint32_t pad;
	int ret;

	if (len < UROCE_BTH_LEN)
		return -EBADMSG;
	ret = get_bth(&pos, &packet, &pad);
	if (ret)
		return ret;
	packet.traits = uroce_wire_traits(packet.opcode);
	if (!packet.traits)
		return -EOPNOTSUPP;
	if (len < header_len(packet.traits) + pad)
		return -EBADMSG;
	if (packet.traits & UROCE_T_XRCETH)
		get_xrceth(&pos, &packet);
	if (packet.traits & UROCE_T_DETH)
		get_deth(&pos, &packet);
	if (packet.traits & UROCE_T_FETH)
		get_feth(&pos, &packet);
	if (packet.traits & UROCE_T_RETH)
		get_reth(&pos, &packet);
	if (packet.traits & UROCE_T_ATOMIC_ETH)
		get_atomic_eth(&pos, &packet);
	if (packet.traits & UROCE_T_AETH)
		get_aeth(&pos, &packet);
	if (packet.traits & UROCE_T_ATOMIC_ACK_ETH)
		packet.orig = wire_get64(&pos);
	if (packet.traits & UROCE_T_IMM)
		get_imm(&pos, &packet);
	if (packet.traits & UROCE_T_IETH)
		packet.inv_rkey = wire_get32(&pos);
	if (packet.traits & UROCE_T_CNP)
		pos += UROCE_CNP_BYTES;

	packet.payload = pos;
	len -= (size_t)(pos - buf) + pad;
	/* IBTA 9.2.3: padding fills the last word of the payload exactly */
	if ((uint32_t)(-len & 3) != pad)
		return -EBADMSG;
	/* IBTA 9.7.4.1.6: at most 4096 bytes; 0 if the opcode has none */
	if (len > (packet.traits & UROCE_T_PAYLOAD ? UROCE_MAX_MTU : 0))
		return -EBADMSG;
	packet.payload_len = (uint32_t)len;
	*ret_packet = packet;
	return 0;
}
