/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private definitions of the UDP port, for uroce_port_udp.c (open and close),
 * uroce_port_address.c, uroce_port_send.c, uroce_port_receive.c,
 * uroce_pressure.c and uroce_route.c.
 */
#ifndef UROCE_UDP_H
#define UROCE_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/udp/uroce_pcap.h"
#include "uroce/udp/uroce_port.h"
#include "uroce/udp/uroce_slots.h"

/*
 * Senders, each with its own source port. Packets to different slots of a host
 * should have different source ports, or GRO merges them and all of them arrive
 * at the slot of the first.
 */
#define UROCE_NR_SENDERS 8

struct uroce_address {
	uint8_t gid[UROCE_GID_LEN];
	unsigned int ifindex;
	uint32_t uses;
	/* bound to gid and the sender's port; UROCE_UNTRIED, or -1: failed */
	int fds[UROCE_NR_SENDERS];
};
#define UROCE_UNTRIED (-2)

struct uroce_sender {
	int fd;
	uint16_t port;
};

/*
 * A network limits the rate of a sender. Nothing limits it between processes of
 * one host, and packets are lost if the receiver's socket is full. This process
 * has that socket, too, and reads its fill level at intervals. A slot is
 * unresponsive if its socket was full for too long; the sender does not wait
 * for it until the socket has room.
 */
struct uroce_pressure {
	uint32_t unseen_bytes; /* sent to @slot since its level was read */
	uint32_t slot;
	bool busy;
	uint64_t asked_ns;  /* time of the last check; 0: none */
	uint64_t waited_ns; /* total so far */
	uint64_t unresponsive[UROCE_NR_SLOTS /
			      64]; /* bits: unresponsive slots */
};

struct uroce_send_batch;
struct uroce_receive_batch;

struct uroce_port {
	struct uroce_slots slots;
	int family; /* AF_INET6, which accepts IPv4 too, or AF_INET */
	struct uroce_sender senders[UROCE_NR_SENDERS];
	struct uroce_address *addresses;
	uint32_t nr_addresses;
	uint64_t version;	 /* of the addresses: counts changes, from 1 */
	struct uroce_pcap *pcap; /* NULL: no capture */
	int capture_error;	 /* of uroce_pcap_open(); 0: none */
	struct uroce_bad_wire *bad_wire; /* NULL: no UROCE_WIRE_FAULTS */
	struct uroce_pressure pressure;
	struct uroce_send_batch *send;
	struct uroce_receive_batch *receive;
	struct uroce_port_counters counters;
	uint32_t old_drops; /* of the socket, before this process had it */
};

/** uroce_udp_find() - find an address of the port by @gid; NULL: unknown */
struct uroce_address *uroce_udp_find(const struct uroce_port *port,
				     const uint8_t *gid);

/** uroce_udp_free_addresses() - close their sockets and free all addresses */
void uroce_udp_free_addresses(struct uroce_port *port);

/**
 * uroce_udp_bound() - get a sender that is bound to a source address
 * @address: an address of the port
 * @sender: index of the source port
 *
 * A bound socket is cheaper than a source address in each message.
 *
 * Return: the descriptor, which @address owns; -1: use the sender's.
 */
int uroce_udp_bound(const struct uroce_port *port,
		    struct uroce_address *address, unsigned int sender);

/**
 * uroce_udp_sent() - account for a message that was sent
 * @port: the port
 * @path: source and destination
 * @dest_qpn: QPN of the destination
 * @bytes: approximate memory that the message occupies at the receiver
 */
void uroce_udp_sent(struct uroce_port *port, const struct uroce_path *path,
		    uint32_t dest_qpn, uint32_t bytes);

/** uroce_udp_new_send() - allocate memory for sending, for free(); or NULL */
struct uroce_send_batch *uroce_udp_new_send(void);

/** uroce_udp_new_receive() - allocate memory for receiving; or NULL */
struct uroce_receive_batch *uroce_udp_new_receive(void);

/** uroce_udp_free_receive() - free memory for receiving; NULL is allowed */
void uroce_udp_free_receive(struct uroce_receive_batch *batch);

/** uroce_udp_count_ip_ids() - set the members rx_ip_id_* of @counters */
void uroce_udp_count_ip_ids(const struct uroce_receive_batch *batch,
			    struct uroce_port_counters *counters);

#endif
