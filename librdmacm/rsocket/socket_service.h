/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The thread that processes the CM events of all sockets. */
#ifndef RSOCKET_SOCKET_SERVICE_H
#define RSOCKET_SOCKET_SERVICE_H

#include <rdma/rdma_cma.h>

/**
 * A function for each event. The service acknowledges the event afterwards,
 * then calls the function that socket_service_start() got for the result.
 */
struct socket_service_ops {
	void *(*handle)(struct rdma_cm_event *event);
	void (*finish)(void *result); /* not for NULL */
};

/**
 * socket_service_start() - the event channel for the ids of sockets
 * @ps: RDMA_PS_TCP or RDMA_PS_UDP
 * @ops: for the events of all ids of that port space
 *
 * The first call starts the thread, which runs until the process ends.
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int socket_service_start(enum rdma_port_space ps,
			 const struct socket_service_ops *ops,
			 struct rdma_event_channel **ret_channel);

#endif
