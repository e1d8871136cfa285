/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending and receiving on a stream socket. */
#ifndef RSOCKET_STREAM_IO_H
#define RSOCKET_STREAM_IO_H

#include "rsocket/socket_object.h"

#include <sys/types.h>
#include <sys/uio.h>

/**
 * stream_send() - send bytes
 * @flags: MSG_DONTWAIT; others are ignored
 *
 * Return: the number of bytes sent, less than all of them only if the socket
 * does not block or the connection ends; or -errno.
 */
ssize_t stream_send(struct rsocket *socket, const struct iovec *iov, int nr_iov,
		    int flags);

/**
 * stream_receive() - receive bytes
 * @flags: MSG_DONTWAIT, MSG_PEEK, MSG_WAITALL; others are ignored
 *
 * Return: the number of bytes, 0 at the end of the stream, or -errno.
 */
ssize_t stream_receive(struct rsocket *socket, const struct iovec *iov,
		       int nr_iov, int flags);

/**
 * stream_write_at() - write to memory that the peer opened with riomap()
 * @offset: of the first byte, as the peer chose it
 *
 * Return: the number of bytes, less than all of them where the peer has opened
 * nothing; or -errno.
 */
ssize_t stream_write_at(struct rsocket *socket, const void *bytes, size_t len,
			uint64_t offset, int flags);

/**
 * stream_shutdown_unlocking() - end sending, receiving or both
 * @how: SHUT_RD, SHUT_WR or SHUT_RDWR, which waits for all messages
 *
 * Return: 0 or -errno.
 */
int stream_shutdown_unlocking(struct rsocket *socket, int how);

/** stream_close_unlocking() - send all messages, and the end of the connection
 */
void stream_close_unlocking(struct rsocket *socket);

#endif
