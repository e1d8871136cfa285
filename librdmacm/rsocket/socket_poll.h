/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for any of several descriptors, sockets among them. */
#ifndef RSOCKET_SOCKET_POLL_H
#define RSOCKET_SOCKET_POLL_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>

/* Whether a descriptor is ready only after a change; of sockets only. */
struct socket_edge {
	bool is_wanted;
	uint64_t nr_changes; /* rsocket.nr_changes at the last event; 0: none */
};

/**
 * socket_poll() - poll(2) for descriptors of both kinds
 *
 * Return: as poll(2), but -errno instead of -1.
 */
int socket_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms);

/**
 * socket_poll_edges() - the same, with events of edges
 * @edges: one for each descriptor, and changed with its events
 */
int socket_poll_edges(struct pollfd *fds, struct socket_edge *edges,
		      nfds_t nr_fds, int timeout_ms);

/** socket_select() - select(2) likewise; @timeout is not changed */
int socket_select(int nr_fds, fd_set *read_fds, fd_set *write_fds,
		  fd_set *except_fds, const struct timeval *timeout);

#endif
