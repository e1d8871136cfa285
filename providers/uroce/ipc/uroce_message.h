/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages over unix sockets, with descriptors. */
#ifndef UROCE_MESSAGE_H
#define UROCE_MESSAGE_H

#include <stddef.h>
#include <sys/socket.h>

#define UROCE_MAX_PASSED 16 /* most descriptors in a message */

/**
 * uroce_message_take_fds() - get the descriptors of a received message
 * @msg: received with room for UROCE_MAX_PASSED descriptors
 * @ret_fds: receives them; the caller closes them
 *
 * Return: number of descriptors.
 */
int uroce_message_take_fds(struct msghdr *msg, int *ret_fds);

/**
 * uroce_message_send() - send a message
 * @data: bytes of the message
 * @len: number of bytes
 * @fds: descriptors to pass; the caller keeps them
 * @nr_fds: up to UROCE_MAX_PASSED
 *
 * Return: 0, -EAGAIN after the timeout, or -errno.
 */
int uroce_message_send(int fd, const void *data, size_t len, const int *fds,
		       unsigned int nr_fds);

/**
 * uroce_message_try_send() - send a message without waiting
 *
 * Return: 0, -EAGAIN, or -errno.
 */
int uroce_message_try_send(int fd, const void *data, size_t len, const int *fds,
			   unsigned int nr_fds);

/**
 * uroce_message_receive() - receive a message
 * @data: receives the message
 * @len: bytes that the message must have
 * @ret_fds: receives the descriptors, which the caller closes; room for
 *	UROCE_MAX_PASSED
 *
 * Return: number of descriptors; -EPROTO if the message has another length or
 * the peer has closed the connection; -EMFILE if the process has no room for
 * the descriptors; -EAGAIN after the timeout; or -errno.
 */
int uroce_message_receive(int fd, void *data, size_t len, int *ret_fds);

/**
 * uroce_message_try_receive() - receive a message without waiting
 * @data: receives the message
 * @size: room at @data in bytes
 * @ret_fd: receives the descriptor, which the caller closes; -1: the message
 *	has none, or the process had no room for it
 *
 * Return: length of the message; -EPROTO if it is longer than @size or has more
 * descriptors, or the peer has closed the connection; -EAGAIN; or -errno.
 */
int uroce_message_try_receive(int fd, void *data, size_t size, int *ret_fd);

#endif
