/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of programs that call fork(2). Rsockets do not survive fork(), so
 * both ends connect by TCP, and make the rsocket when the connection is used.
 */
#ifndef PRELOAD_PRELOAD_FORK_H
#define PRELOAD_PRELOAD_FORK_H

#include "preload/preload_file.h"

/**
 * preload_fork_convert() - make an rsocket of a TCP connection
 *
 * Waits for the peer. The descriptor remains a TCP connection if the peer does
 * not take part. No effect on other kinds.
 */
void preload_fork_convert(int fd, struct preload_file *file);

/**
 * preload_fork_get_waited() - the file of a descriptor that is waited for
 *
 * An accepted TCP connection becomes an rsocket now: its active side, which
 * sees a readable socket, sends nothing before.
 *
 * Return: with a reference; NULL: it is no rsocket.
 */
struct preload_file *preload_fork_get_waited(int fd);

#endif
