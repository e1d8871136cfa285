/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The 40 bytes in front of a received datagram (IBTA 11.4.1.2, A17.4.5.1). */
#ifndef UROCE_GRH_H
#define UROCE_GRH_H

#include "uroce/wire/uroce_packet.h"

#define UROCE_GRH_LEN 40

/**
 * uroce_grh_build() - the IP header of a packet, as well as it is known
 * @packet: the packet
 * @ret_grh: receives an IPv6 header, or 20 bytes of 0 and an IPv4 header
 *
 * A socket does not see the header. It is made of the addresses and what else
 * the path has; the IPv4 identification is 0.
 */
void uroce_grh_build(const struct uroce_packet *packet,
		     uint8_t ret_grh[UROCE_GRH_LEN]);

/**
 * uroce_grh_kind() - what the 40 bytes are, as ibv_wc.sl tells it
 *
 * The service level means nothing on Ethernet. RoCE devices have come to say
 * there that a datagram is RoCE (8), and which header it has (IBTA A17.4.5.1):
 * IPv6 (1) or IPv4 (2). UCX drops datagrams that do not.
 */
uint8_t uroce_grh_kind(const struct uroce_packet *packet);

#endif
