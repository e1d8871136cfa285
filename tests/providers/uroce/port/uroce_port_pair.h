/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two ports on the loopback interface: packets go from the first to the second.
 * A packet has arrived if its ICRC is right, which is only so if addresses,
 * lengths and the IP identification were foreseen.
 */
#ifndef UROCE_PORT_PAIR_H
#define UROCE_PORT_PAIR_H

#include <stdint.h>

#include "uroce/port/uroce_netdev.h"
#include "uroce/port/uroce_port.h"

#define MAX_SEEN 600

/* What has come to a port. */
struct seen {
	uint32_t nr;
	uint32_t stride; /* of payloads, from PSN to PSN; 0: 1 */
	struct uroce_packet packets[MAX_SEEN];
	struct uroce_path paths[MAX_SEEN];
	uint16_t ip_id[MAX_SEEN];
};

struct port_pair {
	struct uroce_port *port[2];
	struct uroce_netdev dev;
	struct seen seen;
};

/* For cmocka; *state is the pair. */
int port_pair_setup(void **state);
int port_pair_teardown(void **state);

struct uroce_path path_between(const char *from, const char *to);

uint32_t qpn_of(const struct uroce_port *port, uint32_t index);

/* A SEND from port 0 to @qpn; its PSN tells which it is. */
void put(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	 uint8_t op, uint32_t psn, uint32_t len);

/* A FIRST, then a run of @nr; the stride is @mtu. */
void put_run(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	     uint32_t nr, uint32_t mtu);

/* Checks a packet that was put, and adds it to the struct seen @arg. */
void on_packet(void *arg, struct uroce_packet *packet);

/* Takes all that has come to a port. */
void receive(struct port_pair *pair, unsigned int at);

/* Sends what was put, and takes what has come to port 1. */
void flush(struct port_pair *pair);

/*
 * FIRST, MIDDLE ..., LAST: as long as each other but for the last. All of them
 * must come.
 */
void put_message(struct port_pair *pair, struct uroce_path *path, uint32_t nr,
		 uint32_t mtu, uint32_t last);

struct uroce_port_counters counters(const struct port_pair *pair,
				    unsigned int at);

#endif
