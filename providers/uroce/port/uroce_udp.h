/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the UDP port share: uroce_port_udp.c (open, close,
 * addresses), uroce_port_send.c and uroce_port_receive.c. Not for anybody else.
 */
#ifndef UROCE_UDP_H
#define UROCE_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/port/uroce_pcap.h"
#include "uroce/port/uroce_port.h"
#include "uroce/port/uroce_slots.h"

/*
 * Sockets to send from, each with a source port of its own. Packets to
 * different slots of a host must not have the same one, or GRO merges them and
 * they all come to the slot of the first.
 */
#define UROCE_NR_SENDERS 8

struct uroce_address {
	uint8_t gid[UROCE_GID_LEN];
	unsigned int ifindex;
	uint32_t uses;
	/* bound to it and the sender's port: UROCE_UNTRIED, or -1: cannot be */
	int fds[UROCE_NR_SENDERS];
};
#define UROCE_UNTRIED (-2)

struct uroce_sender {
	int fd;
	uint16_t port;
};

/*
 * A network of its own holds a sender back; between processes of one machine
 * nothing does, and what the receiver's socket has no room for is lost. We have
 * that socket too, so we look at it now and then. A bit of hopeless is set for
 * a slot that was full for too long; it is not waited for until it has room.
 */
struct uroce_pressure {
	uint32_t unseen_bytes; /* sent to @slot since it was looked at */
	uint32_t slot;
	bool busy;
	uint64_t asked_ns;  /* when it was looked at last; 0: not yet */
	uint64_t waited_ns; /* so far */
	uint64_t hopeless[UROCE_NR_SLOTS / 64];
};

struct uroce_send_batch;
struct uroce_receive_batch;

struct uroce_port {
	struct uroce_slots slots;
	int family; /* AF_INET6, which takes IPv4 too, or AF_INET */
	struct uroce_sender senders[UROCE_NR_SENDERS];
	struct uroce_address *addresses;
	uint32_t nr_addresses, max_addresses;
	uint64_t version;	 /* of the addresses: counts changes, from 1 */
	struct uroce_pcap *pcap; /* NULL: no capture */
	int capture_error;	 /* why; 0: none was asked for */
	struct uroce_pressure pressure;
	struct uroce_send_batch *send;
	struct uroce_receive_batch *receive;
	struct uroce_port_counters counters;
	uint32_t old_drops; /* of our socket, before it was ours */
};

/** uroce_udp_find() - our address @gid, or NULL */
struct uroce_address *uroce_udp_find(const struct uroce_port *port,
				     const uint8_t *gid);

/**
 * uroce_udp_bound() - a socket that sends from one address, which is cheaper
 * than to name it with each message
 * @address: one of ours
 * @sender: index of the source port
 *
 * Return: the descriptor, which stays the address's, or -1: take the sender's.
 */
int uroce_udp_bound(const struct uroce_port *port,
		    struct uroce_address *address, unsigned int sender);

/**
 * uroce_udp_sent() - note that something was sent
 * @port: the port
 * @path: where to
 * @dest_qpn: likewise
 * @bytes: of memory that it takes at the receiver, about
 */
void uroce_udp_sent(struct uroce_port *port, const struct uroce_path *path,
		    uint32_t dest_qpn, uint32_t bytes);

/** uroce_udp_new_send() - memory for sending, freed with free(); or NULL */
struct uroce_send_batch *uroce_udp_new_send(void);

/** uroce_udp_new_receive() - memory for receiving, or NULL */
struct uroce_receive_batch *uroce_udp_new_receive(void);

/** uroce_udp_free_receive() - free it; NULL: do nothing */
void uroce_udp_free_receive(struct uroce_receive_batch *batch);

/** uroce_udp_count_ip_ids() - set the members rx_ip_id_* of @counters */
void uroce_udp_count_ip_ids(const struct uroce_receive_batch *batch,
			    struct uroce_port_counters *counters);

#endif
