/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The invariant CRC of RoCEv2 (IBTA A17.3.3): a CRC-32 over the IP and UDP
 * headers and all bytes from the BTH to the padding, with ones in place of
 * every field that the network may change.
 *
 * The ICRC covers the IP identification of IPv4, but a socket does not report
 * it. In a sent packet it is 0, or the number of the segment (see
 * ../roce/README.md). The receiver solves for it: the CRC is linear, so the
 * difference between the received CRC and the CRC for id 0, moved back to the
 * position of the id, is the id if all other bytes are correct. uroce_ip_id.h
 * decides whether the source may use this id, so 24 bits are verified. IPv6 has
 * no id, so all 32 bits are verified.
 */
#ifndef UROCE_ICRC_H
#define UROCE_ICRC_H

#include "uroce/wire/uroce_ip_id.h"
#include "uroce/wire/uroce_packet.h"

/*
 * The headers in front of the BTH, common to all packets of one path. The
 * length and the identification of each packet are added later.
 */
struct uroce_icrc_path {
	uint32_t reg; /* behind a BTH of zeros */
	bool ipv4;
	/* for received packets; set after uroce_icrc_path(); NULL: unknown */
	struct uroce_ip_id_source *source;
	/*
	 * Cache: consecutive packets mostly differ in the last word of the BTH
	 * only. For each of two kinds of packets, the words of the last BTH in
	 * front of that word, and their contribution to the register. 0: none.
	 */
	struct {
		uint64_t words;
		uint32_t made;
	} last[2];
};

/* Verification of an ICRC while the payload is copied. */
struct uroce_icrc {
	/* first: the callbacks get its address */
	struct uroce_icrc_check check;
	uint32_t reg;
	uint32_t received;
	uint32_t len_bytes;  /* from the BTH to the padding */
	uint32_t left_bytes; /* of them not added yet */
	const uint8_t *next; /* address of these */
	bool ipv4;
	uint16_t ip_id; /* expected; later the accepted one; IPv4 only */
	struct uroce_ip_id_source *source; /* as in struct uroce_icrc_path */
};

/**
 * uroce_icrc_init() - build the tables
 *
 * Must return, in any thread, before any other function of this header is
 * called. Further calls do nothing.
 */
void uroce_icrc_init(void);

/** uroce_path_is_ipv4() - whether both ends are IPv4 addresses */
bool uroce_path_is_ipv4(const struct uroce_path *path);

/** uroce_icrc_path() - prepare the ICRCs of packets of @path */
void uroce_icrc_path(const struct uroce_path *path,
		     struct uroce_icrc_path *ret_base);

/**
 * uroce_icrc_begin() - begin the ICRC of a packet of a prepared path
 * @base: from uroce_icrc_path(); its cache is updated
 * @ip_id: IP identification that the packet will have; IPv4 only
 * @bytes: the packet from the BTH on
 * @begin_len: leading bytes to add now; 12 or more
 * @len: bytes from the BTH to the padding; a multiple of 4, and no more than
 *	UROCE_MAX_HEADER + UROCE_MAX_MTU
 *
 * Return: a register, to which uroce_crc32() adds the remaining bytes.
 */
uint32_t uroce_icrc_begin(struct uroce_icrc_path *base, uint16_t ip_id,
			  const uint8_t *bytes, uint32_t begin_len,
			  uint32_t len);

/**
 * uroce_icrc_start() - begin the ICRC of a single packet
 * @path: addresses of the packet
 * @ip_id: IP identification that the packet will have; IPv4 only
 * @headers: from uroce_wire_encode()
 * @header_len: bytes at @headers
 * @rest_len: bytes of payload and padding; the limits of @len of
 *	uroce_icrc_begin() apply to @header_len + @rest_len
 *
 * Return: a register, to which uroce_crc32() adds payload and padding.
 */
uint32_t uroce_icrc_start(const struct uroce_path *path, uint16_t ip_id,
			  const uint8_t *headers, uint32_t header_len,
			  uint32_t rest_len);

/** uroce_icrc_end() - write the ICRC, UROCE_ICRC_LEN bytes, to @ret_icrc */
void uroce_icrc_end(uint32_t reg, uint8_t *ret_icrc);

/**
 * uroce_icrc_open() - begin the ICRC verification of a received packet
 * @icrc: memory of the caller; must live as long as icrc->check is used
 * @path: addresses of the packet
 * @buf: the packet from the BTH on, with the ICRC
 * @len: bytes at @buf
 * @packet: the packet, from uroce_wire_decode()
 *
 * Afterwards packet->icrc_check can be set to &icrc->check.
 *
 * Return: 0, or -EBADMSG if a packet with an ICRC cannot have this length.
 */
int uroce_icrc_open(struct uroce_icrc *icrc, const struct uroce_path *path,
		    const uint8_t *buf, size_t len,
		    const struct uroce_packet *packet);

/**
 * uroce_icrc_open_next() - uroce_icrc_open() for a prepared path
 * @base: from uroce_icrc_path(); its cache is updated
 * @ip_id: probable IP identification, from uroce_ip_id_expected() or one more
 *	than that of the previous segment; the verification is faster if it is
 *	correct; IPv4 only
 */
int uroce_icrc_open_next(struct uroce_icrc *icrc, struct uroce_icrc_path *base,
			 uint16_t ip_id, const uint8_t *buf, size_t len,
			 const struct uroce_packet *packet);

/**
 * uroce_icrc_solve() - find the IP identification for which the ICRC is correct
 * @icrc: verification in progress, not changed; IPv4
 *
 * Does not check whether the source may use this identification.
 *
 * Return: the identification, or the expected one if there is no solution.
 */
uint16_t uroce_icrc_solve(const struct uroce_icrc *icrc);

/**
 * uroce_icrc_verify() - verify the ICRC of a received packet at once
 * @path: addresses of the packet; IPv4: the source counts as unknown, so the
 *	identification must be the number of a segment
 * @buf: the packet from the BTH on, with the ICRC
 * @len: bytes at @buf
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_icrc_verify(const struct uroce_path *path, const uint8_t *buf,
		      size_t len);

#endif
