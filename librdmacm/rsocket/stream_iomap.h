/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory that an application opens for its peer. */
#ifndef RSOCKET_STREAM_IOMAP_H
#define RSOCKET_STREAM_IOMAP_H

#include "rsocket/socket_object.h"

#include <sys/types.h>

/**
 * stream_iomap() - open memory for the riowrite() of the peer
 * @prot: PROT_WRITE or PROT_NONE
 * @offset: in: offset for the peer, -1: the address; out: that offset
 *
 * Return: 0; -ENOTCONN; -EINVAL; -ENOMEM if the table of the peer is full; or
 * the -errno of ibv_reg_mr().
 */
int stream_iomap(struct rsocket *socket, void *address, size_t len, int prot,
		 off_t *offset);

/** stream_iounmap() - close memory
 *
 * Return: 0; -EINVAL if no such memory is open.
 */
int stream_iounmap(struct rsocket *socket, const void *address, size_t len);

#endif
