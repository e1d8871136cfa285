/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bootstrap sockets: abstract unix sockets by which the processes of one user
 * find each other. Any user of the network namespace can take any name, so the
 * user of each peer is checked (uroce_identity.h).
 */
#ifndef UROCE_RENDEZVOUS_H
#define UROCE_RENDEZVOUS_H

#include <stddef.h>
#include <stdint.h>

#include "uroce/ipc/uroce_identity.h"
#include "uroce/ipc/uroce_message.h"

/* Connections of other users that are rejected in a row before other work. */
#define UROCE_RENDEZVOUS_BATCH 32

/* Limit for each message of a proof where a process must not wait long. */
#define UROCE_RENDEZVOUS_PROOF_MS 200

/**
 * uroce_rendezvous_bind() - bind a socket to the name of a slot
 *
 * The name ends with uroce_identity_suffix().
 *
 * Return: the socket, not listening yet and non-blocking; -EADDRINUSE if the
 * name is taken; or -errno.
 */
int uroce_rendezvous_bind(enum uroce_name_kind kind, uint32_t slot);

/**
 * uroce_rendezvous_connect() - connect to the process that has a slot
 * @kind: kind of the listener
 * @slot: slot of that process
 * @timeout_ms: limit for this call and for each message; 0: do not wait, and
 *	return a non-blocking socket, which needs uroce_identity_prove()
 *
 * If another user has taken the name, this connects to the name with a suffix
 * that a process of this user has for the slot (uroce_directory.h).
 *
 * Return: the socket; -ECONNREFUSED if no process listens; -EPERM if only
 * processes of other users listen; -EAGAIN after the timeout; or -errno.
 */
int uroce_rendezvous_connect(enum uroce_name_kind kind, uint32_t slot,
			     unsigned int timeout_ms);

/**
 * uroce_rendezvous_accept() - accept a connection
 * @listener: the socket with the name
 * @timeout_ms: limit for each message
 *
 * Return: the socket; -EAGAIN if no connection waits; -EPERM if it is of
 * another user; or -errno.
 */
int uroce_rendezvous_accept(int listener, unsigned int timeout_ms);

/**
 * uroce_rendezvous_sendto() - send a datagram to an inbox; 0 or -errno
 * @fd: a SOCK_DGRAM socket
 * @slot: slot of the process with the inbox
 * @suffix: suffix of its names
 */
int uroce_rendezvous_sendto(int fd, uint32_t slot, const char *suffix,
			    const void *data, size_t len);

/**
 * uroce_rendezvous_recvfrom() - receive a datagram
 * @fd: a SOCK_DGRAM socket with a name
 *
 * Return: bytes; -EAGAIN, -EMSGSIZE if @size is too small, -EPERM if the sender
 * is another user or the user id is ambiguous; or -errno.
 */
int uroce_rendezvous_recvfrom(int fd, void *buf, size_t size);

/**
 * uroce_rendezvous_listen_gsi() - own MADs: listen at a name
 * @text: for uroce_identity_gsi_name()
 *
 * Return: the socket, non-blocking; -EADDRINUSE if the name is taken; -EPERM if
 * the user id is ambiguous or has changed; or -errno.
 */
int uroce_rendezvous_listen_gsi(const char *text);

/**
 * uroce_rendezvous_connect_gsi() - connect to an owner of MADs; never waits
 * @text: for uroce_identity_gsi_name()
 *
 * Return: a non-blocking socket; -ECONNREFUSED if no process listens; -EPERM if
 * another user does, or the user id is ambiguous; -EAGAIN if too many
 * connections wait there; or -errno.
 */
int uroce_rendezvous_connect_gsi(const char *text);

/**
 * uroce_rendezvous_accept_gsi() - accept a connection of a sender of MADs
 * @listener: from uroce_rendezvous_listen_gsi()
 *
 * Return: a non-blocking socket; -EAGAIN if no connection waits; -EPERM if it
 * is of another user; or -errno.
 */
int uroce_rendezvous_accept_gsi(int listener);

#endif
