/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets of the application: creation, and replacement of their kind. */
#ifndef PRELOAD_PRELOAD_MAKE_H
#define PRELOAD_PRELOAD_MAKE_H

#include "preload/preload_file.h"

/** preload_make_socket() - socket(2) for those that the rules select
 *
 * Return: a descriptor of /dev/null or, with RDMAV_FORK_SAFE, of a TCP socket;
 * -1 with errno set if there is no rsocket.
 */
int preload_make_socket(int domain, int type, int protocol);

/** preload_make_wanted() - whether the rules select a socket */
bool preload_make_wanted(int domain, int type, int protocol);

/**
 * preload_make_handle() - a descriptor for an rsocket
 * @rsocket: closed after a failure
 * @parent: its domain, type and protocol are inherited
 *
 * Return: the descriptor; -1 with errno set.
 */
int preload_make_handle(int rsocket, const struct preload_file *parent,
			int flags);

/**
 * preload_make_rsocket() - an rsocket with the options of the environment
 *
 * Call it between preload_enter() and preload_leave().
 */
int preload_make_rsocket(int domain, int type, int protocol);

/**
 * preload_make_ordinary() - replace an rsocket by a socket of the C library
 *
 * Bound as the rsocket was.
 *
 * Return: 0; -1 with errno set.
 */
int preload_make_ordinary(int fd, struct preload_file *file);

#endif
