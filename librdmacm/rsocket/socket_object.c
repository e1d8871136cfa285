/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocation of sockets of all kinds. */
#include "rsocket/socket_object.h"

#include "rsocket/rsocket_config.h"

#include <stdlib.h>

struct rsocket *socket_alloc(const struct socket_ops *ops, int domain)
{
	const struct rsocket_config *config = rsocket_config_get();
	struct rsocket *socket = calloc(1, sizeof(*socket));

	if (!socket)
		return NULL;
	socket->ops = ops;
	socket->fd = -1;
	socket->domain = domain;
	(void)pthread_mutex_init(&socket->lock.mutex, NULL);
	socket->options = (struct rsocket_options){
		.recv_len = config->recv_len,
		.send_len = config->send_len,
		.nr_sends = config->nr_sends,
		.nr_recvs = config->nr_recvs,
		.max_inline = config->max_inline,
		.nr_iomaps = config->nr_iomaps,
		/* The defaults of TCP in Linux */
		.keep_idle = 7200,
		.keep_count = 9,
		.keep_interval = 75,
	};
	list_init(&socket->waiters);
	list_init(&socket->ready);
	list_init(&socket->ready_node);
	list_init(&socket->children);
	list_init(&socket->child_node);
	return socket;
}

void socket_dealloc(struct rsocket *socket)
{
	(void)pthread_mutex_destroy(&socket->lock.mutex);
	free(socket);
}

bool socket_waits_locked(const struct rsocket *socket, int flags)
{
	return !socket->is_nonblocking && !(flags & MSG_DONTWAIT);
}
