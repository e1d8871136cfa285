/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes <-> struct uroce_packet. Bytes here are those of the UDP datagram from
 * the base transport header on, without the ICRC, which is uroce_icrc.h.
 */
#ifndef UROCE_WIRE_H
#define UROCE_WIRE_H

#include "uroce/wire/uroce_packet.h"

/**
 * uroce_wire_traits() - what an opcode says about its packets
 * @opcode: of the BTH, with the transport
 *
 * Return: enum uroce_trait, or 0 for an opcode that is not supported.
 */
uint32_t uroce_wire_traits(uint8_t opcode);

/** uroce_wire_is_response() - whether it is an answer, ACK or NAK */
static inline bool uroce_wire_is_response(uint8_t opcode)
{
	uint8_t op = opcode & UROCE_OP_MASK;

	return op >= UROCE_READ_RESP_FIRST && op <= UROCE_ATOMIC_ACK;
}

/**
 * uroce_wire_pad() - how many bytes follow the payload, to fill a word
 * @payload_len: bytes of payload
 */
static inline uint32_t uroce_wire_pad(uint32_t payload_len)
{
	return -payload_len & 3;
}

/**
 * uroce_wire_encode() - build the headers of a packet
 * @packet: with the members that its opcode has headers for; the payload's
 *	length decides on the pad count
 * @buf: receives them; UROCE_MAX_HEADER bytes
 *
 * Payload, padding and ICRC follow the headers and are the caller's.
 *
 * Return: bytes of the headers, or -EINVAL for an unknown opcode.
 */
int uroce_wire_encode(const struct uroce_packet *packet, uint8_t *buf);

/**
 * uroce_wire_decode() - parse a packet
 * @buf: from the BTH on, without the ICRC
 * @len: bytes at @buf
 * @ret_packet: receives what the headers say and where in @buf the payload is;
 *	path, seal and what the packet has no header for are 0
 *
 * Checks what can be checked without knowing the QP (IBTA 9.6.1.1): opcode,
 * transport version, that all headers and the padding are there, and that no
 * payload follows where none may.
 *
 * Return: 0; -EBADMSG if it is too short or has a payload that it may not
 * have, -EPROTONOSUPPORT for another version, -EOPNOTSUPP for an unknown
 *opcode.
 */
int uroce_wire_decode(const uint8_t *buf, size_t len,
		      struct uroce_packet *ret_packet);

/** uroce_wire_set_psn() - change the PSN of encoded headers, and nothing else
 */
void uroce_wire_set_psn(uint8_t *buf, uint32_t psn);

#endif
