/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two ports on the loopback interface; packets travel from the first to the
 * second. A packet counts as received if its ICRC is right, which requires the
 * expected addresses, lengths and IP identification.
 */
#ifndef UROCE_PORT_PAIR_H
#define UROCE_PORT_PAIR_H

#include <stdint.h>

#include "uroce/udp/uroce_netdev.h"
#include "uroce/udp/uroce_port.h"

#define MAX_SEEN 600

/* Packets received by a port. */
struct seen {
	uint32_t nr;
	uint32_t stride; /* PSN difference of payloads; 0: 1 */
	struct uroce_packet packets[MAX_SEEN];
	struct uroce_path paths[MAX_SEEN];
	uint16_t ip_id[MAX_SEEN];
};

struct port_pair {
	struct uroce_port *port[2];
	struct uroce_netdev dev;
	struct seen seen;
};

/* Setup function of cmocka; *state is the pair. */
int port_pair_setup(void **state);
int port_pair_teardown(void **state);

struct uroce_path path_between(const char *from, const char *to);

uint32_t qpn_of(const struct uroce_port *port, uint32_t index);

/* Puts a SEND from port 0 to @qpn; the PSN identifies it. */
void put(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	 uint8_t op, uint32_t psn, uint32_t len);

/* Puts a FIRST, then a run of @nr; the stride is @mtu. */
void put_run(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	     uint32_t nr, uint32_t mtu);

/* Checks a received packet, and adds it to the struct seen @arg. */
void on_packet(void *arg, struct uroce_packet *packet);

/* Receives everything that has arrived at a port. */
void receive(struct port_pair *pair, unsigned int at);

/* Sends all packets, and receives at port 1. */
void flush(struct port_pair *pair);

/*
 * Sends FIRST, MIDDLE ..., LAST: equal lengths except the last one. All of them
 * must arrive.
 */
void put_message(struct port_pair *pair, struct uroce_path *path, uint32_t nr,
		 uint32_t mtu, uint32_t last);

struct uroce_port_counters counters(const struct port_pair *pair,
				    unsigned int at);

#endif
