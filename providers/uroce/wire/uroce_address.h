/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses: GIDs, the path to a peer, and the number spaces of QPs and
 * packets. In host byte order, except GIDs.
 */
#ifndef UROCE_ADDRESS_H
#define UROCE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UROCE_GID_LEN 16
/* Bytes of a GID in front of an IPv4 address */
#define UROCE_GID_IPV4_AT 12

/* Addresses of a packet; IPv4 is ::ffff:a.b.c.d (IBTA A17.9.1). */
struct uroce_path {
	uint8_t sgid[UROCE_GID_LEN];
	uint8_t dgid[UROCE_GID_LEN];
	uint32_t flow_label; /* IPv6 only; 20 bits */
	uint16_t sport;	     /* UDP source port */
	uint8_t tclass;
	uint8_t hop_limit;
	bool here;	   /* sending: dgid is of this host; receiving: false */
	uint32_t max_kbps; /* sending: static rate; 0: none */
};

#define UROCE_FLOW_LABEL_MASK 0xfffff

/* Bits of the traffic class: explicit congestion notification (RFC 3168) */
#define UROCE_ECN_MASK 3u
#define UROCE_ECN_ECT0 2u /* a mark is allowed */
#define UROCE_ECN_CE   3u /* a mark */

#define UROCE_QPN_GSI	    1	     /* IBTA 3.5.10 */
#define UROCE_QPN_MULTICAST 0xffffff /* IBTA 9.2.2 */
#define UROCE_QPN_MASK	    0xffffff
#define UROCE_PSN_MASK	    0xffffff
#define UROCE_PKEY_DEFAULT  0xffff

#define UROCE_MAX_MTU 4096 /* bytes of the largest payload of a packet */

/** uroce_gid_is_ipv4() - whether a GID is ::ffff:a.b.c.d (IBTA A17.9.1) */
static inline bool uroce_gid_is_ipv4(const uint8_t *gid)
{
	static const uint8_t mapped[UROCE_GID_IPV4_AT] = {
		[10] = 0xff, [11] = 0xff
	};

	return memcmp(gid, mapped, sizeof(mapped)) == 0;
}

/** uroce_gid_is_zero() - whether an entry of a GID table is unused */
static inline bool uroce_gid_is_zero(const uint8_t *gid)
{
	static const uint8_t zero[UROCE_GID_LEN];

	return memcmp(gid, zero, sizeof(zero)) == 0;
}

#endif
