/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outside world: packets go to other hosts and processes, and come from
 * them. Called by ../uroce_loop.c only, and by one thread at a time but for
 * what says otherwise.
 *
 * It has two implementations: the one of uroce_port_udp.c, uroce_port_send.c
 * and uroce_port_receive.c, and one in memory for the tests of the loop.
 */
#ifndef UROCE_PORT_H
#define UROCE_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/wire/uroce_packet.h"

#define UROCE_PORT_MAX_PIECES 32 /* of a payload */

struct uroce_port;

struct uroce_port_counters {
	uint64_t rx_datagrams; /* pieces, after GRO was undone */
	uint64_t rx_calls;     /* that brought something */
	uint64_t rx_bad;       /* no RoCEv2, or not for our addresses */
	uint64_t rx_foreign;   /* for another process; passed on */
	/* IP identifications out of order (wire/uroce_ip_id.h): dropped, */
	uint64_t rx_ip_id_refused;
	uint64_t rx_ip_id_unordered; /* from a source that has no order */
	uint64_t rx_overflow;	     /* dropped because the socket was full */
	uint64_t tx_datagrams;	     /* before GSO */
	uint64_t tx_calls;
	uint64_t tx_failed; /* that the kernel did not take */
};

/**
 * uroce_port_open() - create a port without slot and sockets
 * @ret_port: receives it; to be given back to uroce_port_close()
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_port_open(struct uroce_port **ret_port);

/**
 * uroce_port_claim() - claim a slot; never waits
 * @from: the lowest one that will do; an earlier claim is given back
 *
 * Return: 0, or what uroce_slots_claim() returns.
 */
int uroce_port_claim(struct uroce_port *port, uint32_t from);

/**
 * uroce_port_acquire_sockets() - join the processes that share UDP port 4791
 * @port: with a slot; on failure it can be tried again
 * @stop_fd: as of uroce_slots_join(), which may wait
 *
 * All functions below need a port with sockets, but for
 * uroce_port_add_address() and uroce_port_remove_address().
 *
 * Return: 0, or what uroce_slots_join() returns.
 */
int uroce_port_acquire_sockets(struct uroce_port *port, int stop_fd);

/**
 * uroce_port_lock_fds() - no descriptor of a shared socket comes meanwhile
 *
 * For fork(), whose child closes the port. Waits for a moment only.
 */
void uroce_port_lock_fds(struct uroce_port *port);

void uroce_port_unlock_fds(struct uroce_port *port);

/** uroce_port_close() - no longer take part */
void uroce_port_close(struct uroce_port *port);

/** uroce_port_capture_error() - why there is no capture; 0 or -errno */
int uroce_port_capture_error(const struct uroce_port *port);

/** uroce_port_slot() - bits 23-16 of the QPNs that come here */
uint32_t uroce_port_slot(const struct uroce_port *port);

/** uroce_port_room_bytes() - what its socket holds; 0 if that is not known */
uint32_t uroce_port_room_bytes(const struct uroce_port *port);

/** uroce_port_fd() - to be watched for reading: then uroce_port_receive() */
int uroce_port_fd(const struct uroce_port *port);

/** uroce_port_member_fd() - likewise: then uroce_port_serve() */
int uroce_port_member_fd(const struct uroce_port *port);

/** uroce_port_inbox_fd() - likewise: then uroce_port_receive_inbox() */
int uroce_port_inbox_fd(const struct uroce_port *port);

/**
 * uroce_port_serve() - answer a process that wants to take part
 *
 * Context: one thread, which need not be the one that sends and receives.
 * Return: whether another user has connected: then the next call should come
 * after a pause, so that a flood of connections costs little.
 */
bool uroce_port_serve(struct uroce_port *port);

/**
 * uroce_port_report_header() - give packets their traffic class and hop limit
 * @on: or no longer; with neither, path->tclass and path->hop_limit are 0, and
 *	nobody is told of congestion (ECN)
 *
 * A capture has them always.
 */
void uroce_port_report_header(struct uroce_port *port, bool on);

/**
 * uroce_port_add_address() - let packets come to a GID and leave from it
 * @port: the port
 * @gid: an address of the interface
 * @ifindex: the interface
 *
 * Counts; each is undone by one uroce_port_remove_address().
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_port_add_address(struct uroce_port *port, const uint8_t *gid,
			   unsigned int ifindex);

void uroce_port_remove_address(struct uroce_port *port, const uint8_t *gid,
			       unsigned int ifindex);

/**
 * uroce_port_join() - receive what is sent to a multicast group, or no longer
 * @join: false: leave it
 *
 * Return: 0, -EINVAL for no group, or -errno.
 */
int uroce_port_join(struct uroce_port *port, const uint8_t *gid,
		    unsigned int ifindex, bool join);

/**
 * uroce_port_sport() - UDP source port for packets to a QP; any thread
 * @dest_qpn: the QP
 */
uint16_t uroce_port_sport(const struct uroce_port *port, uint32_t dest_qpn);

/**
 * uroce_port_put() - have a packet sent
 * @port: the port
 * @packet: with path, whose sport is from uroce_port_sport()
 * @iov: its payload, which must stay as it is until uroce_port_flush()
 * @nr_iov: pieces of it; up to UROCE_PORT_MAX_PIECES
 * @owner: for uroce_port_take_refused()
 *
 * It may be lost, as on any network.
 */
void uroce_port_put(struct uroce_port *port, const struct uroce_packet *packet,
		    const struct iovec *iov, uint32_t nr_iov, void *owner);

/**
 * uroce_port_put_run() - have packets sent that differ in their PSN only
 * @port: the port
 * @first: the first one; PSNs count up from here
 * @payload: that of the first one, and behind it those of the others
 * @nr: packets; > 0
 * @owner: for uroce_port_take_refused()
 *
 * The same as so many calls of uroce_port_put(), but faster.
 */
void uroce_port_put_run(struct uroce_port *port,
			const struct uroce_packet *first, uint8_t *payload,
			uint32_t nr, void *owner);

/** uroce_port_flush() - send all packets that were put; waits if it must */
void uroce_port_flush(struct uroce_port *port);

/**
 * uroce_port_take_refused() - whose packets are too long for their path
 *
 * After uroce_port_flush(), until there is nobody more. One that is left out
 * because there were so many has its turn when it sends again.
 *
 * Return: the owner of such a packet, or NULL.
 */
void *uroce_port_take_refused(struct uroce_port *port);

/**
 * uroce_port_has_room() - whether more packets should be put now
 * @now_ns: the time
 *
 * No if a process of this machine does not keep up with what we send to it. It
 * is to be asked again soon; a process that does not get on at all is given up
 * after a while.
 */
bool uroce_port_has_room(struct uroce_port *port, uint64_t now_ns);

/* Gets a packet that has come. Its seal is still to be checked. */
typedef void uroce_port_receive_fn(void *arg, struct uroce_packet *packet);

/**
 * uroce_port_receive() - take in packets that have come
 * @port: the port
 * @fn: called for each
 * @arg: for @fn
 *
 * Return: whether there may be more.
 */
bool uroce_port_receive(struct uroce_port *port, uroce_port_receive_fn *fn,
			void *arg);

/**
 * uroce_port_receive_inbox() - take in packets that others have passed on
 *
 * Return: whether another user has sent something; as for uroce_port_serve().
 */
bool uroce_port_receive_inbox(struct uroce_port *port,
			      uroce_port_receive_fn *fn, void *arg);

/** uroce_port_counters() - what was counted */
void uroce_port_counters(const struct uroce_port *port,
			 struct uroce_port_counters *ret_counters);

#endif
