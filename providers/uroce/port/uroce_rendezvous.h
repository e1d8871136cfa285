/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Abstract unix sockets by which processes of one user find each other, and
 * messages over them that carry descriptors. The names are those of a network
 * namespace, and hold the user's id; as anybody can take a name, the other side
 * is asked who it is.
 */
#ifndef UROCE_RENDEZVOUS_H
#define UROCE_RENDEZVOUS_H

#include <stddef.h>
#include <stdint.h>

#define UROCE_MAX_PASSED 16 /* descriptors in a message */

/* Connections of other users that are rejected before something else is done */
#define UROCE_RENDEZVOUS_BATCH 32

/**
 * uroce_rendezvous_bind() - take a name
 * @type: SOCK_SEQPACKET or SOCK_DGRAM
 * @what: end of the name
 *
 * Return: the socket, not listening yet and non-blocking; -EADDRINUSE if it is
 * taken; or -errno.
 */
int uroce_rendezvous_bind(int type, const char *what);

/**
 * uroce_rendezvous_connect() - connect to who listens at a name
 * @what: end of the name
 * @timeout_ms: for this and for each message
 *
 * Return: the socket; -ECONNREFUSED if nobody listens; -EPERM if it is another
 * user; or -errno.
 */
int uroce_rendezvous_connect(const char *what, unsigned int timeout_ms);

/**
 * uroce_rendezvous_accept() - let one in who has connected
 * @listener: the socket with the name
 * @timeout_ms: for each message
 *
 * Return: the socket; -EAGAIN if there is none; -EPERM if it was another user;
 * or -errno.
 */
int uroce_rendezvous_accept(int listener, unsigned int timeout_ms);

/**
 * uroce_rendezvous_send() - send a message
 * @data: of it
 * @len: bytes
 * @fds: descriptors that go with it
 * @nr_fds: up to UROCE_MAX_PASSED
 *
 * Return: 0, -EAGAIN after the timeout, or -errno.
 */
int uroce_rendezvous_send(int fd, const void *data, size_t len, const int *fds,
			  unsigned int nr_fds);

/**
 * uroce_rendezvous_try_send() - the same, without waiting
 *
 * Return: 0, -EAGAIN, or -errno.
 */
int uroce_rendezvous_try_send(int fd, const void *data, size_t len,
			      const int *fds, unsigned int nr_fds);

/**
 * uroce_rendezvous_receive() - receive a message
 * @data: receives it
 * @len: bytes that it must have
 * @ret_fds: receives its descriptors, which are the caller's then; room for
 *	UROCE_MAX_PASSED
 *
 * Return: number of descriptors; -EPROTO if it has another length, or the other
 * side is gone; -EMFILE if there is no room for them; -EAGAIN after the
 *timeout; or -errno.
 */
int uroce_rendezvous_receive(int fd, void *data, size_t len, int *ret_fds);

/**
 * uroce_rendezvous_try_receive() - receive a message, without waiting
 * @data: receives it
 * @size: bytes that it may have at most
 * @ret_fd: receives its descriptor, which is the caller's then; -1: it has
 *	none, or there was no room for it
 *
 * Return: its length; -EPROTO if it is longer or has more descriptors, or the
 * other side is gone; -EAGAIN; or -errno.
 */
int uroce_rendezvous_try_receive(int fd, void *data, size_t size, int *ret_fd);

/**
 * uroce_rendezvous_sendto() - send a datagram to a name; 0 or -errno
 * @fd: a SOCK_DGRAM socket
 */
int uroce_rendezvous_sendto(int fd, const char *what, const void *data,
			    size_t len);

/**
 * uroce_rendezvous_recvfrom() - receive a datagram
 * @fd: a SOCK_DGRAM socket with a name
 *
 * Return: bytes; -EAGAIN, -EMSGSIZE if @size is too small, -EPERM if it is from
 * another user; or -errno.
 */
int uroce_rendezvous_recvfrom(int fd, void *buf, size_t size);

#endif
