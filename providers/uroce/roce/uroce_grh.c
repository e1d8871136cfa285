/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds the GRH area of a received datagram, which the application reads. The
 * responder calls it.
 */
#include "uroce/roce/uroce_grh.h"

#include <string.h>

#include "uroce/wire/uroce_bytes.h"

#define IPV4_LEN     20
#define UDP_LEN	     8
#define DETH_LEN     8
#define IMM_LEN	     4
#define IP_PROTO_UDP 17
#define IPV4_DF	     0x40
#define KIND_ROCE    8
#define KIND_IPV6    1
#define KIND_IPV4    2

/* RFC 791: complement of the ones' complement sum of the 16-bit words. */
static uint32_t ipv4_checksum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < IPV4_LEN; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16)) & 0xffff;
}

static void build_ipv4(const struct uroce_path *path, uint32_t udp_len,
		       uint8_t *header)
{
	header[0] = 0x45;
	header[1] = path->tclass;
	uroce_put16(header + 2, IPV4_LEN + udp_len);
	header[6] = IPV4_DF;
	header[8] = path->hop_limit;
	header[9] = IP_PROTO_UDP;
	memcpy(header + 12, path->sgid + 12, 4);
	memcpy(header + 16, path->dgid + 12, 4);
	uroce_put16(header + 10, ipv4_checksum(header));
}

static void build_ipv6(const struct uroce_path *path, uint32_t udp_len,
		       uint8_t *header)
{
	header[0] = (uint8_t)(0x60 | path->tclass >> 4);
	header[1] =
		(uint8_t)(path->tclass << 4 | (path->flow_label >> 16 & 0xf));
	uroce_put16(header + 2, path->flow_label & 0xffff);
	uroce_put16(header + 4, udp_len);
	header[6] = IP_PROTO_UDP;
	header[7] = path->hop_limit;
	memcpy(header + 8, path->sgid, UROCE_GID_LEN);
	memcpy(header + 24, path->dgid, UROCE_GID_LEN);
}

/* Both GIDs are of one family, and IPv4 is mapped in both: sgid decides. */
static bool grh_is_ipv4(const struct uroce_path *path)
{
	return uroce_gid_is_ipv4(path->sgid);
}

void uroce_grh_build(const struct uroce_packet *packet,
		     uint8_t ret_grh[UROCE_GRH_LEN])
{
	uint32_t udp_len = UDP_LEN + UROCE_BTH_LEN + DETH_LEN +
			   ((packet->payload_len + 3) & ~3u) + UROCE_ICRC_LEN;

	if (packet->traits & UROCE_T_IMM)
		udp_len += IMM_LEN;
	memset(ret_grh, 0, UROCE_GRH_LEN);
	if (grh_is_ipv4(packet->path))
		build_ipv4(packet->path, udp_len,
			   ret_grh + UROCE_GRH_LEN - IPV4_LEN);
	else
		build_ipv6(packet->path, udp_len, ret_grh);
}

uint8_t uroce_grh_kind(const struct uroce_packet *packet)
{
	return KIND_ROCE | (grh_is_ipv4(packet->path) ? KIND_IPV4 : KIND_IPV6);
}
