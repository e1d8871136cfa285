/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The IP header in front of the UDP header and the BTH. The kernel writes it
 * and does not return it, but the ICRC covers it, the GRH area of a datagram
 * contains it, and a capture file has it.
 */
#ifndef UROCE_IP_HEADER_H
#define UROCE_IP_HEADER_H

#include "uroce/wire/uroce_address.h"
#include "uroce/wire/uroce_bytes.h"

#define UROCE_IPV4_LEN	   20
#define UROCE_IPV6_LEN	   40
#define UROCE_UDP_LEN	   8
#define UROCE_IP_PROTO_UDP 17
#define UROCE_IPV4_DF	   0x40 /* in byte 6 */

/** uroce_ipv4_put() - write a header; identification and checksum are 0 */
static inline void uroce_ipv4_put(uint8_t *ip, const struct uroce_path *path,
				  uint8_t hop_limit, uint32_t udp_len)
{
	memset(ip, 0, UROCE_IPV4_LEN);
	ip[0] = 0x45; /* version, words */
	ip[1] = path->tclass;
	uroce_put16(ip + 2, (uint16_t)(UROCE_IPV4_LEN + udp_len));
	ip[6] = UROCE_IPV4_DF;
	ip[8] = hop_limit;
	ip[9] = UROCE_IP_PROTO_UDP;
	memcpy(ip + 12, path->sgid + UROCE_GID_IPV4_AT, 4);
	memcpy(ip + 16, path->dgid + UROCE_GID_IPV4_AT, 4);
}

/* RFC 791: complement of the ones' complement sum of the 16-bit words. */
static inline void uroce_ipv4_put_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < UROCE_IPV4_LEN; i += 2)
		sum += uroce_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	uroce_put16(ip + 10, (uint16_t) ~(sum + (sum >> 16)));
}

/** uroce_ipv6_put() - write a header */
static inline void uroce_ipv6_put(uint8_t *ip, const struct uroce_path *path,
				  uint32_t flow_label, uint8_t hop_limit,
				  uint32_t udp_len)
{
	uroce_put32(ip, 6u << 28 | (uint32_t)path->tclass << 20 |
				(flow_label & UROCE_FLOW_LABEL_MASK));
	uroce_put16(ip + 4, (uint16_t)udp_len);
	ip[6] = UROCE_IP_PROTO_UDP;
	ip[7] = hop_limit;
	memcpy(ip + 8, path->sgid, UROCE_GID_LEN);
	memcpy(ip + 24, path->dgid, UROCE_GID_LEN);
}

#endif
