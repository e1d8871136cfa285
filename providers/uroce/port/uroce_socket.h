/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Making the UDP sockets: one kind that receives on port 4791 and is shared by
 * all processes of a user, and one that a process sends from.
 *
 * They are IPv6 sockets that take IPv4 as well, so that there is one to look
 * at; IPv4 sockets where the kernel has no IPv6. They are never connected, and
 * never let the kernel fragment: only then is the IP identification known
 * (../README.md).
 */
#ifndef UROCE_SOCKET_H
#define UROCE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "uroce/wire/uroce_packet.h"

/**
 * uroce_socket_receiver() - a socket on port 4791, not bound yet
 *
 * Shared with others through SO_REUSEPORT; reports the destination address, and
 * what was merged by GRO if the kernel does that.
 *
 * Return: the descriptor, or -errno.
 */
int uroce_socket_receiver(void);

/**
 * uroce_socket_report_header() - report traffic class and hop limit, or not
 *
 * It costs a twentieth of what it takes to receive a small packet. Also for
 * what has come already.
 */
void uroce_socket_report_header(int fd, bool on);

/** uroce_socket_drops() - packets for which there was no room, ever */
uint32_t uroce_socket_drops(int fd);

/* Hop limit of senders, for which nothing needs to be said */
#define UROCE_SENDER_HOPS 64

/** uroce_socket_sender() - a socket to send from, not bound yet; or -errno */
int uroce_socket_sender(void);

/** uroce_socket_bind() - bind to @port on all addresses; 0 or -errno */
int uroce_socket_bind(int fd, uint16_t port);

/** uroce_socket_bind_to() - bind to @port on the address @gid; 0 or -errno */
int uroce_socket_bind_to(int fd, const uint8_t *gid, uint16_t port);

/**
 * uroce_socket_share() - let sockets of this user bind to the port of @fd, too
 *
 * Only those that are shared, like this one. 0 or -errno.
 */
int uroce_socket_share(int fd);

/** uroce_socket_unshare() - the opposite, before it is bound; 0 or -errno */
int uroce_socket_unshare(int fd);

/** uroce_socket_free_bind() - may bind to any address; 0 or -errno */
int uroce_socket_free_bind(int fd);

/** uroce_socket_family() - AF_INET6 or AF_INET, or -errno */
int uroce_socket_family(int fd);

/** uroce_socket_is_multicast() - whether @gid is a multicast address */
bool uroce_socket_is_multicast(const uint8_t *gid);

/**
 * uroce_socket_join() - receive what is sent to a group, or no longer
 * @fd: a receiver
 * @gid: the group
 * @ifindex: on which interface
 * @join: false: leave it
 *
 * Return: 0, -EINVAL for no group, or -errno.
 */
int uroce_socket_join(int fd, const uint8_t *gid, unsigned int ifindex,
		      bool join);

#endif
