/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of unix sockets, with descriptors. */
#ifndef UROCE_MESSAGE_H
#define UROCE_MESSAGE_H

#include <stddef.h>
#include <sys/socket.h>

#define UROCE_MAX_PASSED 16 /* descriptors in a message */

/**
 * uroce_message_take_fds() - the descriptors of a received message
 * @msg: received with room for UROCE_MAX_PASSED descriptors
 * @ret_fds: receives them; the caller closes them
 *
 * Return: number of descriptors.
 */
int uroce_message_take_fds(struct msghdr *msg, int *ret_fds);

/**
 * uroce_message_send() - send a message
 * @data: of it
 * @len: bytes
 * @fds: descriptors that go with it
 * @nr_fds: up to UROCE_MAX_PASSED
 *
 * Return: 0, -EAGAIN after the timeout, or -errno.
 */
int uroce_message_send(int fd, const void *data, size_t len, const int *fds,
		       unsigned int nr_fds);

/**
 * uroce_message_try_send() - the same, without waiting
 *
 * Return: 0, -EAGAIN, or -errno.
 */
int uroce_message_try_send(int fd, const void *data, size_t len, const int *fds,
			   unsigned int nr_fds);

/**
 * uroce_message_receive() - receive a message
 * @data: receives it
 * @len: bytes that it must have
 * @ret_fds: receives its descriptors, which are the caller's then; room for
 *	UROCE_MAX_PASSED
 *
 * Return: number of descriptors; -EPROTO if it has another length, or the other
 * side is gone; -EMFILE if there is no room for them; -EAGAIN after the
 * timeout; or -errno.
 */
int uroce_message_receive(int fd, void *data, size_t len, int *ret_fds);

/**
 * uroce_message_try_receive() - receive a message, without waiting
 * @data: receives it
 * @size: bytes that it may have at most
 * @ret_fd: receives its descriptor, which is the caller's then; -1: it has
 *	none, or there was no room for it
 *
 * Return: its length; -EPROTO if it is longer or has more descriptors, or the
 * other side is gone; -EAGAIN; or -errno.
 */
int uroce_message_try_receive(int fd, void *data, size_t size, int *ret_fd);

#endif
