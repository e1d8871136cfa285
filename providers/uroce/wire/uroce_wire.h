/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conversion between struct uroce_packet and the bytes of a UDP datagram from
 * the BTH on, without the ICRC (uroce_icrc.h).
 */
#ifndef UROCE_WIRE_H
#define UROCE_WIRE_H

#include "uroce/wire/uroce_packet.h"

/**
 * uroce_wire_traits() - look up the properties of an opcode
 * @opcode: opcode of the BTH, with the transport
 *
 * Return: enum uroce_trait, or 0 for an opcode that is not supported.
 */
uint32_t uroce_wire_traits(uint8_t opcode);

/** uroce_wire_is_response() - whether it is a response, ACK or NAK */
static inline bool uroce_wire_is_response(uint8_t opcode)
{
	uint8_t op = opcode & UROCE_OP_MASK;

	return op >= UROCE_READ_RESP_FIRST && op <= UROCE_ATOMIC_ACK;
}

/**
 * uroce_wire_pad() - compute the pad count
 * @payload_len: bytes of payload
 */
static inline uint32_t uroce_wire_pad(uint32_t payload_len)
{
	return -payload_len & 3;
}

/**
 * uroce_wire_encode() - build the headers of a packet
 * @packet: the members of the headers of its opcode are set, and payload_len,
 *	which determines the pad count
 * @buf: receives the headers; UROCE_MAX_HEADER bytes
 *
 * The caller appends payload, padding and ICRC.
 *
 * Return: bytes of the headers, or -EINVAL for an unknown opcode.
 */
int uroce_wire_encode(const struct uroce_packet *packet, uint8_t *buf);

/**
 * uroce_wire_decode() - parse a packet
 * @buf: the packet from the BTH on, without the ICRC
 * @len: bytes at @buf
 * @ret_packet: receives the values of the headers and the address of the
 *	payload in @buf; path, icrc_check and members without a header are 0
 *
 * Does the checks that do not depend on the QP (IBTA 9.6.1.1): opcode,
 * transport version, length of the headers, the padding and the payload.
 *
 * Return: 0; -EBADMSG if a length is invalid, -EPROTONOSUPPORT for another
 * transport version, -EOPNOTSUPP for an unknown opcode.
 */
int uroce_wire_decode(const uint8_t *buf, size_t len,
		      struct uroce_packet *ret_packet);

/** uroce_wire_set_psn() - replace the PSN in encoded headers */
void uroce_wire_set_psn(uint8_t *buf, uint32_t psn);

#endif
