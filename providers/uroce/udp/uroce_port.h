/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The UDP port: sends packets to other hosts and processes, and receives
 * theirs. Called by the worker (../uroce_worker*.c, ../uroce_instance.c), by
 * one thread at a time except where a comment permits more.
 *
 * The port has two implementations: uroce_port_udp.c, uroce_port_send.c and
 * uroce_port_receive.c, and one in memory for the tests of the worker.
 */
#ifndef UROCE_PORT_H
#define UROCE_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/wire/uroce_packet.h"

#define UROCE_PORT_MAX_PIECES 32 /* SGEs of a payload */

struct uroce_port;

struct uroce_port_counters {
	uint64_t rx_datagrams; /* after GRO was undone */
	uint64_t rx_calls;     /* receive calls that returned packets */
	uint64_t rx_bad;       /* not RoCEv2, or not for this port */
	uint64_t rx_foreign;   /* for another process; forwarded */
	/* IP identifications out of order (wire/uroce_ip_id.h) */
	uint64_t rx_ip_id_refused;   /* dropped */
	uint64_t rx_ip_id_unordered; /* accepted: the source has no order */
	uint64_t rx_overflow;	     /* dropped because the socket was full */
	uint64_t tx_datagrams;	     /* before GSO */
	uint64_t tx_calls;
	uint64_t tx_failed; /* invalid, or refused by the kernel */
};

/**
 * uroce_port_open() - create a port without slot and sockets
 * @ret_port: receives the port; uroce_port_close() frees it
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_port_open(struct uroce_port **ret_port);

/**
 * uroce_port_claim() - claim a slot; never waits
 * @from: lowest slot to claim; an earlier claim is released
 *
 * Return: 0, or what uroce_slots_claim() returns.
 */
int uroce_port_claim(struct uroce_port *port, uint32_t from);

/**
 * uroce_port_acquire_sockets() - join the processes that share UDP port 4791
 * @port: has a slot; after a failure the caller may try again
 * @stop_fd: as for uroce_slots_join(), which may wait
 *
 * Of the functions below, a port without sockets permits only lock_fds(),
 * unlock_fds(), close(), capture_error(), slot(), add_address() and
 * remove_address().
 *
 * Return: 0, or what uroce_slots_join() returns.
 */
int uroce_port_acquire_sockets(struct uroce_port *port, int stop_fd);

/**
 * uroce_port_lock_fds() - hold off new descriptors of shared sockets
 *
 * For fork(), whose child closes the port. Waits for a short time only.
 */
void uroce_port_lock_fds(struct uroce_port *port);

void uroce_port_unlock_fds(struct uroce_port *port);

/** uroce_port_close() - leave the group and free the port */
void uroce_port_close(struct uroce_port *port);

/** uroce_port_capture_error() - return the error of opening a capture, or 0 */
int uroce_port_capture_error(const struct uroce_port *port);

/** uroce_port_slot() - return bits 23-16 of the QPNs of this process */
uint32_t uroce_port_slot(const struct uroce_port *port);

/** uroce_port_room_bytes() - return the socket's capacity; 0: unknown */
uint32_t uroce_port_room_bytes(const struct uroce_port *port);

/** uroce_port_fd() - return the descriptor to poll for uroce_port_receive() */
int uroce_port_fd(const struct uroce_port *port);

/** uroce_port_gsi_fd() - return the one for uroce_port_receive_gsi() */
int uroce_port_gsi_fd(const struct uroce_port *port);

/** uroce_port_member_fd() - return the descriptor for uroce_port_serve() */
int uroce_port_member_fd(const struct uroce_port *port);

/** uroce_port_inbox_fd() - return the one for uroce_port_receive_inbox() */
int uroce_port_inbox_fd(const struct uroce_port *port);

/**
 * uroce_port_serve() - respond to a process that joins the group
 *
 * Context: one thread, which need not be the one that sends and receives.
 * Return: whether another user has connected: then the caller pauses before the
 * next call, so that a flood of connections costs little.
 */
bool uroce_port_serve(struct uroce_port *port);

/**
 * uroce_port_report_header() - report traffic class and hop limit of packets
 * @on: false: path->tclass and path->hop_limit are 0, and an ECN mark in the IP
 *	header does not set packet->fecn
 *
 * A port with a capture always reports them.
 */
