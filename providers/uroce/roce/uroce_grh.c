/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds the GRH area of a received datagram, which the application reads. The
 * responder calls it.
 */
#include "uroce/roce/uroce_grh.h"

#include <string.h>

#include "uroce/wire/uroce_ip_header.h"

#define DETH_LEN  8
#define IMM_LEN	  4
#define KIND_ROCE 8
#define KIND_IPV6 1
#define KIND_IPV4 2

/* Both GIDs are of one family, and IPv4 is mapped in both: sgid decides. */
static bool grh_is_ipv4(const struct uroce_path *path)
{
	return uroce_gid_is_ipv4(path->sgid);
}

void uroce_grh_build(const struct uroce_packet *packet,
		     uint8_t ret_grh[UROCE_GRH_LEN])
{
	const struct uroce_path *path = packet->path;
	uint32_t udp_len = UROCE_UDP_LEN + UROCE_BTH_LEN + DETH_LEN +
			   ((packet->payload_len + 3) & ~3u) + UROCE_ICRC_LEN;
	uint8_t *ipv4 = ret_grh + (UROCE_GRH_LEN - UROCE_IPV4_LEN);

	if (packet->traits & UROCE_T_IMM)
		udp_len += IMM_LEN;
	if (!grh_is_ipv4(path)) {
		uroce_ipv6_put(ret_grh, path, path->flow_label, path->hop_limit,
			       udp_len);
		return;
	}
	memset(ret_grh, 0, UROCE_GRH_LEN - UROCE_IPV4_LEN);
	uroce_ipv4_put(ipv4, path, path->hop_limit, udp_len);
	uroce_ipv4_put_checksum(ipv4);
}

uint8_t uroce_grh_kind(const struct uroce_packet *packet)
{
	return KIND_ROCE | (grh_is_ipv4(packet->path) ? KIND_IPV4 : KIND_IPV6);
}
