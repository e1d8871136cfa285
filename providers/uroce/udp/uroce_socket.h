/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creates the UDP sockets: receivers on port 4791, which all processes of a
 * user share, and senders of one process.
 *
 * They are IPv6 sockets that accept IPv4 as well, so that a process polls one
 * socket; IPv4 sockets where the kernel has no IPv6. They are never connected,
 * and never let the kernel fragment: only then is the IP identification known
 * (../roce/README.md).
 */
#ifndef UROCE_SOCKET_H
#define UROCE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "uroce/wire/uroce_packet.h"

/**
 * uroce_socket_receiver() - create a receiver for port 4791, not bound yet
 *
 * Shared by SO_REUSEPORT; reports the destination address, and the segment
 * length of datagrams that GRO has merged, if the kernel has GRO.
 *
 * Return: the descriptor, or -errno.
 */
int uroce_socket_receiver(void);

/**
 * uroce_socket_report_header() - report traffic class and hop limit, or not
 *
 * The report costs a twentieth of the time to receive a small packet. The call
 * also affects packets that wait in the socket.
 */
void uroce_socket_report_header(int fd, bool on);

/** uroce_socket_no_merge() - receive each packet as a message of its own */
void uroce_socket_no_merge(int fd);

/** uroce_socket_drops() - return how many packets @fd has dropped, ever */
uint32_t uroce_socket_drops(int fd);

/* Hop limit of senders: messages with it need no control data. */
#define UROCE_SENDER_HOPS 64

/** uroce_socket_sender() - create a sender, not bound yet; or -errno */
int uroce_socket_sender(void);

/**
 * uroce_socket_await_retry() - decide on a failed call that sends
 * @fd: a sender
 * @err: the errno of the call: EAGAIN waits for room, EINTR does not wait
 *
 * Return: whether to call it again.
 */
bool uroce_socket_await_retry(int fd, int err);

/** uroce_socket_bind() - bind to @port on all addresses; 0 or -errno */
int uroce_socket_bind(int fd, uint16_t port);

/** uroce_socket_bind_to() - bind to @port on the address @gid; 0 or -errno */
int uroce_socket_bind_to(int fd, const uint8_t *gid, uint16_t port);

/**
 * uroce_socket_share() - let sockets of this user bind to the port of @fd, too
 *
 * The other sockets must be shared, too. Return: 0 or -errno.
 */
int uroce_socket_share(int fd);

/** uroce_socket_unshare() - undo sharing, before the bind; 0 or -errno */
int uroce_socket_unshare(int fd);

/** uroce_socket_free_bind() - allow any address in the bind; 0 or -errno */
int uroce_socket_free_bind(int fd);

/** uroce_socket_family() - return AF_INET6 or AF_INET, or -errno */
int uroce_socket_family(int fd);

/** uroce_socket_is_multicast() - whether @gid is a multicast address */
bool uroce_socket_is_multicast(const uint8_t *gid);

/**
 * uroce_socket_join() - join or leave a multicast group
 * @fd: a receiver
 * @gid: the group
 * @ifindex: the interface
 * @join: false: leave
 *
 * Return: 0, -EINVAL if @gid is no multicast address, or -errno.
 */
int uroce_socket_join(int fd, const uint8_t *gid, unsigned int ifindex,
		      bool join);

#endif
