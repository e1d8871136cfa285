/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for any of several descriptors, sockets among them. */
#ifndef RSOCKET_SOCKET_POLL_H
#define RSOCKET_SOCKET_POLL_H

#include <poll.h>
#include <sys/select.h>

/**
 * socket_poll() - poll(2) for descriptors of both kinds
 *
 * Return: as poll(2), but -errno instead of -1.
 */
int socket_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms);

/** socket_select() - select(2) likewise; @timeout is not changed */
int socket_select(int nr_fds, fd_set *read_fds, fd_set *write_fds,
		  fd_set *except_fds, const struct timeval *timeout);

#endif