void uroce_port_report_header(struct uroce_port *port, bool on);

/**
 * uroce_port_add_address() - accept packets to a GID, and send from it
 * @port: the port
 * @gid: an address of the interface
 * @ifindex: the interface
 *
 * Counts references; each needs one uroce_port_remove_address().
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_port_add_address(struct uroce_port *port, const uint8_t *gid,
			   unsigned int ifindex);

void uroce_port_remove_address(struct uroce_port *port, const uint8_t *gid,
			       unsigned int ifindex);

/**
 * uroce_port_join() - join or leave a multicast group
 * @join: false: leave
 *
 * Return: 0, -EINVAL if @gid is no multicast address, or -errno.
 */
int uroce_port_join(struct uroce_port *port, const uint8_t *gid,
		    unsigned int ifindex, bool join);

/**
 * uroce_port_sport() - return the UDP source port for packets to a QP
 * @dest_qpn: QPN of the destination
 *
 * Context: any thread.
 */
uint16_t uroce_port_sport(const struct uroce_port *port, uint32_t dest_qpn);

/**
 * uroce_port_put() - queue a packet
 * @port: the port
 * @packet: with path, whose sport is from uroce_port_sport()
 * @iov: payload, which must not change until uroce_port_flush()
 * @nr_iov: entries of @iov; up to UROCE_PORT_MAX_PIECES
 * @owner: for uroce_port_take_refused()
 *
 * The packet may be lost, as on any network.
 */
void uroce_port_put(struct uroce_port *port, const struct uroce_packet *packet,
		    const struct iovec *iov, uint32_t nr_iov, void *owner);

/**
 * uroce_port_put_run() - queue packets that differ in PSN and payload only
 * @port: the port
 * @first: first packet; the PSNs count up from its PSN
 * @payload: payloads of all packets, one after the other
 * @nr: number of packets; > 0
 * @owner: for uroce_port_take_refused()
 *
 * Equivalent to @nr calls of uroce_port_put(), but faster.
 */
void uroce_port_put_run(struct uroce_port *port,
			const struct uroce_packet *first, uint8_t *payload,
			uint32_t nr, void *owner);

/** uroce_port_flush() - send all queued packets; may wait for the socket */
void uroce_port_flush(struct uroce_port *port);

/**
 * uroce_port_take_refused() - get an owner whose packet exceeds the path MTU
 *
 * Called after uroce_port_flush() until it returns NULL. The list is bounded;
 * an owner that does not fit is listed when it sends again.
 *
 * Return: the owner, or NULL.
 */
void *uroce_port_take_refused(struct uroce_port *port);

/**
 * uroce_port_has_room() - whether more packets should be queued now
 * @now_ns: current time
 *
 * Return: false if a process of this host does not keep up with the packets
 * from this port. The caller asks again soon. The port does not wait for a
 * process that stays unresponsive.
 */
bool uroce_port_has_room(struct uroce_port *port, uint64_t now_ns);

/* Receives a packet; packet->icrc_check is pending. */
typedef void uroce_port_receive_fn(void *arg, struct uroce_packet *packet);

/**
 * uroce_port_receive() - receive packets that have arrived
 * @port: the port
 * @fn: called for each packet
 * @arg: for @fn
 *
 * Return: whether more packets may wait.
 */
bool uroce_port_receive(struct uroce_port *port, uroce_port_receive_fn *fn,
			void *arg);

/**
 * uroce_port_receive_inbox() - receive packets that other processes forwarded
 *
 * Return: whether another user has sent a datagram: then the caller pauses, as
 * for uroce_port_serve().
 */
bool uroce_port_receive_inbox(struct uroce_port *port,
			      uroce_port_receive_fn *fn, void *arg);

/**
 * uroce_port_receive_gsi() - receive packets to QP 1
 *
 * All processes receive from this socket, so the destination is any address of
 * the host. Packets to other QPs are dropped or forwarded as those of
 * uroce_port_receive(). The number of packets is bounded.
 *
 * Return: the number of packets, including invalid ones.
 */
uint32_t uroce_port_receive_gsi(struct uroce_port *port,
				uroce_port_receive_fn *fn, void *arg);

/** uroce_port_counters() - copy the counters */
void uroce_port_counters(const struct uroce_port *port,
			 struct uroce_port_counters *ret_counters);

#endif
