/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The invariant CRC of RoCEv2 (IBTA A17.3.3): a CRC-32 over the IP and UDP
 * headers and all from the BTH to the padding, in which every field that the
 * network may change counts as ones.
 *
 * The IP identification of IPv4 is not such a field, and a socket does not see
 * it. A sender knows that it is 0, or the number of the segment (see
 * ../README.md). A receiver solves for it: because the CRC is linear, the
 * difference between the CRC received and the one for id 0, moved back to where
 * the id stands, is the id, if nothing else is wrong. uroce_ip_id.h decides
 * whether the source may use it, which leaves 24 bits of check; IPv6, which has
 * no id, keeps all 32.
 */
#ifndef UROCE_ICRC_H
#define UROCE_ICRC_H

#include "uroce/wire/uroce_ip_id.h"
#include "uroce/wire/uroce_packet.h"

/*
 * What comes before the BTH, for all packets of one path: their lengths and
 * identifications are added later.
 */
struct uroce_icrc_path {
	uint32_t reg; /* as it would be behind a BTH of 0 */
	bool ipv4;
	/* of received packets, set after uroce_icrc_path(); NULL: unknown */
	struct uroce_ip_id_source *source;
	/*
	 * Packets that follow each other mostly differ in the last word of the
	 * BTH only, so the last of two kinds are remembered: the words before
	 * that, and what they make of the register. 0: none.
	 */
	struct {
		uint64_t words;
		uint32_t made;
	} last[2];
};

/* A check that goes on while the payload is copied. */
struct uroce_icrc {
	struct uroce_seal seal; /* first: the callbacks get its address */
	uint32_t reg;
	uint32_t received;
	uint32_t len_bytes;  /* from the BTH to the padding */
	uint32_t left_bytes; /* of them not taken in yet */
	const uint8_t *next; /* where they are */
	bool ipv4;
	uint16_t ip_id; /* expected; then the accepted one; IPv4 only */
	struct uroce_ip_id_source *source; /* as in struct uroce_icrc_path */
};

/**
 * uroce_icrc_init() - make tables
 *
 * Must have been called, by any thread, before any other function of this
 * header; further calls do nothing.
 */
void uroce_icrc_init(void);

/** uroce_path_is_ipv4() - whether both ends are IPv4 addresses */
bool uroce_path_is_ipv4(const struct uroce_path *path);

/** uroce_icrc_path() - what packets of @path have in common, to @ret_base */
void uroce_icrc_path(const struct uroce_path *path,
		     struct uroce_icrc_path *ret_base);

/**
 * uroce_icrc_begin() - begin the ICRC of one of many packets to be sent
 * @base: of their path
 * @ip_id: what the IP identification will be; IPv4 only
 * @bytes: from the BTH on
 * @begin_len: how many of them to take in now; 12 or more
 * @len: from the BTH to the padding; a multiple of 4, and no more than
 *	UROCE_MAX_HEADER + UROCE_MAX_MTU
 *
 * Return: a register, to which uroce_crc32() adds what follows.
 */
uint32_t uroce_icrc_begin(struct uroce_icrc_path *base, uint16_t ip_id,
			  const uint8_t *bytes, uint32_t begin_len,
			  uint32_t len);

/**
 * uroce_icrc_start() - begin the ICRC of a packet to be sent
 * @path: its addresses
 * @ip_id: what the IP identification will be; IPv4 only
 * @headers: from uroce_wire_encode()
 * @header_len: bytes of them
 * @rest_len: bytes of payload and padding, with whom the length is as for
 *	uroce_icrc_begin()
 *
 * Return: a register, to which uroce_crc32() adds payload and padding.
 */
uint32_t uroce_icrc_start(const struct uroce_path *path, uint16_t ip_id,
			  const uint8_t *headers, uint32_t header_len,
			  uint32_t rest_len);

/** uroce_icrc_end() - write the ICRC, UROCE_ICRC_LEN bytes, to @ret_icrc */
void uroce_icrc_end(uint32_t reg, uint8_t *ret_icrc);

/**
 * uroce_icrc_open() - begin the check of a received packet
 * @icrc: memory of the caller; must live as long as the seal is used
 * @path: where it came from and went to
 * @buf: from the BTH on, with the ICRC
 * @len: bytes at @buf
 * @packet: what uroce_wire_decode() made of it
 *
 * Afterwards icrc->seal can become that of the packet.
 *
 * Return: 0, or -EBADMSG if the packet cannot have an ICRC.
 */
int uroce_icrc_open(struct uroce_icrc *icrc, const struct uroce_path *path,
		    const uint8_t *buf, size_t len,
		    const struct uroce_packet *packet);

/**
 * uroce_icrc_open_next() - the same for one of many packets
 * @base: of their path
 * @ip_id: which IP identification it is likely to have, from
 *	uroce_ip_id_expected() or one more than that of the segment before; the
 *	check is faster if it is right; IPv4 only
 */
int uroce_icrc_open_next(struct uroce_icrc *icrc, struct uroce_icrc_path *base,
			 uint16_t ip_id, const uint8_t *buf, size_t len,
			 const struct uroce_packet *packet);

/**
 * uroce_icrc_solve() - the IP identification with which the ICRC is right
 * @icrc: a check that has begun, and goes on afterwards; IPv4
 *
 * Whether the source may use it is not checked.
 *
 * Return: the identification, or the expected one if there is none.
 */
uint16_t uroce_icrc_solve(const struct uroce_icrc *icrc);

/**
 * uroce_icrc_verify() - check a received packet at once
 * @path: where it came from and went to; IPv4: a source of which nothing is
 *	known, so the identification must be the number of a segment
 * @buf: from the BTH on, with the ICRC
 * @len: bytes at @buf
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_icrc_verify(const struct uroce_path *path, const uint8_t *buf,
		      size_t len);

#endif
