/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The GRH area of a received datagram: 40 bytes (IBTA 11.4.1.2, A17.4.5.1). */
#ifndef UROCE_GRH_H
#define UROCE_GRH_H

#include "uroce/wire/uroce_packet.h"

#define UROCE_GRH_LEN 40

/**
 * uroce_grh_build() - rebuild the IP header of a received packet
 * @packet: packet with its path
 * @ret_grh: receives an IPv6 header, or 20 bytes of 0 and an IPv4 header
 *
 * A socket does not deliver the IP header. The fields come from the path; the
 * IPv4 identification is 0.
 */
void uroce_grh_build(const struct uroce_packet *packet,
		     uint8_t ret_grh[UROCE_GRH_LEN]);

/**
 * uroce_grh_kind() - kind of the GRH area, for ibv_wc.sl
 *
 * The service level has no meaning on Ethernet. RoCE devices report in it that
 * a datagram is RoCE (8), and the kind of its header (IBTA A17.4.5.1): IPv6 (1)
 * or IPv4 (2). UCX drops datagrams without these bits.
 */
uint8_t uroce_grh_kind(const struct uroce_packet *packet);

#endif
