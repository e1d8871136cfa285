/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending, receiving and waiting on a datagram socket. */
#ifndef RSOCKET_DATAGRAM_IO_H
#define RSOCKET_DATAGRAM_IO_H

#include "rsocket/datagram_object.h"

#include <sys/types.h>

/**
 * datagram_send() - send a datagram, as sendmsg(2)
 *
 * Return: its length; -EDESTADDRREQ without a destination; -EMSGSIZE if it is
 * too long; -EPIPE after the end of sending; another -errno.
 */
ssize_t datagram_send(struct rsocket *socket, const struct msghdr *msg,
		      int flags);

/**
 * datagram_receive() - receive a datagram, as recvmsg(2)
 * @flags: MSG_DONTWAIT, MSG_PEEK, MSG_TRUNC
 *
 * Return: the number of bytes in the buffers, or the length of the datagram
 * with MSG_TRUNC; 0 after the end of receiving; or -errno.
 */
ssize_t datagram_receive(struct rsocket *socket, struct msghdr *msg, int flags);

/** datagram_close_unlocking() - wait until all messages are sent */
void datagram_close_unlocking(struct rsocket *socket);

short datagram_events_locked(const struct rsocket *socket);
void datagram_progress_locked(struct rsocket *socket);
int datagram_arm_locked(struct rsocket *socket);
void datagram_take_events_locked(struct rsocket *socket);

#endif
