/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connects, which use TCP or UDP if the peer has no rsocket. */
#ifndef PRELOAD_PRELOAD_CONNECT_H
#define PRELOAD_PRELOAD_CONNECT_H

#include "preload/preload_file.h"

/** preload_connect_allows_ordinary() - whether another socket may succeed
 * @error: errno of the rsocket
 */
bool preload_connect_allows_ordinary(int error);

/** preload_connect_rsocket() - connect(2) for a file with an rsocket */
int preload_connect_rsocket(int fd, struct preload_file *file,
			    const struct sockaddr *address, socklen_t len);

/**
 * preload_connect_poll() - the rsocket has events
 *
 * If a connect that did not block has failed, an ordinary socket connects.
 *
 * Return: whether @fd is another socket now, whose events are not yet known.
 */
bool preload_connect_poll(int fd, struct preload_file *file);

#endif
