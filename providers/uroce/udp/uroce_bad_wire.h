/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loses, duplicates, damages, delays and reorders the packets that a port sends
 * to the network, or sends them over links that are slow or long, as the rules
 * of UROCE_WIRE_FAULTS request (uroce(7)).
 *
 * The rules belong to the provider and not to the layer fault: packets exist
 * here only, the port is open before a layer observes the context, and a
 * process of uroce may have no layers. The language is that of the layer
 * (util/fault_text.h, util/fault_choice.h).
 *
 * The data path has no test for them. A port with such rules gives its routes
 * no socket, so that each send fails, and the path of failed sends calls
 * uroce_bad_wire_send() for each datagram.
 */
#ifndef UROCE_BAD_WIRE_H
#define UROCE_BAD_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "uroce/udp/uroce_route.h"

struct uroce_bad_wire;

/**
 * uroce_bad_wire_open() - read the rules, and the files that they name
 * @settings: UROCE_WIRE_FAULTS; not NULL; must last until the end
 * @ret_wire: uroce_bad_wire_close() frees it
 *
 * A mistake is printed to standard error.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int uroce_bad_wire_open(const char *settings, struct uroce_bad_wire **ret_wire);

/**
 * uroce_bad_wire_close() - end it; NULL is allowed
 *
 * Packets that are delayed or on a link are lost. Prints how often each rule
 * has acted.
 */
void uroce_bad_wire_close(struct uroce_bad_wire *wire);

/**
 * uroce_bad_wire_send() - send a datagram, or do to it what a rule requests
 * @route: its path; @route->sender_fd is the socket
 * @dest_qpn: destination QP; the packets to each one are a flow
 * @bytes: the datagram, which is copied
 *
 * A datagram that the kernel refuses is lost.
 */
void uroce_bad_wire_send(struct uroce_bad_wire *wire,
			 const struct uroce_route *route, uint32_t dest_qpn,
			 const uint8_t *bytes, size_t len);

#endif
